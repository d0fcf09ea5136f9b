"""The functions of symbolic values: one for each row of the operator table, and a few made of them.

``functions.sin`` and its kin are derived from the rows by name, so a new row is callable at once. On Python numbers
they give Python numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..base.errors import TraceError
from ..base.kinds import instance, takes
from ..base.source_location import caller
from ..ir import expr as E
from ..ir import prim as table
from ..ir import types as T
from . import tracer
from .session import real_type
from .tracer import Value, call, lift, static

if TYPE_CHECKING:
    from ..ir.expr import Expr

_made: dict[str, Callable[..., Any]] = {}


def __getattr__(name: str) -> Callable[..., Any]:
    """The function of a row of the operator table."""
    if name.startswith("__"):
        raise AttributeError(name)
    found = _made.get(name)
    if found is None or name not in table.table():
        if name not in table.table():
            raise AttributeError(f"no function is called {name!r}")
        row = table.row(name)

        def function(*args: Any) -> Any:
            return call(name, *args)

        function.__name__ = function.__qualname__ = name
        function.__doc__ = row.doc
        found = _made[name] = function
    return found


def where(condition: Any, then: Any, orelse: Any) -> Any:
    """`then` where the condition holds, else `orelse`; both may be structures of the same shape.

    A static condition chooses at once. Raises TraceError when the shapes differ.

    >>> where(True, 1, 2)
    1
    """
    from .structures import flatten, outline

    truth = static(condition)
    if truth is not None:
        return then if truth else orelse
    test = tracer.convert(condition, T.boolean).expr
    if type(then) is Value and type(orelse) is Value:
        # Two scalars: by far the most frequent.
        return _choose(test, then, orelse)
    a, rebuild = flatten(then)
    b, _ = flatten(orelse)
    if len(a) != len(b) or outline(then) != outline(orelse):
        place, _ = caller()
        raise TraceError(
            f"the two sides of where differ in shape: {type(then).__name__} and {type(orelse).__name__}",
            place=place,
            fix="give both sides the same kind of value",
        )
    return rebuild([_choose(test, x, y) for x, y in zip(a, b, strict=True)])


def _choose(test: Expr, a: Any, b: Any) -> Any:
    if a is b:
        return a
    if isinstance(a, Value) or isinstance(b, Value):
        x, y = tracer.pair(a, b)
    else:
        x, y = lift(a), lift(b)
        if a == b and type(a) is type(b):
            return a
        if x.type is not y.type:
            wide = x.type.is_integer and y.type.is_integer
            x, y = (lift(n, T.i64 if wide else real_type()) for n in (a, b))
    return Value(E.make("choose", (test, x, y), x.type))


def _require_number(x: Any) -> None:
    # Numbers of another stage are theirs to judge.
    if not hasattr(x, "__call_row__"):
        lift(x)


def clamp(x: Any, low: Any, high: Any) -> Any:
    """x limited to the range from low to high; NaN gives low.

    >>> clamp(3, 0, 1)
    1
    """
    return call("min", call("max", x, low), high)


def fraction(x: Any) -> Any:
    """x minus its floor, in [0, 1).

    >>> fraction(2.75)
    0.75
    """
    _require_number(x)
    return x - call("floor", x)


def sign(x: Any) -> Any:
    """-1, 0 or 1 as x is negative, zero or positive.

    >>> sign(-3.0)
    -1.0
    """
    _require_number(x)
    return where(x > 0, 1.0, where(x < 0, -1.0, 0.0))


def smoothstep(low: Any, high: Any, x: Any) -> Any:
    """0 below `low`, 1 above `high`, and a smooth cubic between; a step where `low` is `high`.

    Raises TraceError for what is not a number.

    >>> smoothstep(0.0, 1.0, 0.5)
    0.5
    """
    for each in (low, high, x):
        _require_number(each)
    # Between symbolic numbers that are equal the quotient is infinite, which comes to the same.
    if static(low) is not None and static(low) == static(high):
        return where(x < low, 0.0, 1.0)
    t = clamp((x - low) / (high - low), 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


@takes(type_=instance("a type of numbers", T.Type, fix="give one, such as pellucid.ir.types.i32"))
def to_integer(x: Any, type_: T.Type = T.i32) -> Any:
    """A float truncated to an integer type; out of range saturates.

    >>> to_integer(2.9)
    Value(2)
    """
    return tracer.convert(x, type_)


@takes(buffer=instance("a buffer", E.Buffer))
def load(buffer: E.Buffer, position: Any) -> Value:
    """The element of a buffer at a symbolic position, which is clamped into the buffer."""
    node = lift(position)
    if node.type not in (T.i32, T.i64):
        node = tracer.convert(Value(node), T.i32).expr
    return Value(E.load(buffer, node))


def iterate(
    step: Callable[[Any], Any],
    init: Any,
    until: Callable[[Any], Any] | None = None,
    limit: Any = 64,
) -> Any:
    """Per-pixel iteration: from `init`, while not `until(state)` and fewer than `limit` steps, ``state = step(state)``.

    The state is a scalar or a structure of scalars; returns its final value. Raises TraceError when a step changes
    the shape of the state.

    >>> iterate(lambda n: n * 2, 1, until=lambda n: n > 100, limit=50)
    128
    """
    from .iteration import iterate as run

    return run(step, init, until, limit)
