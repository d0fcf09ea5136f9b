"""Quadratic Taylor models: a polynomial near a row's result over a square of pixels, and a bound of the difference.

Places in the square are numbers from -1 to 1: X and Y, U and V (see `tiles.taylor.tiles`). An `Enclosure` says that
everywhere in the square a value, as it is computed in floats, is in an interval, and

    |value - (middle + a*X + b*Y + c*U + d*V + e*X*X + f*X*Y + g*Y*Y)| <= error

where the arithmetic on the left is exact, and these numbers are floats. So an error includes those of the operands;
terms of higher order (a product of three slopes, the third derivative of a curve); and roundings, in the row itself and
in the numbers above: at least as many as occur, each relative to a bound of all numbers that are rounded. Errors are
computed in floats too, by sums and products of numbers that are not negative. Each is rounded less than `MARGIN` times,
and enlarged by as much; an underflow is less than the smallest normal number, which is added.

After a division by zero, or for an unknown operand, the error is infinite or NaN, and only the interval of the result
is known. `maximum` and `minimum` hide a NaN that is their first operand; the rules put it second.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from ....ir import types as T
from ....ir.expr import apply
from ....ir.intervals.interval import REACH, Interval, all_of, at, magnitude
from ....ir.intervals.notation import Term, choose, fma, maximum, minimum

LINEAR, PLACES = 4, 7
"""The number of linear factors, and of all factors."""
ROUNDING = {T.f32: 2.0**-24, T.f64: 2.0**-53}
"""The relative error of rounding."""
TINY = {T.f32: 2.0**-126, T.f64: 2.0**-1022}
"""A bound of the underflows in a rule."""
MARGIN = 64
"""Maximum roundings in the computation of an error."""


class TaylorModel(NamedTuple):
    """The value in the middle, the factors of X, Y, U, V, X*X, X*Y, Y*Y, and the error."""

    middle: Term
    factors: tuple[Term, ...]
    error: Term


class Enclosure(NamedTuple):
    """The interval and the Taylor model of a value over a square.

    Truths and most integers have no Taylor model; that of an integer is of floats.
    """

    interval: Interval
    model: TaylorModel

    @property
    def middle(self) -> Term:
        """The value in the middle of the square."""
        return self.model.middle

    @property
    def factors(self) -> tuple[Term, ...]:
        """The factors of the polynomial."""
        return self.model.factors

    @property
    def error(self) -> Term:
        """The maximum distance from the polynomial."""
        return self.model.error

    @property
    def size(self) -> Term:
        """A bound of its magnitude, and of those of all parts of its Taylor model."""
        return abs(self.middle) + (spread(self.factors) + self.error)


Rule = Callable[..., TaylorModel]
"""A row's rule: a function of the result's type, its interval, and its operands' enclosures."""


def spread(factors: tuple[Term, ...]) -> Term:
    """The maximum distance of a polynomial with these factors from its middle: the sum of their magnitudes."""
    total, *rest = map(abs, factors)
    for x in rest:
        total = total + x
    return total


def off(exact: Term, size: Term, roundings: float) -> Term:
    """An error plus so many roundings of numbers of a size."""
    t = exact.type
    u = ROUNDING[t]
    return fma(exact, 1 + MARGIN * u, fma(size, roundings * u, exact.lift(TINY[t])))


def unless(wrong: Term, model: TaylorModel) -> TaylorModel:
    """A Taylor model, with an infinite error where `wrong` holds."""
    return model._replace(error=choose(wrong, model.error.lift(math.inf), model.error))


def either(condition: Term, then: TaylorModel, orelse: TaylorModel) -> TaylorModel:
    """Select one of two Taylor models."""
    return TaylorModel(
        choose(condition, then.middle, orelse.middle),
        tuple([choose(condition, x, y) for x, y in zip(then.factors, orelse.factors, strict=True)]),
        choose(condition, then.error, orelse.error),
    )


# ---- arithmetic ----


def add(_: T.Type, __: Interval, a: Enclosure, b: Enclosure) -> TaylorModel:
    """The Taylor model of a sum."""
    return _sum(a.model, b.model, 1)


def sub(_: T.Type, __: Interval, a: Enclosure, b: Enclosure) -> TaylorModel:
    """The Taylor model of a difference."""
    return _sum(a.model, b.model, -1)


def _sum(a: TaylorModel, b: TaylorModel, sign: int) -> TaylorModel:
    def plus(x: Term, y: Term) -> Term:
        return x + y if sign > 0 else x - y

    middle = plus(a.middle, b.middle)
    factors = tuple([plus(x, y) for x, y in zip(a.factors, b.factors, strict=True)])
    error = a.error + b.error
    return TaylorModel(middle, factors, off(error, abs(middle) + (spread(factors) + error), 4))


def neg(_: T.Type, __: Interval, a: Enclosure) -> TaylorModel:
    """The Taylor model of a negation, which is exact."""
    return _negated(a.model)


def _negated(a: TaylorModel) -> TaylorModel:
    return TaylorModel(-a.middle, tuple([-x for x in a.factors]), a.error)


def mul(_: T.Type, __: Interval, a: Enclosure, b: Enclosure) -> TaylorModel:
    """The Taylor model of a product."""
    middle, factors, error = product(a, b)
    return TaylorModel(middle, factors, off(error, a.size * b.size, 8))


def fused(_: T.Type, __: Interval, a: Enclosure, b: Enclosure, c: Enclosure) -> TaylorModel:
    """The Taylor model of a product plus a number."""
    middle, factors, error = product(a, b)
    return TaylorModel(
        middle + c.middle,
        tuple([x + y for x, y in zip(factors, c.factors, strict=True)]),
        off(error + c.error, fma(a.size, b.size, c.size), 10),
    )


def product(a: Enclosure, b: Enclosure) -> TaylorModel:
    """The product of two Taylor models without rounding: terms beyond squares of X and Y go into the error."""
    p, q = _parts(a.factors), _parts(b.factors)
    ax, ay, *_ = a.factors
    bx, by, *_ = b.factors
    bent = (ax * bx, fma(ax, by, ay * bx), ay * by)
    factors = [fma(a.middle, y, b.middle * x) for x, y in zip(a.factors, b.factors, strict=True)]
    factors[LINEAR:] = [x + y for x, y in zip(factors[LINEAR:], bent, strict=True)]
    end = fma(p.bent + p.beside, q.all, p.straight * (q.bent + q.beside))
    error = fma(b.error, abs(a.middle) + p.all, a.error * (abs(b.middle) + (q.all + b.error)))
    return TaylorModel(a.middle * b.middle, tuple(factors), error + end)


class _Parts(NamedTuple):
    """Bounds of the parts of a polynomial: along X and Y, along U and V, the quadratic part, and all together."""

    straight: Term
    beside: Term
    bent: Term
    all: Term


def _parts(factors: tuple[Term, ...]) -> _Parts:
    straight, beside, bent = (spread(x) for x in (factors[:2], factors[2:LINEAR], factors[LINEAR:]))
    return _Parts(straight, beside, bent, (straight + beside) + bent)


def absolute(_: T.Type, __: Interval, a: Enclosure) -> TaylorModel:
    """The Taylor model of a magnitude: exact for a number of one sign, else a line between both sides of the fold."""
    lo, hi = a.interval
    steep = (hi + lo) / (hi - lo)
    # The magnitude exceeds the line through zero of that slope at most at the endpoints.
    above = maximum(fma(steep, -lo, -lo), fma(steep, -hi, hi)) * 0.5
    folded = TaylorModel(
        fma(steep, a.middle, above),
        tuple([steep * x for x in a.factors]),
        off(a.error + above, a.size, 6),
    )
    return either(lo >= 0.0, a.model, either(hi <= 0.0, _negated(a.model), folded))


def larger(_: T.Type, __: Interval, a: Enclosure, b: Enclosure) -> TaylorModel:
    """The Taylor model of a maximum."""
    return _extreme(a, b, 1)


def smaller(_: T.Type, __: Interval, a: Enclosure, b: Enclosure) -> TaylorModel:
    """The Taylor model of a minimum."""
    return _extreme(a, b, -1)


def _extreme(a: Enclosure, b: Enclosure, sign: int) -> TaylorModel:
    """That of the operand that is the extreme everywhere; else b + d, where d models the part of a - b of that sign."""
    apart = _sum(a.model, b.model, -1)
    reach = spread(apart.factors) + apart.error
    known = a.interval.lo >= b.interval.hi, a.interval.hi <= b.interval.lo
    low, high = apart.middle - reach, apart.middle + reach
    # Four roundings of numbers below the error.
    sure = apart.error * 4.0
    is_a, is_b = (low > sure) | known[0], (high < -sure) | known[1]
    if sign < 0:
        is_a, is_b, low, high = is_b, is_a, -high, -low
    part = high / (high - low)
    part = choose((part >= 0.0) & (part <= 1.0), part, 0.5)
    # The differences that count exceed the line of that slope at most at the endpoints.
    end = maximum(maximum(part * -low, (1.0 - part) * high), low.lift(0.0)) * 0.5
    middle = fma(part, apart.middle, b.middle) + end * float(sign)
    factors = tuple([fma(part, x, y) for x, y in zip(apart.factors, b.factors, strict=True)])
    error = maximum(a.error, b.error) + end
    between = TaylorModel(middle, factors, off(error, a.size + b.size, 12))
    return either(is_a, a.model, either(is_b, b.model, between))


def chosen(_: T.Type, __: Interval, condition: Enclosure, a: Enclosure, b: Enclosure) -> TaylorModel:
    """The Taylor model of a choice: that of the arm that is chosen everywhere, or one between both."""
    must, may = condition.interval
    apart = _sum(a.model, b.model, -1)
    half = (abs(apart.middle) + spread(apart.factors)) * 0.5
    middle = fma(a.middle, 0.5, b.middle * 0.5)
    factors = tuple([fma(x, 0.5, y * 0.5) for x, y in zip(a.factors, b.factors, strict=True)])
    error = maximum(a.error, b.error) + half
    between = TaylorModel(middle, factors, off(error, a.size + b.size, 8))
    return either(must, a.model, either(~may, b.model, between))


def converted(t: T.Type, interval: Interval, x: Enclosure) -> TaylorModel:
    """The Taylor model of a number as a float: widening is exact, and so are integers up to a size."""

    def as_result(value: Term) -> Term:
        return value if value.type is t else Term(apply("convert", value.expr, attr=t))

    middle, error = as_result(x.middle), as_result(x.error)
    factors = tuple([as_result(s) for s in x.factors])
    model = TaylorModel(middle, factors, error)
    source = x.interval.type
    if source.is_float and source.bits <= t.bits:
        return model
    size = abs(middle) + (spread(factors) + error)
    rounded = TaylorModel(middle, factors, off(error, size, 4))
    if source.is_float:
        return rounded
    exact = TaylorModel(middle, factors, error * (1 + MARGIN * ROUNDING[t]))
    return either(size <= 2.0**20, exact, rounded)


def counted(real: T.Type, interval: Interval, a: Enclosure, b: Enclosure) -> TaylorModel:
    """The Taylor model, in floats, of a sum of integers; nothing is known of one that may wrap."""

    def of(x: Enclosure) -> TaylorModel:
        # The endpoints of an integer that is a point are its value, and its middle is not used.
        value = Term(apply("convert", x.interval.lo.expr, attr=real))
        none = value.lift(0.0)
        point = TaylorModel(value, (none,) * PLACES, off(none, abs(value), 1))
        return either(x.interval.is_point, point, converted(real, interval, x))

    # An interval that wraps is that of all integers.
    return unless(interval.lo.equals(int(interval.type.low)), _sum(of(a), of(b), 1))


# ---- curves ----


class Curve(NamedTuple):
    """A function of one number at a place, with its derivatives in an interval.

    value, slope, bend   the function and its first two derivatives at the place; the relative errors of the
                         derivatives are small.
    twist                a bound of the third derivative in the interval, with a small relative error.
    error                the maximum difference in the interval between the row's result and the function.
    """

    value: Term
    slope: Term
    bend: Term
    twist: Term
    error: Term


SLACK = 2.0**6
"""Maximum roundings in a derivative of a curve: more than in any that is computed here."""


def _units(value: Term, count: float) -> Term:
    return abs(value) * (count * ROUNDING[value.type])


def _bent(x: Enclosure, curve: Callable[[Term], Curve]) -> TaylorModel:
    """The Taylor model of a curve, by Taylor's theorem around the place next to the middle of the interval."""
    lo, hi = x.interval
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
    # The square of the distance is that of its linear part, plus terms with the rest.
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
    return TaylorModel(
        fma(f.slope, beside, f.value), tuple(factors), off(error + slack, abs(f.value) + rise, 8)
    )


def waves(name: str, derivative: str, sign: int, period: float = 2 * math.pi) -> Rule:
    """The rule of a sine or cosine, from its derivative; the second derivative is its own negation."""
    factor = 2 * math.pi / period

    def rule(t: T.Type, _: Interval, x: Enclosure) -> TaylorModel:
        units = 16 * ROUNDING[t]

        def curve(here: Term) -> Curve:
            value = at(name, here)
            slope = at(derivative, here) * (sign * factor)
            return Curve(value, slope, value * -(factor * factor), here.lift(factor**3), here.lift(units))

        model = _bent(x, curve)
        # Absolute errors of the derivatives are a few units of one, which may be large relative to them.
        reach = (x.interval.hi - x.interval.lo) * factor
        model = model._replace(error=fma(fma(reach, reach, reach), units, model.error))
        return unless(magnitude(x.interval).hi > REACH[t], model)

    return rule


def exponential(name: str, rate: float, units: float) -> Rule:
    """The rule of an exponential function, which is its own derivative times a factor."""

    def rule(_: T.Type, interval: Interval, x: Enclosure) -> TaylorModel:
        def curve(here: Term) -> Curve:
            value = at(name, here)
            return Curve(
                value, value * rate, value * rate**2, interval.hi * rate**3, _units(interval.hi, units)
            )

        return _bent(x, curve)

    return rule


def logarithm(name: str, rate: float, units: float) -> Rule:
    """The rule of a logarithm, whose derivative is a factor divided by its operand."""

    def rule(_: T.Type, interval: Interval, x: Enclosure) -> TaylorModel:
        def curve(here: Term) -> Curve:
            inverse, most = 1.0 / here, 1.0 / x.interval.lo
            slope = inverse * rate
            size = maximum(abs(interval.lo), abs(interval.hi))
            twist = most * most * most * (2 * rate)
            return Curve(at(name, here), slope, -(slope * inverse), twist, _units(size, units))

        return unless(x.interval.lo <= TINY[x.interval.type], _bent(x, curve))

    return rule


def rooted(_: T.Type, interval: Interval, x: Enclosure) -> TaylorModel:
    """The Taylor model of a square root."""

    def curve(here: Term) -> Curve:
        value, least = at("sqrt", here), x.interval.lo
        slope = 0.5 / value
        twist = 0.375 / (least * least * interval.lo)
        return Curve(value, slope, slope * -0.5 / here, twist, _units(interval.hi, 2))

    return unless(x.interval.lo <= TINY[x.interval.type], _bent(x, curve))


def _reciprocal(x: Enclosure) -> TaylorModel:
    """The reciprocal of a number of one sign, without rounding."""

    def curve(here: Term) -> Curve:
        inverse = 1.0 / here
        most = 1.0 / minimum(abs(x.interval.lo), abs(x.interval.hi))
        square, far = inverse * inverse, most * most
        return Curve(inverse, -square, square * inverse * 2.0, far * far * 6.0, _units(inverse, 1))

    return unless((x.interval.lo <= 0.0) & (x.interval.hi >= 0.0), _bent(x, curve))


def div(t: T.Type, interval: Interval, a: Enclosure, b: Enclosure) -> TaylorModel:
    """The Taylor model of a quotient: the product with the reciprocal, rounded once."""
    return mul(t, interval, a, Enclosure(b.interval, _reciprocal(b)))


def arc(_: T.Type, interval: Interval, x: Enclosure) -> TaylorModel:
    """The Taylor model of an arc tangent."""
    return _arc(x, maximum(abs(interval.lo), abs(interval.hi)))


def _arc(x: Enclosure, size: Term) -> TaylorModel:
    def curve(here: Term) -> Curve:
        slope = 1.0 / fma(here, here, 1.0)
        return Curve(at("atan", here), slope, slope * slope * here * -2.0, here.lift(2.0), _units(size, 8))

    return _bent(x, curve)


def angle(t: T.Type, interval: Interval, y: Enclosure, x: Enclosure) -> TaylorModel:
    """The Taylor model of the angle of a point: the middle's, plus the arc from there, whose tangent is a quotient."""
    v, u = (minimum(maximum(f.middle, f.interval.lo), f.interval.hi) for f in (y, x))
    nothing = v.lift(0.0)
    sin, cos = (Enclosure(Interval(w, w), TaylorModel(w, (nothing,) * PLACES, nothing)) for w in (v, u))

    def combined(a: Enclosure, b: Enclosure, c: Enclosure, d: Enclosure, sign: int) -> Enclosure:
        """a * b + sign * c * d, with roundings in the computation of its Taylor model only."""
        total = _sum(product(a, b), product(c, d), sign)
        return _around(total._replace(error=off(total.error, fma(a.size, b.size, c.size * d.size), 12)))

    across, along = combined(y, cos, x, sin, -1), combined(x, cos, y, sin, 1)
    turned = _arc(tangent := _around(div(t, interval, across, along)), tangent.size)
    base = at("atan2", v, u)
    size = maximum(abs(interval.lo), abs(interval.hi)) + abs(base)
    model = TaylorModel(
        base + turned.middle,
        turned.factors,
        off(turned.error + _units(size, 8), size + abs(turned.middle), 4),
    )
    is_cut = all_of(y.interval.lo <= 0.0, y.interval.hi >= 0.0, x.interval.lo <= 0.0)
    return unless(is_cut | ~(along.interval.lo > 0.0), model)


def _around(model: TaylorModel) -> Enclosure:
    """The enclosure of a Taylor model, with the interval that it implies."""
    u = ROUNDING[model.middle.type]
    pad = fma(spread(model.factors) + model.error, 1 + MARGIN * u, abs(model.middle) * (4 * u))
    return Enclosure(Interval(model.middle - pad, model.middle + pad), model)


def powers(name: str, units: Callable[[Term, Term], Term]) -> Rule:
    """The rule of a power whose exponent is a point; `units` gives its roundings, from base and exponent."""

    def rule(_: T.Type, interval: Interval, x: Enclosure, y: Enclosure) -> TaylorModel:
        n = y.interval.lo
        lo, hi = x.interval
        off_by = maximum(units(lo, n), units(hi, n)) * ROUNDING[lo.type]
        second = n * (n - 1.0)

        def curve(here: Term) -> Curve:
            value = at(name, here, n)
            slope = value / here * n
            # All derivatives of a power are monotone.
            ends = [at(name, end, n) / end / end / end for end in (lo, hi)]
            twist = maximum(*ends) * (abs(second) * abs(n - 2.0)) + sum(ends[1:], ends[0]) * 0.0
            return Curve(value, slope, value / here / here * second, twist, interval.hi * off_by)

        # The derivatives have the errors of the powers that they are made of.
        model = _bent(x, curve)
        reach = hi - lo
        worst = interval.hi / lo * (abs(n) + abs(second) * (reach / lo))
        model = model._replace(error=fma(worst * reach, off_by * 4.0, model.error * (1.0 + off_by * 4.0)))
        return unless(~all_of(y.interval.is_point, lo > 2.0**-60, hi < 2.0**60), model)

    return rule
