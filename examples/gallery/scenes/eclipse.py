"""The sun behind the moon, and its corona: noises that repeat close around the disk without a seam."""

import numpy as np

import pellucid as pl
from pellucid import images as im

_streamers = im.periodic_noise((9, 256), 3)
_hair = im.periodic_noise((80, 256), 2, seed=4)
_flames = im.periodic_noise((36, 256), 2, seed=8)


@pl.image
def picture(p):
    turn = p.theta / (2 * np.pi)
    out = im.max(p.r - 1, 0)
    long = 0.5 + 0.5 * _streamers(pl.Point(9 * turn + 0.15 * p.r, 0.35 * p.r))
    hair = 0.5 + 0.5 * _hair(pl.Point(80 * turn, 0.5 * p.r))
    # Longer near the sun's equator than over its poles.
    reach = 0.3 + 0.8 * long * (0.45 + 0.55 * abs(im.cos(p.theta - 0.4)))
    corona = im.exp(-out / reach) * (0.62 + 0.5 * hair * im.smoothstep(0.0, 0.4, out)) + 0.6 * im.exp(
        -14 * out
    )
    sky = im.color_at(
        ["#03040a", "#0c1a33", "#31557f", "#8fb3d1", "#f2f4f4", "#ffffff"], im.clamp(0.82 * corona, 0, 1)
    )
    flame = im.smoothstep(0.08, 0.34, _flames(pl.Point(36 * turn, 3 * p.r)) - 6.5 * out)
    lit = im.lerp_color(flame, im.color("#ff4d5e"), sky)
    bead = (p - pl.Point.polar(1.0, 0.72)).r
    diamond = im.clamp(0.02 / (bead * bead + 0.008) - 0.02, 0, 1)
    return im.lerp_color(diamond, im.color("#fffdf5"), pl.where(p.r < 1, im.color("#05060c"), lit))


picture = picture.framed((960, 640), width=6.0)
