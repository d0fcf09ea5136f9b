"""A walk through the hyperbolic plane: the tiling moves, and the horizon stays where it is."""

import numpy as np

import pellucid as pl
from pellucid import images as im

LOOP = 2 * np.pi

_glass = im.radial_gradient((0, 0), 0.62, ["#fdfcdc", "#fed9b7", "#f07167", "#0081a7", "#00293a"], "oklab")
_tiling = im.hyperbolic(5, 4, _glass)


@pl.animation
def picture(t):
    way = pl.Complex(0.55 * im.cos(t), 0.35 * im.sin(t))

    def moved(p):
        z = pl.Complex(p.x, p.y)
        return ((z + way) / (pl.Complex(1.0, 0.0) + pl.Complex(way.re, -way.im) * z)).point

    return im.over(im.crop(im.udisk, im.warp(moved, _tiling)), im.color("#00141d"))


picture = picture.framed((800, 800), width=2.1, time=0.8)
