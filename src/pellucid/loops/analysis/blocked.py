"""Blocked loops: a loop cut into blocks whose iterations are counted from 0, and arrays with an element for each.

For the moves that compute something for a whole block at once, `lockstep` and `skip_arm`, with the clauses they share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from types import MappingProxyType
from typing import NamedTuple

from ...ir import expr as E
from ...ir import types as T
from ...ir.expr import Buffer, Expr, const, substitute, topological
from ...ir.facts import Facts, exactly
from ...ir.nest import SEQ, Block, For, Kernel, Statement, Store, all_roots
from ...ir.path import Path, at, replace_at
from ...ir.prim import row
from ...reasoning.effects import loaded, stored
from ...reasoning.infer import FactsOf
from ...reasoning.prove import Verdict, decided
from ..core.build import fresh_buffer, fresh_index, with_values
from ..core.elements import index_facts
from ..core.move import Applied
from ..core.theorem import Clause, Site
from .bounds import loop_at
from .strips import strips


class Blocked(NamedTuple):
    """The statement for a block, and loads of its arrays that give these values, or zero."""

    statement: Statement
    held: Mapping[Expr, Expr] = MappingProxyType({})


Make = Callable[[Kernel, For, Mapping[Expr, Expr], int], Blocked]
"""Makes a block: of the program, a loop of at most so many iterations from 0 on, and the values that nodes of the whole
loop have in it."""


def _memory_unchanged(site: Site) -> Verdict:
    body = loop_at(site).body
    both = next((b.name for b in stored(body) if b in loaded(body)), "")
    return decided(not both, "what the loop loads stays", f"it stores to {both}")


MEMORY_UNCHANGED = Clause("memory-unchanged", "the loop stores to nothing that it loads", _memory_unchanged)


def plain_loop(s: Statement | None) -> For | None:
    """A loop that runs in order, and stores and does nothing else; None for other statements."""
    if isinstance(s, For) and s.how == SEQ and all(isinstance(x, Store) for x in s.body):
        return s
    return None


def in_domain(apply: Callable[..., Applied]) -> Clause:
    """The clause that all partial operators are still proved to be in their domain after the move of `apply`."""

    def test(site: Site) -> Verdict:
        applied = apply(site.kernel, site.path, ranges=site.ranges, **site.options)
        new = applied.kernel
        facts = FactsOf({**index_facts(new, site.ranges), **applied.known})
        beyond = ""
        for n in topological(all_roots((at(new.body, site.path),))):
            prim = None if n.op in E.STRUCTURAL else row(n.op)
            if prim is not None and prim.domain is not None:
                types = tuple(a.type for a in n.args)
                beyond = beyond if prim.proved(n.type, types, [facts(a) for a in n.args]) else n.op
        return decided(not beyond, "operators stay in their domains", f"{beyond} is not known to")

    text = "partial operators are in their domain up to the end of the last block"
    return Clause("in-domain", text, test)


def in_blocks(
    kernel: Kernel, path: Path, size: int, make: Make, ranges: Mapping[Expr, Facts] | None = None
) -> Applied:
    """The program with a loop as a loop over blocks of it; unless it is a block already, and only that is made.

    `ranges` tell of values, and so of what is loaded in their place. What they tell of values that change along the
    loop holds of its iterations: if there is such, elements behind the last iteration compute the same as it.
    """
    loop, ranges = at(kernel.body, path), ranges or {}
    assert isinstance(loop, For)  # noqa: S101 - checked
    told: dict[Expr, Facts] = {}
    if _is_block(loop, size):
        made, held = make(kernel, loop, {}, size)
    else:
        outer, inner = strips(kernel, loop, size)
        type_ = loop.index.type
        lane = fresh_index(kernel, f"{loop.index.attr}_lane", type_)
        count = E.apply("min", E.apply("sub", loop.hi, inner.lo), const(size, type_))
        along = [n for n in topological(all_roots(loop.body)) if n.free & loop.index.free]
        known = [n for n in along if n.args and n in ranges]
        element = E.apply("min", lane, E.apply("sub", count, const(1, type_))) if known else lane
        here = {loop.index: E.apply("add", inner.lo, element)}
        told = dict(zip(substitute(known, here), map(ranges.__getitem__, known), strict=True))
        body = with_values(tuple(_from(s, loop.index, inner.lo, lane) for s in loop.body), here)
        block, held = make(kernel, For(lane, const(0, type_), count, body), here, size)
        made = replace(outer, body=(block,))
    new = replace(kernel, body=replace_at(kernel.body, path, (made,)))
    facts = FactsOf({**index_facts(new, ranges), **told})
    told |= {load: facts(value).union(exactly(value.type, 0)) for load, value in held.items()}
    return Applied(new, known=told)


def _is_block(loop: For, size: int) -> bool:
    """Whether a loop starts at 0 and is at most so long, as the loops over blocks are."""
    ends = loop.hi.args if loop.hi.op == "min" else (loop.hi,)
    return loop.lo is const(0, loop.index.type) and any(a.op == "const" and a.attr <= size for a in ends)


def _from(s: Statement, index: Expr, begin: Expr, lane: Expr) -> Statement:
    """A store along the index as one along the lanes of the block that begins there."""
    assert isinstance(s, Store)  # noqa: S101 - checked
    if s.position.op != "add" or index not in s.position.args:
        return s
    one, other = s.position.args
    rest = other if one is index else one
    return replace(s, position=E.apply("add", E.apply("add", rest, begin), lane))


class LaneArrays:
    """Arrays with an element for each iteration of a block; truths are words in them.

    A C compiler makes whole vectors of a loop whose arrays have elements of one size.
    """

    def __init__(self, kernel: Kernel, loop: For, size: int, bits: int) -> None:
        self.kernel, self.loop, self.lane, self.size = kernel, loop, loop.index, size
        self.word = T.i64 if bits == 64 else T.i32
        self.no, self.yes = const(0, self.word), const(1, self.word)
        self.made: dict[Buffer, Expr] = {}

    def new(self, name: str, type_: T.Type, size: int = 0) -> Buffer:
        """A new array, of elements for values of a type."""
        around = replace(self.kernel, outputs=(*self.kernel.outputs, *self.made))
        array = fresh_buffer(around, name, self.word if type_ is T.boolean else type_, size or self.size)
        self.made[array] = const(array.size, T.i32)
        return array

    def held(self, value: Expr) -> Expr:
        """A value as an element."""
        if value.op == "const" and value.type is T.boolean:
            return self.yes if value.attr else self.no
        return E.apply("choose", value, self.yes, self.no) if value.type is T.boolean else value

    def store(self, array: Buffer, value: Expr) -> Store:
        """The store of a value to the element of its lane."""
        return Store(array, self.lane, self.held(value))

    def load(self, array: Buffer, type_: T.Type) -> Expr:
        """The value of a type in the element of its lane."""
        element = E.load(array, self.lane)
        return E.apply("ne", element, self.no) if type_ is T.boolean else element

    def any(self, mask: Buffer) -> Expr:
        """Whether some element of an array of truths is true, which nothing else loads.

        Where clang knows an element already, it makes no vectors of a loop that loads all of them.
        """
        words = [E.load(mask, const(k, self.lane.type)) for k in range(self.size)]
        return E.apply("ne", reduce(lambda a, b: E.apply("or", a, b), words), self.no)

    def each(self, stores: Iterable[Statement]) -> For:
        """The loop over the iterations of the block."""
        return replace(self.loop, body=tuple(stores))

    def whole(self, stores: Iterable[Statement]) -> For:
        """The loop over all elements, also beyond the end: loops of a fixed length make the quickest vectors."""
        return replace(self.loop, hi=const(self.size, self.lane.type), body=tuple(stores))

    def clear(self, arrays: Sequence[Buffer]) -> For:
        """The loop that makes all elements of arrays zero."""
        return self.whole(Store(b, self.lane, const(0, b.type)) for b in arrays)

    def copy(self, to: Sequence[Buffer], arrays: Sequence[Buffer]) -> Block:
        """The stores that copy the elements of arrays to others."""
        return tuple(Store(b, self.lane, E.load(a, self.lane)) for b, a in zip(to, arrays, strict=True))


def wanted(node: Expr, roots: Sequence[Expr]) -> Expr:
    """A condition without iterations that holds wherever a node's value is wanted, by the choices around it."""
    when = dict.fromkeys(roots, E.TRUE)
    for user in reversed(topological(roots)):
        here = when[user]
        for k, a in enumerate(user.args):
            test = here
            if user.op == "choose" and k and not user.args[0].holds & E.ITERATIONS:
                side = user.args[0] if k == 1 else E.apply("not", user.args[0])
                test = side if here is E.TRUE else E.apply("and", here, side)
            known = when.setdefault(a, test)
            if known is not test:
                when[a] = E.TRUE if E.TRUE in (known, test) else E.apply("or", known, test)
    return when[node]
