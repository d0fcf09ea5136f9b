"""Six rows of pixels, kept as numbers in an array, repeated without an end."""

from pellucid import images as im

_SHAPE = """
..X.....X..
...X...X...
..XXXXXXX..
.XX.XXX.XX.
XXXXXXXXXXX
X.XXXXXXX.X
X.X.....X.X
...XX.XX...
"""
_rows = [[float(c == "X") for c in row] for row in _SHAPE.split()]
_sprite = im.reconstruct(im.bitmap(_rows), "nearest")
_march = im.tile((14, 11), _sprite).luminance() > 0.5
_paint = im.linear_gradient((0, -24), (0, 24), ["#06d6a0", "#ffd166", "#ef476f"], spread="reflect")
picture = im.over(im.fill(_paint, _march), im.color("#0b0c1a")).framed((960, 640), width=60.0)
