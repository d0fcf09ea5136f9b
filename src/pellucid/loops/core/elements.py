"""Elements: how nests go over whole arrays, one element after the other, and where each coordinate is in a position.

Below the moves that forward, contract and split arrays. A position ``(y * 6 + x) * 3 + c`` with every coordinate within
its extent is a number with the coordinates as digits: two such positions are equal only if all coordinates are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from ...base.record import record
from ...ir.expr import Buffer, Expr, apply, const
from ...ir.facts import Facts
from ...ir.nest import SEQ, Alloc, Block, For, Kernel, Statement, Store, blocks
from ...ir.path import Path
from ...reasoning.effects import loaded, stored
from ...reasoning.infer import FactsOf
from .census import Census


@record
class Filled:
    """A nest that stores every element of an array once: its loops, outermost first, and the store in their middle."""

    loops: tuple[For, ...]
    store: Store

    @property
    def extents(self) -> tuple[int, ...]:
        """The number of coordinates along each axis."""
        return tuple(int(s.hi.attr) for s in self.loops)

    @property
    def indices(self) -> tuple[Expr, ...]:
        """The index of each loop."""
        return tuple(s.index for s in self.loops)


def filled(statement: Statement, size: int) -> Filled | None:
    r"""The elements that a statement fills: loops in order from 0 to constants around one store, to `size` elements.

    >>> from pellucid.ir.parse import parse_nest
    >>> text = "kernel k():\n  output a: i32[6]\n  for y in 0 .. 2:\n    for x in 0 .. 3:\n      a[y*3+x] := x\n"
    >>> found = filled(parse_nest(text).body[0], 6)
    >>> found and found.extents
    (2, 3)
    """
    loops: list[For] = []
    s = statement
    while isinstance(s, For) and len(s.body) == 1:
        if s.how != SEQ or s.lo.op != "const" or s.hi.op != "const" or s.lo.attr != 0 or s.hi.attr < 1:
            return None
        loops.append(s)
        s = s.body[0]
    if not isinstance(s, Store) or not loops:
        return None
    found = Filled(tuple(loops), s)
    count = 1
    for extent in found.extents:
        count *= extent
    if count != size or coordinates(s.position, found.extents) != found.indices:
        return None
    return found if len(set(found.indices)) == len(found.indices) else None


def coordinates(position: Expr, extents: Sequence[int]) -> tuple[Expr, ...] | None:
    """The digits of a position in the radices of some extents, the first one outermost; None if it is not written so.

    >>> from pellucid.ir.parse import parse_expr
    >>> coordinates(parse_expr("(%y * 6 + (%x + 1)) * 3 + %c")[0], (4, 6, 3))
    (%y, %x + 1, %c)
    """
    found: list[Expr] = []
    for extent in reversed(extents[1:]):
        if position.op != "add":
            return None
        rest, last = position.args
        if rest.op != "mul" or rest.args[1].op != "const" or rest.args[1].attr != extent:
            return None
        found.append(last)
        position = rest.args[0]
    return (position, *reversed(found))


def position(point: Sequence[Expr], extents: Sequence[int]) -> Expr:
    """The position of a point, the last axis closest: what `coordinates` takes apart."""
    found = point[0]
    for x, n in zip(point[1:], extents[1:], strict=True):
        found = apply("add", apply("mul", found, const(n, x.type)), x)
    return found


def within(point: Sequence[Expr], extents: Sequence[int], facts: FactsOf) -> bool:
    """Whether every coordinate is surely one of its axis."""
    return all(facts(x).within(0, n - 1) for x, n in zip(point, extents, strict=True))


def ranges_of(body: Block, ranges: Mapping[Expr, Facts]) -> FactsOf:
    """The facts of every loop index wherever it occurs in a block, in whichever of the loops that share it.

    What is known from outside of an index goes without asking its loops.
    """
    found: dict[Expr, Facts] = {}
    _find_indices(body, FactsOf(ranges), ranges, found)
    return FactsOf({**found, **ranges})


def _find_indices(
    block: Block, facts: FactsOf, ranges: Mapping[Expr, Facts], found: dict[Expr, Facts]
) -> None:
    for s in block:
        inner = facts
        if isinstance(s, For):
            lo, hi = facts(s.lo), facts(s.hi)
            own = Facts(lo.lo, max(lo.lo, hi.hi - 1))
            found[s.index] = found[s.index].union(own) if s.index in found else own
            # A memo of its own: of an index that other loops have as well, something else was inferred there.
            inner = FactsOf({**ranges, **found, s.index: own})
        for b in blocks(s):
            _find_indices(b, inner, ranges, found)


def peeled(body: Block) -> tuple[list[Alloc], Block]:
    """The scratch memory around a whole program, outermost first, and the program inside of it."""
    around: list[Alloc] = []
    while len(body) == 1 and isinstance(body[0], Alloc):
        around.append(body[0])
        body = body[0].body
    return around, body


def wrapped(
    around: Sequence[Alloc], body: Block, gone: set[Buffer] | frozenset[Buffer] = frozenset()
) -> Block:
    """A program inside of scratch memory, less the arrays that are gone."""
    for a in reversed(around):
        body = allocated({b: n for b, n in a.sizes.items() if b not in gone}, body)
    return body


def allocated(sizes: Mapping[Buffer, Expr], body: Block) -> Block:
    """A block inside of scratch memory, if there is any."""
    return (Alloc(sizes, body),) if sizes else body


def touching(around: Alloc, path: Path, buffer: Buffer) -> list[tuple[Path, Statement]]:
    """The statements in the body of scratch memory that load from an array or store to it, each with its path."""
    found: list[tuple[Path, Statement]] = []
    stack = [(path, around.body)]
    while stack:
        outer, block = stack.pop()
        for s in _users(block).get(buffer, ()):
            for k in [block.index(s)] if block.count(s) == 1 else [k for k, x in enumerate(block) if x is s]:
                here = (*outer, (0, k))
                if isinstance(s, Alloc):
                    stack.append((here, s.body))
                else:
                    found.append((here, s))
    return found


@lru_cache(maxsize=1 << 14)
def used(statement: Statement) -> frozenset[Buffer]:
    """The buffers that a statement loads from or stores to."""
    return frozenset(stored((statement,)) | loaded((statement,)))


_users = Census[Statement](lambda s: ((b, s) for b in used(s)))


def index_facts(kernel: Kernel, ranges: Mapping[Expr, Facts]) -> dict[Expr, Facts]:
    """The facts of parameters, and of every index in its loops: of one that several loops have, in all of them."""
    return ranges_of(kernel.body, ranges).known
