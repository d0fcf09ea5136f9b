"""A planet with seas, deserts and ice."""

import pellucid as pl
from pellucid import images as im

_ground = im.fbm(im.perlin_noise(seed=4), 8)


@pl.image
def picture(p):
    r2 = p.dot(p)
    z = im.sqrt(im.max(1 - r2, 0))
    around = pl.Point(1.6 * im.atan2(p.x, im.max(z, 1e-4)) + 5, 1.6 * im.asin(im.clamp(p.y, -1, 1)) + 2)
    height = _ground(around) + 0.04
    cold = im.smoothstep(0.72, 0.95, abs(p.y) + 0.25 * height)
    land = im.color_at(["#3a5a40", "#a3b18a", "#dda15e", "#bc6c25", "#f5ebe0"], im.clamp(3.2 * height, 0, 1))
    sea = im.color_at(["#03045e", "#0077b6", "#48cae4"], im.clamp(1 + 2.5 * height, 0, 1))
    color = im.lerp_color(cold, im.color("#f8f9fa"), pl.where(height > 0, land, sea))
    day = im.clamp(-0.5 * p.x + 0.45 * p.y + 0.74 * z, 0, 1)
    rim = (1 - z) ** 3
    ball = im.lerp_color(day, im.lerp_color(0.7 * rim, im.color("#90e0ef"), color), im.color("#02040f"))
    haze = im.exp(-9 * (im.sqrt(r2) - 1)) * im.clamp(-0.5 * p.x + 0.45 * p.y + 0.35, 0, 1)
    return pl.where(
        r2 < 1, ball, im.lerp_color(im.clamp(0.6 * haze, 0, 1), im.color("#48cae4"), im.color("#02040f"))
    )


picture = picture.framed((800, 800), width=2.7)
