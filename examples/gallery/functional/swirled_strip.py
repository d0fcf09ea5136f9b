"""A strip, swirled: a full turn at distance 1."""

from pellucid import images as im

picture = im.cond(im.swirl(1, im.vstrip), "#14213d", "#f7f3e9").framed((800, 800), width=4)
