"""Rings about the corners of an octagon, combined by exclusive or."""

from pellucid import images as im

picture = im.cond(im.xorgon(8, 7 / 4, im.alt_rings), "#14213d", "#f7f3e9").framed((800, 800), width=14)
