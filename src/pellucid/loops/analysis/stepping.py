"""Stepping: the iterations in the values of a loop that differ along it, and the loops that make their steps together.

For `lockstep`. An element whose iteration has ended keeps its state, by a mask; the turns are counted once for all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import NamedTuple

from ...ir import expr as E
from ...ir import types as T
from ...ir.bits import states_in
from ...ir.expr import Buffer, Expr, const, parts, substitute, topological
from ...ir.nest import SEQ, Alloc, Block, For, Kernel, Statement, Store, While, all_roots
from ..core.build import fresh_buffer, with_values

FIRST = const(0, T.i32)


class Stepping(NamedTuple):
    """An iteration that differs along a loop, and when it is `wanted`; `even` if it ends for all indices at once."""

    node: Expr
    wanted: Expr
    even: bool

    @classmethod
    def of(cls, s: Statement | None) -> Stepping | None:
        """The first iteration that differs along a loop of stores, and belongs to the step of no other one."""
        if not isinstance(s, For) or s.how != SEQ or not all(isinstance(x, Store) for x in s.body):
            return None
        roots, along = all_roots(s.body), s.index.free
        for node in topological(roots):
            if node.op == "iterate" and node.free & along and not states_in(node.free):
                _, _, stop, limit = parts(node)
                even = stop is E.FALSE and not limit.free & along
                return cls(node, E.TRUE if even else _wanted(node, roots), even)
        return None

    def at(self, values: Mapping[Expr, Expr]) -> Stepping:
        """The same, with nodes replaced by values."""
        node, wanted = substitute([self.node, self.wanted], dict(values))
        return Stepping(node, wanted, self.even)


def _wanted(node: Expr, roots: Sequence[Expr]) -> Expr:
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


class _Arrays:
    """The arrays of a block, with an element for each lane; truths are words in them.

    A C compiler makes whole vectors of a loop whose arrays have elements of one size.
    """

    def __init__(self, kernel: Kernel, lane: Expr, size: int, bits: int) -> None:
        self.kernel, self.lane, self.size = kernel, lane, size
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

    def copy(self, to: Iterable[Buffer], arrays: Iterable[Buffer]) -> Block:
        """The elements of arrays copied to others."""
        return tuple(Store(b, self.lane, E.load(a, self.lane)) for b, a in zip(to, arrays, strict=True))


def together(kernel: Kernel, loop: For, found: Stepping, size: int) -> Alloc:
    """The arrays, and the loops over them, for a loop of at most so many iterations from 0 on."""
    init, step, stop, limit = parts(found.node)
    arrays = _Arrays(kernel, loop.index, size, init[0].type.bits)
    now = [arrays.new("state", a.type) for a in init]
    then = [arrays.new("following", a.type) for a in init]
    turn = arrays.new("turn", T.i32, 1)
    turns = E.load(turn, FIRST)
    values = [arrays.load(b, a.type) for b, a in zip(now, init, strict=True)]
    depth = found.node.attr[0]
    states = {E.state(depth, k, v.type): v for k, v in enumerate(values)}
    *step, stop = substitute([*step, stop], states)
    fills, steps = [*map(arrays.store, now, init)], [*map(arrays.store, then, step)]
    again = E.apply("lt", turns, limit)
    if not found.even:
        going, moving = arrays.new("going", T.boolean), arrays.new("moving", T.boolean)
        moves = E.apply("and", E.apply("and", arrays.load(going, T.boolean), again), E.apply("not", stop))
        held = [(b, arrays.held(a), E.load(c, loop.index)) for b, a, c in zip(then, step, now, strict=True)]
        steps = [Store(b, loop.index, E.apply("choose", moves, a, c)) for b, a, c in held]
        fills.append(arrays.store(going, found.wanted))
        steps.append(arrays.store(moving, moves))
        now, then = [*now, going], [*then, moving]
        elements = [E.load(going, const(k, loop.index.type)) for k in range(size)]
        again = E.apply("ne", reduce(lambda a, b: E.apply("or", a, b), elements), arrays.no)
    # Lanes beyond the end of the loop make steps as well: loops of a fixed length make the quickest vectors.
    whole = replace(loop, hi=const(size, loop.index.type))
    clear = tuple(Store(b, loop.index, const(0, b.type)) for b in now)
    advance = Store(turn, FIRST, E.apply("add", turns, const(1, T.i32)))
    results = {E.get(found.node, k): value for k, value in enumerate(values)}
    body: Block = (
        replace(whole, body=clear),
        replace(loop, body=tuple(fills)),
        Store(turn, FIRST, FIRST),
        While(
            again, (replace(whole, body=tuple(steps)), replace(whole, body=arrays.copy(now, then)), advance)
        ),
        replace(loop, body=with_values(loop.body, results)),
    )
    return Alloc(dict(arrays.made), body)
