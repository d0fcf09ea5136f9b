"""Random fields: words of 32 bits for each column and row of a frame, made of everything that expressions can be."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from tests.diff.programs import COLUMN, ROW, Maker

from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer, Expr

WIDTH, HEIGHT = E.param("width", T.i32), E.param("height", T.i32)
NUMBERS = {
    T.f32: (0.0, -0.0, 1.0, -1.5, 0.25, 100.0, 1e30),
    T.i32: (0, 1, 2, -3, 7, 50),
}


@dataclass
class Frame:
    """A kernel that fills a frame of a size with a value, with its arguments and memory."""

    value: Expr
    kernel: N.Kernel
    arguments: dict[str, float]
    memory: dict[Buffer, np.ndarray]

    @property
    def out(self) -> Buffer:
        return self.kernel.outputs[0]


def word(x: Expr) -> Expr:
    """All bits of a value folded into a word, that of a zero's sign among them; all NaNs are one."""
    if x.type.is_float:
        bits = T.u32 if x.type is T.f32 else T.u64
        read = E.apply("bitcast", x, attr=bits)
        x = E.apply("choose", E.apply("eq", x, x), read, E.const(0x7FC00000, bits))
    if x.type.bits == 64:
        high = E.apply("shift_right", x, E.const(32, x.type))
        low = E.apply("convert", x, attr=T.u32)
        return E.apply("xor", E.apply("convert", high, attr=T.u32), low)
    return x if x.type is T.u32 else E.apply("convert", x, attr=T.u32)


def frame(
    value: Expr, width: int, height: int, params: dict | None = None, inputs: dict | None = None
) -> Frame:
    """The frame of a word for each column and row."""
    params, out = params or {}, Buffer("out", T.u32, width * height)
    at = E.apply("add", E.apply("mul", ROW, WIDTH), COLUMN)
    zero = E.const(0, T.i32)
    inner = N.For(COLUMN, zero, WIDTH, (N.Store(out, at, value),), N.lanes(16))
    body = (N.For(ROW, zero, HEIGHT, (inner,), N.spread(1)),)
    kernel = N.Kernel("frame", (*params, WIDTH, HEIGHT), (out,), body)
    arguments = {p.attr: v for p, v in params.items()} | {"width": width, "height": height}
    return Frame(value, kernel, arguments, (inputs or {}) | {out: np.zeros(width * height, np.uint32)})


@st.composite
def frames(draw: st.DrawFn, largest: int = 20) -> Frame:
    """Frames of random expressions over the whole table."""
    maker = Maker(draw, 0)
    for _ in range(draw(st.integers(1, largest))):
        maker.grow()
    used = {a for n in maker.nodes for a in n.args}
    roots = [n for n in maker.nodes if n not in used][-3:]
    value = word(roots[0])
    for x in roots[1:]:
        value = E.apply("xor", E.apply("mul", value, E.const(0x9E3779B1, T.u32)), word(x))
    width = draw(st.sampled_from([1, 2, 15, 16, 17, 33, 64, 65, 100]))
    height = draw(st.sampled_from([1, 2, 15, 16, 17, 40, 65]))
    return frame(value, width, height, maker.program.params, maker.program.inputs)


class Iterations:
    """Draws expressions that iterate inside of iterations, whose limits vary and whose components change places."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.depth = self.count = 0

    def frame(self) -> Frame:
        """A frame of one of them, sometimes only in a part of the frame."""
        pick = self.random.choice
        value = word(self.expr(pick([T.f32, T.i32]), [], pick([6, 12, 24, 40])))
        if self.random.random() < 0.3:
            within = E.apply("lt", E.apply("mul", COLUMN, ROW), E.const(pick([5, 100, 700]), T.i32))
            value = E.apply("choose", within, value, E.const(7, T.u32))
        return frame(value, *pick([(1, 1), (7, 5), (33, 17), (64, 64), (70, 50), (128, 40)]))

    def leaf(self, type_: T.Type, scope: list[Expr]) -> Expr:
        pick = self.random.choice
        known = [x for x in scope if x.type is type_]
        if known and self.random.random() < 0.75:
            return pick(known)
        if type_ is T.boolean:
            return E.apply("lt", self.leaf(T.f32, scope), self.leaf(T.f32, scope))
        if self.random.random() < 0.5:
            source = pick([COLUMN, ROW])
            return source if type_ is T.i32 else E.apply("convert", source, attr=type_)
        return E.const(pick(NUMBERS[type_]), type_)

    def expr(self, type_: T.Type, scope: list[Expr], size: int) -> Expr:
        pick, chance, half = self.random.choice, self.random.random(), size // 2
        if size <= 0:
            return self.leaf(type_, scope)
        if chance < 0.12:
            arms = [self.expr(t, scope, half) for t in (T.boolean, type_, type_)]
            return E.apply("choose", *arms)
        if type_ is T.boolean:
            t = pick([T.f32, T.i32])
            return E.apply(pick(["lt", "le", "eq"]), self.expr(t, scope, half), self.expr(t, scope, half))
        if chance < 0.3 and self.depth < 3:
            return self.iteration(type_, scope, size)
        if chance < 0.4:
            if type_.is_float:
                return E.apply("convert", self.expr(T.i32, scope, size - 1), attr=type_)
            return E.apply("to_integer", self.expr(T.f32, scope, size - 1), attr=type_)
        ops = ["add", "sub", "mul", "min", "max", *(["div"] if type_.is_float else [])]
        return E.apply(pick(ops), self.expr(type_, scope, half), self.expr(type_, scope, half))

    def iteration(self, type_: T.Type, scope: list[Expr], size: int) -> Expr:
        pick = self.random.choice
        self.depth += 1
        types = [pick([T.f32, T.i32, T.f32, T.boolean]) for _ in range(self.random.randint(1, 3))]
        types[self.random.randrange(len(types))] = type_
        init = [self.expr(t, scope, size // 3) for t in types]
        limit = E.const(pick([0, 1, 3, 6, 20]), T.i32)
        if self.random.random() < 0.4:
            limit = E.apply("min", self.expr(T.i32, scope, size // 3), limit)
        # The depth is known when all that is inside is: until then the states stand at one of their own.
        self.count += 1
        states = [E.state(100 + self.count, k, t) for k, t in enumerate(types)]
        inside = scope + 2 * states
        step = [
            pick([s for s in states if s.type is t])
            if self.random.random() < 0.25
            else self.expr(t, inside, size // 2)
            for t in types
        ]
        stop = E.FALSE if self.random.random() < 0.3 else self.expr(T.boolean, inside, size // 3)
        self.depth -= 1
        depth = E.next_depth(*step, stop)
        renamed = {s: E.state(depth, k, s.type) for k, s in enumerate(states)}
        *step, stop = E.substitute([*step, stop], renamed)
        return pick([x for x in E.iterate(init, step, stop, limit, depth) if x.type is type_])
