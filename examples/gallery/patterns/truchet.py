"""Quarter circles on random squares make one endless ribbon."""

import pellucid as pl
from pellucid import images as im


@pl.image
def picture(p):
    i, j = im.floor(p.x), im.floor(p.y)
    q = pl.Point(p.x - i - 0.5, p.y - j - 0.5)
    coin = im.fraction(im.sin(i * 127.1 + j * 311.7) * 437.5) < 0.5
    q = pl.where(coin, q, pl.Point(-q.x, q.y))
    side = pl.where(q.x + q.y > 0, 1.0, -1.0)
    d = abs(pl.Point(q.x - side * 0.5, q.y - side * 0.5).r - 0.5)
    ribbon = im.color_at(["#ffba49", "#ef5b5b", "#a4036f"], im.clamp(d / 0.17, 0, 1))
    shade = im.lerp_color(im.smoothstep(0.17, 0.3, d), im.color("#1d3557"), im.color("#16243a"))
    return pl.where(d < 0.17, ribbon, shade)


picture = picture.framed((960, 640), width=9.0)
