"""Rings moved left, exclusive or rings moved right."""

from pellucid import images as im

picture = im.cond(im.shift_xor(2.6, im.alt_rings), "#14213d", "#f7f3e9").framed((960, 640), width=20)
