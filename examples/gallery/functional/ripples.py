"""Rings with eight petals."""

from pellucid import images as im

picture = im.ripple_rad(8, 0.3, im.yb_rings).framed((800, 800), width=12)
