"""Rings, alternately inside and outside."""

from pellucid import images as im

picture = im.cond(im.alt_rings, "#14213d", "#f7f3e9").framed((800, 800), width=20)
