"""The notation of surfaces: what a row's result is near over a square of pixels, and how far it may be off that.

Places in the square are numbers from -1 to 1: X and Y, U and V (see
`tilevm.taylor.tiles`). A `Form` says that everywhere in it a value, as it is computed in floats, is in a box, and

    |value - (middle + a*X + b*Y + c*U + d*V + e*X*X + f*X*Y + g*Y*Y)| <= error

where the arithmetic on the left is exact, and these numbers are floats. So an error holds those of the operands; what
bends in another way (a product of three slopes, the third derivative of a curve); and what rounds, in the row itself
and in the numbers above: as many roundings as a rule counts, or more, of a size that bounds all that is rounded.
Errors are computed in floats too, in sums and products of numbers that are not negative. Each is rounded less than
`MARGIN` times on the way, and made larger by as much; what underflows is less than the smallest normal number, and
added.

Where something is divided by zero, or an operand is not known, an error comes to infinity or NaN: the result's box is
all that is known then. Rules see to it that no number comes out of a NaN: `maximum` and `minimum` hide one that is
their first operand.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from ....ir import types as T
from ....ir.expr import apply
from ....ir.intervals.box import REACH, Box, all_of, at, magnitude
from ....ir.intervals.notation import Term, choose, fma, maximum, minimum

LINEAR, PLACES = 4, 7
"""How many factors belong to one place alone, and how many there are."""
ROUNDING = {T.f32: 2.0**-24, T.f64: 2.0**-53}
"""By how much rounding may be off, as a part of what is rounded."""
TINY = {T.f32: 2.0**-126, T.f64: 2.0**-1022}
"""More than what underflows in a rule."""
MARGIN = 64
"""By how many roundings an error may itself be off."""


class Surface(NamedTuple):
    """The value in the middle, the factors of X, Y, U, V, X*X, X*Y, Y*Y, and the error."""

    middle: Term
    factors: tuple[Term, ...]
    error: Term


class Form(NamedTuple):
    """What a value may be over a square: in its box, and near its surface. Truths and most integers have no surface.

    Of an integer that has one it is of floats.
    """

    box: Box
    surface: Surface

    @property
    def middle(self) -> Term:
        """The value in the middle of the square."""
        return self.surface.middle

    @property
    def factors(self) -> tuple[Term, ...]:
        """How it grows from there."""
        return self.surface.factors

    @property
    def error(self) -> Term:
        """How far it may be from its surface."""
        return self.surface.error

    @property
    def size(self) -> Term:
        """More than its magnitude, and than that of all that its surface is made of."""
        return abs(self.middle) + (spread(self.factors) + self.error)


Rule = Callable[..., Surface]
"""A row's rule: a function of the result's type, its box, and its operands' forms."""


def spread(factors: tuple[Term, ...]) -> Term:
    """How far a surface with these goes from its middle: the sum of their magnitudes."""
    total, *rest = map(abs, factors)
    for x in rest:
        total = total + x
    return total


def off(exact: Term, size: Term, roundings: float) -> Term:
    """An error, and so many roundings of something of a size."""
    t = exact.type
    u = ROUNDING[t]
    return fma(exact, 1 + MARGIN * u, fma(size, roundings * u, exact.lift(TINY[t])))


def unless(wrong: Term, surface: Surface) -> Surface:
    """A surface, of which nothing is known where something is wrong."""
    return surface._replace(error=choose(wrong, surface.error.lift(math.inf), surface.error))


def either(condition: Term, then: Surface, orelse: Surface) -> Surface:
    """One of two surfaces."""
    return Surface(
        choose(condition, then.middle, orelse.middle),
        tuple([choose(condition, x, y) for x, y in zip(then.factors, orelse.factors, strict=True)]),
        choose(condition, then.error, orelse.error),
    )


# ---- arithmetic ----


def add(_: T.Type, __: Box, a: Form, b: Form) -> Surface:
    """The surface of a sum."""
    return _sum(a.surface, b.surface, 1)


def sub(_: T.Type, __: Box, a: Form, b: Form) -> Surface:
    """The surface of a difference."""
    return _sum(a.surface, b.surface, -1)


def _sum(a: Surface, b: Surface, sign: int) -> Surface:
    def plus(x: Term, y: Term) -> Term:
        return x + y if sign > 0 else x - y

    middle = plus(a.middle, b.middle)
    factors = tuple([plus(x, y) for x, y in zip(a.factors, b.factors, strict=True)])
    error = a.error + b.error
    return Surface(middle, factors, off(error, abs(middle) + (spread(factors) + error), 4))


def neg(_: T.Type, __: Box, a: Form) -> Surface:
    """The surface of a negation, which is exact."""
    return _negated(a.surface)


def _negated(a: Surface) -> Surface:
    return Surface(-a.middle, tuple([-x for x in a.factors]), a.error)


def mul(_: T.Type, __: Box, a: Form, b: Form) -> Surface:
    """The surface of a product."""
    middle, factors, error = product(a, b)
    return Surface(middle, factors, off(error, a.size * b.size, 8))


def fused(_: T.Type, __: Box, a: Form, b: Form, c: Form) -> Surface:
    """The surface of a product plus something."""
    middle, factors, error = product(a, b)
    return Surface(
        middle + c.middle,
        tuple([x + y for x, y in zip(factors, c.factors, strict=True)]),
        off(error + c.error, fma(a.size, b.size, c.size), 10),
    )


def product(a: Form, b: Form) -> Surface:
    """What the product of two surfaces is, but for rounding: what goes beyond squares of X and Y is an error."""
    p, q = _parts(a.factors), _parts(b.factors)
    ax, ay, *_ = a.factors
    bx, by, *_ = b.factors
    bent = (ax * bx, fma(ax, by, ay * bx), ay * by)
    factors = [fma(a.middle, y, b.middle * x) for x, y in zip(a.factors, b.factors, strict=True)]
    factors[LINEAR:] = [x + y for x, y in zip(factors[LINEAR:], bent, strict=True)]
    beyond = fma(p.bent + p.beside, q.all, p.straight * (q.bent + q.beside))
    error = fma(b.error, abs(a.middle) + p.all, a.error * (abs(b.middle) + (q.all + b.error)))
    return Surface(a.middle * b.middle, tuple(factors), error + beyond)


class _Parts(NamedTuple):
    """How far the parts of a surface go: along X and Y, along U and V, the bent one, and all together."""

    straight: Term
    beside: Term
    bent: Term
    all: Term


def _parts(factors: tuple[Term, ...]) -> _Parts:
    straight, beside, bent = (spread(x) for x in (factors[:2], factors[2:LINEAR], factors[LINEAR:]))
    return _Parts(straight, beside, bent, (straight + beside) + bent)


def absolute(_: T.Type, __: Box, a: Form) -> Surface:
    """The surface of a magnitude: that of a number of one sign, or one between the two sides of the fold."""
    lo, hi = a.box
    steep = (hi + lo) / (hi - lo)
    # Above the surface through zero of that slope lie at most the ends.
    above = maximum(fma(steep, -lo, -lo), fma(steep, -hi, hi)) * 0.5
    folded = Surface(
        fma(steep, a.middle, above),
        tuple([steep * x for x in a.factors]),
        off(a.error + above, a.size, 6),
    )
    return either(lo >= 0.0, a.surface, either(hi <= 0.0, _negated(a.surface), folded))


def larger(_: T.Type, __: Box, a: Form, b: Form) -> Surface:
    """The surface of a maximum."""
    return _extreme(a, b, 1)


def smaller(_: T.Type, __: Box, a: Form, b: Form) -> Surface:
    """The surface of a minimum."""
    return _extreme(a, b, -1)


def _extreme(a: Form, b: Form, sign: int) -> Surface:
    """That of the operand that it is everywhere, or one between both: b + d, where a - b = d has the right sign."""
    apart = _sum(a.surface, b.surface, -1)
    reach = spread(apart.factors) + apart.error
    known = a.box.lo >= b.box.hi, a.box.hi <= b.box.lo
    low, high = apart.middle - reach, apart.middle + reach
    # What is rounded here is less than the error, four times.
    sure = apart.error * 4.0
    is_a, is_b = (low > sure) | known[0], (high < -sure) | known[1]
    if sign < 0:
        is_a, is_b, low, high = is_b, is_a, -high, -low
    part = high / (high - low)
    part = choose((part >= 0.0) & (part <= 1.0), part, 0.5)
    # Of the differences that count, above the surface of that slope lie at most the ends.
    beyond = maximum(maximum(part * -low, (1.0 - part) * high), low.lift(0.0)) * 0.5
    middle = fma(part, apart.middle, b.middle) + beyond * float(sign)
    factors = tuple([fma(part, x, y) for x, y in zip(apart.factors, b.factors, strict=True)])
    error = maximum(a.error, b.error) + beyond
    between = Surface(middle, factors, off(error, a.size + b.size, 12))
    return either(is_a, a.surface, either(is_b, b.surface, between))


def chosen(_: T.Type, __: Box, condition: Form, a: Form, b: Form) -> Surface:
    """The surface of a choice: that of what is chosen, or one between both."""
    must, may = condition.box
    apart = _sum(a.surface, b.surface, -1)
    half = (abs(apart.middle) + spread(apart.factors)) * 0.5
    middle = fma(a.middle, 0.5, b.middle * 0.5)
    factors = tuple([fma(x, 0.5, y * 0.5) for x, y in zip(a.factors, b.factors, strict=True)])
    error = maximum(a.error, b.error) + half
    between = Surface(middle, factors, off(error, a.size + b.size, 8))
    return either(must, a.surface, either(~may, b.surface, between))


def converted(t: T.Type, box: Box, x: Form) -> Surface:
    """The surface of a number as a float: integers up to a size are exact, and so is what becomes wider."""

    def as_result(value: Term) -> Term:
        return value if value.type is t else Term(apply("convert", value.expr, attr=t))

    middle, error = as_result(x.middle), as_result(x.error)
    factors = tuple([as_result(s) for s in x.factors])
    surface = Surface(middle, factors, error)
    source = x.box.type
    if source.is_float and source.bits <= t.bits:
        return surface
    size = abs(middle) + (spread(factors) + error)
    rounded = Surface(middle, factors, off(error, size, 4))
    if source.is_float:
        return rounded
    exact = Surface(middle, factors, error * (1 + MARGIN * ROUNDING[t]))
    return either(size <= 2.0**20, exact, rounded)


# ---- curves ----


class Curve(NamedTuple):
    """A function of one number at a place, and how it bends in a box.

    value, slope, bend   the function and its first two derivatives at the place; the derivatives are off by little,
                         relatively.
    twist                no third derivative in the box is of a larger magnitude, but for little.
    error                by how much any value in the box may differ from the function, as the row computes it.
    """

    value: Term
    slope: Term
    bend: Term
    twist: Term
    error: Term


SLACK = 2.0**6
"""By how many roundings derivatives of curves may be off: more than any that is computed here."""


def _units(value: Term, count: float) -> Term:
    return abs(value) * (count * ROUNDING[value.type])


def _bent(x: Form, curve: Callable[[Term], Curve]) -> Surface:
    """The surface along a curve: by Taylor's theorem, around the place in the operand's box next to its middle."""
    lo, hi = x.box
    here = minimum(maximum(x.middle, lo), hi)
    beside = x.middle - here
    reach = maximum(hi - here, here - lo)
    f = curve(here)
    parts = _parts(x.factors)
    steep, half = abs(f.slope), f.bend * 0.5
    dx, dy, *_ = x.factors
    bent = (half * dx * dx, f.bend * dx * dy, half * dy * dy)
    factors = [f.slope * s for s in x.factors]
    factors[LINEAR:] = [p + q for p, q in zip(factors[LINEAR:], bent, strict=True)]
    # The square of the distance is that of its straight part, and what comes with all that is beside it.
    rest = (abs(beside) + x.error) + (parts.beside + parts.bent)
    square = rest * fma(parts.straight, 2.0, rest)
    error = fma(steep, x.error, abs(half) * square)
    error = error + (reach * reach * reach * (f.twist * (1 / 6)) + f.error * 2.0)
    rise = fma(
        steep,
        abs(beside) + (parts.all + reach),
        abs(half) * fma(parts.straight, parts.straight, reach * reach),
    )
    slack = rise * (SLACK * ROUNDING[x.middle.type])
    return Surface(fma(f.slope, beside, f.value), tuple(factors), off(error + slack, abs(f.value) + rise, 8))


def waves(name: str, derivative: str, sign: int, period: float = 2 * math.pi) -> Rule:
    """The rule of a wave, from the wave that is its derivative: its second derivative is its own negation."""
    factor = 2 * math.pi / period

    def rule(t: T.Type, _: Box, x: Form) -> Surface:
        units = 16 * ROUNDING[t]

        def curve(here: Term) -> Curve:
            value = at(name, here)
            slope = at(derivative, here) * (sign * factor)
            return Curve(value, slope, value * -(factor * factor), here.lift(factor**3), here.lift(units))

        surface = _bent(x, curve)
        # Derivatives are off by a few units of one, and so by more than a part of themselves.
        reach = (x.box.hi - x.box.lo) * factor
        surface = surface._replace(error=fma(fma(reach, reach, reach), units, surface.error))
        return unless(magnitude(x.box).hi > REACH[t], surface)

    return rule


def exponential(name: str, rate: float, units: float) -> Rule:
    """The rule of an exponential function, which is its own derivative but for a factor."""

    def rule(_: T.Type, box: Box, x: Form) -> Surface:
        def curve(here: Term) -> Curve:
            value = at(name, here)
            return Curve(value, value * rate, value * rate**2, box.hi * rate**3, _units(box.hi, units))

        return _bent(x, curve)

    return rule


def logarithm(name: str, rate: float, units: float) -> Rule:
    """The rule of a logarithm, whose derivative is a factor divided by its operand."""

    def rule(_: T.Type, box: Box, x: Form) -> Surface:
        def curve(here: Term) -> Curve:
            inverse, most = 1.0 / here, 1.0 / x.box.lo
            slope = inverse * rate
            size = maximum(abs(box.lo), abs(box.hi))
            twist = most * most * most * (2 * rate)
            return Curve(at(name, here), slope, -(slope * inverse), twist, _units(size, units))

        return unless(x.box.lo <= TINY[x.box.type], _bent(x, curve))

    return rule


def rooted(_: T.Type, box: Box, x: Form) -> Surface:
    """The surface of a square root."""

    def curve(here: Term) -> Curve:
        value, least = at("sqrt", here), x.box.lo
        slope = 0.5 / value
        twist = 0.375 / (least * least * box.lo)
        return Curve(value, slope, slope * -0.5 / here, twist, _units(box.hi, 2))

    return unless(x.box.lo <= TINY[x.box.type], _bent(x, curve))


def _reciprocal(x: Form) -> Surface:
    """One divided by a number of one sign, but for rounding."""

    def curve(here: Term) -> Curve:
        inverse = 1.0 / here
        most = 1.0 / minimum(abs(x.box.lo), abs(x.box.hi))
        square, far = inverse * inverse, most * most
        return Curve(inverse, -square, square * inverse * 2.0, far * far * 6.0, _units(inverse, 1))

    return unless((x.box.lo <= 0.0) & (x.box.hi >= 0.0), _bent(x, curve))


def div(t: T.Type, box: Box, a: Form, b: Form) -> Surface:
    """The surface of a quotient: the product with the reciprocal, which is rounded but once."""
    return mul(t, box, a, Form(b.box, _reciprocal(b)))


def arc(_: T.Type, box: Box, x: Form) -> Surface:
    """The surface of an arc tangent."""
    return _arc(x, maximum(abs(box.lo), abs(box.hi)))


def _arc(x: Form, size: Term) -> Surface:
    def curve(here: Term) -> Curve:
        slope = 1.0 / fma(here, here, 1.0)
        return Curve(at("atan", here), slope, slope * slope * here * -2.0, here.lift(2.0), _units(size, 8))

    return _bent(x, curve)


def angle(t: T.Type, box: Box, y: Form, x: Form) -> Surface:
    """The surface of the angle of a point: that of the middle, and the arc from there, whose tangent is a quotient."""
    v, u = (minimum(maximum(f.middle, f.box.lo), f.box.hi) for f in (y, x))
    nothing = v.lift(0.0)
    sin, cos = (Form(Box(w, w), Surface(w, (nothing,) * PLACES, nothing)) for w in (v, u))

    def combined(a: Form, b: Form, c: Form, d: Form, sign: int) -> Form:
        """a * b + sign * c * d, which nobody rounds but where its surface is computed."""
        total = _sum(product(a, b), product(c, d), sign)
        return _around(total._replace(error=off(total.error, fma(a.size, b.size, c.size * d.size), 12)))

    across, along = combined(y, cos, x, sin, -1), combined(x, cos, y, sin, 1)
    turned = _arc(tangent := _around(div(t, box, across, along)), tangent.size)
    base = at("atan2", v, u)
    size = maximum(abs(box.lo), abs(box.hi)) + abs(base)
    surface = Surface(
        base + turned.middle,
        turned.factors,
        off(turned.error + _units(size, 8), size + abs(turned.middle), 4),
    )
    is_cut = all_of(y.box.lo <= 0.0, y.box.hi >= 0.0, x.box.lo <= 0.0)
    return unless(is_cut | ~(along.box.lo > 0.0), surface)


def _around(surface: Surface) -> Form:
    """What is near a surface, and so in the box around it."""
    u = ROUNDING[surface.middle.type]
    pad = fma(spread(surface.factors) + surface.error, 1 + MARGIN * u, abs(surface.middle) * (4 * u))
    return Form(Box(surface.middle - pad, surface.middle + pad), surface)


def powers(name: str, units: Callable[[Term, Term], Term]) -> Rule:
    """The rule of a power whose exponent is known; `units` tells how many roundings it is off, of base and exponent."""

    def rule(_: T.Type, box: Box, x: Form, y: Form) -> Surface:
        n = y.box.lo
        lo, hi = x.box
        off_by = maximum(units(lo, n), units(hi, n)) * ROUNDING[lo.type]
        second = n * (n - 1.0)

        def curve(here: Term) -> Curve:
            value = at(name, here, n)
            slope = value / here * n
            # All derivatives of a power are monotone.
            ends = [at(name, end, n) / end / end / end for end in (lo, hi)]
            twist = maximum(*ends) * (abs(second) * abs(n - 2.0)) + sum(ends[1:], ends[0]) * 0.0
            return Curve(value, slope, value / here / here * second, twist, box.hi * off_by)

        # What the derivatives are off by, as they are made of powers.
        surface = _bent(x, curve)
        reach = hi - lo
        worst = box.hi / lo * (abs(n) + abs(second) * (reach / lo))
        surface = surface._replace(
            error=fma(worst * reach, off_by * 4.0, surface.error * (1.0 + off_by * 4.0))
        )
        return unless(~all_of(y.box.pinned, lo > 2.0**-60, hi < 2.0**60), surface)

    return rule
