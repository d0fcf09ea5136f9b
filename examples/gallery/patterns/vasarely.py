"""A lattice of dots with a ball behind it."""

import pellucid as pl
from pellucid import images as im


@pl.image
def picture(p):
    bulge = im.max(1 - p.dot(p) / 5.3, 0)
    q = p * (1 - 0.52 * bulge) * 3.2
    i, j = im.floor(q.x + 0.5), im.floor(q.y + 0.5)
    inside = pl.Point(q.x - i, q.y - j).r < 0.4
    dot = im.color_at(["#ffd60a", "#ff5400", "#9d0208"], im.clamp(p.r / 3, 0, 1))
    return pl.where(inside, dot, im.lerp_color(bulge, im.color("#3a0ca3"), im.color("#14082f")))


picture = picture.framed((800, 800), width=6.0)
