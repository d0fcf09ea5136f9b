"""The whole plane of rings, squeezed into a disc.

Near the rim, where rings are finer than any pixel, it takes their mean color.
"""

from pellucid import images as im

_fine = im.tint(im.smoothstep(5.5, 8.0, im.r), "#808080", im.circle_limit(10, im.yb_rings))
picture = im.crop_rad(10, _fine).framed((800, 800), width=21)
