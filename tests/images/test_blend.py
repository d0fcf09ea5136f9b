"""Blend modes and Porter-Duff operators against the text of the W3C specification, in plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pellucid import images as im
from pellucid.images.blend import MODES

RANDOM = np.random.default_rng(9)


# ---- the specification, one color at a time ----


def hard_light(b, s):
    return b * 2 * s if s <= 0.5 else b + (2 * s - 1) - b * (2 * s - 1)


def soft_light(b, s):
    if s <= 0.5:
        return b - (1 - 2 * s) * b * (1 - b)
    d = ((16 * b - 12) * b + 4) * b if b <= 0.25 else math.sqrt(b)
    return b + (2 * s - 1) * (d - b)


def color_dodge(b, s):
    return 0 if b == 0 else 1 if s == 1 else min(1, b / (1 - s))


def color_burn(b, s):
    return 1 if b == 1 else 0 if s == 0 else 1 - min(1, (1 - b) / s)


SEPARABLE = {
    "normal": lambda b, s: s,
    "multiply": lambda b, s: b * s,
    "screen": lambda b, s: b + s - b * s,
    "overlay": lambda b, s: hard_light(s, b),
    "darken": min,
    "lighten": max,
    "color-dodge": color_dodge,
    "color-burn": color_burn,
    "hard-light": hard_light,
    "soft-light": soft_light,
    "difference": lambda b, s: abs(b - s),
    "exclusion": lambda b, s: b + s - 2 * b * s,
}


def lum(c):
    return 0.3 * c[0] + 0.59 * c[1] + 0.11 * c[2]


def clip_color(c):
    middle, low, high = lum(c), min(c), max(c)
    if low < 0:
        c = [middle + (x - middle) * middle / (middle - low) for x in c]
    if high > 1:
        c = [middle + (x - middle) * (1 - middle) / (high - middle) for x in c]
    return c


def set_lum(c, wanted):
    return clip_color([x + wanted - lum(c) for x in c])


def sat(c):
    return max(c) - min(c)


def set_sat(c, wanted):
    order = sorted(range(3), key=lambda k: c[k])
    low, mid, high = order
    result = [0.0, 0.0, 0.0]
    if c[high] > c[low]:
        result[mid] = (c[mid] - c[low]) * wanted / (c[high] - c[low])
        result[high] = wanted
    return result


JOINT = {
    "hue": lambda b, s: set_lum(set_sat(s, sat(b)), lum(b)),
    "saturation": lambda b, s: set_lum(set_sat(b, sat(s)), lum(b)),
    "color": lambda b, s: set_lum(s, lum(b)),
    "luminosity": lambda b, s: set_lum(b, lum(s)),
}


def blended(mode, bottom, top):
    (*cb, ab), (*cs, as_) = bottom, top
    each = SEPARABLE.get(mode)
    mixed = [each(b, s) for b, s in zip(cb, cs, strict=True)] if each else JOINT[mode](cb, cs)
    alpha = as_ + ab * (1 - as_)
    return [
        as_ * (1 - ab) * s + as_ * ab * m + (1 - as_) * ab * b for b, s, m in zip(cb, cs, mixed, strict=True)
    ] + [alpha]


def samples():
    """Straight colors: random ones, and all corners of the cube, opaque and not."""
    corners = [[(k >> b) & 1 for b in range(3)] + [a] for k in range(8) for a in (1, 0.5, 0)]
    return [*corners, *RANDOM.uniform(0, 1, (24, 4)).tolist()]


def test_the_modes_are_those_of_the_specification():
    assert set(MODES) == {*SEPARABLE, *JOINT}


@pytest.mark.parametrize("mode", MODES)
def test_a_mode_is_what_the_specification_says(mode):
    # All pairs in one picture: the color of a point is looked up in a list of constants by its whole coordinates.
    colors = samples()
    table = np.array(colors)
    x, y = np.meshgrid(np.arange(len(colors)), np.arange(len(colors)))
    top, bottom = (_picked(table, axis) for axis in "xy")
    made = im.blend(mode, top, bottom).at(x, y, precision="f64")
    expected = np.array([[blended(mode, below, above) for above in colors] for below in colors])
    assert np.allclose(made, expected, atol=2e-5)


def _picked(table, axis):
    from pellucid.ir import expr as E
    from pellucid.ir import types as T
    from pellucid.tracing import load, to_integer

    buffers = [E.Buffer(f"{axis}{k}", T.f64, len(table), np.ascontiguousarray(table[:, k])) for k in range(4)]

    def color(p):
        r, g, b, a = (load(buffer, to_integer(getattr(p, axis))) for buffer in buffers)
        return im.Color(r * a, g * a, b * a, a)

    return im.image(color)


def test_multiply_and_screen_are_the_modes_of_that_name():
    top, bottom = im.cond(im.checker, im.teal, im.gold), im.cond(im.alt_rings, im.tomato, im.navy)
    x, y = RANDOM.uniform(-3, 3, (2, 50))
    for name in ("multiply", "screen"):
        named = getattr(im, name)(top, bottom).at(x, y)
        assert np.array_equal(named, im.blend(name, top, bottom).at(x, y))
        assert np.array_equal(named, getattr(top, name)(bottom).at(x, y))


PORTER_DUFF = {
    "clear": (lambda s, d: 0, lambda s, d: 0),
    "copy": (lambda s, d: 1, lambda s, d: 0),
    "destination": (lambda s, d: 0, lambda s, d: 1),
    "over": (lambda s, d: 1, lambda s, d: 1 - s),
    "destination-over": (lambda s, d: 1 - d, lambda s, d: 1),
    "in": (lambda s, d: d, lambda s, d: 0),
    "destination-in": (lambda s, d: 0, lambda s, d: s),
    "out": (lambda s, d: 1 - d, lambda s, d: 0),
    "destination-out": (lambda s, d: 0, lambda s, d: 1 - s),
    "atop": (lambda s, d: d, lambda s, d: 1 - s),
    "destination-atop": (lambda s, d: 1 - d, lambda s, d: s),
    "xor": (lambda s, d: 1 - d, lambda s, d: 1 - s),
    "lighter": (lambda s, d: 1, lambda s, d: 1),
}


@pytest.mark.parametrize("operator", PORTER_DUFF)
def test_an_operator_keeps_the_shares_of_porter_and_duff(operator):
    of_top, of_bottom = PORTER_DUFF[operator]
    for _ in range(10):
        top, bottom = (im.rgba(*RANDOM.uniform(0, 1, 4).tolist()) for _ in range(2))
        a, b = np.array(list(top)), np.array(list(bottom))
        made = im.composite(operator, im.const(top), im.const(bottom)).at(0, 0, precision="f64")
        expected = a * of_top(top.a, bottom.a) + b * of_bottom(top.a, bottom.a)
        assert np.allclose(made, np.minimum(expected, 1))
