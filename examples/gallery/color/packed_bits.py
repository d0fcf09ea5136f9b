"""How samples lie in memory: a row is a byte, its highest bit on the left, and each sample has a color.

The higher a bit of a sample, the lighter it is. The program packs each sample alone, and each bit, and looks where
they come to lie.
"""

import numpy as np

import pellucid as pl
from pellucid import images as im

PIXELS = {"raw10": 24, "mono10p": 24, "raw12": 20, "mono12p": 20, "raw14": 16}
ROWS = 28
COLORS = np.array([[255, 209, 102], [239, 71, 111], [6, 180, 150], [76, 150, 240]])


def _bits(name, pixels):
    """The bits of the first bytes as an array of colors, a row for each byte."""
    depth = int("".join(c for c in name if c.isdigit()))

    def memory(codes):
        return np.unpackbits(pl.pack(codes.reshape(1, -1), name)).reshape(-1, 8)[:ROWS, :, None]

    each = np.arange(pixels)
    color = sum(memory((each == s) * (2**depth - 1)) * COLORS[s % 4] for s in range(pixels))
    light = sum(memory(np.full(pixels, 2**b)) * (0.25 + 0.75 * b / (depth - 1)) for b in range(depth))
    return np.uint8(color * light)


def _stored(name):
    return im.reconstruct(im.bitmap(_bits(name, PIXELS[name])), "nearest")


def _panel(number, name):
    label = im.fill("#e8e4d8", im.move((0, -15.4), im.text(name, 1.5)))
    return im.move((11 * (number - 2), 0), im.over(label, _stored(name)))


_beads = im.warp(
    lambda p: (im.fraction(p.x) - 0.5, im.fraction(p.y) - 0.5), im.sdf_rounded_box(0.86, 0.86, 0.26)
)
_panels = im.stack(*(_panel(number, name) for number, name in enumerate(PIXELS)))
_shown = im.cond(im.sdf_inside(_beads) | (im.y < -14), _panels, im.invisible)
picture = im.over(_shown, im.const(im.color("#101522"))).framed((960, 640), center=(0.0, -1.0), width=57.0)
