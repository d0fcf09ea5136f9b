"""Interfering rings, squeezed into a disc and swirled."""

from pellucid import images as im

_rings = im.cond(im.xorgon(8, 7 / 4, im.alt_rings), "#14213d", "#8ecae6")
_fine = im.tint(im.smoothstep(5.0, 8.5, im.r), "#5179a2", im.circle_limit(10, _rings))
picture = im.swirl(60, im.crop_rad(10, _fine)).framed((800, 800), width=21)
