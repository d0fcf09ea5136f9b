"""The fine lines of a banknote, for a printer of any resolution."""

import numpy as np

import pellucid as pl
from pellucid import images as im


@pl.image
def picture(p):
    ink, paper = im.color("#0b3d2e"), im.color("#f4f1de")
    shown = paper
    for k in range(12):
        wave = 0.62 + 0.3 * im.cos(8 * p.theta + k * np.pi / 6) * im.cos(3 * p.theta - k * np.pi / 12)
        line = im.smoothstep(0.012, 0.005, abs(p.r - wave))
        shown = im.lerp_color(line * 0.85, im.lerp_color(k / 11, ink, im.color("#a4303f")), shown)
    return shown


picture = picture.framed((800, 800), width=2.2)
