"""The whole plane of rings, squeezed into a disc."""

from pellucid import images as im

WIDTH = 21

picture = im.circle_limit(10, im.yb_rings)
