"""Clear all the way through: three lenses, and what is seen where they overlap."""

import numpy as np

import pellucid as pl
from pellucid import images as im

_lens = im.disk(0.9)
_tints = ["#ff5d8f", "#ffd23f", "#3bceac"]
_lenses = [
    im.move(pl.Point.polar(0.52, np.pi / 2 + 2 * np.pi * k / 3), im.crop(_lens, im.const(tint)))
    for k, tint in enumerate(_tints)
]
_paper = im.const(im.color("#fbfaf6"))
_light = im.multiply(_lenses[0], im.multiply(_lenses[1], im.multiply(_lenses[2], _paper)))
_name = im.move((0, -1.9), im.text("pellucid", 0.62))
picture = im.over(im.fill("#22223b", _name), _light).framed((800, 800), center=(0.0, -0.25), width=4.6)
