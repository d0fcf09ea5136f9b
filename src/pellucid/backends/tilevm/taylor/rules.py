"""Rules for surfaces: what every row's result is near over a square of pixels, from what its operands are near.

Part of `reasoning`, beside `boxes`, and made in the same way: a row's own `surface` is taken; else those of a short
`body` are composed; else the result is somewhere in its box. What a box and a surface tell is put together: the box
becomes what both allow, and a surface that is farther off than the box is wide becomes level.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

from ....ir import prim as table
from ....ir import types as T
from ....ir.expr import Expr, const, param
from ....ir.intervals.box import Box
from ....ir.intervals.notation import Term, choose, fma, maximum, minimum
from ....ir.prim import Prim
from ....reasoning.boxes import composed, constant_box, ends, is_short, named_body
from .column import COLUMN
from .models import MARGIN, PLACES, ROUNDING, Enclosure, TaylorModel, either, off, spread

COUNTED = T.i32
"""The type of integers that may have surfaces: the places of pixels and samples have."""


class ModelRule(NamedTuple):
    """What is known of a row's result over a square in which its operands are near surfaces and in boxes.

    lo, hi     expressions over `leaves`: bounds as those of a `BoxRule`.
    middle, factors, error
               those of a `Surface` near the result; the error is infinite where nothing is known. None for other types
               than floats.
    leaves     for each operand what stands for these in it; of what has no surface, for the ends alone. What the
               expressions count on is that none is NaN, that errors are not negative, and that middle and factors
               are finite or the error is infinite.
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

    Planes of integers are of the type `real`.

    >>> len(surface_rule(table.row("neg"), (T.f32,), T.f32, T.f32).leaves[0])
    11
    """
    return _model_rule(prim, types, result, real, twice, table.edition())


def model_type(type_: T.Type, real: T.Type) -> T.Type | None:
    """The type of the surfaces of values of a type; None where they have none."""
    return type_ if type_.is_float else real if type_ is COUNTED else None


@lru_cache(maxsize=4096)
def _model_rule(
    prim: Prim, types: tuple[T.Type, ...], result: T.Type, real: T.Type, twice: bool, _: int
) -> ModelRule:
    leaves: list[tuple[Expr, ...]] = []
    forms: list[Enclosure] = []
    for k, t in enumerate(types):
        own = [param(f"lo{k}", t), param(f"hi{k}", t)]
        form = Enclosure(Box(*map(Term, own)), _nowhere())
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
    lo, hi = found.interval
    if not result.is_float:
        return ModelRule(lo.expr, hi.expr, None, (), None, tuple(leaves))
    model = found.model
    factors = tuple([s.expr for s in model.factors])
    return ModelRule(lo.expr, hi.expr, model.middle.expr, factors, model.error.expr, tuple(leaves))


def form_of(prim: Prim, result: T.Type, *forms: Enclosure) -> Enclosure:
    """What a row's result is near, from what its operands are near."""
    interval = Box(*ends(prim, result, *[f.interval for f in forms]))
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
    interval = constant_box(node)
    return settled(interval) if node.type.is_float else Enclosure(interval, _nowhere())


def _nowhere() -> TaylorModel:
    """The surface of what has none."""
    zero = Term(const(0.0, T.f32))
    return TaylorModel(zero, (zero,) * PLACES, Term(const(math.inf, T.f32)))


def settled(interval: Box, model: TaylorModel | None = None) -> Enclosure:
    """What is in a box, and near a surface if that says more; where the box is open, nothing is known."""
    lo, hi = interval
    t = interval.type
    width = hi - lo
    known = width <= t.high
    middle = choose(interval.pinned, lo, fma(lo, 0.5, hi * 0.5))
    half = choose(interval.pinned, lo.lift(0.0), off(width * 0.5, abs(middle), 4))
    nothing = lo.lift(0.0)
    level = TaylorModel(
        choose(known, middle, nothing), (nothing,) * PLACES, choose(known, half, lo.lift(math.inf))
    )
    if model is None:
        return Enclosure(interval, level)
    better = known & (model.error <= width * 0.5)
    lo, hi = both(interval, model)
    lo, hi = choose(better, lo, interval.lo), choose(better, hi, interval.hi)
    return Enclosure(Box(lo, hi), either(better, model, level))


def both(interval: Box, model: TaylorModel) -> Box:
    """What a box and a surface allow."""
    u = ROUNDING[interval.type]
    reach = spread(model.factors) + model.error
    pad = fma(reach, 1 + MARGIN * u, abs(model.middle) * (4 * u))
    return Box(maximum(model.middle - pad, interval.lo), minimum(model.middle + pad, interval.hi))
