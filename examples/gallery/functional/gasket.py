"""Sierpinski's gasket.

A cell belongs to it if its column number has no bit that its row number has not.
"""

from pellucid import images as im

WIDTH = 3.2
CENTER = (1.6, 1.6)

picture = im.cond(im.ustretch(0.05, im.gasket), "#14213d", "#f7f3e9")
