"""A flight through a tunnel of tiles."""

import numpy as np

import pellucid as pl
from pellucid import images as im

LOOP = 2 * np.pi


@pl.animation
def picture(t):
    @pl.image
    def wall(p):
        depth = 1 / im.max(p.r, 1e-3)
        across = p.theta / np.pi + 0.08 * im.sin(t)
        tile = im.checker((3 * depth + 3 * t / np.pi, 6 * across))
        color = pl.where(tile, im.color("#f72585"), im.color("#4cc9f0"))
        return im.lerp_color(im.exp(-0.22 * depth), color, im.color("#10002b"))

    return wall


picture = picture.framed((960, 640), width=3.0, time=0.3)
