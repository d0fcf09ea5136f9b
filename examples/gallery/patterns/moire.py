"""Two gratings of nearly equal lines make a third that is not there."""

from pellucid import images as im

WIDTH = 8.0

_lines = im.fraction(im.r * 6) < 0.5
_shown = im.cond(_lines ^ im.move((0.35, 0.12), _lines), "#0d1321", "#ffeddf")
picture = _shown
