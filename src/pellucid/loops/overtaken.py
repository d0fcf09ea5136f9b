"""Places that are overtaken: something in their scope stores to the memory that their value was loaded from.

For `place`, whose theorem asks that there is none.
"""

from __future__ import annotations

from ..ir.expr import Expr
from ..ir.nest import Block, For, If, Let, Once, Repeat, Statement, While, blocks
from ..reasoning.effects import loads, stored
from ..reasoning.kept import kept_by


def overtaken(block: Block) -> Expr | None:
    """The first value placed in a block whose memory a later statement in its scope stores to, or None."""
    for position, s in enumerate(block):
        values = _values(s)
        if values:
            changed = stored(block[position + 1 :])
            wrong = next((v for v in values if any(a.buffer in changed for a in loads([v]))), None)
            if wrong is not None:
                return wrong
        if isinstance(s, For | While | Repeat):
            # What a loop keeps is known in all that comes later in it, iterations included.
            changed = stored((s,))
            kept = (v for inner in blocks(s) for once in kept_by(inner) for v in once.values)
            wrong = next((v for v in kept if any(a.buffer in changed for a in loads([v]))), None)
            if wrong is not None:
                return wrong
        inner = (overtaken(b) for b in blocks(s))
        wrong = next((v for v in inner if v is not None), None)
        if wrong is not None:
            return wrong
    return None


def _values(s: Statement) -> tuple[Expr, ...]:
    match s:
        case Let(value) | Repeat(value):
            return (value,)
        case If(picks=picks):
            return picks
        case Once(values=values):
            return values
        case _:
            return ()
