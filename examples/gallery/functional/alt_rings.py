"""Rings, alternately inside and outside."""

from pellucid import images as im

WIDTH = 20

picture = im.cond(im.alt_rings, "#14213d", "#f7f3e9")
