"""A tiling of the hyperbolic plane by pentagons, four around each corner, as glass."""

from pellucid import images as im

_glass = im.radial_gradient((0, 0), 0.62, ["#fff3b0", "#f4845f", "#9d4edd", "#240046"], "oklab")
_leads = im.cond(im.hyperbolic_checker(5, 4), im.rgba(0, 0, 0, 0.16), im.invisible)
picture = im.stack(im.crop(im.udisk, _leads), im.hyperbolic(5, 4, _glass), "#10002b").framed(
    (800, 800), width=2.1
)
