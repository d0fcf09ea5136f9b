"""The laws that programs among the rules follow, as statements for a solver; a part of `tools.rule_status`.

Each function yields what is known and what is claimed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import z3
from tools import solver
from tools.solver import Term, constant, less, meaning, symbol

from pellucid.ir import types as T
from pellucid.rewriting import narrow
from pellucid.rewriting.chains import COMPLEMENTED, DUALS


def any_operator() -> Iterator[tuple[list[Term], Term]]:
    """An operator on choices of one condition is the choice of operators, whatever the operator does."""
    words = z3.BitVecSort(8)
    c, (x, y, z, w) = z3.Bool("c"), z3.BitVecs("x y z w", 8)
    one, two, three = (z3.Function(f"f{n}", *[words] * n, words) for n in (1, 2, 3))
    yield [], one(z3.If(c, x, y)) == z3.If(c, one(x), one(y))
    yield [], two(z3.If(c, x, y), z) == z3.If(c, two(x, z), two(y, z))
    yield [], two(z, z3.If(c, x, y)) == z3.If(c, two(z, x), two(z, y))
    yield [], two(z3.If(c, x, y), z3.If(c, z, w)) == z3.If(c, two(x, z), two(y, w))
    for k in range(3):

        def at(v: Term, k: int = k) -> Term:
            return three(*[v if m == k else (z, w, z)[m] for m in range(3)])

        yield [], at(z3.If(c, x, y)) == z3.If(c, at(x), at(y))
    yield (
        [],
        three(z3.If(c, x, y), z3.If(c, z, w), z3.If(c, w, x)) == z3.If(c, three(x, z, w), three(y, w, x)),
    )


def decided() -> Iterator[tuple[list[Term], Term]]:
    """Within an arm, the condition is known."""
    c, (x, y, z) = z3.Bool("c"), z3.BitVecs("x y z", 8)
    for inner, arm in ((c, x), (z3.Not(c), y)):
        yield [], z3.If(c, z3.If(inner, x, y), z) == z3.If(c, arm, z)
    for inner, arm in ((c, y), (z3.Not(c), x)):
        yield [], z3.If(c, z, z3.If(inner, x, y)) == z3.If(c, z, arm)


def one_value() -> Iterator[tuple[list[Term], Term]]:
    """What is bounded by one number from below and above is that number; no float is NaN or -0.0."""
    for t in (*T.INTEGERS, T.f32, T.f64):
        x, k = symbol("x", t), symbol("k", t)
        between = [z3.Not(less(t, x, k)), z3.Not(less(t, k, x))]
        if t.is_float:
            zero = z3.And(z3.fpIsZero(x), z3.fpIsNegative(x))
            between += [z3.Not(z3.fpIsNaN(v)) for v in (x, k)]
            between += [z3.Not(zero), z3.Not(z3.And(z3.fpIsZero(k), z3.fpIsNegative(k)))]
        yield between, x == k


def distributed() -> Iterator[tuple[list[Term], Term]]:
    """A factor of a sum or difference goes to both parts."""
    for bits in (8, 16, 32, 64):
        x, y, k = z3.BitVecs("x y k", bits)
        yield [], (x + y) * k == x * k + y * k
        yield [], (x - y) * k == x * k - y * k


def chained() -> Iterator[tuple[list[Term], Term]]:
    """Operators of chains associate and commute; twice is once or never; a part absorbs, a complement decides."""
    for t in (*T.INTEGERS, T.boolean):
        x, y, z = (symbol(name, t) for name in "xyz")
        for op, dual in DUALS.items():
            if t is T.boolean and op in ("min", "max"):
                continue

            def of(a: Term, b: Term, op: str = op, t: T.Type = t) -> Term:
                return meaning(op, [t, t], t, [a, b])

            yield [], of(x, y) == of(y, x)
            yield [], of(of(x, y), z) == of(x, of(y, z))
            yield [], of(x, x) == (x if dual else constant(0, t))
            if dual:
                yield [], of(x, meaning(dual, [t, t], t, [y, x])) == x
            if op in COMPLEMENTED:
                yield [], of(x, meaning("not", [t], t, [x])) == constant(0 if op == "and" else _all(t), t)


def _all(type_: T.Type) -> int:
    """The number whose bits are all set."""
    return 1 if type_ is T.boolean else (-1 if type_.kind == "signed" else type_.high)


def narrowed(op: str) -> Iterator[tuple[list[Term], Term]]:
    """In 16 bits what was in 32: the same where the result fits, and the same low bits where only these are seen."""
    a, b = z3.BitVecs("a b", 16)
    for wide in (T.u32, T.i32):
        x, y = z3.ZeroExt(16, a), z3.ZeroExt(16, b)
        if op == "choose":
            c = z3.Bool("c")
            yield [], z3.If(c, x, y) == z3.ZeroExt(16, z3.If(c, a, b))
            continue
        known = [z3.ULT(b, 16)] if op.startswith("shift") else []
        large = meaning(op, [wide, wide], wide, [x, y])
        small = meaning(op, [T.u16, T.u16], T.u16, [a, b])
        if op in narrow.COMPARED:
            yield [], large == small
            continue
        yield [*known, z3.ULE(large, 0xFFFF)], large == z3.ZeroExt(16, small)
        if op in narrow.MODULAR:
            yield known, z3.Extract(15, 0, large) == small


def by_way_of_16_bits() -> Iterator[tuple[list[Term], Term]]:
    """A sample is the same number in 16 and in 32 bits, whatever it is converted to."""
    for source, wide in itertools.product((T.u8, T.u16), (T.u32, T.i32)):
        x = symbol("x", source)
        large, small = solver.converted(x, source, wide), solver.converted(x, source, T.u16)
        for target in (wide, *T.INTEGERS, *T.FLOATS, T.boolean):
            yield [], solver.converted(large, wide, target) == solver.converted(small, T.u16, target)
    for wide, target in itertools.product((T.u32, T.i32), (T.u8, T.u16)):
        # Where only low bits are seen, 16 are enough.
        x = symbol("x", wide)
        low = solver.converted(x, wide, T.u16)
        yield [], solver.converted(x, wide, target) == solver.converted(low, T.u16, target)


def domains() -> Iterator[tuple[list[Term], Term]]:
    """Partial rows on operands in their domain."""
    for t in T.INTEGERS:
        x, y = symbol("x", t), symbol("y", t)
        inside = [z3.ULT(y, t.bits)]
        for op in ("shift_left", "shift_right"):
            yield inside, meaning(f"{op}_in", [t, t], t, [x, y]) == meaning(op, [t, t], t, [x, y])
    for t, target in itertools.product(T.FLOATS, T.INTEGERS):
        x = symbol("x", t)
        low, beyond = constant(target.low, t), constant(int(target.high) + 1, t)
        known = [z3.fpGEQ(x, low), z3.fpLT(x, beyond)]
        yield known, meaning("truncate_in", [t], target, [x]) == meaning("to_integer", [t], target, [x])
