"""A rippled, cropped disk of rings, swirled."""

from pellucid import images as im

WIDTH = 14

picture = im.swirl(8, im.ripple_rad(5, 0.3, im.crop_rad(5, im.yb_rings)))
