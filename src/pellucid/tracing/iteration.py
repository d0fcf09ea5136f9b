"""Tracing of `iterate`: a Python step function on a structure of scalars becomes one bounded loop per pixel.

Bound variables are named by depth, which is known only after the body was traced; so the body is traced over
provisional variables and then renamed.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from typing import Any, NoReturn

from ..base.errors import TraceError, brief
from ..base.source_location import caller
from ..ir import expr as E
from ..ir import types as T
from . import tracer
from .meeting import common_type
from .structures import flatten, outline
from .tracer import Value, is_symbolic, lift, static

_PROVISIONAL = 1000
_nesting: contextvars.ContextVar[int] = contextvars.ContextVar("nesting", default=0)


def iterate(step: Callable[[Any], Any], init: Any, until: Callable[[Any], Any] | None, limit: Any) -> Any:
    """See `functions.iterate`, the public face."""
    for what, given in (("step", step), ("until", until)):
        if not callable(given) and not (what == "until" and given is None):
            _refuse(
                f"the {what} of iterate is {brief(given)}, not a function", "give a function of the state"
            )
    count = static(limit)
    if count is not None and not (isinstance(count, int) or count.is_integer()):
        _refuse(
            f"the limit of iterate is {brief(limit)}, not a whole number", "give the most steps it may make"
        )
    leaves, rebuild = flatten(init)
    if not leaves:
        _refuse("the state of iterate is empty", "give a number, or a structure of numbers")
    types = [lift(x).type for x in leaves]
    # A state that starts as an integer but steps to a float is a float: at most one more round per component.
    made = _trace(step, until, types, rebuild)
    for _ in range(len(leaves)):
        wider = [common_type(a, b.type) for a, b in zip(types, made[0], strict=True)]
        if wider == types:
            break
        types = wider
        made = _trace(step, until, types, rebuild)
    steps, stop, depth_names = made
    steps = [tracer.convert(Value(s), t).expr for s, t in zip(steps, types, strict=True)]
    bound = lift(limit)
    bound = tracer.convert(Value(bound), T.i32).expr
    start = [
        tracer.convert(x if isinstance(x, Value) else Value(lift(x)), t).expr
        for x, t in zip(leaves, types, strict=True)
    ]
    depth = E.next_depth(*steps, stop)
    names = {old: E.state(depth, k, t) for k, (old, t) in enumerate(zip(depth_names, types, strict=True))}
    renamed = E.substitute([*steps, stop], names)
    final = E.iterate(start, renamed[:-1], renamed[-1], bound, depth)
    everything_static = not any(map(is_symbolic, leaves)) and not final[0].free and not E.params(final)
    if everything_static and not E.buffers(final):
        from ..ir.interp import evaluate

        return rebuild([v.item() for v in evaluate(final, {})])
    return rebuild([Value(f) for f in final])


def _refuse(what: str, fix: str) -> NoReturn:
    place, _ = caller()
    raise TraceError(what, place=place, fix=fix)


def _trace(
    step: Callable[[Any], Any],
    until: Callable[[Any], Any] | None,
    types: list[T.Type],
    rebuild: Callable[[list[Any]], Any],
) -> tuple[list[E.Expr], E.Expr, list[E.Expr]]:
    level = _nesting.get()
    token = _nesting.set(level + 1)
    try:
        names = [E.state(_PROVISIONAL + level, k, t) for k, t in enumerate(types)]
        current = rebuild([Value(n) for n in names])
        stepped = step(current)
        after, _ = flatten(stepped)
        if len(after) != len(types):
            _refuse(
                f"the step of iterate turns {len(types)} numbers into {len(after)}",
                "return a state of the same shape as it was given",
            )
        if outline(stepped) != outline(current):
            _refuse(
                "the step of iterate changes how the state is made of its numbers",
                "return a state of the same shape as it was given",
            )
        stop: Any = False if until is None else until(current)
        stop_node = (
            E.const(stop, T.boolean) if static(stop) is not None else tracer.convert(stop, T.boolean).expr
        )
        return [lift(x) for x in after], stop_node, names
    finally:
        _nesting.reset(token)
