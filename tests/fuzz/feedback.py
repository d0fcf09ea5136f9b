"""Random nests whose bounds, conditions and positions load what their bodies store: for fuzzers of back ends.

Code that keeps a value in a register must know when it is old. Here nearly everything is read from two or three small
buffers, and nearly every statement stores to one of them.
"""

from __future__ import annotations

import random

from tests.fuzz.maker import BUFFERS, Maker, const

from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer, Expr


class Feedback(Maker):
    """Writes statements over few integer buffers, so that each meets what the others store."""

    def __init__(self, rng: random.Random) -> None:
        """Start with no loops around, over one to three buffers of integers."""
        super().__init__(rng, (stored_bound, stored_condition, stored_iteration, stored_position))
        self.buffers = rng.sample(
            [b for b in BUFFERS if b.type in (T.i32, T.i64, T.u8)], rng.choice((1, 2, 2, 3))
        )

    def targets(self) -> list[Buffer]:
        """The memory that may be stored to."""
        return [b for b in self.buffers if b not in self.locked] or [self.buffers[0]]

    def number(self) -> Expr:
        """A loaded i32, perhaps with something added."""
        found = self.converted(self.load(self.rng.choice(self.buffers)), T.i32)
        if self.coin(0.4):
            found = E.apply(self.rng.choice(("add", "sub", "mul")), found, self.leaf(T.i32))
        return found

    def shared(self, e: Expr) -> N.Store:
        """A store of a value to where it was loaded from, or nearby, changed a little."""
        loads = [n for n in E.topological([e]) if n.op == "load" and n.attr not in self.locked]
        if not loads or self.coin(0.2):
            return self.store()
        node = self.rng.choice(loads)
        more = self.rng.choice((node, self.converted(e, node.type), self.leaf(node.type)))
        other = self.rng.choice((const(1, node.type), const(9, node.type), self.leaf(node.type)))
        op = self.rng.choice(("add", "mul", "sub", "min"))
        position = node.args[0] if not node.args[0].free & ~self.scope() else self.position(node.attr)
        return N.Store(node.attr, position, E.apply(op, more, other))

    def scope(self) -> int:
        """The bits of the indices of the loops around."""
        return sum(i.free for i in self.indices)


def stored_bound(m: Maker) -> N.Block:
    """A loop whose body stores to what its bounds load, and uses the bounds again."""
    assert isinstance(m, Feedback)
    number = m.number()
    trips = m.rng.choice((2, 3, 4))
    if m.coin(0.6):
        lo, hi = const(0), E.apply("min", number, const(trips))
    else:
        lo, hi = number, E.apply("add", number, const(trips))

    def body() -> N.Block:
        again = m.rng.choice((hi, lo, number, m.number()))
        first = m.shared(again)
        return (
            first,
            *(m.statements(1) if m.coin(0.4) else ()),
            *((m.shared(again),) if m.coin(0.4) else ()),
        )

    return (m.over(m.fresh(), lo, hi, T.i32, body), *((m.shared(hi),) if m.coin(0.3) else ()))


def stored_condition(m: Maker) -> N.Block:
    """A branch whose arms store to what its condition loads, and use the condition again."""
    assert isinstance(m, Feedback)
    number = m.number()
    condition = E.apply(m.rng.choice(("lt", "le", "eq", "ne")), *m.shuffled(number, m.leaf(T.i32)))
    arms = tuple((m.shared(number), *((m.shared(number),) if m.coin(0.5) else ())) for _ in range(2))
    inner = N.If(condition, arms[0], arms[1] if m.coin(0.5) else ())
    after = N.If(condition, (m.shared(number),)) if m.coin(0.5) else m.shared(number)
    return (inner, after)


def stored_iteration(m: Maker) -> N.Block:
    """Stores of an iteration that loads, in its start, steps, test and limit, what is stored before and after it."""
    assert isinstance(m, Feedback)
    number, other = m.number(), m.number()
    depth = E.next_depth(number, other)
    state = E.state(depth, 0, T.i32)
    step = E.apply(m.rng.choice(("add", "mul", "sub")), state, m.rng.choice((other, number)))
    stop = E.apply("lt", *m.shuffled(state, m.rng.choice((other, const(3)))))
    limit = E.apply("min", m.rng.choice((number, other)), const(3))
    made = E.iterate((m.rng.choice((number, other)),), (step,), stop, limit, depth)[0]

    def put() -> N.Store:
        to = m.rng.choice(m.targets())
        return N.Store(to, m.position(to), m.converted(made, to.type))

    return (put(), *((m.shared(number),) if m.coin(0.7) else ()), put())


def stored_position(m: Maker) -> N.Block:
    """Stores to a position that is loaded from memory that they change."""
    assert isinstance(m, Feedback)
    position = m.number()
    to = m.rng.choice(m.targets())
    one = N.Store(to, position, m.converted(E.apply("add", position, m.leaf(T.i32)), to.type))
    return (one, m.shared(position), N.Store(to, position, m.value(to.type, 1)))


def feedback(rng: random.Random) -> N.Block:
    """The statements of a program."""
    m = Feedback(rng)
    return m.block(rng.choice((1, 2, 2, 3)))
