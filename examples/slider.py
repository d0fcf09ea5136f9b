"""A picture with a parameter, set from outside without compiling again.

Try: pellucid render examples/slider.py -o tight.png --param twist=40
     in a notebook: from pellucid.notebook import sliders; sliders(picture)
"""

import pellucid as pl
from pellucid import images as im

twist = pl.param("twist", 100.0, low=20.0, high=400.0)
picture = im.swirl(twist, im.checkerboard(10, im.black, im.white))
