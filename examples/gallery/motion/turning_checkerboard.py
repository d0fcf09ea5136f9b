"""A checkerboard that turns by one radian a second: the animation of the paper on Pan."""

import numpy as np

from pellucid import images as im

LOOP = np.pi

picture = im.turn(im.seconds, im.checkerboard(10, im.red, im.blue)).framed((960, 640), width=100, time=0.4)
