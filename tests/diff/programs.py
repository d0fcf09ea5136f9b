"""Random programs: graphs over the whole table with choices, iterations and loads, in random nests, from Hypothesis.

Each program is a loop nest that stores a few values. Several make one kernel, so that a C compiler is called once for
all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st

from pellucid.backends.conformance import domain_bounds, kept_within, signatures, spicy
from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import prim as table
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer, Expr
from pellucid.ir.prim import Prim

SIZE = 48
"""Elements of a buffer."""
ROW, COLUMN = E.index("j"), E.index("i")


def shows_nan(prim: Prim, types: tuple[T.Type, ...], attr: T.Type | None) -> bool:
    """Whether a row would tell one NaN from another: the bits of a float as an integer."""
    return attr is not None and types[0].is_float and attr.is_integer and prim.domain is None


CHOICES = [
    (prim, types, attr)
    for prim in table.table().values()
    if prim.body is None
    for types, attr in signatures(prim)
    if not shows_nan(prim, types, attr)
]
BY_FIRST: dict[T.Type, list[tuple[Prim, tuple[T.Type, ...], T.Type | None]]] = {}
for _choice in CHOICES:
    BY_FIRST.setdefault(_choice[1][-1], []).append(_choice)
CHOOSE = next(p for p in table.table().values() if p.letters[0] == "B" and p.arity == 3)
"""The conditional row, known by its signature."""


@dataclass
class Program:
    """A nest and its memory; `kernel` is without places."""

    statements: list[N.Statement] = field(default_factory=list)
    outputs: dict[Buffer, np.ndarray] = field(default_factory=dict)
    inputs: dict[Buffer, np.ndarray] = field(default_factory=dict)
    params: dict[Expr, float] = field(default_factory=dict)


class Maker:
    """Draws one program."""

    def __init__(self, draw: st.DrawFn, number: int) -> None:
        self.draw, self.number, self.program = draw, number, Program()
        self.nodes: list[Expr] = []
        self.floor = 0

    def pick(self, items):
        return self.draw(st.sampled_from(items))

    def coin(self, percent: int) -> bool:
        return self.draw(st.integers(0, 99)) < percent

    # ---- leaves ----

    def buffer(self, type_: T.Type) -> Buffer:
        known = [b for b in self.program.inputs if b.type is type_]
        if known:
            return known[0]
        seed = self.draw(st.integers(0, 1 << 16))
        generator = np.random.default_rng(seed)
        values = generator.choice(spicy(type_), SIZE)
        if type_ is not T.boolean and seed % 3:
            tame = generator.integers(0, 100, SIZE).astype(type_.dtype)
            values = np.where(generator.random(SIZE) < 0.7, tame, values)
        found = Buffer(f"in{self.number}_{type_}", type_, SIZE)
        self.program.inputs[found] = values.astype(type_.dtype)
        return found

    def leaf(self, type_: T.Type) -> Expr:
        kind = self.draw(st.integers(0, 9))
        if kind < 2:
            return E.const(self.pick(spicy(type_).tolist()), type_)
        if kind < 4 and type_ is not T.boolean:
            source = self.pick([COLUMN, ROW])
            return source if type_ is T.i32 else E.apply("convert", source, attr=type_)
        if kind == 4 and type_ is not T.boolean:
            return self.param(type_)
        return E.load(self.buffer(type_), self.position())

    def param(self, type_: T.Type) -> Expr:
        found = E.param(f"p{self.number}_{type_}", type_)
        values = spicy(type_)
        finite = values[np.isfinite(values)] if type_.is_float else values
        self.program.params.setdefault(found, self.pick(finite.tolist()))
        return found

    def position(self) -> Expr:
        kind = self.draw(st.integers(0, 6))
        shift = E.const(self.draw(st.integers(-3, 3)), T.i32)
        if kind < 3:
            return E.apply("add", COLUMN, shift)
        if kind == 3:
            return E.apply("add", E.apply("mul", COLUMN, E.const(self.draw(st.integers(-2, 3)), T.i32)), ROW)
        inside = self.operand(T.i32)
        if kind == 4:
            inside = E.apply("min", E.apply("max", inside, E.const(0, T.i32)), E.const(SIZE - 2, T.i32))
        return E.apply("add", inside, shift)

    # ---- operators ----

    def operand(self, type_: T.Type) -> Expr:
        """A node of a type: a recent one, or a leaf."""
        known = [n for n in self.nodes[self.floor :] if n.type is type_]
        if known and not self.coin(20):
            return known[-1 - min(self.draw(st.integers(0, 6)), len(known) - 1)]
        return self.leaf(type_)

    def grow(self) -> None:
        """One more node."""
        kind = self.draw(st.integers(0, 19))
        if kind == 0:
            self.nodes += self.iteration()
            return
        if kind < 3:
            type_ = self.pick(T.ALL)
            arms = self.operand(T.boolean), self.operand(type_), self.operand(type_)
            self.nodes.append(E.apply(CHOOSE.name, *arms))
            return
        # Prefer rows that take what was made last, so that graphs grow deep.
        recent = [n.type for n in self.nodes[self.floor :][-3:]]
        choices = BY_FIRST[self.pick(recent)] if recent and not self.coin(15) else CHOICES
        prim, types, attr = self.pick(choices)
        bounds = domain_bounds(prim, types, attr)
        args = [kept_within(self.operand(t), b) for t, b in zip(types, bounds or [], strict=True)]
        self.nodes.append(E.apply(prim.name, *args, attr=attr))

    def iteration(self) -> list[Expr]:
        """The components of a short iteration whose steps are drawn over its states."""
        types = [self.pick((T.f32, T.i32, T.f64, T.u8)) for _ in range(self.draw(st.integers(1, 2)))]
        init = [self.operand(t) for t in types]
        limit = E.const(self.draw(st.integers(0, 5)), T.i32)
        if self.coin(40):
            limit = E.apply("min", self.operand(T.i32), limit)
        # Nodes made inside the body are not seen outside of it, but the body sees those around it.
        mark, floor, size = len(self.nodes), self.floor, self.draw(st.integers(2, 4))
        around = [n for n in self.nodes[floor:] if n.op != "state"][-2:]
        depth = 1 + max(
            (n.attr[0] for n in E.topological([*self.nodes, *init]) if n.op == "iterate"), default=-1
        )
        self.floor = mark
        self.nodes += [*around, *(E.state(depth, k, t) for k, t in enumerate(types))]
        for _ in range(size):
            self.simple(types)
        step = [self.last(t) for t in types]
        # Distinct depths are handed out from the inside: nothing inside may be as deep.
        stop = E.apply("lt", self.last(types[0]), E.const(self.pick(spicy(types[0]).tolist()), types[0]))
        del self.nodes[mark:]
        self.floor = floor
        return list(E.iterate(init, step, stop, limit, depth))

    def simple(self, types: list[T.Type]) -> None:
        type_ = self.pick(types)
        choices = [c for c in BY_FIRST[type_] if c[0].domain is None and set(c[1]) == {type_}]
        prim, given, attr = self.pick([c for c in choices if c[2] is None])
        self.nodes.append(E.apply(prim.name, *[self.last(t) for t in given], attr=attr))

    def last(self, type_: T.Type) -> Expr:
        known = [n for n in self.nodes[self.floor :] if n.type is type_]
        return known[-1 - min(self.draw(st.integers(0, 3)), len(known) - 1)]

    # ---- nests ----

    def build(self, size: int) -> Program:
        for _ in range(size):
            self.grow()
        used = {a for n in self.nodes for a in n.args}
        roots = [n for n in self.nodes if n not in used][-3:]
        lanes = self.pick([1, 2, 3, 4, 8, 16, 17])
        rows = self.draw(st.integers(1, 3))
        columns = self.pick([1, 5, 16, 30, SIZE // rows])
        columns = min(columns, SIZE // rows)
        start = self.pick([0, 0, 0, -3, 2])
        stores: list[N.Statement] = []
        for k, root in enumerate(roots):
            out = Buffer(f"out{self.number}_{k}", root.type, SIZE)
            self.program.outputs[out] = np.zeros(SIZE, root.type.dtype)
            at = E.apply("add", E.apply("mul", ROW, E.const(columns, T.i32)), COLUMN)
            if self.coin(10):
                # Another order, with each element once, and some of it outside.
                at = E.apply("sub", E.const(SIZE - self.draw(st.integers(0, 9)), T.i32), at)
            store: N.Statement = N.Store(out, at, root)
            if self.coin(25):
                test = self.operand(T.boolean)
                other = (N.Store(out, at, self.leaf(root.type)),) if self.coin(50) else ()
                store = N.If(test, (store,), other)
            stores.append(store)
        how = self.pick([N.SEQ, N.lanes(lanes), N.lanes(lanes)])
        end = E.const(start + columns, T.i32)
        if self.coin(50):
            length = E.param(f"p{self.number}_length", T.i32)
            self.program.params[length] = start + columns
            end = length
        inner = N.For(COLUMN, E.const(start, T.i32), end, tuple(stores), how)
        zero, most = E.const(0, T.i32), E.const(rows, T.i32)
        self.program.statements.append(N.For(ROW, zero, most, (inner,), self.pick([N.SEQ, N.spread(1)])))
        return self.program


@st.composite
def programs(draw: st.DrawFn, count: int = 8, largest: int = 14) -> list[Program]:
    """Several programs."""
    return [Maker(draw, k).build(draw(st.integers(1, largest))) for k in range(count)]


def joined(parts: list[Program]) -> tuple[N.Kernel, dict[str, float], dict[Buffer, np.ndarray]]:
    """One kernel of several programs, with its arguments and memory."""
    params: dict[Expr, float] = {}
    memory: dict[Buffer, np.ndarray] = {}
    outputs: list[Buffer] = []
    body: list[N.Statement] = []
    for p in parts:
        params.update(p.params)
        memory.update(p.inputs)
        memory.update(p.outputs)
        outputs += p.outputs
        body += p.statements
    arguments = {p.attr: v for p, v in params.items()}
    return N.Kernel("random", tuple(params), tuple(outputs), tuple(body)), arguments, memory
