"""A checkerboard with a lens and a swirl in it."""

import pellucid as pl
from pellucid import images as im


@pl.image
def picture(p):
    bump = im.exp(-0.6 * p.dot(p))
    q = p.rotate(3.5 * bump) * (1 - 0.55 * bump)
    color = im.checkerboard(0.5, im.color("#264653"), im.color("#e9c46a"))(q)
    return color + 0.28 * bump * (im.white - color)


picture = picture.framed((800, 800), width=6.0)
