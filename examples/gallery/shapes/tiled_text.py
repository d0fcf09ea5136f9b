"""A word in all directions.

The word is a region like any other: it is put in a cell, and the cell is repeated over the plane.
"""

from pellucid import images as im

_word = im.text("pan", 1.0)
_rows = im.tile((2.2, 1.3), _word) ^ im.checker.stretch((2.2, 1.3)).move((1.1, 0.65))
picture = im.turn(0.3, im.cond(_rows, "#f9c74f", "#277da1")).framed((960, 640), width=10.0)
