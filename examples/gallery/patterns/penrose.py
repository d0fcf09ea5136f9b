"""Penrose's tiling by two rhombs, which never repeats, and a ribbon that runs on from each to the next.

A triangle is divided into smaller ones of two kinds, again and again; a point follows those that it lies in.
"""

import numpy as np

import pellucid as pl
from pellucid import images as im

GOLDEN = (1 + 5**0.5) / 2
DEPTH = 6


def side(a, b, p):
    """On which side of a line a point lies."""
    return (b - a).cross(p - a)


def to_line(a, b, p):
    return abs(side(a, b, p)) / (b - a).r


@pl.image
def picture(p):
    # Ten triangles about the middle, each the mirror image of its neighbors.
    wedge = np.pi / 5
    p = pl.Point.polar(p.r, abs(im.fraction(p.theta / (2 * wedge) + 0.5) - 0.5) * 2 * wedge)

    def step(state):
        obtuse, a, b, c = state
        d = a + (b - a) / GOLDEN
        q, r = b + (a - b) / GOLDEN, b + (c - b) / GOLDEN
        near_b = side(d, c, p) * side(d, c, b) > 0
        first = side(q, r, p) * side(q, r, b) > 0
        second = side(r, a, p) * side(r, a, c) > 0

        def chosen(acute_b, acute_a, at_b, at_c, between):
            acute = pl.where(near_b, acute_b, acute_a)
            return pl.where(obtuse > 0, pl.where(first, at_b, pl.where(second, at_c, between)), acute)

        return (
            chosen(0.0, 1.0, 1.0, 1.0, 0.0),
            chosen(c, d, q, r, r),
            chosen(d, c, r, c, q),
            chosen(b, a, b, a, a),
        )

    start = (0.0, pl.Point(0.0, 0.0), pl.Point(1.0, 0.0), pl.Point.polar(1.0, wedge))
    obtuse, a, b, c = pl.iterate(step, start, limit=DEPTH)
    edge = GOLDEN**-DEPTH
    way = (b + c - a * 2).theta / (2 * np.pi)
    thick = im.color_at(["#f6d48f", "#e9a23b", "#c8553d", "#e9a23b", "#f6d48f"], im.fraction(way))
    thin = im.color_at(["#2a7f86", "#1d3557", "#12203a", "#1d3557", "#2a7f86"], im.fraction(way))
    near = im.min(to_line(a, b, p), to_line(a, c, p)) / edge
    ground = im.lerp_color(
        0.8 + 0.2 * im.smoothstep(0.03, 0.25, near), pl.where(obtuse > 0, thick, thin), im.black
    )
    about_apex = abs((p - a).r / edge - 0.3)
    about_base = im.min(abs((p - b).r / edge - 0.3), abs((p - c).r / edge - 0.7))
    ribbon = pl.where(obtuse > 0, about_base, about_apex)
    woven = pl.where(ribbon < 0.06, im.color("#fdf6e3"), im.color("#1b1b2b"))
    tile = pl.where(near < 0.022, im.color("#1b1b2b"), ground)
    return pl.where(ribbon < 0.085, woven, tile)


picture = picture.framed((960, 640), width=0.8)
