"""Two patterns mixed by a third.

The wave says how much there is of the polar checkerboard in black and white, and how much of the checkerboard.
"""

from pellucid import images as im

_first = im.cond(im.polar_checker(10), im.black, im.white)
_second = im.cond(im.checker, im.blue, im.yellow)
picture = im.lerp(im.wave_dist, _first, _second).framed((960, 640), width=10)
