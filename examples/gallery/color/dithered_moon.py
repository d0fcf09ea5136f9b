"""A moonrise in two inks: each dot is on where the light exceeds a threshold that its place gives it.

The thresholds are those of Bayer: the bits of column and row, interleaved.
"""

import pellucid as pl
from pellucid import images as im

DOTS = 80


def _threshold(i, j):
    """Bayer's matrix of 8 by 8, from 0 to 1."""
    level = 0
    for k in range(3):
        a, b = (i >> k) & 1, (j >> k) & 1
        level = level + (((a ^ b) << 1 | b) << (2 * (2 - k)))
    return (level + 0.5) / 64


def _light(p):
    moon = pl.Point(p.x - 0.25, p.y - 0.12)
    z = im.sqrt(im.max(0.36 - moon.dot(moon), 0)) / 0.6
    day = im.clamp((-0.75 * moon.x + 0.5 * moon.y) / 0.6 + 0.5 * z, 0, 1)
    halo = 0.4 * im.exp(-2.6 * im.max(moon.r - 0.6, 0))
    sky = halo * im.smoothstep(-0.9, 0.7, p.y)
    waves = 0.5 + 0.5 * im.sin(90 / (0.42 - p.y))
    sea = im.exp(-3.5 * abs(moon.x)) * waves * im.smoothstep(-1.0, -0.45, p.y + 0.1) + 0.02
    return pl.where(p.y < -0.42, sea, pl.where(moon.r < 0.6, 0.04 + 0.96 * day, sky))


@pl.image
def picture(p):
    i, j = im.floor(p.x * DOTS), im.floor(p.y * DOTS)
    light = _light(pl.Point((i + 0.5) / DOTS, (j + 0.5) / DOTS))
    on = light > _threshold(pl.to_integer(i), pl.to_integer(j))
    return pl.where(on, im.color("#fff1d0"), im.color("#1b1b3a"))


picture = picture.framed((960, 640), width=3.0)
