"""Beads on spirals between two poles.

The logarithm of a ratio unrolls the plane between the poles to a strip, and a lattice of beads lies on it aslant.
"""

import numpy as np

import pellucid as pl
from pellucid import images as im

ARMS, TURNS = 18, 9
COLORS = ["#f4f1de", "#e07a5f", "#f2cc8f", "#81b29a", "#3d5a80", "#9c4f6b", "#e07a5f", "#f2cc8f", "#3d5a80"]


@pl.image
def picture(p):
    z = pl.Complex(p.x, p.y)
    strip = ((z - 1) / (z + 1)).log()
    q = (strip * pl.Complex(ARMS / (2 * np.pi), -TURNS / (2 * np.pi))).point
    i, j = im.floor(q.x), im.floor(q.y)
    bead = pl.Point(q.x - i - 0.5, q.y - j - 0.5)
    arm = j % 9
    color = im.color(COLORS[0])
    for k in range(1, 9):
        color = pl.where(arm >= k, im.color(COLORS[k]), color)
    shade = im.lerp_color(
        im.smoothstep(0.5, 0.1, bead.r), color, im.lerp_color(0.55, color, im.color("#0d1321"))
    )
    return pl.where(bead.r < 0.44, shade, im.color("#0d1321"))


picture = picture.framed((960, 640), width=5.4)
