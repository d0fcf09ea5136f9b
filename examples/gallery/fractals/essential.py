"""An essential singularity: exp(1 / z), which takes nearly every value in every disk about the origin."""

import numpy as np

import pellucid as pl
from pellucid import images as im


@pl.image
def picture(p):
    inverse = pl.Complex(1.0, 0.0) / pl.Complex(p.x, p.y)
    size, turns = inverse.re, inverse.im / (2 * np.pi)
    rings = im.fraction(size / np.log(2))
    hue = im.color_at(["#f94144", "#f9c74f", "#43aa8b", "#277da1", "#9b5de5", "#f94144"], im.fraction(turns))
    fine = im.smoothstep(0.03, 0.16, p.r)
    return im.lerp_color(fine * (0.55 + 0.45 * rings) + (1 - fine) * 0.77, hue, im.color("#0b1020"))


picture = picture.framed((960, 640), center=(0.12, 0.0), width=1.2)
