"""Intervals, points in them, and the search for a point that a rule for intervals leaves out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from tests.turns import NIGHTLY

from pellucid.backends.conformance import domain_bounds, spicy
from pellucid.ir import prim as table
from pellucid.ir import types as T
from pellucid.ir.facts import top
from pellucid.ir.interp import evaluate
from pellucid.ir.prim import Prim
from pellucid.reasoning.intervals import IntervalRule, interval_rule

from .conftest import compute

Array = np.ndarray[Any, Any]
Endpoints = tuple[Array, Array]
INNER = 6
"""How many points inside of each interval are tried, besides its corners."""


# ---- floats in order ----


def ordered(x: Array) -> Array:
    """Floats as integers in the same order; -0.0 and +0.0 are both 0."""
    word = x.view(np.dtype(f"i{x.dtype.itemsize}")).astype(np.int64)
    low = np.int64(np.iinfo(f"i{x.dtype.itemsize}").min)
    return np.where(word < 0, low - word, word)


def unordered(key: Array, dtype: np.dtype[Any]) -> Array:
    """The floats of those integers."""
    word = np.dtype(f"i{dtype.itemsize}")
    low = np.int64(np.iinfo(word).min)
    return np.where(key < 0, low - key, key).astype(word).view(dtype)


def _between(lo: Array, hi: Array, share: Array) -> Array:
    """An integer between two others, both in the range of 64 bits."""
    span = hi.astype(np.uint64) - lo.astype(np.uint64)
    step = np.minimum((share * span.astype(np.float64)).astype(np.uint64), span)
    return (lo.astype(np.uint64) + step).astype(lo.dtype)


def moved(x: Array, steps: Array) -> Array:
    """Floats a few neighbors further, as far as infinity."""
    end = ordered(np.array([np.inf], x.dtype))[0]
    return unordered(np.clip(ordered(x) + steps, -end, end), x.dtype)


# ---- intervals ----


def intervals(t: T.Type, count: int, draw: np.random.Generator) -> Endpoints:
    """Intervals of a type, of every kind on which rules go wrong."""
    if t is T.boolean:
        must, may = draw.random(count) < 0.4, draw.random(count) < 0.5
        return must, must | may
    first, second = _float_ends(t, count, draw) if t.is_float else _integer_ends(t, count, draw)
    points = draw.random(count) < 0.25
    second = np.where(points, first, second)
    return np.minimum(first, second), np.maximum(first, second)


def _float_ends(t: T.Type, count: int, draw: np.random.Generator) -> Endpoints:
    dtype = t.dtype
    values = spicy(t)
    values = values[~np.isnan(values)]
    plain = (draw.normal(size=(2, count)) * 10.0 ** draw.integers(-3, 5, count)).astype(dtype)
    unit = draw.random((2, count)).astype(dtype)
    unit[:, draw.random(count) < 0.2] = np.array([[0], [1]], dtype)
    angle = (draw.integers(-40, 40, count) * 0.25 * 10.0 ** draw.integers(0, 6, count)).round(2)
    angle = (angle * np.where(draw.random(count) < 0.7, np.pi, 1.0)).astype(dtype)
    whole = draw.integers(-9, 10, (2, count)).astype(dtype)
    picked = draw.choice(values, (2, count))
    kinds: list[Endpoints] = [
        (picked[0], picked[1]),
        (picked[0], moved(picked[0], draw.integers(0, 40, count))),
        (plain[0], plain[1]),
        (plain[0], moved(plain[0], draw.integers(0, 4000, count))),
        (np.abs(plain[0]), np.abs(plain[1])),
        (plain[0], draw.choice(np.array([-np.inf, np.inf], dtype), count)),
        (plain[0], picked[0]),
        (unit[0], unit[1]),
        (angle, moved(angle, draw.integers(-9, 9, count))),
        (moved(angle, draw.integers(-9, 9, count)), angle + plain[0]),
        (whole[0], whole[1]),
        (whole[0], whole[0] + unit[0]),
        (np.full(count, -np.inf, dtype), np.full(count, np.inf, dtype)),
    ]
    return _mixed(kinds, count, draw)


def _integer_ends(t: T.Type, count: int, draw: np.random.Generator) -> Endpoints:
    dtype, low, high = t.dtype, int(t.low), int(t.high)
    picked = draw.choice(spicy(t), (2, count))
    anything = draw.integers(low, high, (2, count), dtype=dtype, endpoint=True)
    small = draw.integers(max(low, -20), 20, (2, count), dtype=dtype)
    shift = draw.integers(0, min(t.bits + 2, high), (2, count), dtype=dtype)
    size = dtype.type(1) << draw.integers(0, t.bits - 1, count, dtype=dtype)
    near = np.minimum(picked[0], dtype.type(high - 40)) + draw.integers(0, 40, count, dtype=dtype)
    far = np.minimum(anything[0], dtype.type(high - 40)) + draw.integers(0, 40, count, dtype=dtype)
    kinds: list[Endpoints] = [
        (picked[0], picked[1]),
        (anything[0], anything[1]),
        (small[0], small[1]),
        (shift[0], shift[1]),
        (picked[0], near),
        (anything[0], far),
        (anything[0] // size, anything[1] // size),
        (np.full(count, low, dtype), np.full(count, high, dtype)),
    ]
    return _mixed(kinds, count, draw)


def _mixed(kinds: list[Endpoints], count: int, draw: np.random.Generator) -> Endpoints:
    kind = draw.integers(len(kinds), size=count)
    picked = [np.choose(kind, [ends[k] for ends in kinds]) for k in (0, 1)]
    return picked[0], picked[1]


def together(types: tuple[T.Type, ...], count: int, draw: np.random.Generator) -> list[Endpoints]:
    """Intervals of several operands: most by chance, some equal, touching or one inside of the other."""
    found = [intervals(t, count, draw) for t in types]
    for k in range(1, len(types)):
        if types[k] is types[k - 1] and types[k] is not T.boolean:
            (lo, hi), (low, high) = found[k - 1], found[k]
            kind = draw.integers(10, size=count)
            lows = np.choose(np.minimum(kind, 4), [lo, hi, np.maximum(lo, np.minimum(hi, low)), lo, low])
            highs = np.choose(np.minimum(kind, 4), [hi, high, hi, lo, high])
            found[k] = np.minimum(lows, highs), np.maximum(lows, highs)
    return found


# ---- points ----


def points(t: T.Type, lo: Array, hi: Array, corner: int, draw: np.random.Generator) -> Array:
    """A point in each interval: an end, or something between."""
    if t is T.boolean or corner < 2:
        chosen = (lo, hi)[corner] if corner < 2 else np.where(draw.random(len(lo)) < 0.5, lo, hi)
        return _either_zero(chosen, draw)
    share = draw.random(len(lo))
    if t.is_integer:
        inside = _between(lo, hi, share)
    else:
        inside = unordered(_between(ordered(lo), ordered(hi), share), t.dtype)
        with np.errstate(all="ignore"):
            straight = (lo + (hi - lo) * share).astype(t.dtype)
        is_inside = (lo <= straight) & (straight <= hi) & (draw.random(len(lo)) < 0.7)
        inside = np.where(is_inside, straight, inside)
    special = draw.choice(spicy(t), len(lo))
    if t.is_float:
        turns = (draw.integers(-60, 60, len(lo)) * (np.pi / 4)).astype(t.dtype)
        special = np.where(draw.random(len(lo)) < 0.5, turns, special)
        may_be_nan = np.isneginf(lo) & np.isposinf(hi)
        inside = np.where(may_be_nan & (share < 0.2), t.dtype.type(np.nan), inside)
    use = (lo <= special) & (special <= hi) & (draw.random(len(lo)) < 0.5)
    return _either_zero(np.where(use, special, inside), draw)


def _either_zero(x: Array, draw: np.random.Generator) -> Array:
    if x.dtype.kind != "f":
        return x
    return np.where((x == 0) & (draw.random(len(x)) < 0.5), -x, x)


# ---- the search ----


class Fault(NamedTuple):
    """What is wrong with a rule, where."""

    what: str
    operands: list[Any]
    found: list[Any]
    value: Any

    def __str__(self) -> str:
        return f"{self.what}: intervals {self.operands} give {self.found}, the value is {self.value}"


def fault(
    prim: Prim,
    rule: IntervalRule,
    types: tuple[T.Type, ...],
    attr: T.Type | None,
    ends: list[Endpoints],
    draw: np.random.Generator,
    *,
    twice: bool = False,
) -> Fault | None:
    """The first result that a rule does not allow, or bound that is none; None if there is none."""
    bounds = domain_bounds(prim, types, attr)
    if prim.domain is not None and bounds is not None:
        ends = [_kept_within(t, e, b.lo, b.hi) for t, e, b in zip(types, ends, bounds, strict=True)]
    leaves = dict(zip([e for pair in rule.leaves for e in pair], [x for e in ends for x in e], strict=True))
    count = len(ends[0][0])
    wanted = [rule.lo, rule.hi, *(c for c in rule.choices if c is not None)]
    lo, hi, *conditions = [np.broadcast_to(x, count) for x in evaluate(wanted, leaves)]
    choices = {k: conditions.pop(0) for k, c in enumerate(rule.choices) if c is not None}

    def at(bad: Array, what: str, value: Array | None = None) -> Fault | None:
        if not bad.any():
            return None
        n = int(np.argmax(bad))
        shown = None if value is None else value[n]
        return Fault(f"{prim.name}: {what}", [(a[n], b[n]) for a, b in ends], [lo[n], hi[n]], shown)

    found = at(~(lo <= hi), "these are no bounds")
    corners = 2 ** len(types)
    for k in range(corners + INNER):
        column = [
            points(t, *e, (k >> j) & 1 if k < corners else 2, draw)
            for j, (t, e) in enumerate(zip(types, ends, strict=True))
        ]
        if twice:
            column[1] = column[0]
        value = compute(prim, types, attr, column)
        if value.dtype.kind == "f":
            nan = np.isnan(value)
            is_line = np.isneginf(lo) & np.isposinf(hi)
            found = found or at(nan & ~is_line, "NaN is left out", value)
            found = found or at(~nan & ~((lo <= value) & (value <= hi)), "a value is left out", value)
        else:
            found = found or at(~((lo <= value) & (value <= hi)), "a value is left out", value)
        if k == 0:
            exact = _known(prim, ends) & np.isfinite(value)
            found = found or at(exact & ~((lo == value) & (hi == value)), "a known value is no point", value)
        for j, condition in choices.items():
            same = (column[j] == value) | _is_nan(column[j]) & _is_nan(value)
            if rule.choices_keep_zero[j] and value.dtype.kind == "f":
                same &= (np.signbit(column[j]) == np.signbit(value)) | _is_nan(value)
            found = found or at(condition & ~same, f"the result is not operand {j}", value)
        if found is not None:
            return found
    return None


def _is_nan(x: Array) -> Array:
    return np.isnan(x) if x.dtype.kind == "f" else np.zeros(x.shape, bool)


def _known(prim: Prim, ends: list[Endpoints]) -> Array:
    """Where each operand is one finite number, and not a zero whose sign matters."""
    known = np.ones(len(ends[0][0]), bool)
    for lo, hi in ends:
        known &= (lo == hi) & np.isfinite(lo)
        if prim.zero_sign == "observe" and lo.dtype.kind == "f":
            known &= lo != 0
    return known


def _kept_within(t: T.Type, ends: Endpoints, low: float, high: float) -> Endpoints:
    if (low, high) == top(t)[:2]:
        return ends
    least, most = np.array([low, high], t.dtype)
    lo, hi = (np.clip(e, least, most) for e in ends)
    return lo, hi


# ---- rows ----

COUNT = 10_000


def how_many(prim: Prim, types: tuple[T.Type, ...]) -> int:
    """How many intervals are tried at a time: the interpreter fuses doubles slowly."""
    return COUNT // 5 if types[0] is T.f64 and (prim.body or prim.name == "fma") else COUNT


def search(prim: Prim, types: tuple[T.Type, ...], attr: T.Type | None, seed: int = 0) -> Fault | None:
    """A fault of a row's rule, by chance."""
    rule = interval_rule(prim, types, prim.result_type(types, attr))
    draw = np.random.default_rng([seed, len(prim.name), NIGHTLY])
    return fault(prim, rule, types, attr, together(types, how_many(prim, types), draw), draw)


@contextmanager
def registered(prim: Prim) -> Iterator[Prim]:
    """A row in the table, while it is tried."""
    table.table()
    table.register(prim)
    try:
        yield prim
    finally:
        table.unregister(prim.name)
