"""The cube of four dimensions, turning: its 32 edges, drawn by light.

A point is projected twice, from four dimensions to three and then to the page. The cube is the same after a quarter
turn.
"""

import itertools

import numpy as np

import pellucid as pl
from pellucid import images as im

LOOP = 8.0

CORNERS = list(itertools.product((-1, 1), repeat=4))


def corner(signs, angle):
    """Where a corner is on the page, and how large things are there."""
    x, y, z, w = signs
    c, s = im.cos(angle), im.sin(angle)
    x, w = c * x - s * w, s * x + c * w
    y, z = c * y - s * z, s * y + c * z
    # A steady tilt in space, so that no two edges hide each other.
    x, z = 0.86 * x - 0.5 * z, 0.5 * x + 0.86 * z
    y, z = 0.93 * y - 0.36 * z, 0.36 * y + 0.93 * z
    near = 2.2 / (3.4 - w)
    size = near * 4.2 / (5.2 - near * z)
    return pl.Point(x * size, y * size), size


@pl.animation
def picture(t):
    angle = np.pi / 2 / LOOP * t
    places = [corner(signs, angle) for signs in CORNERS]

    @pl.image
    def frame(p):
        red = green = blue = 0.0
        for i, j in itertools.combinations(range(16), 2):
            if sum(a != b for a, b in zip(CORNERS[i], CORNERS[j], strict=True)) != 1:
                continue
            (a, near_a), (b, near_b) = places[i], places[j]
            way, off = b - a, p - a
            along = im.clamp(off.dot(way) / way.dot(way), 0, 1)
            aside = off - way * along
            size = near_a + along * (near_b - near_a)
            light = 0.0011 * size * size / (aside.dot(aside) + 0.00035)
            warm = im.clamp(1.5 * size - 0.7, 0, 1)
            red, green, blue = red + light * warm, green + light * 0.55, blue + light * (1.1 - 0.9 * warm)
        return im.Color(
            im.clamp(0.03 + red, 0, 1), im.clamp(0.03 + green, 0, 1), im.clamp(0.08 + blue, 0, 1), 1.0
        )

    return frame


picture = picture.framed((800, 800), width=3.7, time=1.1)
