"""The whole checkered plane, squeezed into a disc."""

from pellucid import images as im

_squares = im.cond(im.checker, "#14213d", "#fca311")
picture = im.circle_limit(10, _squares).framed((800, 800), width=21)
