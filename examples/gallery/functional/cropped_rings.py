"""Yellow and blue through the wedges of an annulus."""

from pellucid import images as im

picture = im.crop(im.wedge_annulus(0.25, 10), im.yb_rings).framed((800, 800), width=2.4)
