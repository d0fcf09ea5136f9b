"""Motifs: fragments of nests, each of the shape that some move speaks of, in which everything else is random.

`nests` puts them anywhere into programs of the free grammar of `maker`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.fuzz.maker import COUNT, STEP, Maker, const

from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer, Expr


def update(m: Maker) -> N.Block:
    """A store that combines what is there with something else."""
    buffer = m.rng.choice(m.targets())
    position = m.position(buffer)
    own, value = E.load(buffer, position), m.value(buffer.type, 1)
    ops = ("add", "add", "mul", "min", "max", "sub") + (() if buffer.type.is_float else ("or", "and", "xor"))
    combined = E.apply(m.rng.choice(ops), *m.shuffled(own, value))
    return (N.Store(buffer, position, combined),)


def updates(m: Maker) -> N.Block:
    """Nested loops around updates, the inner one over a rectangle mostly."""

    def inner() -> N.Block:
        made = (*update(m), *(update(m) if m.coin(0.3) else ()))
        return (N.If(m.truth(), made),) if m.coin(0.2) else made

    def outer() -> N.Block:
        lo, hi, type_, small = m.bounds()
        return (m.over(m.fresh(), lo, hi, type_, inner, small=small),)

    lo, hi, type_, small = m.bounds()
    return (m.over(m.fresh(), lo, hi, type_, outer if m.coin(0.6) else inner, small=small),)


def instances(m: Maker) -> N.Block:
    """Statements that are one at consecutive numbers, or a loop and what would be its next or previous iteration."""
    hole = E.index("hole")
    m.indices.append(hole)
    one = m.store()
    m.indices.pop()
    start = m.rng.choice((0, 0, 1, 2))
    copies = [at(one, hole, const(start + k)) for k in range(m.rng.choice((2, 2, 3)))]
    if m.coin(0.5):
        return tuple(copies)
    name = m.fresh()
    lo, hi = const(start + 1), const(start + m.rng.choice((2, 3)))
    if m.coin(0.3):
        hi = COUNT
    loop = m.over(name, lo, hi, T.i32, lambda: (at(one, hole, m.indices[-1]),))
    before, after = at(one, hole, const(start)), at(one, hole, hi)
    return (before, loop) if m.coin(0.5) else (loop, after)


def at(s: N.Store, index: Expr, value: Expr) -> N.Store:
    """A store with an index replaced."""
    position, stored = E.substitute([s.position, s.value], {index: value})
    return N.Store(s.buffer, position, stored)


def twins(m: Maker) -> N.Block:
    """Two loops over one range, one behind the other, of one index or two; something else between them perhaps."""
    first = m.loop(1)
    name = str(first.index.attr) if m.coin(0.5) else m.fresh()
    second = m.over(name, first.lo, first.hi, first.index.type, lambda: m.block(1), small=False)
    between = (m.store(),) if m.coin(0.15) else ()
    return (first, *between, second)


def repeated(m: Maker) -> N.Block:
    """The same statement twice, or stores to one element, with another between."""
    s = m.store()
    again = s if m.coin(0.4) else N.Store(s.buffer, s.position, m.value(s.buffer.type, 1))
    return (s, *((m.store(),) if m.coin(0.4) else ()), again)


def copied(m: Maker) -> N.Block:
    """A scalar that is worked on and then copied, or that is stored and then used."""
    scalars = [b for b in m.targets() if b.size == 1]
    if not scalars:
        return repeated(m)
    scalar = m.rng.choice(scalars)
    zero = const(0)
    own = E.load(scalar, zero)
    first = N.Store(scalar, zero, m.value(scalar.type, 1))
    to = m.rng.choice(m.targets())
    use = N.Store(to, m.position(to), m.converted(own, to.type))
    middle: N.Block = ()
    if m.coin(0.4):
        more = N.Store(scalar, zero, E.apply("add", own, m.value(scalar.type, 1)))
        middle = (m.over(m.fresh(), const(0), m.rng.choice((COUNT, const(3))), T.i32, lambda: (more,)),)
    test = E.apply("lt", own, const(2, scalar.type))
    if m.coin(0.3):
        return (first, N.If(test, (use,), m.block(0) if m.coin(0.5) else ()))
    return (first, *middle, use)


def counters(m: Maker) -> N.Block:
    """A loop in which a scalar grows by the same amount each time, with statements that use it."""
    scalars = [b for b in m.targets() if b.size == 1]
    if not scalars:
        return updates(m)
    scalar = m.rng.choice(scalars)
    zero = const(0)
    own = E.load(scalar, zero)
    step = m.rng.choice((const(1, scalar.type), const(2, scalar.type), m.converted(STEP, scalar.type)))
    grow = N.Store(scalar, zero, E.apply("add", own, step))

    def body() -> N.Block:
        to = m.rng.choice(m.targets())
        position = m.converted(own, T.i32) if m.coin(0.5) else m.position(to)
        rest: list[N.Statement] = [N.Store(to, position, m.converted(own, to.type))]
        if m.coin(0.4):
            rest.append(m.store())
        rest.insert(m.rng.randrange(len(rest) + 1), grow)
        return tuple(rest)

    lo, hi, type_, small = m.bounds()
    return (m.over(m.fresh(), lo, hi, type_, body, small=small),)


def accumulators(m: Maker) -> N.Block:
    """An element that is cleared, gathered into by a loop, and used."""
    to = m.rng.choice(m.targets())
    position = m.position(to)
    own = E.load(to, position)
    first = N.Store(to, position, const(0, to.type))

    def body() -> N.Block:
        if m.coin(0.3):
            return (N.Store(to, position, m.value(to.type, 2)),)
        return (N.Store(to, position, E.apply("add", *m.shuffled(own, m.value(to.type, 1)))),)

    lo, hi, type_, small = m.bounds()
    loop = m.over(m.fresh(), lo, hi, type_, body, small=small)
    return (first, loop) if m.coin(0.5) else (loop,)


def products(m: Maker) -> N.Block:
    """A loop with a product of its index."""

    def body() -> N.Block:
        i = m.indices[-1]
        factor = m.fixed(i) if m.coin(0.6) else const(3, i.type)
        base = m.rng.choice((i, i, E.apply("add", i, m.fixed(i)), E.apply("sub", m.fixed(i), i)))
        product = E.apply("mul", *m.shuffled(base, factor))
        to = m.rng.choice(m.targets())
        position = m.rng.choice((i, product, m.position(to)))
        value = E.apply("add", m.converted(product, to.type), m.value(to.type, 1))
        return (N.Store(to, position, value), *((m.store(),) if m.coin(0.4) else ()))

    lo, hi, type_, small = m.bounds()
    return (m.over(m.fresh(), lo, hi, type_, body, small=small),)


def shared(m: Maker) -> N.Block:
    """Statements that compute the same value from memory."""
    type_ = m.rng.choice((T.i32, T.i32, T.f32))
    value = E.apply(m.rng.choice(("mul", "add")), m.value(type_, 1), m.leaf(type_))

    def one() -> N.Statement:
        to = m.rng.choice(m.targets())
        used = m.converted(value, to.type)
        if m.coin(0.5):
            used = E.apply("add", used, m.leaf(to.type))
        s: N.Statement = N.Store(to, m.position(to), used)
        return N.If(m.truth(), (s,)) if m.coin(0.2) else s

    return tuple(one() for _ in range(m.rng.choice((2, 2, 3))))


def tests(m: Maker) -> N.Block:
    """A loop over a branch on its index, or on something that the loop does not change."""

    def body() -> N.Block:
        i = m.indices[-1]
        condition = m.truth()
        if m.coin(0.6):
            side = i if m.coin(0.5) else m.affine(i)
            op = m.rng.choice(("lt", "le", "eq", "ne"))
            condition = E.apply(op, *m.shuffled(side, m.fixed(i)))
        if m.coin(0.2):
            condition = E.apply(m.rng.choice(("and", "or")), condition, m.truth())
        more = m.block(0) if m.coin(0.25) else ()
        return (N.If(condition, m.block(0), m.block(0) if m.coin(0.4) else ()), *more)

    lo, hi, type_, small = m.bounds()
    return (m.over(m.fresh(), lo, hi, type_, body, small=small),)


def branches(m: Maker) -> N.Block:
    """A branch with statements beside it, or the same ones at the ends of both arms."""
    shared_one = m.store()
    condition = m.truth()
    then, orelse = m.block(0), m.block(0)
    match m.rng.randrange(4):
        case 0:
            return (N.If(condition, (shared_one, *then), (shared_one, *orelse)),)
        case 1:
            return (N.If(condition, (*then, shared_one), (*orelse, shared_one)),)
        case 2:
            return (shared_one, N.If(condition, then, orelse))
        case _:
            return (N.If(condition, then, orelse), shared_one)


def choices(m: Maker) -> N.Block:
    """A store of a choice, of which one side is often what is there already."""
    buffer = m.rng.choice(m.targets())
    position = m.position(buffer)
    own = E.load(buffer, position)
    one, other = m.leaf(buffer.type), m.value(buffer.type, 1)
    if m.coin(0.5):
        return (N.Store(buffer, position, E.apply("choose", m.truth(), *m.shuffled(own, other))),)
    zero = const(0, buffer.type)
    value = E.apply("choose", m.truth(), *m.shuffled(one, zero))
    op = m.rng.choice(("add", "sub", "mul", "max"))
    return (N.Store(buffer, position, E.apply(op, own, value)),)


def images(m: Maker) -> N.Block:
    """Nested loops over pixels: rows, columns, perhaps a window of neighbors, something dear of the column alone."""
    to = m.rng.choice(m.targets())
    rows, columns = m.rng.choice(((2, 3), (3, 2), (2, 2)))

    def inner() -> N.Block:
        j, i = m.indices[-2:]
        position = E.apply("add", E.apply("mul", j, const(columns)), i)
        value = m.value(to.type, 2)
        if m.coin(0.5):
            # Dear enough for a table.
            source: Expr = E.apply(
                "convert", i if m.coin(0.7) else E.apply("and", m.leaf(T.i32), const(3)), attr=T.f32
            )
            dear = E.apply(m.rng.choice(("sqrt", "sin")), E.apply("mul", source, const(0.5, T.f32)))
            op = m.rng.choice(("add", "mul"))
            value = E.apply(op, m.converted(dear, to.type), m.leaf(to.type))
        elif m.coin(0.3):
            value = window(m, to, (j, i), columns)
        stores: N.Block = (N.Store(to, position, value),)
        return (*stores, *(m.block(0) if m.coin(0.2) else ()))

    def outer() -> N.Block:
        one = m.over("i", const(0), const(columns), T.i32, inner)
        if m.coin(0.25):
            return one, replace(one, body=tuple(s for s in one.body))
        return (one, *(m.block(0) if m.coin(0.15) else ()))

    return (m.over("j", const(0), const(rows) if m.coin(0.8) else COUNT, T.i32, outer),)


def window(m: Maker, to: Buffer, point: tuple[Expr, Expr], columns: int) -> Expr:
    """A sum or an extreme of four loads around a point, with weights that are a product often."""
    buffers = [b for b in m.buffers if b.type is to.type and b.size >= 4 and b is not to] or [to]
    source = m.rng.choice(buffers)
    j, i = point
    last = const(columns - 1)

    def clamped(x: Expr) -> Expr:
        return E.apply("min", E.apply("max", x, const(0)), last)

    near = [clamped(E.apply("add", i, const(k))) for k in (-1, 1)]
    lines = [E.apply("mul", E.apply("add", j, const(k)), const(columns)) for k in (0, 1)]
    join = m.rng.choice(("add", "max", "min"))
    scale = "mul" if join == "add" else "add"
    u, v = ([m.rng.choice((1, 2, 3)) for _ in range(2)] for _ in range(2))
    found: Expr | None = None
    for r, line in enumerate(lines):
        for c, column in enumerate(near):
            load = E.load(source, E.apply("add", line, column))
            weight = u[r] * v[c] if join == "add" else u[r] + v[c]
            term = E.apply(scale, const(weight, to.type), load)
            found = term if found is None else E.apply(join, found, term)
    assert found is not None
    return found


def rows(m: Maker) -> N.Block:
    """Scratch memory of which each iteration fills and uses a row, or a whole array that is filled and then used."""
    m.names += 1
    type_ = m.rng.choice((T.i32, T.f32))
    height, width = 2, m.rng.choice((2, 3))
    buffer = Buffer(f"t{m.names}", type_, height * width)
    to = m.rng.choice(m.targets())
    value = m.value(type_)

    def using() -> N.Block:
        j, i = m.indices[-2:]
        position = E.apply("add", E.apply("mul", j, const(width)), i)
        used = m.converted(E.load(buffer, position), to.type)
        if m.coin(0.3):
            used = E.apply("add", used, m.converted(E.load(buffer, i), to.type))
        return (N.Store(to, m.rng.choice((position, position, i)), used),)

    def filling() -> N.Block:
        j, i = m.indices[-2:]
        position = E.apply("add", E.apply("mul", j, const(width)), i)
        own = value if m.coin(0.4) else m.value(type_)
        return (N.Store(buffer, position, own),)

    def line(body: Callable[[], N.Block], name: str) -> N.For:
        return m.over(name, const(0), const(width), T.i32, body)

    def loop(body: Callable[[], N.Block]) -> N.For:
        return m.over("j", const(0), const(height), T.i32, body)

    if m.coin(0.5):
        inside: N.Block = (loop(lambda: (line(filling, "i"), line(using, m.rng.choice(("i", "k"))))),)
    else:
        inside = (
            loop(lambda: (line(filling, "i"),)),
            *((m.store(),) if m.coin(0.2) else ()),
            loop(lambda: (line(using, "i"),)),
        )
    return (N.Alloc({buffer: const(height * width)}, inside),)


def short(m: Maker) -> N.Block:
    """A loop of at most one iteration, or a branch that is decided."""
    if m.coin(0.3):
        test = m.rng.choice((E.TRUE, E.FALSE, E.apply("lt", COUNT, const(6)), E.apply("lt", COUNT, const(0))))
        return (N.If(test, m.block(0), m.block(0) if m.coin(0.5) else ()),)
    leaf = m.leaf(T.i32)
    lo, hi = m.rng.choice(
        (
            (const(2), const(3)),
            (const(3), const(3)),
            (COUNT, COUNT),
            (leaf, E.apply("add", leaf, const(1))),
            (const(4), E.apply("min", leaf, const(5))),
        )
    )
    return (m.over(m.fresh(), lo, hi, T.i32, lambda: m.block(1), small=False),)


MOTIFS: tuple[Callable[[Maker], N.Block], ...] = (
    update,
    updates,
    instances,
    twins,
    repeated,
    copied,
    counters,
    accumulators,
    products,
    shared,
    tests,
    tests,
    branches,
    choices,
    images,
    rows,
    short,
)
