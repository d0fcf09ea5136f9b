"""A star whose arms wind around it."""

import numpy as np

import pellucid as pl
from pellucid import images as im


@pl.image
def _star(p):
    arms = abs(im.fraction(p.theta * 7 / (2 * np.pi)) - 0.5) * 2
    glow = im.exp(-1.1 * p.r) + 0.75 * arms * im.exp(-0.35 * p.r)
    return im.color_at(
        ["#03071e", "#370617", "#9d0208", "#e85d04", "#ffba08", "#fffae5"], im.clamp(glow, 0, 1)
    )


picture = im.swirl(9, _star).framed((800, 800), width=8.0)
