"""A Julia set, colored by how near its orbit comes to the axes.

Orbits that come close to a line are caught in a trap; the nearest distance paints the filaments.
"""

import pellucid as pl
from pellucid import images as im


@pl.image
def picture(p):
    c = pl.Complex(-0.79, 0.15)

    def step(state):
        z, nearest = state
        z = z * z + c
        return z, im.min(nearest, im.min(abs(z.re), abs(z.im)))

    _, nearest = pl.iterate(step, (pl.Complex(p.x, p.y), 1.0), until=lambda s: s[0].abs2 > 64, limit=120)
    return im.color_at(["#fff6d5", "#f4a259", "#bc4b51", "#2b2d6e", "#0b1026"], im.clamp(nearest * 6, 0, 1))


picture = picture.framed((960, 640), width=3.2)
