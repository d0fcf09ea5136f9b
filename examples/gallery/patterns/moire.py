"""Two gratings of nearly equal lines make a third that is not there."""

from pellucid import images as im

_lines = im.fraction(im.r * 6) < 0.5
_either = _lines ^ im.move((0.35, 0.12), _lines)
picture = im.cond(_either, "#0d1321", "#ffeddf").framed((960, 640), width=8.0)
