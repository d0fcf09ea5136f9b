"""A frame that contains itself, turned and made smaller, for ever.

The logarithm makes a turn about the origin a step upwards; slanting it makes one turn also go one frame in.
"""

import numpy as np

import pellucid as pl
from pellucid import images as im

SCALE = 4.0


@pl.image
def picture(p):
    period = np.log(SCALE)
    q = (pl.Complex(p.x, p.y).log() * pl.Complex(1, -period / (2 * np.pi))).exp().point
    frames = im.log(im.max(abs(q.x), abs(q.y))) / period
    ring = im.fraction(frames)
    q = q * im.exp(-period * im.floor(frames))
    tile = im.checkerboard(0.5, im.color("#f1faee"), im.color("#a8dadc"))(q)
    return pl.where(ring < 0.16, im.color("#1d3557"), pl.where(ring < 0.24, im.color("#e63946"), tile))


picture = picture.framed((960, 640), width=6.0)
