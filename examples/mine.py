"""A picture of your own: a Python function from a point to a color.

Try: pellucid render examples/mine.py -o mine.png --zoom 40
"""

import pellucid as pl
from pellucid import images as im


@pl.image
def mine(p):
    return im.lerp_color(p.x % 1, im.red, im.blue)
