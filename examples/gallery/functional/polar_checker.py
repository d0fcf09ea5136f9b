"""A checkerboard in polar coordinates."""

from pellucid import images as im

picture = im.cond(im.polar_checker(10), "#14213d", "#f7f3e9").framed((800, 800), width=20)
