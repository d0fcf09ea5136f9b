"""Seven wedges."""

from pellucid import images as im

picture = im.cond(im.rad_reg(7), "#14213d", "#f7f3e9").framed((800, 800), width=3)
