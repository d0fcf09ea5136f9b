"""Rings with eight petals."""

from pellucid import images as im

WIDTH = 12

picture = im.ripple_rad(8, 0.3, im.yb_rings)
