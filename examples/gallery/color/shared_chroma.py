"""Video keeps few colors: on the right each square shares one, and only brightness is as fine as on the left.

The eye hardly sees it; here the squares are made large enough to be found.
"""

import pellucid as pl
from pellucid import images as im

_scene = im.cond(im.swirl(7, im.rad_reg(9)) ^ im.disk(0.8), im.color("#f72585"), im.color("#3bd1c6"))


@pl.image
def picture(p):
    here = _scene(p)
    there = _scene(pl.Point((im.floor(p.x * 6) + 0.5) / 6, (im.floor(p.y * 6) + 0.5) / 6))
    gap = 0.299 * (here.r - there.r) + 0.587 * (here.g - there.g) + 0.114 * (here.b - there.b)
    mixed = im.Color(
        im.clamp(there.r + gap, 0, 1), im.clamp(there.g + gap, 0, 1), im.clamp(there.b + gap, 0, 1), 1.0
    )
    return pl.where(p.x < 0, here, mixed)


picture = picture.framed((960, 640), width=4.5)
