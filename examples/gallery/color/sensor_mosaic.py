"""What a sensor sees: each site takes one color of a picture, in the pattern of Bayer.

On the left the picture, on the right its mosaic: twice as many green sites as red or blue ones.
"""

import pellucid as pl
from pellucid import images as im

_scene = im.swirl(3, im.conic_gradient((0, 0), 0, ["#ffd23f", "#ee4266", "#540d6e", "#3bceac", "#ffd23f"]))


@pl.image
def picture(p):
    i, j = im.floor(p.x * 16), im.floor(p.y * 16)
    seen = _scene(pl.Point((i + 0.5) / 16, (j + 0.5) / 16))
    odd_row, odd_column = j % 2 == 1, i % 2 == 1
    red = pl.where(~odd_row & ~odd_column, seen.r, 0.0)
    green = pl.where(odd_row ^ odd_column, seen.g, 0.0)
    blue = pl.where(odd_row & odd_column, seen.b, 0.0)
    return pl.where(p.x < 0, _scene(p), im.Color(red, green, blue, 1.0))


picture = picture.framed((960, 640), width=4.5)
