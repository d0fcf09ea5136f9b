"""Global moves preserve meaning: random programs of the shape that each speaks of, before and after, bit for bit."""

import itertools

import numpy as np
from hypothesis import given, settings
from tests.loops.nests import COUNT, RANGES, Maker, agree, everywhere, makers, program
from tests.turns import fewer

from pellucid.base.errors import IrError
from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.interp import run
from pellucid.ir.parse import parse_nest
from pellucid.ir.text import print_nest
from pellucid.ir.verify import verify_kernel
from pellucid.loops.core.registry import named
from pellucid.reasoning.prove import Proved


def two_loops(m: Maker) -> N.Kernel:
    a, b = m.loop(), m.loop()
    return program(m.store(), a, N.For(b.index, a.lo, a.hi, b.body), m.store())


def one_loop(m: Maker) -> N.Kernel:
    return program(m.loop(size=3), m.store())


def nested(m: Maker) -> N.Kernel:
    i, j = E.index("i1"), E.index("j")
    a = m.loop()
    one, two = E.const(1, T.i32), E.const(2, T.i32)
    lo = m.rng.choice((a.lo, i, E.apply("sub", i, one), E.apply("sub", one, i)))
    hi = m.rng.choice((COUNT, two, E.apply("add", i, two), E.apply("sub", two, i), E.apply("mul", i, i)))
    inner = N.For(j, lo, hi, m.block((i, j), 1)[:1])
    return program(m.store(), N.For(i, a.lo, a.hi, (inner,)), m.store())


def with_invariant(m: Maker) -> N.Kernel:
    a = m.loop()
    position = m.rng.randrange(len(a.body) + 1)
    body = (*a.body[:position], m.statement((), 2), *a.body[position:])
    return program(m.store(), N.For(a.index, a.lo, a.hi, body), m.store())


def over_a_test(m: Maker) -> N.Kernel:
    """A loop over a comparison with its index, and often another condition."""
    a = m.loop()
    i, other = a.index, m.leaf((), loads=False)
    forms = (E.apply("add", i, other), E.apply("mul", i, other), E.apply("sub", other, i))
    x = i if m.rng.random() < 0.6 else m.rng.choice(forms)
    if m.rng.random() < 0.3:
        x = E.apply("convert", x, attr=T.f32)
        bound = m.value(T.f32, ())
    else:
        bound = m.whole((), 1)
    sides = m.rng.choice(((x, bound), (bound, x)))
    condition = E.apply(m.rng.choice(("lt", "le", "eq", "ne")), *sides)
    if m.rng.random() < 0.3:
        more = E.apply("lt", i, m.leaf(()))
        condition = E.apply(m.rng.choice(("and", "or")), condition, more)
    orelse = m.block((i,), 1) if m.rng.random() < 0.5 else ()
    return program(m.store(), N.For(i, a.lo, a.hi, (N.If(condition, m.block((i,), 1), orelse),)), m.store())


def gathering(m: Maker) -> N.Kernel:
    """Nested loops of updates, by operators that commute and by some that do not."""
    i, j = E.index("i1"), E.index("j")

    def update() -> N.Store:
        buffer = m.rng.choice(m.buffers)
        position, value = m.position(buffer, (i, j)), m.value(buffer.type, (i, j))
        own = E.load(buffer, position)
        op = m.rng.choice(("add", "add", "max", "mul", "sub"))
        return N.Store(buffer, position, E.apply(op, *m.rng.choice(((own, value), (value, own)))))

    body = tuple(update() for _ in range(m.rng.choice((1, 1, 2))))
    if m.rng.random() < 0.3:
        body = (N.If(m.truth((i, j)), body),)
    inner = N.For(j, E.const(0, T.i32), m.rng.choice((COUNT, E.const(3, T.i32))), body)
    return program(m.store(), N.For(i, E.const(0, T.i32), E.const(3, T.i32), (inner,)), m.store())


def preserves(move: str, shape: object, examples: int) -> None:
    made = 0

    @settings(max_examples=examples)
    @given(makers())
    def check(maker: Maker) -> None:
        nonlocal made
        kernel = shape(maker)
        try:
            verify_kernel(kernel)
        except IrError:
            return  # an index within itself
        for after in everywhere(named(move), kernel):
            made += 1
            agree(kernel, after)
        for path in named(move).find(kernel):
            # What a move offers it can decide without failing.
            assert named(move).check(kernel, path, ranges=RANGES)

    check()
    assert made >= examples // 6, f"{move} was made only {made} times"


def test_join_loops_preserves():
    preserves("join_loops", two_loops, 200)


def test_split_loop_preserves():
    preserves("split_loop", one_loop, 150)


def test_interchange_loops_preserves():
    preserves("interchange_loops", nested, 200)


def test_interchange_loops_preserves_what_is_gathered():
    preserves("interchange_loops", gathering, 200)


def test_split_loop_preserves_what_is_gathered():
    preserves("split_loop", gathering, 150)


def test_move_code_preserves():
    preserves("move_code", with_invariant, 150)


def test_join_conditional_preserves():
    preserves("join_conditional", over_a_test, 200)


def test_a_triangle_is_turned_as_well():
    """Both theorems of interchange are met by the random programs above."""
    met: set[str] = set()

    @settings(max_examples=fewer(150))
    @given(makers())
    def look(maker: Maker) -> None:
        kernel = nested(maker)
        verdict = named("interchange_loops").check(kernel, ((0, 1),), ranges=RANGES)
        if isinstance(verdict, Proved):
            met.add(verdict.theorem)

    look()
    assert len(met) == 2


SLANTED = ("0", "3", "i - 1", "i", "i + 2", "1 - i", "2 - i", "3 - i")


def test_rows_that_slant_are_turned_only_where_the_order_on_no_element_changes():
    """Bounds that move either way, and every element that may be met: what is turned leaves the same bits."""
    made = 0
    for lo, hi, rows, columns in itertools.product(SLANTED, SLANTED, (-1, 1, 2, 3, 10), (-1, 0, 1, 2)):
        kernel = parse_nest(
            "kernel k():\n  output a: i32[60]\n"
            f"  for i in 1 .. 4:\n    for j in {lo} .. {hi}:\n"
            f"      a[{rows} * i + {columns} * j + 9] := 10 * i + j\n"
        )
        (after,) = tuple(everywhere(named("interchange_loops"), kernel)) or (None,)
        if after is not None:
            made += 1
            before, turned = ({b: np.zeros(60, np.int32) for b in kernel.outputs} for _ in range(2))
            run(kernel, {}, before)
            run(after, {}, turned)
            texts = f"{print_nest(kernel)}\nbecame\n{print_nest(after)}"
            assert all((before[b] == turned[b]).all() for b in kernel.outputs), texts
    assert made > 900, "most of them are turned"
