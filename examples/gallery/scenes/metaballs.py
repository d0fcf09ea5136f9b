"""Drops that melt into one another.

Each pulls with the inverse square of the distance; the slope of the sum says which way the surface leans.
"""

import pellucid as pl
from pellucid import images as im

DROPS = [(-0.9, 0.3, 0.62), (0.35, 0.75, 0.45), (0.8, -0.35, 0.7), (-0.35, -0.85, 0.5), (0.05, 0.0, 0.4)]


@pl.image
def picture(p):
    pull, slope = 0.0, pl.Point(0.0, 0.0)
    for x, y, size in DROPS:
        q = pl.Point(p.x - x, p.y - y)
        near = 1 / im.max(q.dot(q), 0.01)
        pull, slope = pull + size * size * near, slope + q * (size * size * near * near)
    lean = slope * (0.9 / (pull * pull))
    up = 1 / im.sqrt(1 + lean.dot(lean))
    light = im.clamp(up * (0.72 + 0.62 * lean.y - 0.42 * lean.x), 0, 1)
    drop = im.color_at(["#240046", "#7b2cbf", "#ff6d00", "#ff9e00", "#ffd166", "#fff8e7"], light)
    ground = im.color_at(["#10002b", "#3c096c"], im.clamp(pull / 1.6, 0, 1))
    return im.lerp_color(im.smoothstep(1.5, 1.58, pull), drop, ground)


picture = picture.framed((800, 800), width=4.0)
