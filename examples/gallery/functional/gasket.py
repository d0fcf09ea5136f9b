"""Sierpinski's gasket.

A cell belongs to it if its row number has no bit that its column number has not.
"""

from pellucid import images as im

picture = im.cond(im.ustretch(0.05, im.gasket), "#14213d", "#f7f3e9").framed(
    (800, 800), center=(1.6, 1.6), width=3.2
)
