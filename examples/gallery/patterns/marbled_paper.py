"""Marbled paper: drops of ink on water, drawn out by combs, and lifted off.

A tooth of a comb drags the ink along, and drags it less the farther it is. The program undoes one comb after another,
and finds where the ink of each point came from.
"""

import pellucid as pl
from pellucid import images as im

INKS = ["#f2e8cf", "#12355b", "#b23a48", "#e6a23c", "#f2e8cf", "#2a7f86", "#12355b", "#d9c5a0"]

_drops = im.fbm(im.perlin_noise(seed=3), 3)


def comb(along, spacing, pull, reach):
    """How far ink is dragged by teeth so far apart, each of which pulls less the farther it is."""
    aside = abs(im.fraction(along / spacing + 0.5) - 0.5) * spacing
    return pull * reach / (aside + reach)


@pl.image
def picture(p):
    x, y = p.x + 0.12 * im.sin(1.3 * p.y), p.y
    y = y - comb(x, 0.42, 0.42, 0.09)
    x = x - comb(y + 0.7, 1.4, 1.3, 0.25) + comb(y, 1.4, 1.3, 0.25)
    ink = im.fraction(0.7 * y + 0.6 * _drops(pl.Point(0.55 * x, 0.8 * y))) * len(INKS)
    color = im.color(INKS[0])
    for k in range(1, len(INKS)):
        color = pl.where(ink >= k, im.color(INKS[k]), color)
    return color


picture = picture.framed((960, 640), width=6.0)
