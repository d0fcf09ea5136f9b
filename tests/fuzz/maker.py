"""Writes random expressions and statements of nests: the free grammar of `nests`.

A `Maker` knows the loops around, which of their indices stay small, and the memory that there is. It is given its
*motifs*, fragments of more than one statement, by `motifs`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer, Expr

COUNT, STEP, WILD = E.param("n", T.i32), E.param("m", T.i32), E.param("w", T.i32)
"""Parameters: two with ranges that callers promise, one that may be anything."""
SCALARS = (Buffer("x", T.i32, 1), Buffer("y", T.i64, 1), Buffer("z", T.f32, 1))
ARRAYS = (
    Buffer("a", T.i32, 7),
    Buffer("b", T.i32, 6),
    Buffer("c", T.i64, 6),
    Buffer("h", T.u8, 6),
    Buffer("f", T.f32, 7),
    Buffer("d", T.f64, 4),
)
BUFFERS = (*SCALARS, *ARRAYS)
X, A, B, C, H, F = SCALARS[0], *ARRAYS[:5]
MAX_DEPTH = 3
"""Loops and branches within one another, at most."""
MAX_TRIPS = 5
"""Iterations of a loop, at most: programs are interpreted thousands of times."""


def const(value: float, type_: T.Type = T.i32) -> Expr:
    """A constant, of type i32 if not said otherwise."""
    return E.const(value, type_)


class Maker:
    """Writes random expressions and statements.

    `indices` are those of the loops around, with those among them that stay small in `small`; `scratch` holds the
    arrays of the allocations around, and `locked` the memory that may not be stored to where the maker is.
    """

    def __init__(self, rng: random.Random, motifs: Sequence[Motif]) -> None:
        """Start with no loops around, over a random choice of the buffers."""
        self.rng, self.motifs, self.names = rng, motifs, 0
        count = rng.choice((2, 3, 3, 4, 5, len(BUFFERS)))
        self.buffers: list[Buffer] = rng.sample(BUFFERS, count)
        if not any(b.type is T.i32 for b in self.buffers):
            self.buffers.append(A)
        self.indices: list[Expr] = []
        self.small: set[Expr] = set()
        self.locked: set[Buffer] = set()

    def coin(self, chance: float) -> bool:
        """True with that chance."""
        return self.rng.random() < chance

    # ---- expressions ----

    def value(self, type_: T.Type, depth: int = 2) -> Expr:
        """An expression of a type."""
        if type_ is T.boolean:
            return self.truth(depth)
        if depth <= 0 or self.coin(0.4):
            return self.leaf(type_)
        pick = self.rng.random()
        if pick < 0.08:
            return E.apply(
                "choose", self.truth(1), self.value(type_, depth - 1), self.value(type_, depth - 1)
            )
        if pick < 0.11:
            return self.iteration(type_)
        if pick < 0.2:
            other = self.rng.choice([t for t in (T.i32, T.i64, T.u8, T.f32) if t is not type_])
            return self.converted(self.value(other, depth - 1), type_)
        if type_.is_float and pick < 0.35:
            op = self.rng.choice(("sqrt", "floor", "neg", "abs", "sin"))
            return E.apply(op, self.value(type_, depth - 1))
        if type_.is_float:
            ops = ("add", "sub", "mul", "mul", "min", "max", "div")
        else:
            ops = (*("add", "sub", "mul") * 3, "min", "max", "and", "or", "xor", "mod", "floor_div")
            ops += ("shift_left", "shift_right")
        return E.apply(self.rng.choice(ops), self.value(type_, depth - 1), self.value(type_, depth - 1))

    def leaf(self, type_: T.Type) -> Expr:
        """A constant, index, parameter or load."""
        pick = self.rng.random()
        if self.indices and pick < 0.3:
            return self.converted(self.rng.choice(self.indices), type_)
        if pick < 0.4:
            return self.converted(self.rng.choice((COUNT, STEP, WILD)), type_)
        if pick < 0.75:
            buffers = [b for b in self.buffers if b.type is type_]
            if buffers:
                return self.load(self.rng.choice(buffers))
            if pick < 0.6:
                return self.converted(self.load(self.rng.choice(self.buffers)), type_)
        if type_.is_float:
            return const(self.rng.choice((0.0, 1.0, -1.0, 0.5, 3.0, -0.0)), type_)
        if self.coin(0.05):
            return const(self.rng.choice((int(type_.low), int(type_.high))), type_)
        return const(self.rng.choice((-1, 0, 1, 1, 2, 3)) % (256 if type_ is T.u8 else 2**70), type_)

    def converted(self, e: Expr, type_: T.Type) -> Expr:
        """An expression as a value of a type."""
        if e.type is type_:
            return e
        return E.apply("to_integer" if e.type.is_float and type_.is_integer else "convert", e, attr=type_)

    def truth(self, depth: int = 1) -> Expr:
        """A comparison, with an index among its operands often, or two of them, or a constant now and then."""
        pick = self.rng.random()
        if pick < 0.05:
            return self.rng.choice((E.TRUE, E.FALSE))
        if pick < 0.15 and depth:
            return E.apply(self.rng.choice(("and", "or")), self.truth(depth - 1), self.truth(depth - 1))
        op = self.rng.choice(("lt", "le", "eq", "ne"))
        if self.indices and self.coin(0.6):
            i = self.rng.choice(self.indices)
            side = i if self.coin(0.6) else self.affine(i)
            other = self.fixed(i) if self.coin(0.8) else self.value(i.type, 1)
            return E.apply(op, *self.shuffled(side, other))
        type_ = self.rng.choice((T.i32, T.i32, T.f32))
        return E.apply(op, self.value(type_, depth), self.value(type_, depth))

    def shuffled(self, a: Expr, b: Expr) -> tuple[Expr, Expr]:
        """Two operands in either order."""
        return (a, b) if self.coin(0.6) else (b, a)

    def fixed(self, index: Expr) -> Expr:
        """A value of an index's type that often does not depend on it."""
        kinds: list[Expr] = [const(k, index.type) for k in (0, 1, 2, 3)] + [COUNT, STEP, WILD]
        kinds += [i for i in self.indices if i is not index]
        if self.coin(0.25):
            return self.converted(self.load(self.rng.choice(self.buffers)), index.type)
        return self.converted(self.rng.choice(kinds), index.type)

    def affine(self, index: Expr) -> Expr:
        """A sum or a multiple of an index."""
        other = self.fixed(index)
        match self.rng.randrange(5):
            case 0:
                return E.apply("mul", index, const(self.rng.choice((2, 3, -1)), index.type))
            case 1:
                return E.apply("sub", *self.shuffled(index, other))
            case 2:
                return E.apply("add", E.apply("mul", index, const(2, index.type)), other)
            case _:
                return E.apply("add", *self.shuffled(index, other))

    def load(self, buffer: Buffer) -> Expr:
        """An element."""
        return E.load(buffer, self.position(buffer))

    def position(self, buffer: Buffer) -> Expr:
        """Where in a buffer: an index or a sum mostly, sometimes another array's element, sometimes outside."""
        if buffer.size == 1 and self.coin(0.95):
            return const(0)
        pick = self.rng.random()
        if pick < 0.15 or not self.indices:
            return const(self.rng.randrange(-1, buffer.size + 1) if pick < 0.05 else self.rng.randrange(4))
        if pick < 0.22:
            return self.converted(self.load(self.rng.choice(self.buffers)), T.i32)
        i = self.rng.choice(self.indices)
        if pick < 0.6:
            return i
        if pick < 0.7 and len(self.indices) > 1:
            other = self.rng.choice(self.indices)
            row = E.apply("mul", self.converted(i, T.i32), const(self.rng.choice((2, 3))))
            return E.apply("add", row, self.converted(other, T.i32))
        if pick < 0.76:
            clamped = E.apply("max", self.affine(i), const(0, i.type))
            return E.apply("min", clamped, const(buffer.size - 1, i.type))
        return self.affine(i)

    def iteration(self, type_: T.Type) -> Expr:
        """A component of a short iteration with one or two states."""
        types = [type_, *([T.i32] if self.coin(0.3) else [])]
        init = [self.leaf(t) for t in types]
        depth = E.next_depth(*init)
        # Its steps are over constants and the state, and what is loaded outside of it.
        other = [self.leaf(t) for t in types]
        depth = max(depth, E.next_depth(*other))
        states = [E.state(depth, k, t) for k, t in enumerate(types)]
        step = [
            E.apply(self.rng.choice(("add", "mul", "min", "sub")), s, o)
            for s, o in zip(states, other, strict=True)
        ]
        bound = const(self.rng.choice((0, 2, 5)), type_)
        stop = E.apply(self.rng.choice(("lt", "eq")), *self.shuffled(states[0], bound))
        limit = self.rng.choice((const(self.rng.randrange(4)), COUNT))
        return E.iterate(init, step, stop, limit, depth)[0]

    # ---- statements ----

    def fresh(self) -> str:
        """A name that no loop has; or one that a loop beside it may have, but none around."""
        if self.coin(0.5):
            return f"i{len(self.indices) + 1}"
        self.names += 1
        return f"k{self.names}"

    def targets(self) -> list[Buffer]:
        """The memory that may be stored to."""
        return [b for b in self.buffers if b not in self.locked] or [A]

    def store(self) -> N.Store:
        """An assignment to an element."""
        buffer = self.rng.choice(self.targets())
        return N.Store(buffer, self.position(buffer), self.value(buffer.type))

    def bounds(self) -> tuple[Expr, Expr, T.Type, bool]:
        """Bounds of few iterations, the type of the index, and whether it stays small."""
        pick = self.rng.random()
        type_ = T.i64 if self.coin(0.12) else T.i32

        def number(value: int) -> Expr:
            return const(value, type_)

        trips = self.rng.choice((0, 1, 2, 2, 3, 3, 4, 5))
        if pick < 0.3:
            lo = self.rng.choice((0, 0, 0, 0, 1, 2, -1, -2))
            return number(lo), number(lo + trips), type_, True
        if pick < 0.5:
            lo = self.rng.choice((number(0), number(0), number(1), self.converted(STEP, type_)))
            return lo, self.converted(COUNT, type_), type_, True
        if pick < 0.54:
            # At the ends of the type, where sums wrap.
            low, high = int(type_.low), int(type_.high)
            lo = self.rng.choice((low, low + 1, high - trips, high - trips - 1))
            return number(lo), number(lo + trips), type_, False
        small = [i for i in self.indices if i in self.small]
        if small and pick < 0.72:
            # Triangles.
            i = self.converted(self.rng.choice(small), type_)
            near = E.apply(self.rng.choice(("add", "sub")), i, number(self.rng.choice((1, 1, 2))))
            lo, hi = self.rng.choice(
                (
                    (number(0), i),
                    (i, number(3)),
                    (i, self.converted(COUNT, type_)),
                    (near, number(4)),
                    (number(0), near),
                    (i, E.apply("add", i, number(trips))),
                )
            )
            return lo, hi, type_, True
        leaf = self.fixed(self.indices[-1]) if self.indices else self.leaf(T.i32)
        if self.coin(0.5):
            leaf = self.load(self.rng.choice(self.buffers))
        leaf = self.converted(leaf, type_)
        if pick < 0.84:
            return number(0), E.apply("min", *self.shuffled(leaf, number(trips))), type_, True
        if pick < 0.92:
            top = self.converted(self.leaf(T.i32), type_)
            lo = E.apply("max", leaf, number(-2))
            return lo, E.apply("min", top, number(3)), type_, True
        # From wherever the data say, wrapping perhaps.
        return leaf, E.apply("add", leaf, number(min(trips, 3))), type_, False

    def loop(self, size: int) -> N.For:
        """A loop of few iterations."""
        lo, hi, type_, small = self.bounds()
        return self.over(self.fresh(), lo, hi, type_, lambda: self.block(size), small=small)

    def over(
        self,
        name: str,
        lo: Expr,
        hi: Expr,
        type_: T.Type,
        body: Callable[[], N.Block],
        *,
        small: bool = True,
    ) -> N.For:
        """A loop with a body that is made inside of it."""
        index = E.index(name, type_)
        while index in self.indices or any(i.attr == name for i in self.indices):
            self.names += 1
            name = f"k{self.names}"
            index = E.index(name, type_)
        self.indices.append(index)
        if small:
            self.small.add(index)
        made = body()
        self.indices.pop()
        self.small.discard(index)
        return N.For(index, lo, hi, made)

    def branch(self, size: int) -> N.If:
        """A conditional, often without its second arm."""
        condition = self.truth()
        orelse = self.block(size) if self.coin(0.4) else ()
        return N.If(condition, self.block(size), orelse)

    def whiling(self) -> N.Block:
        """A loop that counts in memory: its body stores elsewhere."""
        counter = next((b for b in self.targets() if b.type is T.i32), None)
        if counter is None:
            return (self.store(),)
        zero = const(0)
        own = E.load(counter, zero)
        test: Expr = E.apply("lt", own, const(self.rng.randrange(4)))
        if self.coin(0.3):
            test = E.apply("and", test, self.truth(0))
        self.locked.add(counter)
        body = self.block(1)
        self.locked.discard(counter)
        more = N.Store(counter, zero, E.apply("add", own, const(1)))
        return N.Store(counter, zero, zero), N.While(test, (*body, more))

    def scratch(self, size: int) -> N.Alloc:
        """Scratch memory that is filled and then used."""
        self.names += 1
        type_ = self.rng.choice((T.i32, T.i32, T.f32, T.i64))
        length = self.rng.choice((1, 1, 2, 3, 4, 6))
        buffer = Buffer(f"t{self.names}", type_, length)
        if length == 1:
            fill: N.Statement = N.Store(buffer, const(0), self.value(type_))
        elif length in (4, 6) and self.coin(0.4):
            width = length // 2
            fill = self.over("p", const(0), const(2), T.i32, lambda: (self.across(buffer, "q", width),))
        else:
            fill = self.over(
                "p",
                const(0),
                const(length),
                T.i32,
                lambda: (N.Store(buffer, self.indices[-1], self.value(type_)),),
            )
        self.buffers.append(buffer)
        use = self.block(size)
        if self.coin(0.6):
            to = self.rng.choice(self.targets())
            use = (
                *use,
                self.over(
                    self.fresh(),
                    const(0),
                    const(length),
                    T.i32,
                    lambda: (N.Store(to, self.position(to), self.converted(self.load(buffer), to.type)),),
                ),
            )
        self.buffers.remove(buffer)
        return N.Alloc({buffer: const(length)}, (fill, *use))

    def across(self, buffer: Buffer, name: str, width: int) -> N.For:
        """A loop along a row of a buffer, the row being the innermost index."""
        row = self.indices[-1]

        def body() -> N.Block:
            position = E.apply("add", E.apply("mul", row, const(width)), self.indices[-1])
            return (N.Store(buffer, position, self.value(buffer.type)),)

        return self.over(name, const(0), const(width), T.i32, body)

    def statements(self, size: int) -> N.Block:
        """One statement of the free grammar, or a motif of a few."""
        deep = len(self.indices) >= MAX_DEPTH
        if size <= 0 or deep:
            return (self.store(),)
        pick = self.rng.random()
        if pick < 0.22:
            return (self.store(),)
        if pick < 0.42:
            return (self.loop(size - 1),)
        if pick < 0.54:
            return (self.branch(size - 1),)
        if pick < 0.56:
            return self.whiling()
        if pick < 0.61:
            return (self.scratch(size - 1),)
        return self.rng.choice(self.motifs)(self)

    def block(self, size: int) -> N.Block:
        """One to three statements or motifs."""
        count = self.rng.choice((1, 1, 2, 2, 3)) if size > 0 else 1
        return tuple(s for _ in range(count) for s in self.statements(size))


Motif = Callable[[Maker], N.Block]
"""Writes a fragment of a few statements."""
