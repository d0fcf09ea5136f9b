"""Seven wedges."""

from pellucid import images as im

WIDTH = 3

picture = im.cond(im.rad_reg(7), "#14213d", "#f7f3e9")
