"""The Mandelbrot set, in smooth colors.

How fast a point escapes is counted in fractions of a step, so there are no bands.
"""

import pellucid as pl
from pellucid import images as im


@pl.image
def picture(p):
    c = pl.Complex(p.x, p.y)

    def step(state):
        z, n = state
        return z * z + c, n + 1.0

    z, n = pl.iterate(step, (pl.Complex(0.0, 0.0), 0.0), until=lambda s: s[0].abs2 > 1e4, limit=200)
    smooth = n - im.log2(0.5 * im.log(im.max(z.abs2, 2.0)))
    glow = im.color_at(
        [im.midnightblue, im.crimson, im.gold, im.ivory, im.teal, im.midnightblue], smooth / 40 % 1
    )
    return pl.where(z.abs2 > 4, glow, im.black)


picture = picture.framed((960, 640), center=(-0.7, 0.0), width=3.0)
