"""A braid of three ribbons, closed to a wreath.

Each ribbon swings from side to side as a sine, and up and down twice as fast; the highest one is seen.
"""

import numpy as np

import pellucid as pl
from pellucid import images as im

RIBBONS = ["#e0a93f", "#b23a48", "#2f6f73"]


def braid(p, radius, swing, waves, width, ground):
    """Three ribbons about a circle, over the color of the ground."""
    height, color = -2.0, ground
    for k, paint in enumerate(RIBBONS):
        phase = waves * p.theta + 2 * np.pi * k / 3
        slope = swing * waves / radius * im.cos(phase)
        aside = (p.r - radius - swing * im.sin(phase)) / (width * im.sqrt(1 + slope * slope))
        up = im.sin(2 * phase)
        round_ = im.sqrt(im.max(1 - aside * aside, 0))
        light = im.clamp(0.35 + 0.5 * round_ + 0.15 * up - 0.25 * aside * im.sin(p.theta + 2.2), 0, 1)
        groove = im.smoothstep(0.03, 0.09, abs(abs(aside) - 0.62))
        rim = im.smoothstep(1.0, 0.86, abs(aside))
        shown = im.lerp_color(light * (0.55 + 0.45 * groove) * rim, im.color(paint), im.color("#0c0a10"))
        seen = (abs(aside) < 1) & (up > height)
        height, color = pl.where(seen, up, height), pl.where(seen, shown, color)
    return color


@pl.image
def picture(p):
    ground = im.color_at(["#f4ead5", "#e8d8b9"], im.clamp(p.r / 1.7, 0, 1))
    shadow = im.smoothstep(0.0, 0.3, abs(pl.Point(p.x - 0.03, p.y + 0.04).r - 1.05) - 0.16)
    ground = im.lerp_color(0.75 + 0.25 * shadow, ground, im.color("#7a6444"))
    inner = braid(p, 0.52, 0.085, 7, 0.043, ground)
    return braid(p, 1.05, 0.2, 7, 0.095, inner)


picture = picture.framed((800, 800), width=3.0)
