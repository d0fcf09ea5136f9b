"""Light at the bottom of a pool.

Waves lens the light: where they push neighboring rays together it is bright.
"""

import pellucid as pl
from pellucid import images as im


@pl.image
def picture(p):
    q, light = p * 1.4, 0.0
    bend = pl.Point(0.0, 0.0)
    for k in range(1, 6):
        phase = 2.1 * k
        bend = pl.Point(
            q.x + im.cos(phase - bend.x) + im.sin(phase * 0.7 + bend.y),
            q.y + im.sin(phase - bend.y) + im.cos(phase * 0.7 + bend.x),
        )
        gap = pl.Point(im.sin(bend.x + phase) / 0.8, im.cos(bend.y + phase) / 0.8)
        light = light + 1 / im.sqrt(0.03 + gap.dot(gap))
    bright = im.clamp(0.11 * light - 0.12, 0, 1)
    return im.color_at(["#023e58", "#0077a8", "#38b6d2", "#c9f2f5", "#ffffff"], bright)


picture = picture.framed((960, 640), width=9.0)
