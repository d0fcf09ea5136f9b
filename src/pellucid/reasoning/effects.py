"""What statements set and use, and when two of them may change places (White, sections 3.2, 3.8, 3.9, 4.1).

The accesses here are syntactic, White's `livar` and `ivar`: a variable that is set and put back counts as set, for
with the semantic sets her Theorem 4.1.4 is false. An access knows the loops around it inside the statement that was
asked about, whose indices take many values while the statement runs.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable

from ..base.record import record
from ..ir.expr import Buffer, Expr, topological
from ..ir.nest import Alloc, Block, For, If, Store, all_roots, blocks, roots, walk
from ..ir.text import Printer
from .prove import Proved, Verdict, decided


@record
class Guard:
    """A condition that is true here, or one that is false."""

    condition: Expr
    truth: bool


@record
class Access:
    """An element that is loaded or stored: the buffer and the position.

    `scope` are the loops around it in the statement that was asked about, and `guards` the conditions under which it
    is made there, outer first.
    """

    buffer: Buffer
    position: Expr
    scope: tuple[For, ...] = ()
    store: bool = False
    guards: tuple[Guard, ...] = ()

    def __str__(self) -> str:
        """As written in text."""
        return f"{self.buffer.name}[{shown(self.position)}]"


@record
class StatementEffects:
    """The effects of a statement: the elements stored to, and the elements loaded from."""

    sets: tuple[Access, ...]
    uses: tuple[Access, ...]


def loads(
    roots_: Iterable[Expr], scope: tuple[For, ...] = (), guards: tuple[Guard, ...] = ()
) -> list[Access]:
    """The elements that expressions load."""
    return [Access(n.attr, n.args[0], scope, guards=guards) for n in topological(roots_) if n.op == "load"]


class Below:
    """The loads below any of some expressions, in order: one walk for all of them, in which sets are bits."""

    __slots__ = ("loads", "masks")

    def __init__(self, roots_: Iterable[Expr]) -> None:
        self.loads: list[Expr] = []
        self.masks: dict[Expr, int] = {}
        masks = self.masks
        for n in topological(roots_):
            mask = 0
            for a in n.args:
                mask |= masks[a]
            if n.op == "load":
                mask |= 1 << len(self.loads)
                self.loads.append(n)
            masks[n] = mask

    def __call__(self, expressions: Iterable[Expr]) -> list[Expr]:
        """The loads below some of the expressions."""
        mask = 0
        for n in expressions:
            mask |= self.masks[n]
        found: list[Expr] = []
        while mask:
            lowest = mask & -mask
            found.append(self.loads[lowest.bit_length() - 1])
            mask ^= lowest
        return found


def effects(block: Block) -> StatementEffects:
    r"""The elements that a block sets and uses, without those of its own scratch memory.

    >>> from pellucid.ir.parse import parse_nest
    >>> text = "kernel k():\n  output a: i32[9]\n  input b: i32[9]\n  for i in 0 .. 9:\n    a[i] := b[i + 1]\n"
    >>> found = effects(parse_nest(text).body)
    >>> print(*found.sets, *found.uses)
    a[i] b[i + 1]
    """
    found = _Found([], [], set(), Below(all_roots(block)))
    found.visit(block, (), ())
    return StatementEffects(
        tuple(dict.fromkeys(a for a in found.sets if a.buffer not in found.own)),
        tuple(dict.fromkeys(a for a in found.uses if a.buffer not in found.own)),
    )


@record
class _Found:
    """The accesses found so far, the scratch memory of the block's own, and the loads below its expressions."""

    sets: list[Access]
    uses: list[Access]
    own: set[Buffer]
    below: Below

    def visit(self, inner: Block, scope: tuple[For, ...], guards: tuple[Guard, ...]) -> None:
        for s in inner:
            self.uses.extend([Access(n.attr, n.args[0], scope, guards=guards) for n in self.below(roots(s))])
            match s:
                case Store(buffer, position):
                    self.sets.append(Access(buffer, position, scope, store=True, guards=guards))
                case For():
                    self.visit(s.body, (*scope, s), guards)
                case If(condition, then, orelse, selects):
                    # A condition tells nothing of a branch that changes what it is about.
                    telling = not selects and isinstance(untouched([condition], (s,)), Proved)
                    self.visit(then, scope, (*guards, Guard(condition, True)) if telling else guards)
                    self.visit(orelse, scope, (*guards, Guard(condition, False)) if telling else guards)
                case Alloc(sizes, body):
                    self.own.update(sizes)
                    self.visit(body, scope, guards)
                case _:
                    for b in blocks(s):
                        self.visit(b, scope, guards)


def by_buffer(accesses: Iterable[Access]) -> dict[Buffer, list[Access]]:
    """Accesses in the order given, each with others to the same array."""
    found: dict[Buffer, list[Access]] = {}
    for a in accesses:
        found.setdefault(a.buffer, []).append(a)
    return found


@functools.lru_cache(maxsize=1024)
def shown(node: Expr) -> str:
    """An expression as in text, with the indices and sizes by their plain names.

    >>> from pellucid.ir.parse import parse_expr
    >>> shown(parse_expr("%i * $w:i32 + 1")[0])
    'i * w + 1'
    """
    printer = Printer()
    printer.declared.update(n for n in topological([node]) if n.op in ("index", "param"))
    return printer.show(node)


def stored(block: Block) -> set[Buffer]:
    """The buffers that a block stores to."""
    return {s.buffer for s in walk(block) if isinstance(s, Store)}


def loaded(block: Block) -> set[Buffer]:
    """The buffers that a block loads from."""
    return {n.attr for n in topological(all_roots(block)) if n.op == "load"}


def reads_own_stores(block: Block) -> set[Buffer]:
    """The buffers that a block both loads from and stores to."""
    return stored(block) & loaded(block)


def untouched(expressions: Iterable[Expr], block: Block) -> Verdict:
    """Whether a block stores to no buffer that the expressions load from."""
    names = sorted(
        b.name for b in {n.attr for n in topological(expressions) if n.op == "load"} & stored(block)
    )
    return decided(not names, "their memory stays as it is", f"it stores to {', '.join(names)}")
