"""Stalks on a Julia set.

A point is golden where its orbit comes near to an axis, and light where it comes near to a circle.
"""

import pellucid as pl
from pellucid import images as im

C = complex(-0.745, 0.113)


@pl.image
def picture(p):
    def step(state):
        z, stalk, ring = state
        z = z * z + C
        stalk = im.min(stalk, im.min(abs(z.re), abs(z.im)))
        return z, stalk, im.min(ring, abs(im.sqrt(z.abs2) - 0.5))

    start = (pl.Complex(p.x, p.y), 1.0, 1.0)
    _, stalk, ring = pl.iterate(step, start, until=lambda s: s[0].abs2 > 16, limit=60)
    light = im.clamp(-im.log(im.max(stalk, 1e-5)) / 8, 0, 1)
    glow = im.clamp(-im.log(im.max(ring, 1e-5)) / 7, 0, 1)
    ground = im.color_at(["#03071e", "#10375c", "#2a9d8f", "#e9f5db"], glow)
    return im.lerp_color(light**3, im.color("#ffb703"), ground)


picture = picture.framed((960, 640), width=3.0)
