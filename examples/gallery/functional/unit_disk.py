"""The unit disk."""

from pellucid import images as im

WIDTH = 3

picture = im.cond(im.udisk, "#14213d", "#f7f3e9")
