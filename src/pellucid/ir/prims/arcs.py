"""Arc sine, arc cosine and arc tangent, and the angle of a point."""

from __future__ import annotations

import math

import numpy as np

from .. import types as T
from ..facts import Facts
from ..intervals.bounds import decreasing, increasing
from ..intervals.interval import Endpoints, Interval, all_of, at, falling, near, only, rising
from ..intervals.notation import Term, as_float, bits, body, choose, fma, maximum, polynomial, root, with_sign
from ..prim import Prim
from ..reduction import HALF_PI

# z = x * x. For |x| <= 1, atan x = x + x*z*P(z); for |x| <= 1/2, asin x = x + x*z*P(z).
ATAN = {
    T.f32: (
        -0.33333298563957214,
        0.1999852955341339,
        -0.14264015853405,
        0.10950881242752075,
        -0.08399315178394318,
        0.057881761342287064,
        -0.031097697094082832,
        0.010869323275983334,
        -0.0017830380238592625,
    ),
    T.f64: (
        -0.3333333333333307,
        0.19999999999951756,
        -0.14285714282588471,
        0.1111111100734992,
        -0.0909090700786873,
        0.0769227988895701,
        -0.0666640441812805,
        0.05880529749208083,
        -0.052535264176879995,
        0.04722346853616633,
        -0.04219239061979296,
        0.03664305919357369,
        -0.0299055769709514,
        0.021986858121596148,
        -0.013902362505111471,
        0.007197727013174352,
        -0.002885525079146084,
        0.00083152888192784,
        -0.0001522043411987433,
        1.3229308606129844e-05,
    ),
}
ASIN = {
    T.f32: (
        0.16666752099990845,
        0.074953094124794,
        0.04546914994716644,
        0.024184776470065117,
        0.04215831309556961,
    ),
    T.f64: (
        0.16666666666665408,
        0.07500000000337112,
        0.044642856828255355,
        0.03038195913980003,
        0.022371757985271287,
        0.017359705716167326,
        0.01388522627763351,
        0.012169270841607596,
        0.006527722885848542,
        0.019528948684473548,
        -0.016225317424731094,
        0.03191299591650883,
    ),
}
TINY = {T.f32: 2.0**-149, T.f64: 2.0**-1074}


def _atan_from(base: Term, ratio: Term) -> Term:
    """base + atan(ratio) for a ratio in [-1, 1]."""
    z = ratio * ratio
    return base + fma(polynomial(z, ATAN[ratio.type]), ratio * z, ratio)


def _atan(x: Term) -> Term:
    a = abs(x)
    is_large = a > 1.0
    ratio = choose(is_large, a.lift(-1.0), a) / choose(is_large, a, 1.0)
    base = choose(is_large, a.lift(HALF_PI[x.type][0]), 0.0)
    return with_sign(_atan_from(base, ratio), x)


def _atan2(y: Term, x: Term) -> Term:
    t = x.type
    ay, ax = abs(y), abs(x)
    is_steep = ay > ax
    # A NaN in either place reaches the quotient; two zeros give 0, and two infinities 1.
    small = choose(is_steep, ax, ay)
    large = maximum(TINY[t], choose(is_steep, ay, ax))
    ratio = choose(small.equals(large), small.lift(1.0), small / large)
    # Around the vertical axis the angle is pi/2 - atan(x/|y|), around the horizontal one atan(|y|/x), and pi more
    # on the left.
    top = 1 << (t.bits - 1)
    side = bits(x) & top
    flip = choose(is_steep, side ^ top, side)
    half = HALF_PI[t][0]
    beyond = choose(side.differs(0), x.lift(2 * half), 0.0)
    base = choose(is_steep, x.lift(half), beyond)
    return with_sign(_atan_from(base, as_float(bits(ratio) ^ flip)), y)


def _asin(x: Term) -> Term:
    t = x.type
    a = abs(x)
    half_pi, half_pi_low, _ = HALF_PI[t]
    is_large = a > 0.5
    # asin a = pi/2 - 2 asin(sqrt((1 - a) / 2))
    z = choose(is_large, fma(a, -0.5, 0.5), a * a)
    s = choose(is_large, root(z), a)
    rest = polynomial(z, ASIN[t])
    small = fma(rest, s * z, s)
    # What the subtraction from pi/2 loses is put back with the small terms.
    lead = fma(s, -2.0, half_pi)
    lost = fma(s, -2.0, half_pi - lead) + half_pi_low
    large = lead + fma(rest * (s * z), -2.0, lost)
    return with_sign(choose(is_large, large, small), x)


def _acos(x: Term) -> Term:
    t = x.type
    a = abs(x)
    half_pi, half_pi_low, _ = HALF_PI[t]
    is_large, is_right = a > 0.5, x > 0.5
    # acos x = pi/2 - asin x; on the right 2 asin(sqrt((1 - x) / 2)), on the left pi less that.
    z = choose(is_large, fma(a, -0.5, 0.5), x * x)
    s = choose(is_large, root(z), x)
    arc = s + fma(polynomial(z, ASIN[t]), s * z, choose(is_right, x.lift(0.0), -half_pi_low))
    angle = choose(is_right, arc, half_pi - arc)
    return choose(is_large, angle * 2.0, angle)


def _atan2_facts(t: T.Type, _: tuple[T.Type, ...], y: Facts, x: Facts) -> Facts:
    pi = 2 * HALF_PI[t][0]
    lo, hi = (0.0 if y.lo >= 0 and not y.minus_zero else -pi), (0.0 if y.hi < 0 else pi)
    if x.lo > 0:
        lo, hi = max(lo, -HALF_PI[t][0]), min(hi, HALF_PI[t][0])
    # A quotient may underflow to a zero with the sign of y.
    return Facts(lo, hi, y.nan or x.nan, minus_zero=y.lo < 0 or y.minus_zero)


def _atan2_interval(t: T.Type, y: Interval, x: Interval) -> Endpoints:
    # Counterclockwise the last corner, and the first: on the left of the vertical axis the angle falls with y.
    last, first = choose(y.hi < 0.0, x.hi, x.lo), choose(y.lo >= 0.0, x.hi, x.lo)
    lo = at("atan2", choose(first < 0.0, y.hi, y.lo), first)
    hi = at("atan2", choose(last < 0.0, y.lo, y.hi), last)
    lo, hi = near(lo, hi, y.is_point & x.is_point)
    # Around the origin, and where the negative half of the axis is crossed or a zero may lie on either side of it.
    is_cut = all_of(y.lo <= 0.0, y.hi >= 0.0, x.lo <= 0.0)
    pi = 2 * HALF_PI[t][0]
    return only(y.nan_free & x.nan_free, choose(is_cut, lo.lift(-pi), lo), choose(is_cut, hi.lift(pi), hi))


ROWS = (
    Prim(
        "atan",
        "The angle in radians, from -pi/2 to pi/2, whose tangent is x.",
        "F -> F",
        body=body(_atan),
        facts=increasing(np.arctan, odd=True),
        ulp={"f32": 1.9, "f64": 1.8},
        interval=rising("atan"),
        zero_sign="pass",
        cost=28,
    ),
    Prim(
        "atan2",
        "The angle in radians, from -pi to pi, of the point (y first, x second) from the positive x axis.",
        "F F -> F",
        body=body(_atan2),
        facts=_atan2_facts,
        ulp={"f32": 1.9, "f64": 1.8},
        interval=_atan2_interval,
        zero_sign="observe",
        cost=38,
    ),
    Prim(
        "asin",
        "The angle in radians, from -pi/2 to pi/2, whose sine is x; NaN beyond 1.",
        "F -> F",
        body=body(_asin),
        facts=increasing(np.arcsin, domain=(-1.0, 1.0), odd=True),
        ulp={"f32": 1.4, "f64": 1.4},
        interval=rising("asin", partial=True),
        zero_sign="pass",
        cost=35,
    ),
    Prim(
        "acos",
        "The angle in radians, from 0 to pi, whose cosine is x; NaN beyond 1.",
        "F -> F",
        body=body(_acos),
        facts=decreasing(np.arccos, (-1.0, 1.0), (0.0, math.inf)),
        ulp={"f32": 1.4, "f64": 1.4},
        interval=falling("acos", (0.0, math.inf), partial=True),
        zero_sign="kill",
        cost=32,
    ),
)
