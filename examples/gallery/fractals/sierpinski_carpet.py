"""Sierpinski's carpet, seven generations deep."""

import pellucid as pl
from pellucid import images as im


@pl.image
def picture(p):
    def step(state):
        q, hole, depth = state
        q = pl.Point(q.x % 1 * 3, q.y % 1 * 3)
        middle = (im.floor(q.x) == 1) & (im.floor(q.y) == 1)
        return q, hole | middle, depth + 1.0

    _, hole, depth = pl.iterate(step, (p, p.x != p.x, 0.0), until=lambda s: s[1], limit=7)
    return pl.where(hole, im.color_at(["#fefae0", "#dda15e", "#bc6c25"], depth / 7), im.color("#283618"))


picture = picture.framed((800, 800), center=(0.5, 0.5), width=1.0)
