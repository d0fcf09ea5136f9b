"""The rules for surfaces of every row, by surfaces of every size and values near them; and wrong rules."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from tests.turns import NIGHTLY

from pellucid.backends.tiles.taylor import models as S
from pellucid.backends.tiles.taylor.column import COLUMN
from pellucid.backends.tiles.taylor.models import Enclosure, TaylorModel
from pellucid.backends.tiles.taylor.rules import model_rule
from pellucid.ir import prim as table
from pellucid.ir import types as T
from pellucid.ir.expr import apply
from pellucid.ir.interp import evaluate
from pellucid.ir.intervals.interval import Interval, at
from pellucid.ir.intervals.notation import Term, choose
from pellucid.ir.prim import Prim, row

from .conftest import TYPED, named
from .surfaces import search

FLOATS = [(p, t, a) for p, t, a in TYPED if p.result_type(t, a).is_float]
RULED = [(p, t, a) for p, t, a in FLOATS if p.name in COLUMN]
PAIR = (T.f32, T.f32)


@pytest.mark.parametrize(("prim", "types", "attr"), FLOATS, ids=named)
def test_no_result_is_farther_from_its_surface_than_told(prim: Prim, types, attr):
    for seed in range(100 if NIGHTLY else 1):
        found = search(prim, types, attr, seed)
        assert found is None, str(found)


@pytest.mark.parametrize(("prim", "types", "attr"), RULED, ids=named)
def test_of_what_is_unknown_nothing_is_known(prim: Prim, types, attr):
    """The error is infinite, unless there is an interval that is not."""
    result = prim.result_type(types, attr)
    rule = model_rule(prim, types, result, T.f64 if T.f64 in (*types, result) else T.f32)
    leaves = {}
    for t, own in zip(types, rule.leaves, strict=True):
        ends = (
            (False, True)
            if t is T.boolean
            else (-np.inf, np.inf)
            if t.is_float
            else (int(t.low), int(t.high))
        )
        values = [*ends, *[0.0] * (len(own) - 3), np.inf]
        leaves |= {x: np.array([v], x.type.dtype) for x, v in zip(own, values, strict=False)}
    assert rule.error is not None
    lo, hi, error = (np.broadcast_to(x, 1)[0] for x in evaluate([rule.lo, rule.hi, rule.error], leaves))
    assert not math.isnan(error)
    assert math.isinf(error) or (math.isfinite(lo) and math.isfinite(hi))


def test_the_column_is_of_rows():
    assert COLUMN.keys() <= table.table().keys()


# ---- how near ----


def curve(name: str, middle: float, slope: float) -> tuple[float, float]:
    """The error of a row where its operand grows by so much to each side, and half the width of the interval."""
    rule = model_rule(row(name), (T.f64,), T.f64, T.f64)
    values = [middle - slope, middle + slope, middle, slope, *[0.0] * 6, 0.0]
    leaves = {x: np.array([v]) for x, v in zip(rule.leaves[0], values, strict=True)}
    assert rule.error is not None
    lo, hi, error = (
        float(np.broadcast_to(x, 1)[0]) for x in evaluate([rule.lo, rule.hi, rule.error], leaves)
    )
    return error, (hi - lo) / 2


@pytest.mark.parametrize("name", ["sin", "cos", "exp", "log", "sqrt", "atan", "smooth"])
def test_half_of_a_square_has_an_eighth_of_the_error(name: str):
    wide, narrow = curve(name, 0.4, 2.0**-5), curve(name, 0.4, 2.0**-6)
    assert narrow[0] < wide[0] / 7
    assert wide[0] < wide[1] / 40


# ---- wrong rules ----


def _less(name: str, part: float) -> Callable[..., TaylorModel]:
    """A rule with a part of its error."""
    right = COLUMN[name]

    def rule(*given: object) -> TaylorModel:
        found = right(*given)
        return found._replace(error=found.error * part)

    return rule


def _unrounded(_: T.Type, __: Interval, a: Enclosure, b: Enclosure) -> TaylorModel:
    factors = tuple([x + y for x, y in zip(a.factors, b.factors, strict=True)])
    return TaylorModel(a.middle + b.middle, factors, a.error + b.error)


def _flat_product(_: T.Type, __: Interval, a: Enclosure, b: Enclosure) -> TaylorModel:
    """Without the product of the slopes."""
    factors = tuple([a.middle * y + b.middle * x for x, y in zip(a.factors, b.factors, strict=True)])
    error = a.size * b.error + b.size * a.error
    return TaylorModel(a.middle * b.middle, factors, S.off(error, a.size * b.size, 8))


def _product_of_parts(_: T.Type, __: Interval, a: Enclosure, b: Enclosure) -> TaylorModel:
    """Without what comes of U and V."""
    bare = [
        f._replace(model=f.model._replace(factors=(*f.factors[:2], *[f.middle.lift(0.0)] * 5)))
        for f in (a, b)
    ]
    right = S.product(a, b)
    return right._replace(error=S.off(S.product(*bare).error, a.size * b.size, 8))


def _taylor(bends: float, twists: float) -> Callable[..., TaylorModel]:
    """A sine whose second or third derivative is another."""

    def rule(t: T.Type, _: Interval, x: Enclosure) -> TaylorModel:
        def wave(here: Term) -> S.Curve:
            value = at("sin", here)
            units = here.lift(16 * S.ROUNDING[t])
            return S.Curve(value, at("cos", here), value * -bends, here.lift(twists), units)

        return S._bent(x, wave)

    return rule


def _first(_: T.Type, __: Interval, condition: Enclosure, a: Enclosure, b: Enclosure) -> TaylorModel:
    return S.either(condition.interval.hi, a.model, b.model)


def _larger_in_the_middle(_: T.Type, __: Interval, a: Enclosure, b: Enclosure) -> TaylorModel:
    return S.either(a.middle >= b.middle, a.model, b.model)


def _unfolded(_: T.Type, __: Interval, a: Enclosure) -> TaylorModel:
    sign = choose(a.middle < 0.0, a.middle.lift(-1.0), 1.0)
    return TaylorModel(a.middle * sign, tuple([x * sign for x in a.factors]), a.error)


def _reciprocal_slope(t: T.Type, interval: Interval, a: Enclosure, b: Enclosure) -> TaylorModel:
    """A quotient whose divisor is taken for level."""
    level = b.model._replace(factors=(b.middle.lift(0.0),) * S.PLACES)
    return S.div(t, interval, a, Enclosure(b.interval, level))


def _exact_integers(t: T.Type, _: Interval, x: Enclosure) -> TaylorModel:
    def converted(y: Term) -> Term:
        return Term(apply("convert", y.expr, attr=t))

    return TaylorModel(converted(x.middle), tuple(map(converted, x.factors)), converted(x.error))


WRONG: dict[str, tuple[str, tuple[T.Type, ...], T.Type | None, Callable[..., TaylorModel]]] = {
    "a sum that is not rounded": ("add", PAIR, None, _unrounded),
    "a sum with half its error": ("add", PAIR, None, _less("add", 0.5)),
    "a product without that of the slopes": ("mul", PAIR, None, _flat_product),
    "a product without what is beside": ("mul", PAIR, None, _product_of_parts),
    "a product with half its error": ("mul", PAIR, None, _less("mul", 0.5)),
    "a fused product with half its error": ("fma", (T.f32,) * 3, None, _less("fma", 0.5)),
    "a sine that bends too little": ("sin", (T.f32,), None, _taylor(0.8, 1.0)),
    "a sine that does not twist": ("sin", (T.f32,), None, _taylor(1.0, 0.5)),
    "an exponential with a third of its error": ("exp", (T.f32,), None, _less("exp", 0.3)),
    "a root with half its error": ("sqrt", (T.f32,), None, _less("sqrt", 0.5)),
    "a logarithm with half its error": ("log", (T.f32,), None, _less("log", 0.5)),
    "a quotient by something level": ("div", PAIR, None, _reciprocal_slope),
    "an angle with half its error": ("atan2", PAIR, None, _less("atan2", 0.5)),
    "a choice of what may be": ("choose", (T.boolean, *PAIR), None, _first),
    "a maximum of the middles": ("max", PAIR, None, _larger_in_the_middle),
    "a minimum with half its error": ("min", PAIR, None, _less("min", 0.5)),
    "a magnitude without a fold": ("abs", (T.f32,), None, _unfolded),
    "a conversion that is not rounded": ("convert", (T.f64,), T.f32, _exact_integers),
    "a power with half its error": ("pow", PAIR, None, _less("pow", 0.5)),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_a_wrong_rule_is_seen(mistake: str, monkeypatch):
    name, types, attr, rule = WRONG[mistake]
    monkeypatch.setitem(COLUMN, name, rule)
    # Rules are remembered by row.
    wrong = replace(row(name))
    assert any(search(wrong, types, attr, seed) is not None for seed in range(5))
