"""Hues of one lightness: the wheel of Oklch.

All around a circle the colors look equally light, which the wheel of HSV cannot do.
"""

import numpy as np

import pellucid as pl
from pellucid import images as im

SECTORS, RINGS = 24, 6


@pl.image
def picture(p):
    turn, out = p.theta * SECTORS / (2 * np.pi), (p.r - 0.5) * RINGS / 1.5
    sector, ring = im.floor(turn + 0.5), im.floor(out)
    across = abs(turn - sector) * p.r * 2 * np.pi / SECTORS
    inside = (
        (ring >= 0)
        & (ring < RINGS)
        & (abs(out - ring - 0.5) < 0.44)
        & (across < p.r * np.pi / SECTORS - 0.015)
    )
    tile = im.oklch(0.92 - 0.1 * ring, 0.05 + 0.02 * ring, sector * 2 * np.pi / SECTORS)
    return pl.where(inside, tile, im.color("#fbf7f0"))


picture = picture.framed((800, 800), width=4.4)
