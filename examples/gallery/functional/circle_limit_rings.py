"""The whole plane of rings, squeezed into a disc."""

from pellucid import images as im

picture = im.circle_limit(10, im.yb_rings).framed((800, 800), width=21)
