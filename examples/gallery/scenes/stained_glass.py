"""Stained glass: cells around random points, each of one color, set in lead."""

from pellucid import images as im

_cell = im.cellular("cell", seed=3)
_edge = im.cellular("edge", seed=3)
_glass = im.ramp(["#03045e", "#0077b6", "#2a9d8f", "#e9c46a", "#f4a261", "#d62828"], _cell)
_lit = im.brighten(1.5 - 0.09 * im.r, _glass)
picture = im.over(im.fill("#0b090a", _edge < 0.06), _lit).framed((960, 640), width=11.0)
