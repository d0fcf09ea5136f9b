"""Drops that melt into one another."""

import pellucid as pl
from pellucid import images as im

WIDTH = 4.0

DROPS = [(-0.9, 0.3, 0.62), (0.35, 0.75, 0.45), (0.8, -0.35, 0.7), (-0.35, -0.85, 0.5), (0.05, 0.0, 0.4)]


@pl.image
def picture(p):
    pull, slope = 0.0, pl.Point(0.0, 0.0)
    for x, y, size in DROPS:
        q = pl.Point(p.x - x, p.y - y)
        w = size * size / im.max(q.dot(q), 1e-4)
        pull, slope = pull + w, slope + q * (w / im.max(q.dot(q), 1e-4))
    inside = im.smoothstep(1.55, 1.62, pull)
    light = im.clamp(0.5 + 0.5 * (slope.y - 0.6 * slope.x) / im.max(slope.r, 1e-4) * im.exp(1.6 - pull), 0, 1)
    drop = im.color_at(["#3c096c", "#9d4edd", "#ff9e00", "#fff1c1"], light)
    return im.lerp_color(
        inside, drop, im.color_at(["#10002b", "#240046", "#3c096c"], im.clamp(pull / 1.6, 0, 1))
    )
