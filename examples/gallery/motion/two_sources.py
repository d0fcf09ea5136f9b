"""Waves from two sources, and where they cancel."""

import numpy as np

import pellucid as pl
from pellucid import images as im

LOOP = np.pi / 3


@pl.animation
def picture(t):
    left, right = im.move((-1.2, 0), im.r), im.move((1.2, 0), im.r)
    waves = im.sin(9 * left - 6 * t) / (1 + left) + im.sin(9 * right - 6 * t) / (1 + right)
    return im.ramp(
        ["#03045e", "#0077b6", "#caf0f8", "#ffb703", "#9b2226"], im.clamp(0.5 + 0.55 * waves, 0, 1)
    )


picture = picture.framed((960, 640), width=7.0)
