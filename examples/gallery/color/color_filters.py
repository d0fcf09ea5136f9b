"""The color filters in front of four sensors.

Bayer's pattern repeats after two sites by two. Four sites share a filter in the next one. The one below repeats after
six by six, so that each row and each column has all colors. The last one has clear sites, which see more light.
"""

import numpy as np

import pellucid as pl
from pellucid import images as im

FILTERS = {
    "Bayer": ("RG", "GB"),
    "quad": ("RRGG", "RRGG", "GGBB", "GGBB"),
    "six by six": ("GBGGRG", "RGRBGB", "GBGGRG", "GRGGBG", "BGBRGR", "GRGGBG"),
    "with white": ("WGWR", "GWRW", "WBWG", "BWGW"),
}
GLASS = {"R": (214, 40, 57), "G": (58, 157, 93), "B": (36, 86, 166), "W": (239, 236, 226)}
DARK = im.color("#0d1117")


def _sensor(rows):
    """Twelve by twelve sites of a pattern."""
    pattern = np.array([[GLASS[name] for name in row] for row in rows], np.uint8)
    return im.reconstruct(im.bitmap(np.tile(pattern, (12 // len(rows), 12 // len(rows), 1))), "nearest")


def _panel(number, name):
    label = im.fill("#e8e4d8", im.move((0, -7.2), im.text(name, 1.1)))
    return im.move((14 * (number % 2) - 7, 8 - 15 * (number // 2)), im.over(label, _sensor(FILTERS[name])))


_panels = im.stack(*(_panel(number, name) for number, name in enumerate(FILTERS)), DARK)


@pl.image
def picture(p):
    lens = pl.Point(im.fraction(p.x) - 0.5, im.fraction(p.y) - 0.5)
    seen = _panels(p)
    bright = 0.45 * im.smoothstep(0.42, 0.0, im.hypot(lens.x + 0.13, lens.y - 0.13))
    glass = im.lerp_color(bright, im.color("#ffffff"), seen)
    site = im.lerp_color(im.smoothstep(0.47, 0.44, lens.r), glass, im.lerp_color(0.28, seen, DARK))
    sensor = (abs(abs(p.x) - 7) < 6) & (abs(abs(p.y - 0.5) - 7.5) < 6)
    return pl.where(sensor, site, seen)


picture = picture.framed((800, 800), center=(0.0, -0.1), width=30.5)
