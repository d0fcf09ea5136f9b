"""The checkered plane, turned inside out: distance r becomes 1 / r."""

from pellucid import images as im

picture = im.cond(im.ustretch(3.5, im.rad_invert(im.checker)), "#14213d", "#f7f3e9").framed(
    (800, 800), width=10
)
