"""Interfering rings, squeezed into a disc and swirled."""

from pellucid import images as im

_rings = im.cond(im.xorgon(8, 7 / 4, im.alt_rings), "#14213d", "#8ecae6")
picture = im.swirl(60, im.circle_limit(10, _rings)).framed((800, 800), width=21)
