"""One sky in 1, 2, 3, 4 and 8 bits a channel, from the left."""

import pellucid as pl
from pellucid import images as im

BITS = (1, 2, 3, 4, 8)

_sky = im.linear_gradient((0, -1), (0, 1), ["#ff9e00", "#ff4d6d", "#7b2cbf", "#10002b"])


@pl.image
def picture(p):
    color = _sky(p)
    shown = color
    for k, bits in enumerate(BITS):
        most = 2**bits - 1
        r, g, b = (im.floor(c * most + 0.5) / most for c in (color.r, color.g, color.b))
        shown = pl.where(p.x > -1.5 + 0.6 * k, im.Color(r, g, b, 1.0), shown)
    return shown


picture = picture.framed((960, 640), width=3.0)
