"""Newton's method on z³ = 1.

Each point takes the color of the root that it ends at, darker the longer that takes.
"""

import pellucid as pl
from pellucid import images as im

ROOTS = [pl.Complex(1, 0), pl.Complex(-0.5, 3**0.5 / 2), pl.Complex(-0.5, -(3**0.5) / 2)]
COLORS = [im.color("#e4572e"), im.color("#f2c14e"), im.color("#17bebb")]


@pl.image
def picture(p):
    def step(state):
        z, n = state
        return z - (z * z * z - 1) / (3 * z * z), n + 1.0

    def arrived(state):
        z, _ = state
        return (z * z * z - 1).abs2 < 1e-6

    z, n = pl.iterate(step, (pl.Complex(p.x, p.y), 0.0), until=arrived, limit=40)
    shade = im.clamp(1.1 - n / 18, 0, 1)
    near = [(z - root).abs2 for root in ROOTS]
    color = pl.where(near[0] < 1, COLORS[0], pl.where(near[1] < 1, COLORS[1], COLORS[2]))
    return im.lerp_color(shade, color, im.color("#10131f"))


picture = picture.framed((960, 640), width=3.6)
