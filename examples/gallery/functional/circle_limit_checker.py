"""The whole checkered plane, squeezed into a disc.

Near the rim, where squares are finer than any pixel, it takes their mean color.
"""

from pellucid import images as im

_squares = im.cond(im.checker, "#14213d", "#fca311")
_fine = im.tint(im.smoothstep(6.0, 9.0, im.r), "#886e2a", im.circle_limit(10, _squares))
picture = im.crop_rad(10, _fine).framed((800, 800), width=21)
