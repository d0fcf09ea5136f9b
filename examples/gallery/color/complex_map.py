"""A function of a complex variable, in colors: (z² - 1)(z - 2 - i)² / (z² + 2 + 2i).

Hue is the angle of the value; the rings are where its size doubles. Zeros and poles are where all hues meet.
"""

import numpy as np

import pellucid as pl
from pellucid import images as im


@pl.image
def picture(p):
    z = pl.Complex(p.x, p.y)
    value = (z * z - 1) * (z - complex(2, 1)) ** 2 / (z * z + complex(2, 2))
    turns = value.arg / (2 * np.pi)
    rings = im.fraction(0.5 * im.log2(im.max(value.abs2, 1e-12)))
    rays = im.fraction(turns * 12)
    hues = ["#ef476f", "#f78c6b", "#ffd166", "#06d6a0", "#118ab2", "#6a4c93", "#ef476f"]
    color = im.color_at(hues, im.fraction(turns))
    return im.lerp_color(0.62 + 0.24 * rings + 0.14 * rays, color, im.color("#0b132b"))


picture = picture.framed((960, 640), width=6.0)
