"""An annulus: a disk without a smaller one."""

from pellucid import images as im

WIDTH = 3

picture = im.cond(im.annulus(0.5), "#14213d", "#f7f3e9")
