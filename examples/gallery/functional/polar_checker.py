"""A checkerboard in polar coordinates."""

from pellucid import images as im

WIDTH = 20

picture = im.cond(im.polar_checker(10), "#14213d", "#f7f3e9")
