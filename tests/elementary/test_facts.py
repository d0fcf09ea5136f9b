"""What is claimed of the results of elementary functions from what is known of their arguments is true."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.elementary import reference as R
from tests.elementary.test_structure import ROWS

from pellucid.ir import types as T
from pellucid.ir.facts import Facts
from pellucid.ir.prim import row

both = pytest.mark.parametrize("type_", T.FLOATS, ids=str)
SCALES = (1e-3, 1.0, 3.0, 30.0, 800.0, 1e6)
SPECIAL = (0.0, 1.0, -1.0, 0.5, -0.5, math.pi / 2, math.pi, -math.pi, 2.0, math.inf, -math.inf)


def intervals(type_: T.Type, count: int, seed: int) -> list[tuple[float, float]]:
    draw = np.random.default_rng(seed)
    found = []
    for k in range(count):
        middle = draw.normal() * SCALES[k % len(SCALES)]
        width = abs(draw.normal()) * SCALES[draw.integers(len(SCALES))]
        ends = [middle - width, middle + width] if k % 3 else sorted(draw.choice(SPECIAL, 2))
        lo, hi = (float(type_.dtype.type(e)) for e in ends)
        found.append((lo, hi))
    return found


def inside(type_: T.Type, lo: float, hi: float, count: int, seed: int) -> np.ndarray:
    draw = np.random.default_rng(seed)
    top = float(np.finfo(type_.dtype).max)
    bottom, ceiling = max(lo, -top), min(hi, top)
    spread = draw.uniform(0, 1, count)
    numbers = bottom * (1 - spread) + ceiling * spread
    numbers = np.concatenate([numbers, [lo, hi, *(s for s in SPECIAL if lo <= s <= hi)]]).astype(type_.dtype)
    return numbers[(numbers >= lo) & (numbers <= hi)]


@both
@pytest.mark.parametrize("name", [r.name for r in ROWS])
def test_results_are_within_the_facts(name, type_):
    prim = row(name)
    for k, ranges in enumerate(
        zip(*[intervals(type_, 60, 50 + at) for at in range(prim.arity)], strict=True)
    ):
        zero = k % 2 == 0
        facts = [Facts(lo, hi, minus_zero=zero and lo <= 0 <= hi) for lo, hi in ranges]
        claim = prim.transfer(type_, (type_,) * prim.arity, *facts)
        columns = [
            inside(type_, lo, hi, 50 if prim.arity == 1 else 6, 60 + k + place)
            for place, (lo, hi) in enumerate(ranges)
        ]
        if not all(len(c) for c in columns):
            continue
        if zero:
            columns = [np.concatenate([c, -c[c == 0]]) for c in columns]
        pairs = [a.ravel() for a in np.meshgrid(*columns)]
        for *x, y in zip(*pairs, R.compute(name, *pairs), strict=True):
            assert claim.contains(float(y)), (name, [float(v) for v in x], float(y), ranges, claim)


@both
@pytest.mark.parametrize("name", [r.name for r in ROWS])
def test_nan_is_allowed_where_arguments_may_be_nan(name, type_):
    prim = row(name)
    claim = prim.transfer(type_, (type_,) * prim.arity, *[Facts(0.25, 0.5, nan=True)] * prim.arity)
    assert claim.nan


@both
def test_facts_are_narrow_enough_to_be_of_use(type_):
    def claim(name: str, *facts: Facts) -> Facts:
        return row(name).transfer(type_, (type_,) * len(facts), *facts)

    assert claim("sin", Facts(-1e9, 1e9)).within(-1, 1)
    assert claim("sin", Facts(0.1, 1.0)).within(0.09, 0.85)
    assert claim("cos", Facts(0.1, 1.0)).within(0.54, 0.996)
    assert claim("cos", Facts(3.0, 3.3)).lo == -1.0
    assert claim("exp", Facts(-math.inf, 0.0)).within(0, 1.001)
    assert claim("exp2", Facts(3.0, 4.0)).within(7.99, 16.01)
    assert claim("log", Facts(1.0, math.e)).within(-0.001, 1.001)
    assert not claim("log", Facts(1.0, math.e)).minus_zero
    assert claim("log", Facts(-1.0, 1.0)).nan
    assert claim("atan2", Facts(-5.0, 5.0), Facts(-5.0, 5.0)).within(-3.15, 3.15)
    assert claim("atan2", Facts(0.0, 5.0), Facts(1.0, 5.0)).within(0, 1.58)
    assert claim("hypot", Facts(-3.0, 1.0), Facts(-4.0, 4.0)).within(0, 5.01)
    assert claim("hypot", Facts(3.0, 4.0), Facts(4.0, 5.0)).within(4.99, 6.5)
    assert claim("pow", Facts(0.0, 1.0), Facts(2.0, 2.0)).within(0, 1.001)
    assert claim("tanh", Facts(-9.0, 9.0)).within(-1, 1)
    assert claim("acos", Facts(-1.0, 1.0)).within(0, 3.15)
