"""Pictures in notebooks: they show themselves, and their parameters become sliders.

Top of the house, beside the command line. `%load_ext pellucid.notebook` lets pictures show themselves;
`sliders` needs the extra `pellucid[notebook]`.
"""

from pellucid.notebook.display import load_ipython_extension, png_bytes
from pellucid.notebook.sliders import sliders

__all__ = ["load_ipython_extension", "png_bytes", "sliders"]
