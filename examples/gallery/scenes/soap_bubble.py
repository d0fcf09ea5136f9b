"""A soap bubble: light from both sides of a thin skin, which adds for some colors and cancels for others.

The skin is thinner on top, and flows. Its color is computed from the lengths of three waves, red, green and blue.
"""

import numpy as np

import pellucid as pl
from pellucid import images as im

_room = im.linear_gradient((-0.4, -1.4), (0.4, 1.4), ["#1b1035", "#2b2d5b", "#0f1b33"])
_flow = im.fbm(im.perlin_noise(seed=12), 4)


def film(thickness, slant):
    """The light of a skin so many nanometers thick, seen under an angle with that cosine."""
    way = 2 * 1.33 * thickness * im.sqrt(1 - (1 - slant * slant) / 1.77)
    red, green, blue = (im.sin(np.pi * way / wave) ** 2 for wave in (640, 545, 450))
    return red, green, blue


@pl.image
def picture(p):
    z = im.sqrt(im.max(1 - p.dot(p), 0))
    swirl = p.rotate(1.6 * im.exp(-1.5 * (p - (0.25, 0.1)).dot(p - (0.25, 0.1))))
    curl = _flow(pl.Point(1.3 * swirl.x + 3, 2.6 * swirl.y + 1))
    thick = 330 - 190 * p.y + 260 * curl
    red, green, blue = film(im.max(thick, 0), z)
    # A skin mirrors more the flatter it is looked at.
    mirror = 0.3 + 0.7 * (1 - z) ** 2.2
    window = pl.Point(p.x + 0.42, p.y - 0.5)
    panes = im.smoothstep(0.17, 0.13, im.max(abs(window.x + 0.25 * window.y), abs(window.y - 0.2 * window.x)))
    bars = im.smoothstep(0.008, 0.02, im.min(abs(window.x + 0.25 * window.y), abs(window.y - 0.2 * window.x)))
    below = pl.Point(p.x - 0.46, p.y + 0.55)
    glint = 0.5 * im.smoothstep(0.11, 0.05, im.hypot(below.x, below.y * 1.3))
    light = 0.75 * panes * bars + glint
    room = _room(p)
    r, g, b = (
        im.clamp(ground * (0.9 - 0.3 * mirror) + mirror * (1.15 * shade + 0.12) + light, 0, 1)
        for ground, shade in ((room.r, red), (room.g, green), (room.b, blue))
    )
    return pl.where(p.r < 1, im.Color(r, g, b, 1.0), room)


picture = picture.framed((800, 800), width=2.5)
