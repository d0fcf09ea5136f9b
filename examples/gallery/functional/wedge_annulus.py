"""An annulus, cut into wedges."""

from pellucid import images as im

picture = im.cond(im.wedge_annulus(0.25, 10), "#14213d", "#f7f3e9").framed((800, 800), width=3)
