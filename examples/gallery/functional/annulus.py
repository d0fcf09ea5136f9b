"""An annulus: a disk without a smaller one."""

from pellucid import images as im

picture = im.cond(im.annulus(0.5), "#14213d", "#f7f3e9").framed((800, 800), width=3)
