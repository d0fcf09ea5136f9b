"""Pictures in notebooks: they show themselves, and their parameters become sliders.

Top of the house, beside the command line. `png_bytes` is what the pictures' own display hook calls; `sliders` needs
the extra `pellucid[notebook]`.
"""

from pellucid.notebook.display import png_bytes
from pellucid.notebook.sliders import sliders

__all__ = ["png_bytes", "sliders"]
