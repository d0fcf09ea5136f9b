"""The hyperbolic plane above a line: tiles of six sides, four around each corner.

All tiles are of one size; they look smaller the nearer they are to the line, which none of them reaches.
"""

import pellucid as pl
from pellucid import images as im

_star = im.sdf_star(6, 0.53, 0.13)
_tile = im.stack(
    im.fill("#fff4d6", im.disk(0.09)),
    im.fill(im.radial_gradient((0, 0), 0.5, ["#c1121f", "#f4a259"], "oklab"), im.sdf_inside(_star)),
    im.fill("#fff4d6", im.sdf_inside(im.sdf_offset(0.03, _star))),
    im.radial_gradient((0, 0), 0.6, ["#8cb369", "#2a7f86", "#12355b"], "oklab"),
)
_disk = im.over(im.hyperbolic(6, 4, _tile), im.color("#0b132b"))


def _to_disk(p):
    """The disk's point for a point above the line: i becomes its center."""
    z = pl.Complex(p.x, p.y)
    return ((z - 1j) / (z + 1j)).point


picture = im.cond(im.y > 0, im.warp(_to_disk, _disk), "#0b132b").framed(
    (960, 640), center=(0.0, 1.2), width=3.9
)
