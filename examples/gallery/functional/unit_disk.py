"""The unit disk."""

from pellucid import images as im

picture = im.cond(im.udisk, "#14213d", "#f7f3e9").framed((800, 800), width=3)
