"""What statements set and use, and when two of them may change places (White, sections 3.2, 3.8, 3.9, 4.1).

The accesses here are syntactic, White's `livar` and `ivar`: a variable that is set and put back counts as set, for
with the semantic sets his Theorem 4.1.4 is false. An access knows the loops around it inside the statement that was
asked about, whose indices take many values while the statement runs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..ir.expr import Buffer, Expr, topological
from ..ir.nest import Alloc, Block, For, Store, all_roots, blocks, roots, walk
from .infer import FactsOf
from .prove import Proved, Refuted, Unknown, Verdict, both, decided


@dataclass(frozen=True, slots=True)
class Access:
    """An element that is loaded or stored: the buffer, the position, and the loops around it in the statement."""

    buffer: Buffer
    position: Expr
    scope: tuple[For, ...] = ()
    store: bool = False

    def __str__(self) -> str:
        """As written in text."""
        return f"{self.buffer.name}[{self.position!r}]"


@dataclass(frozen=True, slots=True)
class Effects:
    """What a statement sets and uses: the elements stored to, and the elements loaded from."""

    sets: tuple[Access, ...]
    uses: tuple[Access, ...]


def loads(roots_: Iterable[Expr], scope: tuple[For, ...] = ()) -> list[Access]:
    """The elements that expressions load."""
    return [Access(n.attr, n.args[0], scope) for n in topological(roots_) if n.op == "load"]


def effects(block: Block) -> Effects:
    r"""What a block sets and uses; scratch memory of its own is left out.

    >>> from pellucid.ir.parse import parse_nest
    >>> text = "kernel k():\n  output a: i32[9]\n  input b: i32[9]\n  for i in 0 .. 9:\n    a[i] := b[i + 1]\n"
    >>> found = effects(parse_nest(text).body)
    >>> print(*found.sets, *found.uses)
    a[%i] b[%i + 1]
    """
    sets: list[Access] = []
    uses: list[Access] = []
    own: set[Buffer] = set()

    def visit(inner: Block, scope: tuple[For, ...]) -> None:
        for s in inner:
            uses.extend(loads(roots(s), scope))
            if isinstance(s, Store):
                sets.append(Access(s.buffer, s.position, scope, store=True))
            elif isinstance(s, Alloc):
                own.add(s.buffer)
            for b in blocks(s):
                visit(b, (*scope, s) if isinstance(s, For) else scope)

    visit(block, ())
    return Effects(
        tuple(dict.fromkeys(a for a in sets if a.buffer not in own)),
        tuple(dict.fromkeys(a for a in uses if a.buffer not in own)),
    )


def stored(block: Block) -> set[Buffer]:
    """The buffers that a block stores to."""
    return {s.buffer for s in walk(block) if isinstance(s, Store)}


def loaded(block: Block) -> set[Buffer]:
    """The buffers that a block loads from."""
    return {n.attr for n in topological(all_roots(block)) if n.op == "load"}


def reads_own_stores(block: Block) -> set[Buffer]:
    """The buffers that a block both loads from and stores to."""
    return stored(block) & loaded(block)


def separate(a: Access, b: Access, facts: FactsOf) -> Verdict:
    """Whether two accesses always are different elements (White 3.2.3); distinct buffers are distinct memory."""
    premise = f"{a} and {b} are always separate"
    if a.buffer is not b.buffer:
        return Proved(f"{a.buffer.name} and {b.buffer.name} are distinct memory")
    if a.position is b.position and not (a.scope or b.scope):
        return Refuted(premise, "they are the same element")
    p, q = facts(a.position), facts(b.position)
    if p.exact and q.exact and p.lo >= 0 and q.lo >= 0 and p.lo != q.lo and (a.store and b.store):
        return Proved(f"{p.lo} is not {q.lo}")
    return Unknown(premise, f"whether {a.position!r} and {b.position!r} can be equal")


def self_referencing(store: Store) -> bool:
    """Whether a store's position loads from the very buffer that it stores to (not so: White 3.2.4)."""
    return any(n.op == "load" and n.attr is store.buffer for n in topological([store.position]))


def location_independent(position: Expr, of: Buffer) -> bool:
    """Whether a position does not depend on what is stored in a buffer (White 3.2.5)."""
    return not any(n.op == "load" and n.attr is of for n in topological([position]))


def interchangeable(first: Block, second: Block, facts: FactsOf) -> Verdict:
    """Whether two blocks may change places: neither sets what the other sets or uses (White 4.1.2)."""
    a, b = effects(first), effects(second)
    pairs = [(x, y) for x in a.sets for y in (*b.sets, *b.uses)] + [(x, y) for x in b.sets for y in a.uses]
    return both(*(separate(x, y, facts) for x, y in pairs)) if pairs else Proved("neither sets anything")


def untouched(expressions: Iterable[Expr], block: Block) -> Verdict:
    """Whether a block stores to no buffer that the expressions load from."""
    names = sorted(
        b.name for b in {n.attr for n in topological(expressions) if n.op == "load"} & stored(block)
    )
    return decided(not names, "their memory stays as it is", f"it stores to {', '.join(names)}")
