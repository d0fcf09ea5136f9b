"""The blend of four colors, as a tile.

The tile is the cell about the origin, so the unit square is moved there first.
"""

from pellucid import images as im

_square = im.bilerp(im.black, im.red, im.blue, im.white)
picture = im.centered((0.5, 0.5), lambda square: im.tile((1, 1), square), _square).framed((960, 640), width=4)
