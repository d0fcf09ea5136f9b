"""Half of the plane, wound up and unwound.

How far a point turns is proportional to its distance and to a wave in time.
"""

import numpy as np

import pellucid as pl
from pellucid import images as im

LOOP = 2 * np.pi


@pl.animation
def picture(t):
    wound = im.warp(lambda p: p.rotate(2.5 * np.sin(t) * p.r), im.x > 0)
    return im.cond(wound, "#14213d", "#f7f3e9")


picture = picture.framed((960, 640), width=8, time=1.2)
