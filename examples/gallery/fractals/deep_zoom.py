"""The edge of the Mandelbrot set, magnified 10³⁰ times.

The orbit of the point in the middle runs into a fixed point, so all of it is known. Only the difference of its
neighbors from it is computed, and single precision is enough for that.
"""

import pellucid as pl
from pellucid import images as im

SCALE = 1e-30
START = -0.1 + 0.96j


def orbit(c, steps):
    """The values and the slopes, by c, of the first steps."""
    z, slope, found = 0j, 0j, []
    for _ in range(steps):
        z, slope = z * z + c, 2 * z * slope + 1
        found.append((z, slope))
    return found


def preperiodic(c):
    """The point near c whose fourth and fifth value are the same, by Newton's method."""
    for _ in range(20):
        (a, da), (b, db) = orbit(c, 5)[-2:]
        c -= (a - b) / (da - db)
    return c


CENTER = preperiodic(START)
KNOWN = [z for z, _ in orbit(CENTER, 5)]


@pl.image
def picture(p):
    c = pl.Complex(p.x, p.y) * SCALE
    d = c
    for z in KNOWN[:-1]:
        d = (2 * z + d) * d + c

    def step(state):
        d, n = state
        return (2 * KNOWN[-1] + d) * d + c, n + 1.0

    d, n = pl.iterate(step, (d, 0.0), until=lambda s: s[0].abs2 > 1e4, limit=260)
    smooth = n - im.log2(0.5 * im.log(im.max(d.abs2, 2.0)))
    return im.color_at(["#0b132b", "#1c7293", "#f4f1de", "#f2a541", "#9e2a2b", "#0b132b"], smooth / 12 % 1)


picture = picture.framed((960, 640), width=3.0)
