"""Honey in a comb.

Of two lattices of rectangles, the nearer center is that of the hexagon.
"""

import pellucid as pl
from pellucid import images as im


@pl.image
def picture(p):
    a = pl.Point(p.x - im.floor(p.x + 0.5), p.y - H * im.floor(p.y / H + 0.5))
    b = pl.Point(p.x - im.floor(p.x) - 0.5, p.y - H * im.floor(p.y / H) - H / 2)
    q = pl.where(a.dot(a) < b.dot(b), a, b)
    edge = 0.5 - im.max(abs(q.x), 0.5 * abs(q.x) + H / 2 * abs(q.y))
    center = p - q
    honey = im.fraction(im.sin(center.x * 12.9 + center.y * 78.2) * 43.7)
    fill = im.color_at(
        ["#9c4a00", "#e08e00", "#ffc300", "#ffe17a"], im.clamp(honey * 0.55 + edge * 0.9, 0, 1)
    )
    return im.lerp_color(im.smoothstep(0.035, 0.075, edge), fill, im.color("#4a2300"))


H = 3**0.5


picture = picture.framed((960, 640), width=9.0)
