"""Squares within squares, each turned a little further."""

import pellucid as pl
from pellucid import images as im


@pl.image
def picture(p):
    color, size = im.color("#0b132b"), 1.9
    for k in range(14):
        shade = im.color("#fdf0d5") if k % 2 else im.color("#0b132b") if k % 4 else im.color("#c1121f")
        inside = im.max(abs(p.x), abs(p.y)) < size
        color = pl.where(inside, shade, color)
        p, size = p.rotate(0.16), size * 0.86
    return color


picture = picture.framed((800, 800), width=4.0)
