"""The sun goes down behind a rough sea."""

import pellucid as pl
from pellucid import images as im

_waves = im.fbm(im.perlin_noise(seed=6), 5)


@pl.image
def _sky(p):
    color = im.color_at(["#ffd07b", "#ff7b54", "#c44569", "#573280", "#23204d"], im.clamp(p.y / 1.7, 0, 1))
    sun = im.smoothstep(0.345, 0.335, pl.Point(p.x, p.y - 0.32).r)
    halo = 0.55 * im.exp(-2.2 * pl.Point(p.x, p.y - 0.32).r)
    return im.lerp_color(im.clamp(sun + halo, 0, 1), im.color("#fff1c9"), color)


@pl.image
def picture(p):
    depth = 1 / im.max(-p.y, 0.012)
    ripple = _waves(pl.Point(1.2 * p.x * depth, 2.2 * depth))
    mirrored = _sky(pl.Point(p.x + 0.05 * ripple, im.max(-p.y + 0.9 * ripple * im.min(-p.y, 0.5), 0.0)))
    water = im.lerp_color(im.clamp(0.85 + 0.9 * ripple, 0, 1), mirrored, im.color("#1a1440"))
    return pl.where(p.y > 0, _sky(p), water)


picture = picture.framed((960, 640), center=(0.0, 0.1), width=3.4)
