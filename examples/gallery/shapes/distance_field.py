"""The distance to a shape, as a map with contour lines.

Outside it is warm, inside cool; a line is drawn for every tenth of a unit, and a bold one around the shape.
"""

import pellucid as pl
from pellucid import images as im

_shape = im.sdf_smooth_union(
    0.4,
    im.move((-0.95, 0.25), im.sdf_star(5, 1.1, 0.5)),
    im.move((1.05, -0.35), im.sdf_box(1.2, 1.2)),
)


@pl.image
def picture(p):
    d = _shape(p)
    ground = pl.where(
        d > 0,
        im.color_at(["#ffe8d6", "#ddb892", "#7f5539"], im.clamp(d / 2, 0, 1)),
        im.color_at(["#caf0f8", "#0096c7", "#03045e"], im.clamp(-d / 0.7, 0, 1)),
    )
    slope = im.hypot(_shape(pl.Point(p.x + 0.01, p.y)) - d, _shape(pl.Point(p.x, p.y + 0.01)) - d) / 0.01
    near = abs(im.fraction(d * 10 + 0.5) - 0.5) / (10 * im.max(slope, 0.3))
    line = 0.25 * im.smoothstep(0.012, 0.004, near)
    rim = im.smoothstep(0.03, 0.018, abs(d))
    return im.lerp_color(im.max(line, rim), im.color("#1d1d2b"), ground)


picture = picture.framed((960, 640), width=5.0)
