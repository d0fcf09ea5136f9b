"""A twill: ribbons that go over two and under two."""

import numpy as np

import pellucid as pl
from pellucid import images as im

WARP, WEFT, SHADE = im.color("#bb3e03"), im.color("#e9d8a6"), im.color("#1b0f0a")


@pl.image
def picture(p):
    i, j = im.floor(p.x), im.floor(p.y)
    u, v = p.x - i, p.y - j
    step = (i + j) % 4
    lies = step < 2
    along = pl.where(lies, step + u, step - 2 + v) / 2
    across = pl.where(lies, v, u) - 0.5
    light = im.sqrt(im.max(1 - 3.6 * across * across, 0)) * (0.5 + 0.5 * im.sin(np.pi * along))
    threads = 0.9 + 0.1 * im.cos(14 * np.pi * across)
    color = pl.where(lies, WEFT, WARP)
    return pl.where(abs(across) < 0.46, im.lerp_color(light * threads, color, SHADE), SHADE)


picture = picture.framed((960, 640), width=12.0)
