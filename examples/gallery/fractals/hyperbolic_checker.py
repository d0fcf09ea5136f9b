"""Triangles of the hyperbolic plane: seven about one corner, three about the next, and right angles."""

from pellucid import images as im

_triangles = im.cond(im.hyperbolic_checker(7, 3), "#14213d", "#fca311")
picture = im.over(im.crop(im.udisk, _triangles), im.color("#f7f3e9")).framed((800, 800), width=2.1)
