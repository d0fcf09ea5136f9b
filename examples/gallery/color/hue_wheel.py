"""Hues of one lightness: the wheel of Oklch.

All around a circle the colors look equally light, which the wheel of HSV cannot do.
"""

import numpy as np

import pellucid as pl
from pellucid import images as im

WIDTH = 4.4


@pl.image
def picture(p):
    hue = 2 * np.pi / 24 * im.floor(p.theta * 24 / (2 * np.pi) + 0.5)
    ring = im.floor(p.r * 5)
    inside = (p.r > 0.4) & (p.r < 2)
    gap = (abs(im.fraction(p.r * 5) - 0.5) < 0.44) & (
        abs(p.theta - hue) * p.r < 0.21 * p.r - 0.02 + 0.0 * hue
    )
    tile = im.oklch(0.9 - 0.065 * (ring - 2), 0.03 + 0.012 * ring, hue)
    return pl.where(
        inside & (abs(p.theta - hue) < 0.131 - 0.012 / p.r),
        pl.where(gap, tile, im.color("#fbf7f0")),
        im.color("#fbf7f0"),
    )
