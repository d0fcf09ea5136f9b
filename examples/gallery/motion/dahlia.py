"""A dahlia that opens for ever.

Each ring of petals is a larger copy of the one inside. In one loop it moves to the place of the next but one.
"""

import numpy as np

import pellucid as pl
from pellucid import images as im

LOOP = 6.0

PETALS = 16
# A ring grows by as much as keeps petals as long as they are wide.
GROWTH = 2 * np.pi / PETALS * 0.86


@pl.animation
def picture(t):
    @pl.image
    def frame(p):
        rings = im.log(im.max(p.r, 1e-6)) / GROWTH - 2 * t / LOOP
        ring = im.floor(rings)
        way = rings - ring
        turn = p.theta * (PETALS / (2 * np.pi))

        def across(number):
            return im.fraction(turn + 0.5 * (number % 2)) - 0.5

        # The tip of a petal of the ring inside lies over the petals of this one.
        tip = across(ring - 1)
        edge = 0.5 * im.sqrt(im.max(1 - way**2.4, 0))
        over = abs(tip) < edge
        side = pl.where(over, tip, across(ring))
        length = pl.where(over, way + 1, way)
        shadow = pl.where(over, 1.0, im.smoothstep(0.0, 0.22, abs(tip) - edge + 0.02))
        color = im.color_at(
            ["#4a0d3a", "#8f1d56", "#d6336c", "#ff7e8a", "#ffd6c9"],
            im.clamp(length / 2 + 0.1 * (1 - 2 * abs(side)), 0, 1),
        )
        crease = 0.72 + 0.28 * im.smoothstep(0.0, 0.07, abs(side)) - 0.1 * im.cos(side * 40)
        shade = im.clamp(crease * (0.35 + 0.65 * shadow), 0, 1)
        return im.lerp_color(shade, color, im.color("#1c0418"))

    return frame


picture = picture.framed((800, 800), width=6.0, time=0.9)
