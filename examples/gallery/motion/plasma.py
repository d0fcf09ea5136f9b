"""Four waves that drift through one another."""

import numpy as np

import pellucid as pl
from pellucid import images as im

LOOP = 2 * np.pi


@pl.animation
def picture(t):
    @pl.image
    def waves(p):
        a = im.sin(p.x + t) + im.sin(0.7 * p.y - t)
        b = im.sin(0.6 * (p.x + p.y) + 2 * t)
        c = im.sin(im.hypot(p.x + 2 * im.sin(t), p.y + 2 * im.cos(t)) - t)
        return im.color_at(
            ["#2d00f7", "#e500a4", "#ffb600", "#2d00f7"], im.fraction(0.16 * (a + b + c) + 0.5)
        )

    return waves


picture = picture.framed((960, 640), width=14.0, time=1.0)
