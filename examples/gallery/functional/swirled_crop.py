"""Yellow and blue through wedges that are swirled."""

from pellucid import images as im

picture = im.crop(im.swirl(2, im.wedge_annulus(0.25, 10)), im.yb_rings).framed((800, 800), width=2.4)
