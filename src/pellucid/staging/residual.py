"""The residual program while it is being written: named values, assignments, branches, loops, jumps between variants.

`control` writes these, `structure` removes the jumps, `lower` makes a nest of what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ..base.record import record
from ..ir.expr import Buffer, Expr


@record
class Set:
    """A name gets a value here; a name that is set once only names the value."""

    name: Expr
    value: Expr


@record
class Put:
    """buffer[position] := value."""

    buffer: Buffer
    position: Expr
    value: Expr


@record
class ResidualBranch:
    """One of two blocks."""

    condition: Expr
    then: Code
    orelse: Code


@record
class Count:
    """A block for each index from lo to below hi."""

    index: Expr
    lo: Expr
    hi: Expr
    body: Code


@record
class ResidualWhile:
    """A block as long as a condition holds."""

    condition: Expr
    body: Code


@record
class Goto:
    """A jump to a variant of a loop, with a value for each of its names."""

    variant: int
    values: tuple[Expr, ...]


@record
class Leave:
    """The end of a loop, with the number of this way out."""

    way: int


Statement = Set | Put | ResidualBranch | Count | ResidualWhile | Goto | Leave
Code = list[Statement]


@dataclass(slots=True)
class Variant:
    """A loop at one memo point: the names of what is dynamic there, and what follows."""

    names: tuple[Expr, ...]
    code: Code = field(default_factory=list[Statement])


def walk(code: Code) -> Iterator[Statement]:
    """Every statement, outer first."""
    for s in code:
        yield s
        for inner in blocks(s):
            yield from walk(inner)


def blocks(s: Statement) -> tuple[Code, ...]:
    """The blocks inside a statement."""
    match s:
        case ResidualBranch(_, then, orelse):
            return (then, orelse)
        case Count(_, _, _, body) | ResidualWhile(_, body):
            return (body,)
        case _:
            return ()


def roots(s: Statement) -> tuple[Expr, ...]:
    """The expressions that a statement itself evaluates."""
    match s:
        case Set(_, value):
            return (value,)
        case Put(_, position, value):
            return (position, value)
        case ResidualBranch(condition, _, _) | ResidualWhile(condition, _):
            return (condition,)
        case Count(_, lo, hi, _):
            return (lo, hi)
        case Goto(_, values):
            return values
        case Leave():
            return ()


def rewrite(code: Code, expression: Callable[[Expr], Expr], jump: Callable[[Statement], Code]) -> Code:
    """The code with expressions replaced, and with each jump replaced by what a function makes of it."""
    out: Code = []
    for s in code:
        match s:
            case Set(name, value):
                out.append(Set(name, expression(value)))
            case Put(buffer, position, value):
                out.append(Put(buffer, expression(position), expression(value)))
            case ResidualBranch(condition, then, orelse):
                arms = (rewrite(b, expression, jump) for b in (then, orelse))
                out.append(ResidualBranch(expression(condition), *arms))
            case Count(index, lo, hi, body):
                out.append(Count(index, expression(lo), expression(hi), rewrite(body, expression, jump)))
            case ResidualWhile(condition, body):
                out.append(ResidualWhile(expression(condition), rewrite(body, expression, jump)))
            case Goto(variant, values):
                out.extend(jump(Goto(variant, tuple(expression(v) for v in values))))
            case Leave():
                out.extend(jump(s))
    return out
