"""A rippled, cropped disk of rings, swirled."""

from pellucid import images as im

picture = im.swirl(8, im.ripple_rad(5, 0.3, im.crop_rad(5, im.yb_rings))).framed((800, 800), width=14)
