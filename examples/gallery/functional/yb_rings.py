"""Soft rings, yellow and blue."""

from pellucid import images as im

picture = im.yb_rings.framed((960, 640), width=10)
