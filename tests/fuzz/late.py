"""Random nests of dear values that are wanted seldom, and in several places: for fuzzers of back ends.

Iterations stand within iterations that may end at once, so that placement defers what they need; several loops and
branches need the same, and some of it, or a part of it, is known by then.
"""

from __future__ import annotations

import random

from tests.fuzz.maker import ARRAYS, COUNT, Maker, const

from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.expr import Expr


class Late(Maker):
    """Writes loops over one index, whose stores share a few iterations."""

    def __init__(self, rng: random.Random) -> None:
        """Make the pairs that start the iterations, and the dear ones."""
        super().__init__(rng, ())
        self.indices.append(E.index("i"))
        self.pairs = [self.pair() for _ in range(rng.choice((1, 1, 2)))]
        self.dear = [self.long() for _ in range(rng.choice((1, 2, 3)))]
        self.wanting = [self.around() for _ in range(rng.choice((1, 2, 3)))]

    def pair(self) -> tuple[Expr, ...]:
        """An integer and a number, made by one iteration."""
        init = self.value(T.i32, 1), self.value(T.f32, 1)
        depth = E.next_depth(*init)
        a, b = E.state(depth, 0, T.i32), E.state(depth, 1, T.f32)
        step = E.apply("add", a, const(1)), self.rng.choice((b, E.apply("mul", b, const(0.5, T.f32))))
        limit = self.rng.choice((const(self.rng.randrange(4)), COUNT))
        return E.iterate(init, step, E.apply("lt", *self.shuffled(a, const(9))), limit, depth)

    def long(self) -> Expr:
        """A number that takes long to compute, from the part of a pair."""
        start = self.rng.choice([b for _, b in self.pairs])
        depth = E.next_depth(start)
        state = E.state(depth, 0, T.f32)
        step = E.apply("add", E.apply("mul", state, const(0.5, T.f32)), self.rng.choice((state, start)))
        stop = E.apply("lt", self.rng.choice((state, start)), const(self.rng.choice((0.0, -99.0)), T.f32))
        limit = self.rng.choice(
            (const(9), const(40), E.apply("min", self.rng.choice(self.pairs)[0], const(8)))
        )
        made = E.iterate((start,), (step,), stop, limit, depth)[0]
        return self.rng.choice((made, E.apply("sqrt", made)))

    def around(self) -> Expr:
        """A number made by an iteration, which may end at once, and whose steps want what takes long."""
        first, dear = self.rng.choice(self.pairs), self.rng.choice(self.dear)
        depth = E.next_depth(dear, *first)
        state = E.state(depth, 0, T.f32)
        seldom = self.rng.choice(
            (dear, E.apply("choose", E.apply("lt", state, const(1.0, T.f32)), dear, const(0.5, T.f32)))
        )
        step = E.apply("add", E.apply("mul", state, const(0.5, T.f32)), seldom)
        stop = E.apply("lt", self.rng.choice((state, step)), const(self.rng.choice((-99.0, 0.0)), T.f32))
        limit = E.apply("min", self.rng.choice((first[0], self.indices[0], COUNT)), const(3))
        return E.iterate((const(0.0, T.f32),), (step,), stop, limit, depth)[0]

    def put(self) -> N.Statement:
        """A store that wants a value, in a branch mostly."""
        to = self.rng.choice(ARRAYS)
        value = self.rng.choice((*self.wanting, *self.wanting, self.dear[0], self.pairs[0][1]))
        store = N.Store(to, self.rng.choice(self.indices), self.converted(value, to.type))
        return store if self.coin(0.3) else N.If(self.truth(1), (store,))

    def loop(self, size: int) -> N.For:
        """A loop over the index; some have one inside."""
        body = [self.put() for _ in range(size)]
        if self.coin(0.2):
            self.indices.append(E.index("j"))
            body.append(N.For(self.indices[-1], const(0), self.rng.choice((const(3), COUNT)), (self.put(),)))
            self.indices.pop()
            body.append(self.put())
        return N.For(self.indices[0], const(0), self.rng.choice((const(4), COUNT)), tuple(body))


def late(rng: random.Random) -> N.Block:
    """The statements of a program: one loop after the other.

    >>> [type(s).__name__ for s in late(random.Random(1))][:1]
    ['For']
    """
    m = Late(rng)
    return tuple(m.loop(rng.choice((1, 2, 2))) for _ in range(rng.choice((1, 2, 3))))
