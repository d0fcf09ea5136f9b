"""A nebula: clouds of noise whose place is itself moved by noise."""

import pellucid as pl
from pellucid import images as im

_drift = im.fbm(im.perlin_noise(seed=2), 4)
_cloud = im.fbm(im.perlin_noise(seed=8), 6)
_stars = im.cellular("nearest", seed=5)


@pl.image
def picture(p):
    bend = pl.Point(p.x + 2.2 * _drift(p), p.y + 2.2 * _drift(pl.Point(p.y + 9.2, p.x - 4.7)))
    gas = im.smoothstep(-0.45, 0.55, _cloud(bend))
    light = im.color_at(["#05010d", "#1b0a3a", "#5a189a", "#d00070", "#ff9e6d", "#fff4e0"], gas * gas * 1.05)
    star = im.smoothstep(0.08, 0.0, _stars(p * 3)) * (1 - gas)
    return im.lerp_color(im.clamp(star, 0, 1), im.white, light)


picture = picture.framed((960, 640), width=5.0)
