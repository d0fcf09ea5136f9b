"""The meaning of root: an interpreter that counts operations, and the open table of primitives.

Every other way to run a root program is compared with this one.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from pellucid.base.errors import StagingError, did_you_mean
from pellucid.staging.root.program import Code, Const, If, Jump, Lift, Pair, Prim, check

_MOST_STEPS = 10_000_000
HALT = Code("halt", ("self", "result"))


class Row(NamedTuple):
    """A primitive: how many values it takes, and what it makes of them."""

    arity: int
    meaning: Callable[..., Any]


def _close(code: Any, frame: Any) -> Pair:
    """A closure."""
    return Pair(code, frame, closure=True)


def _divided(one: Any, other: Any) -> Any:
    """The quotient, rounded down."""
    return one // other


def _same(value: Any) -> Any:
    """The value."""
    return value


def _is_zero(value: Any) -> bool:
    """Whether a value is zero."""
    return bool(value == 0)


def _is_nil(value: Any) -> bool:
    """Whether a value is the empty list."""
    return value is None


def _is_pair(value: Any) -> bool:
    """Whether a value is a pair, or a closure."""
    return isinstance(value, Pair)


def _is_atom(value: Any) -> bool:
    """Whether a value is no pair."""
    return not isinstance(value, Pair)


def _part(name: str) -> Callable[[Any], Any]:
    """The primitive that takes one half of a pair."""

    def part(pair: Any) -> Any:
        if not isinstance(pair, Pair):
            raise TypeError(f"no pair: {pair!r}")
        return getattr(pair, name)

    return part


PRIMITIVES: dict[str, Row] = {
    "+": Row(2, operator.add),
    "-": Row(2, operator.sub),
    "*": Row(2, operator.mul),
    "idiv": Row(2, _divided),
    "imod": Row(2, operator.mod),
    "=": Row(2, operator.eq),
    "<": Row(2, operator.lt),
    "zero?": Row(1, _is_zero),
    "not": Row(1, operator.not_),
    "identity": Row(1, _same),
    "cons": Row(2, Pair),
    "close": Row(2, _close),
    "car": Row(1, _part("car")),
    "cdr": Row(1, _part("cdr")),
    "null?": Row(1, _is_nil),
    "pair?": Row(1, _is_pair),
    "atom?": Row(1, _is_atom),
}


def run(code: Code, *args: Any, counts: Counter[str] | None = None, most: int = _MOST_STEPS) -> Any:
    """The result of a code, whose first argument is a continuation that `run` supplies.

    Parameters: `counts` gets the number of operations by kind; `most` bounds them.
    """
    counts = Counter() if counts is None else counts
    return enter(code, (_close(HALT, None), *args), counts, most)


def enter(code: Code, args: Sequence[Any], counts: Counter[str], most: int) -> Any:
    """What reaches the code `HALT`, from any code with all its arguments."""
    checked: set[Code] = set()
    for _ in range(most):
        if len(args) != len(code.params):
            raise StagingError(
                f"{len(args)} values for {len(code.params)} parameters", place=code.name, fix="match them"
            )
        if code is HALT:
            return args[1]
        if code not in checked:
            check(code)
            checked.add(code)
        jump, names = _through(code, args, counts)
        target = names[jump.target]
        if not isinstance(target, Code):
            raise StagingError(
                f"a jump to {target!r}", place=code.name, fix="jump to a code, such as the car of a closure"
            )
        code, args = target, [names[name] for name in jump.args]
    raise StagingError(f"no end after {most} jumps", place=code.name, fix="end the recursion, or allow more")


def _through(code: Code, args: Sequence[Any], counts: Counter[str]) -> tuple[Jump, dict[str, Any]]:
    """The jump that ends a run through one code, and what its variables are bound to."""
    names = dict(zip(code.params, args, strict=True))
    waiting = list(reversed(code.body))
    while waiting:
        instruction = waiting.pop()
        match instruction:
            case Prim(name, primitive, read):
                counts["prim"] += 1
                names[name] = _applied(code, primitive, [names[one] for one in read])
            case Const(name, value):
                counts["const"] += 1
                names[name] = value
            case If(test, then):
                counts["if"] += 1
                if names[test]:
                    waiting = list(reversed(then))
            case Jump():
                counts["jump"] += 1
                return instruction, names
            case Lift():
                pass
    raise StagingError("a stream without a jump", place=code.name, fix="end it with one jump")


def _applied(code: Code, primitive: str, values: list[Any]) -> Any:
    """What a primitive makes of values; its errors name the code."""
    row = PRIMITIVES.get(primitive)
    if row is None:
        fix = did_you_mean(primitive, PRIMITIVES) or "add a row to PRIMITIVES"
        raise StagingError(f"unknown primitive {primitive!r}", place=code.name, fix=fix)
    if len(values) != row.arity:
        raise StagingError(
            f"{primitive} takes {row.arity} values, not {len(values)}", place=code.name, fix="match them"
        )
    try:
        return row.meaning(*values)
    except (TypeError, ArithmeticError) as error:
        raise StagingError(f"{primitive}: {error}", place=code.name, fix="check the values before") from error
