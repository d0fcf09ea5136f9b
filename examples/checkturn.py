"""A checkerboard that turns by one radian a second.

Try: pellucid animate examples/checkturn.py -o turn.gif --seconds 2 --fps 25
"""

import pellucid as pl
from pellucid import images as im


@pl.animation
def checkturn(t):
    return im.turn(t, im.checkerboard(10, im.red, im.blue))
