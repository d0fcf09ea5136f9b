"""Strapwork of twelve-pointed stars.

Two lines cross in the middle of each edge of a tiling by dodecagons and triangles. Mirrors make the rest.
"""

import numpy as np

import pellucid as pl
from pellucid import images as im

SLANT = np.pi - np.radians(27)
WIDTH = 0.035


def fold(angle, wedge):
    """An angle brought into 0 .. wedge by mirrors."""
    return abs(im.fraction(angle / (2 * wedge) + 0.5) - 0.5) * 2 * wedge


def line(p, middle, angle):
    """The signed distance to the line through a point in a direction."""
    return pl.Point.polar(1.0, angle).cross(p - middle)


@pl.image
def picture(p):
    # The nearest center of a lattice of hexagons, and one of its twelve mirrored wedges.
    h = 3**0.5
    a = pl.Point(p.x - 2 * im.floor(p.x / 2 + 0.5), p.y - 2 * h * im.floor(p.y / (2 * h) + 0.5))
    b = pl.Point(
        (p.x + 1) - 2 * im.floor((p.x + 1) / 2 + 0.5), (p.y + h) - 2 * h * im.floor((p.y + h) / (2 * h) + 0.5)
    )
    q = pl.where(a.dot(a) < b.dot(b), a, b)
    q = pl.Point.polar(q.r, fold(q.theta, np.pi / 6))
    # The middles of two edges of the dodecagon; the triangle lies beyond the second.
    first, second = pl.Point(1.0, 0.0), pl.Point.polar(1.0, np.pi / 6)
    outside = q.dot(second) > 1
    angle = fold(q.theta, np.pi / 12)
    here, mirrored = pl.Point.polar(q.r, angle), pl.Point.polar(q.r, np.pi / 6 - angle)
    star, inner = line(here, first, SLANT), line(mirrored, first, SLANT)
    heart = line(here, first * 0.4, SLANT)
    beyond = line(q, second, np.pi / 6 - SLANT)
    near = pl.where(outside, abs(beyond), im.min(abs(heart), im.min(abs(star), abs(inner))))
    ground = pl.where(
        outside,
        pl.where(beyond > 0, im.color("#c8553d"), im.color("#f2c14e")),
        pl.where(
            star < 0,
            im.color("#0f4c5c"),
            pl.where(
                inner < 0,
                im.color("#e9c46a"),
                pl.where(heart < 0, im.color("#2a7f86"), im.color("#c8553d")),
            ),
        ),
    )
    strap = pl.where(near < WIDTH * 0.72, im.color("#fbf3e0"), im.color("#1d2a35"))
    return pl.where(near < WIDTH, strap, ground)


picture = picture.framed((960, 640), width=6.0)
