"""Tiles, wrung: turned by a quarter inside, not at all outside, and twisted between."""

from pellucid import images as im

_square = im.bilerp(im.black, im.red, im.blue, im.white)
_tiles = im.centered((0.5, 0.5), lambda square: im.tile((1, 1), square), _square)
picture = im.washer(0.5, 3.14159 / 2, im.ustretch(0.25, _tiles)).framed((800, 800), width=2.6)
