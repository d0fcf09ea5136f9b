"""A print under the glass: four inks, each a screen of dots at an angle of its own.

A dot is the larger the more ink there should be. Where the screens meet, they form the rosettes that printers know.
"""

import numpy as np

import pellucid as pl
from pellucid import images as im

SCREENS = {"cyan": 15, "magenta": 75, "yellow": 0, "black": 45}
PITCH = 0.045


def _scene(p):
    """A poppy of six petals on a sky that grows lighter downwards: light in red, green and blue."""
    petal = 0.78 + 0.16 * abs(im.cos(3 * p.theta + 0.4)) ** 0.5
    inside = p.r < petal
    crease = 0.75 + 0.25 * im.cos(18 * p.theta) * im.smoothstep(0.1, 0.8, p.r)
    heart = im.smoothstep(0.34, 0.2, p.r)
    flower = im.color_at(["#3a0910", "#b3121d", "#f0442e", "#ff9a6b"], im.clamp(p.r / petal * crease, 0, 1))
    flower = im.lerp_color(heart, im.color("#141019"), flower)
    sky = im.color_at(["#f7e3a1", "#9fd0d6", "#2f7fb5"], im.clamp(0.5 + 0.45 * p.y, 0, 1))
    return pl.where(inside, flower, sky)


def _dot(p, amount, degrees):
    """Whether there is ink: dots at every crossing of a turned grid, larger for more of it."""
    q = p.rotate(np.radians(degrees)) * (np.pi / PITCH)
    wave = 0.5 + 0.25 * (im.cos(q.x) + im.cos(q.y))
    return wave > 1 - amount


@pl.image
def picture(p):
    light = _scene(p)
    c, m, y = 1 - light.r, 1 - light.g, 1 - light.b
    black = im.min(c, im.min(m, y)) * 0.85
    inks = (c - black, m - black, y - black, black)
    on = [_dot(p, ink, angle) for ink, angle in zip(inks, SCREENS.values(), strict=True)]
    red = pl.where(on[0], 0.05, 1.0) * pl.where(on[3], 0.12, 1.0)
    green = pl.where(on[1], 0.1, 1.0) * pl.where(on[0], 0.66, 1.0) * pl.where(on[3], 0.11, 0.99)
    blue = pl.where(on[2], 0.08, 1.0) * pl.where(on[1], 0.52, 1.0) * pl.where(on[3], 0.13, 0.95)
    return im.Color(red, green, blue, 1.0)


picture = picture.framed((800, 800), width=2.4)
