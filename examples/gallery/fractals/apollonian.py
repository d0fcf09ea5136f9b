"""Circles within circles, by turning the plane inside out.

Fold into a square, invert in a circle, and again; the distance that remains draws the rims.
"""

import pellucid as pl
from pellucid import images as im


@pl.image
def picture(p):
    def step(state):
        q, scale, trap = state
        q = pl.Point(q.x - 2 * im.floor(q.x * 0.5 + 0.5), q.y - 2 * im.floor(q.y * 0.5 + 0.5))
        k = 1.15 / im.max(q.dot(q), 1e-6)
        return q * k, scale * k, im.min(trap, abs(q.r - 0.7))

    q, scale, trap = pl.iterate(step, (p, 1.0, 1.0), limit=9)
    rim = im.clamp(40 * abs(q.y) / scale, 0, 1)
    ground = im.color_at(["#ffd166", "#ef476f", "#3a2a6a", "#0d1b2a"], im.clamp(trap * 4, 0, 1))
    return im.lerp_color(rim, ground, im.color("#fffdf5"))


picture = picture.framed((800, 800), width=2.0)
