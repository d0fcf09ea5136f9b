"""Loop elimination, unrolling and rolling: goldens, each clause by which they refuse, and that they preserve."""

import random

import pytest
from hypothesis import given
from tests.loops.nests import COUNT, RANGES, A, Maker, agree, everywhere, makers, nests, program
from tests.loops.primitive import made, nest, refused

from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.expr import index
from pellucid.loops.core.registry import named
from pellucid.loops.moves.unroll_all import MOVE as UNROLL_ALL

STORE = (A, E.index("i"), E.index("i"))
SUM = "  for i in 0 .. n + 1:\n    x[0] := x[0] + a[i]\n"
THREE = "  a[1] := b[2]\n  a[2] := b[3]\n  a[3] := b[4]\n"
ACCEPTED = [
    ("eliminate_loop", {}, "  for i in 3 .. 3:\n    a[i] := 1\n", ""),
    ("eliminate_loop", {}, "  for i in n + 1 .. n:\n    a[i] := 1\n", ""),
    ("eliminate_loop", {}, "  for i in n .. n + 1:\n    a[i] := i\n", "  a[n] := n\n"),
    ("unroll", {}, SUM, "  for i in 0 .. n:\n    x[0] := x[0] + a[i]\n  x[0] := x[0] + a[n]\n"),
    (
        "unroll",
        {"end": "first"},
        SUM,
        "  x[0] := x[0] + a[0]\n  for i in 1 .. n + 1:\n    x[0] := x[0] + a[i]\n",
    ),
    (
        "unroll",
        {"tested": True},
        "  for i in 0 .. n:\n    a[i] := i\n",
        "  if 0 < n:\n    for i in 0 .. n - 1:\n      a[i] := i\n    s1 := n - 1\n    a[s1] := s1\n",
    ),
    (
        "unroll",
        {"end": "first", "tested": True},
        "  for i in m .. n:\n    a[i] := i\n",
        "  if m < n:\n    a[m] := m\n    for i in m + 1 .. n:\n      a[i] := i\n",
    ),
    (
        "roll",
        {},
        "  for i in 0 .. n:\n    a[i] := i\n  a[n] := n\n",
        "  for i in 0 .. n + 1:\n    a[i] := i\n",
    ),
    (
        "unroll",
        {"end": "first"},
        "  while x[0] < n:\n    x[0] := x[0] + 1\n",
        "  if x[0] < n:\n    x[0] := x[0] + 1\n    while x[0] < n:\n      x[0] := x[0] + 1\n",
    ),
    ("eliminate_loop", {}, "  while n < n:\n    x[0] := 3\n", ""),
    ("unroll_all", {}, "  for i in 1 .. 4:\n    a[i] := b[i + 1]\n", None),
    ("unroll_all", {}, "  for i in 1 .. 1:\n    a[i] := 3\n", ""),
    ("roll_all", {}, THREE, "  for r in 1 .. 4:\n    a[r] := b[r + 1]\n"),
]


@pytest.mark.parametrize(("move", "options", "before", "after"), ACCEPTED)
def test_golden(move, options, before, after):
    found = made(move, before, **options)
    if after is not None:
        assert found == after


def test_a_period_of_two():
    before = "  a[0] := 0\n  h[6] := 0:u8\n  a[1] := 2\n  h[5] := 3:u8\n  a[2] := 4\n  h[4] := 6:u8\n"
    after = "  for r in 0 .. 3:\n    a[r] := r * 2\n    h[r * -1 + 6] := convert.u8(r) * 3:u8\n"
    assert made("roll_all", before, period=2).replace("(-1)", "-1") == after


def test_rolling_the_first_iteration_back():
    before = "  a[0] := 0\n  b[0] := 7\n  for i in 1 .. n + 1:\n    a[i] := i\n    b[i] := 7\n"
    after = "  for i in 0 .. n + 1:\n    a[i] := i\n    b[i] := 7\n"
    assert made("roll", before, ((0, 2),), end="first") == after


@pytest.mark.parametrize("end", ["last", "first"])
def test_rolling_undoes_unrolling(end):
    path = ((0, 0),) if end == "last" else ((0, 1),)
    assert made("roll", made("unroll", SUM, end=end), path, end=end) == SUM


def test_rolling_undoes_unrolling_of_all():
    before = "  for i in 1 .. 5:\n    a[i] := b[i + 1]\n    x[0] := x[0] + i\n"
    after = made("unroll_all", before)
    assert after.count("x[0] :=") == 4
    assert made("roll_all", after, period=2, name="i") == before


def test_unrolling_all_is_unrolling_one_by_one():
    kernel = nest("  x[0] := 3\n  for i in 1 .. 5:\n    a[i] := b[i + 1]\n    x[0] := x[0] + i\n")
    at_once = UNROLL_ALL.apply(kernel, ((0, 1),)).kernel
    ledger = UNROLL_ALL.derive(kernel, ((0, 1),))
    assert [s.move for s in ledger.steps] == ["unroll"] * 4 + ["eliminate_loop"]
    assert all(s.applied for s in ledger.steps)
    assert N.same(ledger.steps[-1].new.body, at_once.body)


LOOP = "  for i in 0 .. n:\n    a[i] := i\n"
BOUND = "  for i in 0 .. x[0]:\n    x[0] := 2\n"
REFUSED = [
    ("eliminate_loop", {}, LOOP, "no-iterations"),
    ("eliminate_loop", {}, "  x[0] := 1\n", "a-loop"),
    ("unroll", {}, "  x[0] := 1\n", "a-loop-in-order"),
    ("unroll", {}, "  for i in 0 .. n by 4 lanes:\n    a[i] := i\n", "a-loop-in-order"),
    ("unroll", {}, BOUND, "runs"),
    ("unroll", {"end": "middle"}, LOOP, "a-loop-in-order"),
    ("unroll", {}, "  for i in 0 .. max(1, x[0]):\n    x[0] := 2\n", "bound-kept"),
    ("unroll", {"end": "first"}, "  for i in min(0, x[0]) .. 3:\n    x[0] := 2\n", "bounds-kept"),
    ("roll", {}, LOOP, "an-iteration-beside"),
    ("roll", {}, LOOP + "  a[n] := 3\n", "an-iteration-beside"),
    ("roll", {}, "  for i in 0 .. m:\n    a[i] := i\n  a[m] := m\n", "runs"),
    ("roll", {}, "  for i in 0 .. x[0]:\n    a[i] := 3\n  a[x[0]] := 3\n", "runs"),
    (
        "roll",
        {},
        "  for i in 0 .. max(0, x[0]):\n    a[i] := 3\n  a[max(0, x[0])] := 3\n",
        "no-wrap",
    ),
    (
        "roll",
        {},
        "  for i in 0 .. max(0, min(x[0], 9)):\n    x[0] := 3\n  x[0] := 3\n",
        "bound-kept",
    ),
    ("unroll_all", {}, LOOP, "constant-bounds"),
    ("unroll_all", {"most": 4}, "  for i in 0 .. 5:\n    a[i] := i\n", "few-iterations"),
    ("unroll_all", {}, "  x[0] := 1\n", "constant-bounds"),
    ("roll_all", {}, "  a[1] := 2\n  b[2] := 3\n", "instances"),
    ("roll_all", {}, "  f[1] := 2.0\n  f[2] := 3.0\n", "instances"),
    ("roll_all", {}, "  a[1] := 2\n", "instances"),
    ("roll_all", {}, "  a[2147483646] := 2\n  a[2147483647] := 2\n", "in-range"),
    ("roll_all", {"period": 0}, "  a[1] := 2\n", "instances"),
    (
        "roll_all",
        {"index": index("r")},
        "".join(f"  for r in 0 .. 3:\n    a[r] := {k}\n" for k in (0, 1)),
        "index-free",
    ),
]


@pytest.mark.parametrize(("move", "options", "before", "clause"), REFUSED)
def test_refusal(move, options, before, clause):
    assert refused(move, before, **options).clause == clause


FIRST = "White 4.3.2 for the first iteration, backwards"


@pytest.mark.parametrize(
    ("move", "theorem", "text", "position", "options", "clause"),
    [
        ("eliminate_loop", "White 4.3.1 for one iteration", LOOP, 0, {}, "one-iteration"),
        (
            "eliminate_loop",
            "White 4.3.1 for one iteration",
            "  for i in x[0] .. x[0] + 1:\n    x[0] := 3\n    a[i] := 4\n",
            0,
            {},
            "one-iteration",
        ),
        (
            "eliminate_loop",
            "White 4.3.1 for one iteration",
            "  for i in min(x[0], 9) .. min(x[0], 9) + 1:\n    x[0] := 3\n    a[i] := 4\n",
            0,
            {},
            "start-kept",
        ),
        ("unroll", "White 4.3.2 under a test", BOUND, 0, {"tested": True}, "bounds-kept"),
        ("roll", FIRST, "  x[0] := 3\n  for i in 1 .. x[0]:\n    x[0] := 3\n", 1, {"end": "first"}, "runs"),
        (
            "roll",
            FIRST,
            "  a[x[0] - 1] := 3\n  for i in x[0] .. max(x[0], 4):\n    a[i] := 3\n",
            1,
            {"end": "first"},
            "no-wrap",
        ),
        (
            "roll",
            FIRST,
            "  x[0] := 3\n  for i in 1 .. max(x[0], 1):\n    x[0] := 3\n",
            1,
            {"end": "first"},
            "bounds-kept",
        ),
    ],
)
def test_each_case_refuses(move, theorem, text, position, options, clause):
    from pellucid.loops.core.theorem import Site

    found = next(t for t in named(move).theorems if t.name == theorem)
    verdict = found.prove(Site(nest(text), ((0, position),), RANGES, options))
    assert getattr(verdict, "clause", None) == clause, verdict


def test_the_largest_bounds_do_not_wrap():
    # The loop over all numbers below the largest: one more iteration would need a bound that does not exist.
    top = T.i32.high
    before = f"  for i in {top - 1} .. {top}:\n    x[0] := 3\n  x[0] := 3\n"
    assert refused("roll", before).clause == "no-wrap"
    assert made("unroll", f"  for i in {top - 1} .. {top}:\n    x[0] := i\n").endswith(f"x[0] := {top - 1}\n")


# ---- preserved ----


def short_loop(maker: Maker) -> N.Kernel:
    """A loop of few iterations."""
    s = maker.loop((), 2)
    lo = maker.rng.choice((s.lo, COUNT))
    hi = maker.rng.choice((lo, E.apply("add", lo, E.const(1, T.i32)), s.hi))
    return program(maker.store(), N.For(s.index, lo, hi, s.body), maker.store())


def beside(maker: Maker) -> N.Kernel:
    """A loop between its neighboring iterations, or what is almost that."""
    from pellucid.loops.analysis.iteration import before
    from pellucid.loops.core.build import with_value

    s = maker.loop((), 1)
    hi = maker.rng.choice((s.hi, E.const(3, T.i32), E.apply("max", maker.leaf(()), E.const(1, T.i32))))
    s = N.For(s.index, s.lo, hi, s.body)
    first, last = (with_value(s.body, s.index, e) for e in (before(s.lo), s.hi))
    return program(*first, s, *last)


def instances(maker: Maker) -> N.Kernel:
    """A loop over constants that was written out, with one statement changed now and then."""
    s = maker.loop((), 2)
    body = [x for k in range(3) for x in UNROLL_ALL.apply(_over(s, k), ((0, 0),)).kernel.body]
    if maker.rng.random() < 0.3:
        body[maker.rng.randrange(len(body))] = maker.store()
    return program(*body)


def _over(s: N.For, k: int) -> N.Kernel:
    return program(N.For(s.index, E.const(k, T.i32), E.const(k + 1, T.i32), s.body))


SHAPED = [
    ("eliminate_loop", short_loop),
    ("unroll", short_loop),
    ("roll", beside),
    ("unroll_all", short_loop),
    ("roll_all", instances),
]


def variants(move: str) -> list[dict[str, object]]:
    """The options with which a move is tried."""
    if move in ("unroll", "roll"):
        tests = (False, True) if move == "unroll" else (False,)
        return [{"end": end, "tested": tested} for end in ("last", "first") for tested in tests]
    return [{"period": k} for k in (1, 2, 3)] if move == "roll_all" else [{}]


@pytest.mark.parametrize(("move", "shape"), SHAPED)
def test_preserves(move, shape):
    @given(makers())
    def look(maker):
        kernel = shape(maker)
        for options in variants(move):
            for after in everywhere(named(move), kernel, **options):
                agree(kernel, after)

    look()


@pytest.mark.parametrize(("move", "shape"), SHAPED)
def test_it_is_likely_there(move, shape):
    kernels = [shape(Maker(random.Random(seed))) for seed in range(40)]
    found = [k for k in kernels for o in variants(move) for _ in everywhere(named(move), k, **o)]
    assert len(found) > 5


@given(nests())
def test_preserve_in_any_nest(kernel):
    for move, _ in SHAPED:
        for options in variants(move):
            for after in everywhere(named(move), kernel, **options):
                agree(kernel, after)


def test_long_programs_are_rolled_at_once():
    kernel = nest("".join(f"  a[{k}] := {2 * k}\n" for k in range(1000)))
    (path,) = named("roll_all").find(kernel)
    after = named("roll_all").apply(kernel, path).kernel
    assert len(after.body) == 1


def test_abstract_statements_are_unrolled_and_rolled():
    s = N.For(E.index("i"), E.const(2, T.i32), E.const(5, T.i32), (N.Abstract("work"), N.Store(*STORE)))
    kernel = program(s)
    flat = UNROLL_ALL.apply(kernel, ((0, 0),)).kernel
    assert [x.name for x in flat.body if isinstance(x, N.Abstract)] == ["work"] * 3
    back = named("roll_all").apply(flat, ((0, 0),), period=2, name="i").kernel
    assert N.same(back.body, kernel.body)


def test_a_loop_that_may_not_end_is_not_nothing():
    text = "  alloc t: i32[1]:\n    while t[0] == 0:\n      t[0] := n\n"
    assert refused("compress", text).clause == "nullable"
    assert made("compress", "  alloc t: i32[1]:\n    t[0] := n\n  x[0] := 1\n") == "  x[0] := 1\n"
