"""The whole checkered plane, squeezed into a disc."""

from pellucid import images as im

WIDTH = 21

_squares = im.cond(im.checker, "#14213d", "#fca311")
picture = im.circle_limit(10, _squares)
