"""A floor laid in a herringbone.

Each brick is found by its place on the diagonal, and has a tint and a grain of its own.
"""

import pellucid as pl
from pellucid import images as im

LENGTH = 3


@pl.image
def picture(p):
    i, j = im.floor(p.x), im.floor(p.y)
    place = (i - j) % (2 * LENGTH)
    lies = place < LENGTH
    along = pl.where(lies, place + p.x - i, 2 * LENGTH - 1 - place + p.y - j)
    across = pl.where(lies, p.y - j, p.x - i)
    brick = pl.where(
        lies,
        im.fraction(im.sin(j * 12.9 + (i - place) * 78.2) * 43.7),
        im.fraction(im.sin(i * 39.3 + (j + place) * 11.1) * 27.1),
    )
    grain = 0.5 + 0.5 * im.sin(40 * across + 3 * im.sin(2.5 * along + 20 * brick))
    wood = im.color_at(
        ["#6f4518", "#a47148", "#d4a276", "#e6b980"], im.clamp(0.75 * brick + 0.25 * grain, 0, 1)
    )
    edge = im.min(im.min(along, LENGTH - along), im.min(across, 1 - across))
    return im.lerp_color(im.smoothstep(0.02, 0.07, edge), wood, im.color("#3b2412"))


picture = picture.framed((960, 640), width=16.0)
