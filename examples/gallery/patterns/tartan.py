"""A tartan, thread by thread: each passes over two others and under the next two."""

import numpy as np

import pellucid as pl
from pellucid import images as im

SETT = [("#1d3061", 14), ("#1f5f4a", 10), ("#f2e8cf", 2), ("#1f5f4a", 4), ("#b22234", 6), ("#e9b44c", 2)]

_threads = [color for color, count in SETT for _ in range(count)]
_threads = _threads + _threads[::-1]


def dyed(number):
    """The color of a thread: the sett, and back again."""
    color, at = im.color(_threads[0]), number % len(_threads)
    for k in range(1, len(_threads)):
        if _threads[k] != _threads[k - 1]:
            color = pl.where(at >= k, im.color(_threads[k]), color)
    return color


@pl.image
def picture(p):
    i, j = im.floor(p.x), im.floor(p.y)
    across = (i + j) % 4 < 2
    side = pl.where(across, p.y - j, p.x - i) - 0.5
    # The way along the thread since it came up; it is seen over two others.
    along = pl.where(across, (p.x + j) % 4, (p.y + i + 2) % 4)
    bulge = im.sqrt(im.max(1 - 3.4 * side * side, 0)) * (0.62 + 0.38 * im.sin(along * np.pi / 2))
    twist = 0.93 + 0.07 * im.sin(9 * along + 14 * side)
    color = pl.where(across, dyed(j), dyed(i))
    return im.lerp_color(im.clamp((0.25 + 0.75 * bulge) * twist, 0, 1), color, im.color("#07080c"))


picture = picture.framed((960, 640), center=(38.0, 38.0), width=114.0)
