"""The seeds of a sunflower: each is turned by the golden angle from the one before.

The seed at a point is looked for among the few whose distance from the middle fits.
"""

import numpy as np

import pellucid as pl
from pellucid import images as im

GOLDEN = np.pi * (3 - 5**0.5)


@pl.image
def picture(p):
    first = im.floor(p.dot(p)) - 22

    def step(state):
        n, nearest, which = state
        r, turn = im.sqrt(im.max(n, 0)), GOLDEN * n
        d = im.hypot(p.x - r * im.cos(turn), p.y - r * im.sin(turn))
        d = pl.where(n < 0, 9.0, d)
        return n + 1.0, im.min(nearest, d), pl.where(d < nearest, n, which)

    _, near, which = pl.iterate(step, (first, 9.0, 0.0), limit=45)
    seed = im.color_at(["#3b1f0b", "#7f4f24", "#dda15e", "#ffd60a"], im.clamp(which / 420, 0, 1))
    color = im.lerp_color(im.smoothstep(0.85, 0.3, near), seed, im.color("#1a0f05"))
    return pl.where(p.r < 20.5, color, im.color("#283618"))


picture = picture.framed((800, 800), width=44.0)
