"""Eight sheets of paper, each with a hole that is a little larger than that of the sheet beneath.

A sheet throws its shadow on the one beneath: a place is dark where the sheet is, seen a little nearer to the light.
"""

import pellucid as pl
from pellucid import images as im

SHEETS = ["#03253a", "#06466b", "#0b7189", "#37a3a0", "#9bd1a8", "#f3e9b5", "#f7b267", "#f25c54"]

_noise = im.fbm(im.simplex_noise(seed=4), 2, gain=0.35)


@pl.image
def _height(p):
    return 0.62 * p.r + 0.42 * _noise(p * 0.75)


@pl.image
def picture(p):
    here = _height(p)
    toward = _height(pl.Point(p.x - 0.035, p.y + 0.05))
    color = im.color(SHEETS[0])
    for k, paper in enumerate(SHEETS[1:], 1):
        level = 0.06 + 0.17 * k
        shade = 0.62 * im.smoothstep(level - 0.02, level + 0.04, toward)
        beneath = im.lerp_color(shade, im.color("#01121d"), color)
        color = pl.where(here > level, im.color(paper), beneath)
    return color


picture = picture.framed((960, 640), width=4.8)
