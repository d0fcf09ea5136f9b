"""Air that flows around a wing, along the lines: warm is fast, cool is slow.

Joukowski's map makes a wing of a circle, and around a circle the flow is known.
"""

import numpy as np

import pellucid as pl
from pellucid import images as im

SLOPE = np.radians(9)
CENTER = complex(-0.11, 0.13)
RADIUS = abs(1 - CENTER)
# As much circulation as lets the air leave at the tail, where the circle passes through 1.
LIFT = 2 * RADIUS * np.sin(SLOPE + np.arcsin(CENTER.imag / RADIUS))


@pl.image
def picture(p):
    x, y = p.rotate(SLOPE)
    z = pl.Complex(x, y)
    root = (z * z - 4).sqrt()
    # Two points are mapped here; the farther one is outside of the circle.
    one, other = (z + root) * 0.5, (z - root) * 0.5
    outer = (one - CENTER).abs2 > (other - CENTER).abs2
    w = pl.Complex(pl.where(outer, one.re, other.re), pl.where(outer, one.im, other.im))
    q = w - CENTER
    wind = complex(np.cos(SLOPE), -np.sin(SLOPE))
    stream = (q * wind + RADIUS**2 * wind.conjugate() / q).im + LIFT * 0.5 * im.log(q.abs2)
    slope = wind - RADIUS**2 * wind.conjugate() / (q * q) + complex(0, LIFT) / q
    speed = im.sqrt(slope.abs2 / im.max((1 - 1 / (w * w)).abs2, 1e-6))
    color = im.color_at(
        ["#12264d", "#2b5c8a", "#79b8c4", "#f3ecd2", "#f2a65a", "#d1495b", "#7d1d3f"],
        im.clamp(speed / 2.3, 0, 1),
    )
    level = stream * 7
    away = abs(im.fraction(level) - 0.5) / 7 / im.max(speed, 0.02)
    line = im.smoothstep(0.016, 0.010, away) * 0.85
    air = im.lerp_color(line, im.color("#fffaf0"), color)
    return pl.where(q.abs2 < RADIUS**2, im.color("#141824"), air)


picture = picture.framed((960, 640), width=7.2)
