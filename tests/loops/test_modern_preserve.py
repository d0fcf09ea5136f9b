"""Every modern move keeps the meaning: on random nests wherever it is proved, bit for bit on all declared outputs."""

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.loops.nests import (
    COUNT,
    STEP,
    A,
    B,
    C,
    F,
    H,
    Maker,
    X,
    Y,
    agree,
    everywhere,
    makers,
    nests,
    program,
)
from tests.turns import fewer

from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.loops.core.registry import named

ZERO = E.const(0, T.i32)


def applied(move: str, kernel: N.Kernel, **options: object) -> int:
    """Make the move wherever it is proved, compare, and count."""
    count = 0
    for after in everywhere(named(move), kernel, **options):
        agree(kernel, after)
        count += 1
    return count


def test_every_shape_here_is_met_by_its_move():
    # A generator that no longer fits its move would test nothing.
    import random

    for shape, move, options in SHAPES:
        found = 0
        for seed in range(40):
            found += applied(move, shape(Maker(random.Random(seed))), **options)
            if found >= 4:
                break
        assert found >= 4, (shape.__name__, move, options, found)


# ---- shapes that moves are about ----


def nested(maker: Maker) -> N.Kernel:
    """Two loops, one in the other, around a few stores; neighbors of either are loaded now and then."""
    i, j = E.index("i"), E.index("j")
    wide = E.apply("add", E.apply("mul", i, E.const(3, T.i32)), j)
    places = [(A, wide), (A, i), (B, j), (A, E.apply("add", i, j)), (X, ZERO), (C, wide)]
    stores: list[N.Store] = []
    for _ in range(maker.rng.choice((1, 1, 2))):
        buffer, position = maker.rng.choice(places[:1] * 3 + places)
        value = maker.value(buffer.type, (i, j))
        if maker.rng.random() < 0.4:
            value = E.apply("add", value, E.load(buffer, position))
        stores.append(N.Store(buffer, position, value))
    inner = N.For(j, ZERO, maker.rng.choice((E.const(3, T.i32), COUNT)), tuple(stores))
    return program(N.For(i, ZERO, maker.rng.choice((E.const(2, T.i32), COUNT)), (inner,)))


def one_loop(maker: Maker) -> N.Kernel:
    """A loop of statements."""
    return program(*maker.block((), 1), maker.loop((), 3), *maker.block((), 1))


def reduction(maker: Maker) -> N.Kernel:
    """A loop that gathers into an array at places that the data tell, perhaps under a branch or in a loop."""
    i, j = E.index("i"), E.index("j")
    buffer, ops = maker.rng.choice(
        [
            (A, ("add", "min", "max", "mul", "xor")),
            (H, ("add", "or", "and")),
            (F, ("add",)),
            (C, ("add", "max")),
        ]
    )
    last = E.const(buffer.size - 1 - (maker.rng.random() < 0.2), T.i32)
    op = maker.rng.choice(ops)

    def gather(indices: tuple[E.Expr, ...]) -> N.Statement:
        where = E.apply("max", ZERO, E.apply("min", last, maker.whole(indices, 1, loads=False)))
        at = maker.rng.choice((where, E.load(B, i), where, i))
        own = E.load(buffer, at)
        source = maker.rng.choice([b for b in (X, Y, H, F, A) if b is not buffer])
        loaded = E.load(source, indices[-1])
        operand = loaded if source.type is buffer.type else E.apply("convert", i, attr=buffer.type)
        s = N.Store(buffer, at, E.apply(op, *maker.rng.choice(((own, operand), (operand, own)))))
        return N.If(maker.truth(indices), (s,)) if maker.rng.random() < 0.3 else s

    body: N.Block = (gather((i,)),)
    if maker.rng.random() < 0.5:
        body = (N.For(j, ZERO, E.const(2, T.i32), (gather((i, j)), *body)),)
    if maker.rng.random() < 0.15:
        body += (maker.store((i,)),)
    return program(N.For(i, ZERO, E.const(4, T.i32), body))


def scalars(maker: Maker) -> N.Kernel:
    """A loop that works on one element, or adds to a scalar in every iteration."""
    i = E.index("i")
    buffer, where = maker.rng.choice(((A, 3), (X, 0), (C, 2), (F, 1), (Y, 0), (A, 9)))
    own = E.load(buffer, E.const(where, T.i32))
    value = maker.value(buffer.type, (i,))
    s = N.Store(buffer, own.args[0], maker.rng.choice((E.apply("add", own, value), value)))
    more = [maker.store((i,)) for _ in range(maker.rng.choice((0, 0, 1, 2)))]
    body = (*more[:1], s, *more[1:])
    lo, hi = maker.rng.choice(((ZERO, COUNT), (STEP, E.const(3, T.i32)), (ZERO, E.const(4, T.i32))))
    return program(maker.store(), N.For(i, lo, hi, body), maker.store())


def counters(maker: Maker) -> N.Kernel:
    """A loop with a scalar that grows by the same amount each time, and statements that use it."""
    i, j = E.index("i"), E.index("j")
    k = maker.rng.choice((X, Y))
    own = E.load(k, ZERO)
    step = maker.rng.choice((E.const(2, k.type), E.apply("convert", STEP, attr=k.type), E.load(k, ZERO)))
    grow = N.Store(k, ZERO, E.apply("add", own, step))
    at = own if k.type is T.i32 else E.apply("convert", own, attr=T.i32)
    use = N.Store(A, at, E.apply("add", i, E.load(B, i)))
    rest: list[N.Statement] = [use, maker.store((i,)), N.For(j, ZERO, COUNT, (N.Store(B, j, at),))]
    maker.rng.shuffle(rest)
    cut = maker.rng.randrange(3)
    body = (*rest[:cut], grow, *rest[cut : maker.rng.randrange(cut, 3) + 1])
    return program(N.For(i, maker.rng.choice((ZERO, STEP)), COUNT, body), maker.store())


def products(maker: Maker) -> N.Kernel:
    """A loop with products of its index."""
    i = E.index("i")
    factor = maker.rng.choice((E.const(3, T.i32), COUNT, STEP, E.load(X, ZERO)))
    node = E.apply("mul", maker.rng.choice((i, E.apply("add", i, STEP), E.apply("sub", STEP, i))), factor)
    value = E.apply("add", node, maker.whole((i,), 1))
    body = (N.Store(A, maker.rng.choice((i, node)), value), maker.store((i,)))
    return program(N.For(i, maker.rng.choice((ZERO, STEP)), COUNT, body[: maker.rng.choice((1, 2))]))


def repeated(maker: Maker) -> N.Kernel:
    """Statements that compute the same from memory that some of them store to."""
    i = E.index("i")
    shared = E.apply("mul", E.load(A, i), E.load(X, ZERO))
    other = E.apply("add", E.load(B, i), COUNT)
    block: list[N.Statement] = []
    for _ in range(maker.rng.choice((2, 3, 4))):
        value = maker.rng.choice((shared, E.apply("add", shared, other), other, maker.whole((i,), 1)))
        s: N.Statement = N.Store(maker.rng.choice((A, B, X)), maker.rng.choice((i, ZERO)), value)
        block.append(N.If(maker.truth((i,)), (s,)) if maker.rng.random() < 0.2 else s)
    return program(N.For(i, ZERO, COUNT, tuple(block)))


def branches(maker: Maker) -> N.Kernel:
    """A loop with branches and choices on conditions that it does not change."""
    i = E.index("i")
    fixed = maker.truth(())
    arm = maker.block((i,), 1)
    branch = N.If(fixed, arm, maker.rng.choice(((), (maker.store((i,)),))))
    choice = N.Store(A, i, E.apply("choose", fixed, maker.whole((i,), 1), maker.whole((i,), 1)))
    return program(N.For(i, ZERO, COUNT, (maker.rng.choice((branch, choice)), *maker.block((i,), 1))))


def choices(maker: Maker) -> N.Kernel:
    """A loop that stores a choice, of which one side is often what is there already."""
    i = E.index("i")
    buffer = maker.rng.choice((A, F, H, X))
    own = E.load(buffer, maker.position(buffer, (i,)))
    zero, one = E.const(0, buffer.type), E.const(maker.rng.choice((1, 3)), buffer.type)
    pair = maker.rng.choice(((one, zero), (zero, one), (one, one)))
    value = E.apply("choose", maker.truth((i,)), *pair)
    if maker.rng.random() < 0.3:
        value = E.apply("choose", maker.truth((i,)), own, value)
    else:
        value = E.apply(maker.rng.choice(("add", "sub", "mul", "max")), own, value)
    return program(N.For(i, ZERO, COUNT, (N.Store(buffer, own.args[0], value), maker.store((i,)))))


def iterating(maker: Maker) -> N.Kernel:
    """A loop of stores whose values iterate: in the steps of others, for others, or where they are wanted."""
    i = E.index("i")

    def some(*values: E.Expr) -> E.Expr:
        found = maker.rng.choice((*values, E.load(B, i), maker.whole((i,), 1, loads=False)))
        if maker.rng.random() < 0.5:
            other = maker.rng.choice((*values, maker.whole((i,), 1, loads=False)))
            found = E.apply(maker.rng.choice(("add", "sub", "mul", "min")), found, other)
        return found

    def steps(depth: int, *values: E.Expr) -> E.Expr:
        states = [E.state(depth, k, t) for k, t in enumerate((T.i32, T.boolean)[: maker.rng.choice((1, 2))])]
        inner = [steps(depth - 1, states[0])] if depth and maker.rng.random() < 0.7 else []
        first = some(states[0], *inner, *values)
        rest = [E.apply("lt", some(states[0]), some(*values)) for _ in states[1:]]
        stop = maker.rng.choice((E.FALSE, E.apply("lt", some(states[0]), some(*values)), *states[1:]))
        limit = maker.rng.choice((E.const(3, T.i32), COUNT, i))
        init = [some(*values), E.TRUE][: len(states)]
        found = E.iterate(init, [first, *rest], stop, limit, depth)
        return E.apply("choose", found[1], found[0], some()) if rest else found[0]

    stores: list[N.Store] = []
    for _ in range(maker.rng.choice((1, 1, 2))):
        value = steps(1)
        if maker.rng.random() < 0.4:
            value = E.apply("choose", maker.truth((i,), loads=False), some(value), some())
        if maker.rng.random() < 0.4:
            value = steps(1, value)
        stores.append(N.Store(A, maker.rng.choice((i, E.apply("add", i, STEP), some())), value))
    return program(N.For(i, ZERO, maker.rng.choice((E.const(5, T.i32), COUNT)), tuple(stores)))


def sided(maker: Maker) -> N.Kernel:
    """A loop of stores whose values are chosen, on few conditions, sides within sides and shared now and then."""
    i = E.index("i")
    tests = [maker.truth((i,)) for _ in range(2)]
    shared = [maker.whole((i,)) for _ in range(2)]

    def some(depth: int) -> E.Expr:
        if depth == 0:
            return maker.rng.choice((*shared, maker.whole((i,)), maker.whole((i,), 1)))
        if maker.rng.random() < 0.6:
            return E.apply("choose", maker.rng.choice(tests), some(depth - 1), some(depth - 1))
        return E.apply(maker.rng.choice(("add", "mul", "xor")), some(depth - 1), some(depth - 1))

    targets = maker.rng.choice(((C,), (C, F), (F,)))
    stores = [
        N.Store(b, maker.rng.choice((i, shared[0])), E.apply("convert", some(3), attr=b.type))
        for b in targets
    ]
    return program(N.For(i, ZERO, maker.rng.choice((E.const(5, T.i32), COUNT)), tuple(stores)))


def unneeded(maker: Maker) -> N.Kernel:
    """Programs of which only one array is needed at the end."""
    return dataclasses.replace(maker.kernel(3), outputs=(A, B, C, F, H, X, Y))


def by(*texts: str) -> dict[str, object]:
    from pellucid.ir.parse import parse_expr

    return {"by": tuple(parse_expr(t)[0] for t in texts)}


SHAPES = [
    (one_loop, "strip_mine", {"size": 2}),
    (one_loop, "peel", {"side": "front"}),
    (one_loop, "peel", {"side": "back"}),
    (one_loop, "unroll_and_jam", {"factor": 2}),
    (nested, "unroll_and_jam", {"factor": 2}),
    (nested, "tile", {"rows": 2, "columns": 2}),
    (nested, "lanes", {"count": 4}),
    (nested, "spread", {"band": 1}),
    (nested, "grid", {"block": 8}),
    (reduction, "privatize", {}),
    (reduction, "privatize", by("%i", "mod(%i, 3)")),
    (scalars, "replace_scalar", {}),
    (scalars, "accumulate", {}),
    (counters, "eliminate_induction", {}),
    (products, "strength_reduce", {}),
    (repeated, "eliminate_redundant", {}),
    (branches, "unswitch", {}),
    (choices, "guard_store", {}),
    (choices, "branch_store", {}),
    (iterating, "lockstep", {"size": 2}),
    (iterating, "lockstep", {}),
    (sided, "skip_arm", {"size": 2, "dear": 1}),
    (sided, "skip_arm", {"dear": 3}),
]


@pytest.mark.parametrize(("shape", "move", "options"), SHAPES)
@given(maker=makers())
@settings(max_examples=fewer(40))
def test_the_move_preserves_meaning(shape, move, options, maker):
    applied(move, shape(maker), **options)


MOVES = sorted({(move, str(options)) for _, move, options in SHAPES if "by" not in options})


@pytest.mark.parametrize("move", sorted({m for m, _ in MOVES}))
@given(kernel=nests(3))
@settings(max_examples=10)
def test_the_move_preserves_meaning_anywhere(move, kernel):
    applied(move, kernel)


@given(maker=makers(), live=st.sets(st.sampled_from("abcfhxy"), min_size=1))
@settings(max_examples=fewer(40))
def test_what_is_live_is_the_same_without_what_is_dead(maker, live):
    kernel = unneeded(maker)
    move = named("eliminate_dead")
    names = tuple(sorted(live))
    while list(move.find(kernel, live=names)):
        after = move.apply(kernel, (), live=names).kernel
        kept = tuple(b for b in kernel.outputs if b in after.outputs)
        agree(dataclasses.replace(kernel, outputs=kept), dataclasses.replace(after, outputs=kept))
        kernel = after
