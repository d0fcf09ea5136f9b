"""Four colors blended over the unit square."""

from pellucid import images as im

picture = im.bilerp(im.black, im.red, im.blue, im.white).framed((800, 800), center=(0.5, 0.5), width=1)
