"""Pictures in notebooks: they show themselves, animations move, and `explore` is a live view.

Top of the house, beside the command line. `explore` and `sliders` need the extra `pellucid[notebook]`.
"""

from pellucid.canvas.live import Explorer
from pellucid.notebook.display import moving_png_bytes, png_bytes
from pellucid.notebook.sliders import sliders
from pellucid.notebook.widget import explore

__all__ = ["Explorer", "explore", "moving_png_bytes", "png_bytes", "sliders"]
