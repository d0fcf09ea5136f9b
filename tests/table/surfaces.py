"""Surfaces, values near them, and the search for one that a rule for surfaces leaves out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from tests.turns import NIGHTLY

from pellucid.backends.tiles.taylor.models import LINEAR, PLACES
from pellucid.backends.tiles.taylor.rules import COUNTED, ModelRule, model_rule
from pellucid.ir import types as T
from pellucid.ir.interp import evaluate
from pellucid.ir.prim import Prim

from .conftest import compute
from .intervals import how_many

Array = np.ndarray[Any, Any]
INNER = 8
"""At how many places in each square a value is tried."""
EXACT = np.longdouble
"""What distances are computed in."""


class Near(NamedTuple):
    """The endpoints of some values, and their Taylor models; integers that count have one, and other types none."""

    type: T.Type
    lo: Array
    hi: Array
    middle: Array | None = None
    factors: Array | None = None
    error: Array | None = None

    def leaves(self) -> list[Array]:
        """What stands for the leaves of a rule."""
        if self.middle is None or self.factors is None or self.error is None:
            return [self.lo, self.hi]
        return [self.lo, self.hi, self.middle, *self.factors, self.error]


class Left(NamedTuple):
    """A value that a rule leaves out."""

    what: str
    operands: list[list[Any]]
    values: list[Any]
    value: Any
    distance: float
    error: float


# ---- what is tried ----


def near(t: T.Type, count: int, draw: np.random.Generator) -> Near:
    """Endpoints and surfaces of all sizes: points, level ones, some with no error, and intervals that allow less."""
    if t is T.boolean:
        kind = draw.integers(0, 3, count)
        return Near(t, kind == 2, kind >= 1)
    if t is COUNTED:
        wide = draw.choice([0, 1, 3], count)
        lo = draw.integers(0, 1 << draw.integers(1, 20), count).astype(t.dtype)
        factors = np.zeros((PLACES, count))
        factors[draw.integers(0, 2)] = wide / 2
        return Near(t, lo, (lo + wide).astype(t.dtype), lo + wide / 2, factors, np.zeros(count))
    if not t.is_float:
        ends = np.sort(draw.integers(int(t.low), int(t.high), (2, count), t.dtype, endpoint=True), axis=0)
        return Near(t, *ends)
    size = 10.0 ** draw.uniform(-3, 3, count) * draw.choice([1, 1, 1, 0.01, 0], count)
    middle = (draw.choice([-1, 1, 1], count) * size).astype(t.dtype)
    scale = np.where(draw.random(count) < 0.5, size, 1.0) * 10.0 ** draw.uniform(-7, 0.3, count)
    factors = draw.normal(size=(PLACES, count)) * scale * draw.choice([1, 1, 0], (PLACES, count))
    factors[2:] *= 10.0 ** draw.uniform(-8, 0, (PLACES - 2, count))
    factors = (factors * draw.choice([1, 1, 1, 0], count)).astype(t.dtype)
    error = (10.0 ** draw.uniform(-9, -1, count) * draw.choice([0, 1, 1], count)).astype(t.dtype)
    reach = np.abs(factors.astype(EXACT)).sum(0) + error
    lo, hi = ((middle + sign * reach).astype(t.dtype) for sign in (-1, 1))
    still = reach == 0
    lo, hi = (
        np.where(still, middle, np.nextafter(x, t.dtype.type(end)))
        for x, end in ((lo, -np.inf), (hi, np.inf))
    )
    # An interval may allow less than the surface does.
    width = hi - lo
    first, last = (lo + width * draw.uniform(0, 0.4, count)), (hi - width * draw.uniform(0, 0.4, count))
    less = (draw.random(count) < 0.3) & (first <= last)
    ends = [np.where(less, a, b).astype(t.dtype) for a, b in ((first, lo), (last, hi))]
    return Near(t, *ends, middle, factors, error)


def products(places: Array) -> Array:
    """What the factors of a surface belong to."""
    x, y = places[:2]
    return np.concatenate([places, [x * x, x * y, y * y]])


def at(one: Near, places: Array, draw: np.random.Generator) -> tuple[Array, Array]:
    """Values that are as near as is told, at places; and where there are any."""
    count = len(one.lo)
    if one.type is T.boolean:
        return one.lo | (one.hi & (draw.random(count) < 0.5)), np.ones(count, bool)
    if one.middle is None or one.factors is None or one.error is None:
        share = draw.choice([0.0, 1.0, 0.5], count)
        return np.where(share < 0.5, one.lo, np.where(share > 0.5, one.hi, one.lo)), np.ones(count, bool)
    there = one.middle + (one.factors.astype(EXACT) * products(places)).sum(0)
    exact = there + one.error.astype(EXACT) * draw.choice([-1, 1, 0, 0.5], count)
    value = (np.rint(exact) if one.type is COUNTED else exact).astype(one.type.dtype)
    within = np.abs(value.astype(EXACT) - there) <= one.error
    return value, within & (value >= one.lo) & (value <= one.hi)


# ---- the search ----


def fault(
    prim: Prim,
    rule: ModelRule,
    types: tuple[T.Type, ...],
    attr: T.Type | None,
    given: list[Near],
    draw: np.random.Generator,
) -> Left | None:
    """A value that lies outside of its interval, or farther from its surface than told; None if there is none."""
    leaves = {
        leaf: value.astype(leaf.type.dtype)
        for own, one in zip(rule.leaves, given, strict=True)
        for leaf, value in zip(own, one.leaves(), strict=True)
    }
    count = len(given[0].lo)
    assert rule.middle is not None
    assert rule.error is not None
    wanted = [rule.lo, rule.hi, rule.middle, *rule.factors, rule.error]
    lo, hi, middle, *factors, error = [np.broadcast_to(x, count) for x in evaluate(wanted, leaves)]
    assert not np.isnan(error).any()
    known = np.isfinite(error)
    counts = any(one.type is COUNTED for one in given)
    for _ in range(INNER):
        places = draw.choice([-1.0, 1.0], (LINEAR, count))
        if not counts:
            places = np.where(
                draw.random((LINEAR, count)) < 0.5, places, draw.uniform(-1, 1, (LINEAR, count))
            )
        places = places.astype(EXACT)
        found = [at(one, places, draw) for one in given]
        there = known & np.logical_and.reduce([ok for _, ok in found])
        value = compute(prim, types, attr, [x for x, _ in found])
        with np.errstate(invalid="ignore", over="ignore"):
            surface = middle.astype(EXACT) + (np.array(factors, EXACT) * products(places)).sum(0)
            distance = np.abs(value.astype(EXACT) - surface)
            # The distance itself is rounded, in more than twice the digits of the error.
            bad = there & ~(distance <= error.astype(EXACT) * (1 + 1e-12))
            out = there & ~((value >= lo) & (value <= hi))
        for wrong, what in ((bad, "too far from its surface"), (out, "out of its interval")):
            if wrong.any():
                n = int(np.argmax(wrong))
                operands = [[x[n] for x in one.leaves()] for one in given]
                return Left(what, operands, [x[n] for x, _ in found], value[n], distance[n], error[n])
    return None


def search(prim: Prim, types: tuple[T.Type, ...], attr: T.Type | None, seed: int = 0) -> Left | None:
    """A fault of a row's rule, by chance."""
    result = prim.result_type(types, attr)
    real = T.f64 if T.f64 in (*types, result) else T.f32
    rule = model_rule(prim, types, result, real)
    draw = np.random.default_rng([seed, len(prim.name), NIGHTLY])
    given = [near(t, how_many(prim, types), draw) for t in types]
    return fault(prim, rule, types, attr, given, draw)
