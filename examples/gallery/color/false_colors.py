"""What a sensor's mosaic makes of gray rings: colors that are not there.

Each site sees one color, in the pattern of Bayer, and the other two are means of its neighbors. Where the rings are
as fine as the sites, red, green and blue miss them in different ways.
"""

import pellucid as pl
from pellucid import images as im

SITES = 60


def _light(i, j):
    """The light at a site: rings that grow finer outwards."""
    away = im.fraction(((i + 0.5) ** 2 + (j + 0.5) ** 2) * (0.334 / SITES)) * 2 - 1
    return away * away * (3 - 2 * abs(away))


@pl.image
def picture(p):
    i, j = im.floor(p.x * SITES), im.floor(p.y * SITES)
    here = _light(i, j)
    beside = 0.5 * (_light(i - 1, j) + _light(i + 1, j))
    above = 0.5 * (_light(i, j - 1) + _light(i, j + 1))
    cross = 0.5 * (beside + above)
    corners = 0.25 * sum(_light(i + a, j + b) for a in (-1, 1) for b in (-1, 1))
    odd_row, odd_column = j % 2 == 1, i % 2 == 1
    green = pl.where(odd_row ^ odd_column, here, cross)
    # Red is seen in even rows and columns, blue in odd ones.
    red = pl.where(odd_row, pl.where(odd_column, corners, above), pl.where(odd_column, beside, here))
    blue = pl.where(odd_row, pl.where(odd_column, here, beside), pl.where(odd_column, above, corners))
    return im.Color(red, green, blue, 1.0)


picture = picture.framed((960, 640), width=4.5)
