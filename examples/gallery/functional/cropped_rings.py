"""Yellow and blue through the wedges of an annulus."""

from pellucid import images as im

WIDTH = 2.4

picture = im.crop(im.wedge_annulus(0.25, 10), im.yb_rings)
