"""Rules for intervals: the bounds of every row's result as an expression over the bounds of its operands.

Part of `reasoning`, for whoever runs a picture over whole regions first: the expressions are of rows of the table, and
so are evaluated, or compiled, as any other. A row's own `interval` is taken; else its `monotone` signs give the right
corners; else the intervals of a short `body` are composed; else a result is known where every operand is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

from ..ir import prim as table
from ..ir import types as T
from ..ir.expr import Expr, apply, const, param, topological
from ..ir.interp import expand
from ..ir.intervals.interval import Endpoints, Interval, all_of, near, only, whole
from ..ir.intervals.notation import Term, maximum, minimum
from ..ir.prim import Prim

MAX_BODY = 12
"""Maximum operators of a body whose intervals are composed: the bounds of a longer one are loose and expensive."""


Known = TypeVar("Known")
"""An enclosure of a value: an interval, or more."""


class IntervalRule(NamedTuple):
    """The interval of a row's result when its operands lie in intervals.

    lo, hi             expressions over `leaves` of the result's type: no result lies outside. Of booleans they are must
                       and may. Of floats neither is ever NaN, and only from -inf to +inf the result may be NaN. If all
                       operands are finite points, and the result is finite, it is a point as well.
    choices            for each operand a boolean expression, "here the result is that operand", or None for never: the
                       choice trace of the row.
    choices_keep_zero  for each operand whether the choice is right for the sign of a zero as well.
    leaves             for each operand the params that stand for its lo and hi, of its type. They may be infinite,
                       unlike other params. The expressions rely on lo <= hi.

    -0.0 and +0.0 are one number to all of these: the interval [0, 0] may hold either.
    """

    lo: Expr
    hi: Expr
    choices: tuple[Expr | None, ...]
    choices_keep_zero: tuple[bool, ...]
    leaves: tuple[tuple[Expr, Expr], ...]


def interval_rule(
    prim: Prim, types: tuple[T.Type, ...], result: T.Type, *, twice: bool = False
) -> IntervalRule:
    """The rule of a row for operands of these types; `twice` if the first two operands are one value.

    The leaves of the second are then in no expression: a square is not negative, as a product may be.

    >>> rule = interval_rule(table.row("le"), (T.i32, T.i32), T.boolean)
    >>> rule.lo, rule.hi
    ($hi0:i32 <= $lo1:i32, $lo0:i32 <= $hi1:i32)
    """
    return _interval_rule(prim, types, result, twice, table.version())


@lru_cache(maxsize=4096)
def _interval_rule(
    prim: Prim, types: tuple[T.Type, ...], result: T.Type, twice: bool, _: int
) -> IntervalRule:
    leaves = tuple((param(f"lo{k}", t), param(f"hi{k}", t)) for k, t in enumerate(types))
    intervals = [Interval(Term(lo), Term(hi)) for lo, hi in leaves]
    if twice:
        intervals[1] = intervals[0]
    lo, hi = endpoints(prim, result, *intervals)
    choices = prim.choices(*intervals) if prim.choices else (None,) * len(types)
    return IntervalRule(
        lo.expr,
        hi.expr,
        tuple(None if c is None else c.condition.expr for c in choices),
        tuple(c is not None and c.keeps_zero for c in choices),
        leaves,
    )


def endpoints(prim: Prim, result: T.Type, *intervals: Interval) -> Endpoints:
    """The endpoints of a row's result, as terms over those of its operands."""
    if prim.interval is not None:
        return prim.interval(result, *intervals)
    # An integer that wraps is out of order, and nothing tells here when it does.
    if prim.monotone and (not result.is_integer or not all(b.type.is_integer for b in intervals)):
        return _at_corners(prim, result, intervals)
    body = named_body(prim, result, intervals)
    if body is not None and is_short(body[1]):
        return composed(body, intervals, constant_interval, _interval)
    return _at_points(prim, result, intervals)


def _attribute(prim: Prim, result: T.Type) -> T.Type | None:
    return result if prim.result == "@" else None


def named_body(
    prim: Prim, result: T.Type, intervals: Sequence[Interval]
) -> tuple[tuple[Expr, ...], Expr] | None:
    """The leaves for the operands of a row in its body, and the body; None if it has none."""
    if prim.body is None:
        return None
    names = tuple([param(f"operand{k}", interval.type) for k, interval in enumerate(intervals)])
    return names, expand(prim.name, names, _attribute(prim, result))


def _value(prim: Prim, result: T.Type, operands: Iterable[Term]) -> Term:
    return Term(apply(prim.name, *(x.expr for x in operands), attr=_attribute(prim, result)))


def _trusted(prim: Prim, intervals: Iterable[Interval]) -> list[Term]:
    """When the operands' endpoints stand for all between them: no NaN, and no zero of unknown sign that matters."""
    floats = [b for b in intervals if b.type.is_float]
    found = [b.nan_free for b in floats]
    if prim.zero_sign == "observe":
        found += [(b.lo > 0.0) | (b.hi < 0.0) for b in floats]
    return found


def _at_points(prim: Prim, result: T.Type, intervals: tuple[Interval, ...]) -> Endpoints:
    """The value where every operand is a point; the whole type elsewhere."""
    value = _value(prim, result, [b.lo for b in intervals])
    known = [b.is_point for b in intervals] + _trusted(prim, intervals)
    if result.is_float:
        known.append(value.equals(value))
    return only(all_of(*known), value, value)


def _at_corners(prim: Prim, result: T.Type, intervals: tuple[Interval, ...]) -> Endpoints:
    """The least and the greatest of the values at those corners that the signs of the row name."""
    lows: list[list[Term]] = [[]]
    highs: list[list[Term]] = [[]]
    known = _trusted(prim, intervals)
    for sign, interval in zip(prim.monotone, intervals, strict=True):
        first = [interval.hi] if sign == "-" else [interval.lo, interval.hi] if sign == "*" else [interval.lo]
        last = [interval.lo] if sign == "-" else [interval.lo, interval.hi] if sign == "*" else [interval.hi]
        if sign == ".":
            known.append(interval.is_point)
        lows = [[*corner, end] for corner in lows for end in first]
        highs = [[*corner, end] for corner in highs for end in last]
    low = [_value(prim, result, c) for c in lows]
    high = low if lows == highs else [_value(prim, result, c) for c in highs]
    if result.is_float:
        known += [y.equals(y) for y in dict.fromkeys([*low, *high])]
    lo, hi = low[0], high[0]
    if result is T.boolean:
        for x, y in zip(low[1:], high[1:], strict=True):
            lo, hi = lo & x, hi | y
    else:
        for x, y in zip(low[1:], high[1:], strict=True):
            lo, hi = minimum(lo, x), maximum(hi, y)
    if prim.ulp and result.is_float:
        lo, hi = near(lo, hi, all_of(*(b.is_point for b in intervals)))
    return only(all_of(*known), lo, hi) if known else (lo, hi)


def is_short(body: Expr) -> bool:
    """Whether a body is short enough that the intervals of its operators bound the whole."""
    rows = table.table()
    nodes = [n for n in topological([body]) if n.args]
    return len(nodes) <= MAX_BODY and all(n.op in rows for n in nodes)


def composed(
    body: tuple[tuple[Expr, ...], Expr],
    operands: Sequence[Known],
    of_constant: Callable[[Expr], Known],
    of_row: Callable[..., Known],
) -> Known:
    """The enclosure of a body, from operand to user: correlations of operands are lost in between."""
    names, root = body
    done = dict(zip(names, operands, strict=True))
    for node in topological([root]):
        if node not in done:
            done[node] = (
                of_constant(node)
                if node.op == "const"
                else of_row(table.row(node.op), node.type, *(done[a] for a in node.args))
            )
    return done[root]


def _interval(prim: Prim, result: T.Type, *intervals: Interval) -> Interval:
    return Interval(*endpoints(prim, result, *intervals))


def constant_interval(node: Expr) -> Interval:
    """The interval of a constant."""
    if node.type.is_float and math.isnan(node.attr):
        return Interval(*whole(node.type))
    value = Term(const(node.attr, node.type))
    return Interval(value, value)
