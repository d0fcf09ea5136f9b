"""Rings whose petals come and go."""

import numpy as np

from pellucid import images as im

LOOP = 2 * np.pi

picture = im.ripple_rad(8, 0.5 * im.cos(im.seconds), im.yb_rings).framed((800, 800), width=12, time=0.4)
