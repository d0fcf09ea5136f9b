"""A tiling of the hyperbolic plane, forty times closer to its rim.

Each point is reflected until it lies in the first triangle, so a poster is as sharp here as in the middle.
"""

from pellucid import images as im

_glass = im.radial_gradient((0, 0), 0.5, ["#fff7d6", "#ffb347", "#e0457b", "#3a0f5c", "#0b0320"], "oklab")
_leads = im.cond(im.hyperbolic_checker(7, 3), im.rgba(0, 0, 0, 0.2), im.invisible)
_disc = im.stack(im.crop(im.udisk, _leads), im.hyperbolic(7, 3, _glass), "#0b0320")
picture = _disc.framed((960, 640), center=(0.7009, 0.7009), width=0.05)
