"""Soft rings, yellow and blue."""

from pellucid import images as im

WIDTH = 10

picture = im.yb_rings
