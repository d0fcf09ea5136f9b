"""A clock that goes: three hands, twelve marks."""

import numpy as np

from pellucid import images as im

LOOP = 60


def _hand(length, width, turns):
    """A hand that has turned so many times since it pointed up."""
    bar = (abs(im.x) < width) & (im.y > -0.12) & (im.y < length)
    return im.turn(-2 * np.pi * turns, bar)


_marks = im.rosette(12, (abs(im.x - 0.87) < 0.06) & (abs(im.y) < 0.018))
picture = im.stack(
    im.fill("#d62828", _hand(0.86, 0.012, im.seconds / 60)),
    im.fill("#d62828", im.disk(0.045)),
    im.fill("#1d3557", _hand(0.78, 0.028, im.seconds / 3600)),
    im.fill("#1d3557", _hand(0.52, 0.04, im.seconds / 43200)),
    im.fill("#1d3557", _marks),
    im.fill("#fdfcf7", im.udisk),
    im.fill("#1d3557", im.disk(1.06)),
    "#a8dadc",
).framed((800, 800), width=2.6, time=36610)
