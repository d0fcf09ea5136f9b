"""Stars of the hyperbolic plane: six sides, four around each corner."""

from pellucid import images as im

_star = im.sdf_star(6, 0.5, 0.16)
_tile = im.stack(
    im.sdf_fill("#ffe8a3", _star, 0.01),
    im.radial_gradient((0, 0), 0.75, ["#1b998b", "#0b3954", "#050f1a"], "oklab"),
)
picture = im.stack(im.hyperbolic(6, 4, _tile), "#03070d").framed((800, 800), width=2.1)
