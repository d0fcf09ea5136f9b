"""Seven plane waves, added: a pattern with sevenfold symmetry that never repeats."""

import numpy as np

import pellucid as pl
from pellucid import images as im

WAVES = 7


@pl.image
def picture(p):
    total = 0
    for k in range(WAVES):
        angle = np.pi * k / WAVES
        total = total + im.cos(p.x * np.cos(angle) + p.y * np.sin(angle))
    level = 0.5 + 0.5 * im.cos(total * 1.2)
    return im.color_at(["#0a0908", "#22333b", "#5e503f", "#c6ac8f", "#eae0d5"], level)


picture = picture.framed((960, 640), width=90.0)
