"""The checkered plane.

Inside where the floors of x and y add up to an even number.
"""

from pellucid import images as im

picture = im.cond(im.checker, "#14213d", "#f7f3e9").framed((960, 640), width=8)
