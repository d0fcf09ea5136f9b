"""Statements that change nothing, whatever the memory (White 3.5.5)."""

from __future__ import annotations

from ...ir.expr import load
from ...ir.nest import Alloc, Block, For, If, Let, Once, Repeat, Statement, Store, While, walk
from ...reasoning.bounds import difference
from ...reasoning.effects import Guard, effects, shown
from ...reasoning.known import Known
from ...reasoning.prove import Proved, Unknown, Verdict, both, decided

PREMISE = "it changes nothing"


def all_nullable(block: Block, known: Known) -> Verdict:
    """Whether every statement of a block changes nothing."""
    return both(*(nullable(s, known) for s in block)) if block else Proved("there is nothing in it")


def nullable(statement: Statement, known: Known) -> Verdict:
    r"""Whether a statement changes nothing: it stores what is there, runs no iteration, or is made of such.

    >>> from pellucid.ir.parse import parse_nest
    >>> (s,) = parse_nest("kernel k():\n  output a: i32[9]\n  for i in 0 .. 9:\n    a[i] := a[i]\n").body
    >>> nullable(s, Known()).theorem
    'it stores what is there'
    """
    match statement:
        case Store(buffer, position, value):
            # Outside of the buffer it stores nothing, so a clamped load does no harm.
            same = value is load(buffer, position)
            return decided(
                same, "it stores what is there", f"{buffer.name}[{shown(position)}] becomes {shown(value)}"
            )
        case If(condition, then, orelse):
            arms = ((then, Guard(condition, True)), (orelse, Guard(condition, False)))
            return both(*(all_nullable(b, known.inside([g])) for b, g in arms))
        case For(_, lo, hi, body):
            if difference(hi, lo, known).hi <= 0:
                return Proved("it runs no iteration")
            return all_nullable(body, known.inside([statement]))
        case Alloc() if not any(isinstance(s, While) for s in walk(statement.body)):
            return decided(
                not effects((statement,)).sets, PREMISE, "it sets more than its own scratch memory"
            )
        case Let() | Repeat() | Once():
            return Proved("it only names a value")
        case _:
            return Unknown(PREMISE, f"what a {type(statement).__name__.lower()} does")
