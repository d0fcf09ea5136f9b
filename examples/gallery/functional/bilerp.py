"""Four colors blended over the unit square."""

from pellucid import images as im

WIDTH = 1
CENTER = (0.5, 0.5)

picture = im.bilerp(im.black, im.red, im.blue, im.white)
