"""Klein's function j in the disk: hue is the angle of the value, and its size is fourfold from line to line.

The modular group moves points and leaves j as it is. So each point is moved into the first domain, where few terms of
the series are enough, however near to the rim it was.
"""

import numpy as np

import pellucid as pl
from pellucid import images as im

HUES = ["#e63946", "#f4a261", "#f1fa8c", "#2a9d8f", "#1d4e89", "#7b2d8b", "#e63946"]


@pl.image
def picture(p):
    z = pl.Complex(p.x, p.y)
    tau = 1j * (1 + z) / (1 - z)

    def step(tau):
        tau = pl.Complex(tau.re - im.floor(tau.re + 0.5), tau.im)
        k = pl.where(tau.abs2 < 1, 1 / im.max(tau.abs2, 1e-12), 1.0)
        return pl.Complex(pl.where(tau.abs2 < 1, -tau.re, tau.re) * k, tau.im * k)

    tau = pl.iterate(step, tau, until=lambda t: (t.abs2 >= 1) & (abs(t.re) <= 0.5), limit=40)
    beyond = im.max(tau.im - 3, 0)
    size, angle = im.exp(-2 * np.pi * (tau.im - beyond)), 2 * np.pi * tau.re
    q = pl.Complex(size * im.cos(angle), size * im.sin(angle))
    j = 1 / q + 744 + q * (196884 + q * (21493760 + q * 864299970))
    turns = j.arg / (2 * np.pi)
    octaves = 0.5 * im.log2(im.max(j.abs2, 1e-6)) + beyond * (2 * np.pi / np.log(2))
    doubled = im.fraction(octaves / 2)
    color = im.color_at(HUES, im.fraction(turns))
    shaded = im.lerp_color(0.55 + 0.45 * doubled, color, im.color("#12002e"))
    return pl.where(p.r < 1, shaded, im.color("#12002e"))


picture = picture.framed((800, 800), width=2.1)
