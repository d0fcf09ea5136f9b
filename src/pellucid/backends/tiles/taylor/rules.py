"""Rules for Taylor models: the enclosure of every row's result over a square of pixels, from those of its operands.

They are made as `reasoning.intervals` makes interval rules: from the row's entry in `taylor.column`; else by
composing the rules of a short `body`; else only the interval is known. Interval and Taylor model tighten each other:
the interval becomes the intersection, and a Taylor model with an error larger than the interval becomes the
interval's middle.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

from ....ir import prim as table
from ....ir import types as T
from ....ir.expr import Expr, const, param
from ....ir.intervals.interval import Interval
from ....ir.intervals.notation import Term, choose, fma, maximum, minimum
from ....ir.prim import Prim
from ....reasoning.intervals import composed, constant_interval, endpoints, is_short, named_body
from .column import COLUMN
from .models import MARGIN, PLACES, ROUNDING, Enclosure, TaylorModel, counted, either, off, spread

COUNTED = T.i32
"""The type of integers that may have Taylor models, such as columns, rows and numbers of samples."""


class ModelRule(NamedTuple):
    """The enclosure of a row's result over a square, as expressions over the enclosures of its operands.

    lo, hi     the endpoints, as those of an `IntervalRule`.
    middle, factors, error
               those of a `TaylorModel` of the result; the error is infinite if nothing is known. None for results
               without Taylor models, such as integers that are no sums.
    leaves     for each operand, the leaves that stand for its endpoints and for its Taylor model, if it has one. The
               expressions require that none is NaN, that errors are not negative, and that middle and factors are
               finite or the error is infinite.
    """

    lo: Expr
    hi: Expr
    middle: Expr | None
    factors: tuple[Expr, ...]
    error: Expr | None
    leaves: tuple[tuple[Expr, ...], ...]


def model_rule(
    prim: Prim, types: tuple[T.Type, ...], result: T.Type, real: T.Type, *, twice: bool = False
) -> ModelRule:
    """The rule of a row for operands of these types; `twice` if the first two are one value.

    Taylor models of integers are of the type `real`.

    >>> len(model_rule(table.row("neg"), (T.f32,), T.f32, T.f32).leaves[0])
    11
    """
    return _model_rule(prim, types, result, real, twice, table.version())


def model_type(type_: T.Type, real: T.Type) -> T.Type | None:
    """The type of the Taylor models of values of a type, or None."""
    return type_ if type_.is_float else real if type_ is COUNTED else None


@lru_cache(maxsize=4096)
def _model_rule(
    prim: Prim, types: tuple[T.Type, ...], result: T.Type, real: T.Type, twice: bool, _: int
) -> ModelRule:
    leaves: list[tuple[Expr, ...]] = []
    forms: list[Enclosure] = []
    for k, t in enumerate(types):
        own = [param(f"lo{k}", t), param(f"hi{k}", t)]
        form = Enclosure(Interval(*map(Term, own)), _nowhere())
        of = model_type(t, real)
        if of is not None:
            names = ("middle", *(f"factor{n}_" for n in range(PLACES)), "error")
            own += [param(f"{name}{k}", of) for name in names]
            middle, *factors, error = map(Term, own[2:])
            form = form._replace(model=TaylorModel(middle, tuple(factors), error))
        leaves.append(tuple(own))
        forms.append(form)
    if twice:
        forms[1] = forms[0]
    found = form_of(prim, result, *forms)
    # Columns and rows of a part are counted from the edges of the whole.
    is_place = prim.name == "add" and result is COUNTED and all(t is COUNTED for t in types)
    if is_place:
        found = found._replace(model=counted(real, found.interval, forms[0], forms[1]))
    lo, hi = found.interval
    if not result.is_float and not is_place:
        return ModelRule(lo.expr, hi.expr, None, (), None, tuple(leaves))
    model = found.model
    factors = tuple([s.expr for s in model.factors])
    return ModelRule(lo.expr, hi.expr, model.middle.expr, factors, model.error.expr, tuple(leaves))


def form_of(prim: Prim, result: T.Type, *forms: Enclosure) -> Enclosure:
    """The Taylor model of a row's result, from the enclosures of its operands."""
    interval = Interval(*endpoints(prim, result, *[f.interval for f in forms]))
    if not result.is_float:
        return Enclosure(interval, _nowhere())
    rule = COLUMN.get(prim.name)
    if rule is not None:
        return settled(interval, rule(result, interval, *forms))
    body = named_body(prim, result, [f.interval for f in forms])
    if body is not None and is_short(body[1]):
        return settled(interval, composed(body, forms, _of_constant, form_of).model)
    return settled(interval)


def _of_constant(node: Expr) -> Enclosure:
    interval = constant_interval(node)
    return settled(interval) if node.type.is_float else Enclosure(interval, _nowhere())


def _nowhere() -> TaylorModel:
    """The placeholder for a missing Taylor model."""
    zero = Term(const(0.0, T.f32))
    return TaylorModel(zero, (zero,) * PLACES, Term(const(math.inf, T.f32)))


def settled(interval: Interval, model: TaylorModel | None = None) -> Enclosure:
    """The enclosure of an interval, and of a Taylor model if it is tighter; an unbounded interval says nothing."""
    lo, hi = interval
    t = interval.type
    width = hi - lo
    known = width <= t.high
    middle = choose(interval.is_point, lo, fma(lo, 0.5, hi * 0.5))
    half = choose(interval.is_point, lo.lift(0.0), off(width * 0.5, abs(middle), 4))
    nothing = lo.lift(0.0)
    level = TaylorModel(
        choose(known, middle, nothing), (nothing,) * PLACES, choose(known, half, lo.lift(math.inf))
    )
    if model is None:
        return Enclosure(interval, level)
    better = known & (model.error <= width * 0.5)
    lo, hi = both(interval, model)
    lo, hi = choose(better, lo, interval.lo), choose(better, hi, interval.hi)
    return Enclosure(Interval(lo, hi), either(better, model, level))


def both(interval: Interval, model: TaylorModel) -> Interval:
    """The intersection of an interval and the interval that a Taylor model implies."""
    u = ROUNDING[interval.type]
    reach = spread(model.factors) + model.error
    pad = fma(reach, 1 + MARGIN * u, abs(model.middle) * (4 * u))
    return Interval(maximum(model.middle - pad, interval.lo), minimum(model.middle + pad, interval.hi))
