"""Whether two blocks may change places in all states: they do not meet, or where they meet both only gather.

The premise that loop joining, splitting and interchange share. Beside White's 4.1.2 it knows 4.1.3 for whole blocks:
what is only combined with, by one operator that commutes and associates exactly, is the same in any order, whichever
elements are met.
"""

from __future__ import annotations

from ...ir.expr import Buffer, topological
from ...ir.nest import Block, Store, roots, walk
from ...ir.prim import row
from ...reasoning.effects import effects
from ...reasoning.known import Known
from ...reasoning.prove import Proved, Verdict, both
from ...reasoning.separate import apart, interchangeable
from .reductions import operand_of_update


def exchangeable(first: Block, second: Block, here: Known) -> Verdict:
    r"""Whether two blocks may change places.

    >>> from pellucid.ir.parse import parse_nest
    >>> text = "kernel k(n: i32):\n  output s: i32[1]\n  s[0] := s[0] + n\n  s[0] := s[0] + 2\n"
    >>> one, other = parse_nest(text).body
    >>> print(exchangeable((one,), (other,), Known()))
    Tested  s is only gathered into, by add, in any order; there is nothing to meet
    """
    plain = interchangeable(first, second, here)
    if isinstance(plain, Proved):
        return plain
    a, b = effects(first), effects(second)
    both_set = {x.buffer for x in a.sets} & {x.buffer for x in b.sets}
    found = {buffer: op for buffer in both_set if (op := _operator(buffer, (*first, *second))) is not None}
    if not found:
        return plain
    # Of the others, the sets of either are apart from what the other sets or uses.
    own, other = (
        ([x for x in e.sets if x.buffer not in found], [x for x in e.uses if x.buffer not in found])
        for e in (a, b)
    )
    changing = here.while_changing(x.buffer for x in (*a.sets, *b.sets))
    rest = both(apart(own[0], (*other[0], *other[1]), changing), apart(other[0], own[1], changing))
    if not isinstance(rest, Proved):
        return rest
    names = ", ".join(sorted(f"{buffer.name} is only gathered into, by {op}" for buffer, op in found.items()))
    return both(Proved(f"{names}, in any order"), rest)


def _operator(buffer: Buffer, block: Block) -> str | None:
    """The operator by which a block gathers into a buffer, if it does nothing else with it and any order will do."""
    found: set[str] = set()
    for s in walk(block):
        if isinstance(s, Store) and s.buffer is buffer:
            update = operand_of_update(s)
            if update is None:
                return None
            found.add(update[0])
        elif any(n.op == "load" and n.attr is buffer for n in topological(roots(s))):
            return None
    if len(found) != 1:
        return None
    (op,) = found
    kind = "float" if buffer.type.is_float else "integer" if buffer.type.is_integer else "bool"
    laws = row(op).laws
    return op if kind in laws.commutes and kind in laws.associates else None
