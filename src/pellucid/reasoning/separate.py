"""Whether two accesses always are different elements, and whether two statements may change places.

Always separate is White's 3.2.3; her index kinds and Table 6.2 are the floor (section 6.3). Above it stand forms:
the difference of two positions is a sum of products, and it is never 0 where its interval excludes 0 (``a[i]`` and
``a[i + n]`` for n > 0), or its residue does (``a[2*i]`` and ``a[2*j + 1]``). Bounds that are expressions are put in for
the indices, inner ones first, so that ``j`` stays below ``i`` in ``for j in 0 .. i``.

Two things that White's language does not have are looked after. Positions wrap, so differences count modulo the width
of their type. And a load beyond the end of a buffer loads its last element, so that ``a[i + 1]`` may be ``a[i]``.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..ir.nest import Block
from .declared import DISTINCT
from .effects import Access, by_buffer, effects, loads
from .known import Known
from .pair import AccessPair, Side
from .prove import Proved, Verdict, both


def separate(a: Access, b: Access, known: Known) -> Verdict:
    r"""Whether two accesses always are different elements; distinct buffers are distinct memory.

    The indices of the loops in an access's own scope take all their values, those of `known` are the same for both.

    >>> from pellucid.ir.expr import Buffer
    >>> from pellucid.ir.parse import parse_expr
    >>> from pellucid.ir.types import u8
    >>> pixels = Buffer("pixels", u8, 100)
    >>> even, odd = (Access(pixels, e, store=True) for e in parse_expr("%i * 2\n%j * 2 + 1"))
    >>> separate(even, odd, Known()).theorem
    'pixels[i * 2] and pixels[j * 2 + 1] differ by 1 modulo 2'
    """
    if a.buffer is not b.buffer:
        return _DISTINCT
    return AccessPair(Side(a, known, 1), Side(b, known, 2)).verdict()


def apart(first: Iterable[Access], second: Iterable[Access], known: Known) -> Verdict:
    """Whether every one of some accesses is separate from every one of others; at the first that is not, it ends."""
    one, other = by_buffer(first), by_buffer(second)
    found: list[Verdict] = []
    for buffer, accesses in one.items():
        others = [Side(y, known, 2) for y in other.get(buffer, ())]
        for a in (Side(x, known, 1) for x in accesses if others):
            for b in others:
                verdict = AccessPair(a, b).verdict()
                if not isinstance(verdict, Proved):
                    return verdict
                found.append(verdict)
    if one and other and len({*one, *other}) > 1:
        found.append(_DISTINCT)
    return both(*found) if found else Proved("there is nothing to meet")


_DISTINCT = Proved("they are different arrays", (DISTINCT,))


def location_independent(variable: Access, of: Iterable[Access], known: Known) -> Verdict:
    """Whether setting some variables never moves another one: its position loads none of them (White 3.2.5)."""
    moving = list(of)
    read = loads([variable.position], variable.scope, variable.guards)
    return apart(moving, read, known.while_changing(a.buffer for a in moving))


def not_self_referencing(variable: Access, known: Known) -> Verdict:
    """Whether setting a variable never moves it itself: White's strictly non-self-referencing (3.2.4).

    >>> from pellucid.ir.expr import Buffer
    >>> from pellucid.ir.parse import parse_expr
    >>> from pellucid.ir.types import i32
    >>> a = Buffer("a", i32, 9)
    >>> type(not_self_referencing(Access(a, parse_expr("a[3]", {"a": a})[0], store=True), Known())).__name__
    'Unknown'
    """
    return location_independent(variable, [variable], known)


def interchangeable(first: Block, second: Block, known: Known) -> Verdict:
    """Whether two blocks may change places: what either sets, the other neither sets nor uses (White 4.1.2).

    The sets of one must be separate from the sets of the other as well, which White's `uses` have in them.
    """
    a, b = effects(first), effects(second)
    here = known.while_changing(x.buffer for x in (*a.sets, *b.sets))
    return both(apart(a.sets, (*b.sets, *b.uses), here), apart(a.uses, b.sets, here))
