"""No evaluation is added: what an arm alone wants leaves a loop under the arm's condition, or if it is cheap."""

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from tests.evaluations import evaluated, meaning_of
from tests.fuzz.late import late
from tests.fuzz.nests import program
from tests.orders import reordered

import pellucid as pl
from pellucid.driver.frame import OUT, build
from pellucid.driver.kernel import compile, optimized
from pellucid.driver.lending import make_backend
from pellucid.driver.options import Options
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.interp import run
from pellucid.ir.parse import parse_nest
from pellucid.ir.text import print_nest
from pellucid.ir.verify import verify_kernel
from pellucid.loops.analysis.placement import THRESHOLD, place
from pellucid.loops.core.registry import moves
from pellucid.reasoning.prove import Proved

VIEW = {"time": 0.5, "center_x": 0.25, "center_y": -0.5, "scale": 0.5, "width": 6, "height": 5, "samples": 1,
        "left": 0, "top": 0, "whole_width": 6, "whole_height": 5}  # fmt: skip


def heavy(v, steps=40):
    return pl.iterate(lambda s: (s[0] * 0.75 + 0.3,), (v,), limit=steps)[0]


def picture(seed):
    """A random picture full of choices, of which some arms take long, and most of those vary in one direction only."""
    draw = random.Random()

    def number(p, depth):
        leaf = depth == 0 or draw.random() < 0.1
        if leaf:
            return draw.choice([p.x, p.y, p.x + p.y, draw.uniform(-2, 2)])
        kind = draw.randrange(8)
        if kind < 3:
            return pl.where(truth(p, depth - 1), number(p, depth - 1), number(p, depth - 1))
        if kind == 3:
            return heavy(draw.choice([p.x, p.y, p.y * p.y, number(p, depth - 1)]), draw.choice([3, 12, 40]))
        if kind == 4:
            # An iteration that takes an arm now and then, in which something else does not change.
            inner = number(p, 1)
            return pl.iterate(
                lambda s: (pl.where(s[0] > 1.0, s[0] * 0.5 + heavy(inner, 9), s[0] + 0.7),),
                (number(p, depth - 1),),
                limit=draw.choice([0, 1, 4]),
            )[0]
        if kind == 5:
            return number(p, depth - 1) * number(p, depth - 1)
        return number(p, depth - 1) + number(p, depth - 1)

    def truth(p, depth):
        return number(p, min(depth, 1)) > draw.choice([p.x, p.y, 0.4, 1e6])

    def sample(p):
        # Each time it is traced the picture is the same.
        draw.seed(seed)
        return number(p, 4)

    return pl.image(sample)


def placed(source, numerics="exact"):
    frame = build(source, T.f32)
    best = optimized(frame, Options(numerics, "f32", "auto"), make_backend("numpy"))
    return frame, best


def counts(kernel):
    arguments = {p.attr: VIEW[p.attr] for p in kernel.params}
    memory = {OUT: np.zeros(30, np.uint32)}
    return meaning_of(kernel, arguments, memory), evaluated(kernel, arguments, memory)


def allowed(best, after):
    """The evaluations that may be added: a little for each value that was moved, each time that it is computed."""
    moved = [
        node
        for what, node, _ in place(list(best.stages.values())[-2], ranges=best.ranges)[1]()
        if what == "advance"
    ]
    return THRESHOLD * (sum(after.times[n] for n in moved) + after.selections)


@pytest.mark.slow
@pytest.mark.one_in(4)
@pytest.mark.parametrize("batch", range(20))
def test_no_evaluation_is_added_to_random_pictures(batch):
    for seed in range(100 * batch, 100 * (batch + 1)):
        _, best = placed(picture(seed))
        verify_kernel(best.kernel)
        before, after = counts(best.kernel)
        assert after.cycles <= before.cycles + allowed(best, after), seed


@pytest.mark.parametrize("seed", range(12))
def test_back_ends_agree_where_values_are_deferred(seed):
    source = picture(seed)
    drawn = [
        compile(source, numerics="exact", backend=b).render((37, 9), zoom=3.0) for b in ("numpy", "llvm", "c")
    ]
    assert np.array_equal(drawn[0], drawn[1])
    assert np.array_equal(drawn[0], drawn[2])


def test_a_deferred_value_is_computed_once_a_row():
    never = pl.image(lambda p: pl.where(p.x > 1e6, heavy(p.y, 500), 0.25))
    often = pl.image(lambda p: pl.where(p.x > 0.0, heavy(p.y, 500), 0.25))
    for source, rows in ((never, 0), (often, 5)):
        _, best = placed(source)
        _, after = counts(best.kernel)
        loops = [n for n in after.times if n.op == "iterate"]
        assert sum(after.times[n] for n in loops) == rows


def test_arms_that_share_a_deferred_value_compute_it_once():
    def both(p):
        value = heavy(p.y, 500)
        return pl.where(p.x > 1.0, value, pl.where(p.x < -1.0, value * 2.0, 0.25))

    _, best = placed(pl.image(both))
    _, after = counts(best.kernel)
    assert sum(n for node, n in after.times.items() if node.op == "iterate") == 5
    assert sum(isinstance(s, N.Once) for s in N.walk(best.kernel.body)) == 2, "each arm may be the first"


EMPTY = """
kernel k(n: i32, m: i32, x: f32):
  output out: f32[64]
  for j in 0 .. m:
    for i in 0 .. n:
      out[j * 8 + i] := sin(sqrt(x + convert.f32(j))) + convert.f32(i)
"""


@pytest.mark.parametrize(("n", "m"), [(0, 4), (4, 0), (0, 0), (3, 2)])
def test_what_leaves_a_loop_that_may_be_empty_asks_whether_it_runs(n, m):
    kernel = parse_nest(
        EMPTY.replace(
            "sin(sqrt(x + convert.f32(j)))",
            "iterate 0 (x + convert.f32(j)) to (@0.0:f32 * 0.5) until false limit 90 end.0",
        )
    )
    best, _ = place(kernel)
    verify_kernel(best)
    assert N.same(N.erase(best.body), N.erase(kernel.body))
    assert "if 0 < n:" in print_nest(best)
    arguments = {"n": n, "m": m, "x": 1.0}
    memory = {kernel.outputs[0]: np.zeros(64, np.float32)}
    before, after = meaning_of(kernel, arguments, memory), evaluated(best, arguments, memory)
    assert sum(t for node, t in after.times.items() if node.op == "iterate") == (m if n else 0)
    assert after.cycles <= before.cycles + THRESHOLD
    assert print_nest(parse_nest(print_nest(best))) == print_nest(best), "the text says it all"
    results = []
    for back_end in ("numpy", "llvm", "c"):
        out = {kernel.outputs[0]: np.zeros(64, np.float32)}
        make_backend(back_end).compile(best, {}).run(arguments, out)
        results.append(out[kernel.outputs[0]])
    plain = {kernel.outputs[0]: np.zeros(64, np.float32)}
    run(kernel, arguments, plain)
    assert all(np.array_equal(r, plain[kernel.outputs[0]]) for r in results)


def test_text_of_deferred_places_reads_back():
    for seed in range(30):
        _, best = placed(picture(seed))
        text = print_nest(best.kernel)
        again = parse_nest(text)
        verify_kernel(again)
        assert [type(s) for s in N.walk(again.body)] == [type(s) for s in N.walk(best.kernel.body)], seed
        assert print_nest(again).count("keep") == text.count("keep"), seed


def test_the_ledger_tells_what_was_deferred():
    _, best = placed(pl.image(lambda p: pl.where(p.x > 1e6, heavy(p.y, 500), 0.25)))
    details = list(best.ledger.steps[-1].details)
    assert any(d.startswith("defer") and "out of i" in d for d in details)
    assert not any(d.startswith("move_code") and "out of j" in d and "advance" in d for d in details)


KEPT = """
kernel k(n: i32):
  output out: f32[24]
  input a: f32[4]
  for j in 0 .. 4:
    for i in 0 .. 6:
      if i < n:
        out[j * 6 + i] := pow(pow(a[j], a[j]), pow(a[j], a[j]))
"""


def test_no_move_is_made_where_values_are_kept():
    """A kept value is known for loops around it, which a move may take away or change: places come last."""
    before = parse_nest(KEPT)
    placed = place(before)[0]
    assert any(isinstance(s, N.Once) for s in N.walk(placed.body)), print_nest(placed)
    made = []
    for move in moves().values():
        for path in move.find(before, ranges={}):
            made += [move.name] if isinstance(move.check(before, path), Proved) else []
        for path in move.find(placed, ranges={}):
            verdict = move.check(placed, path)
            assert not isinstance(verdict, Proved), f"{move.name}: {verdict}"
    assert {"peel", "interchange_loops"} <= set(made), "without kept values they are made"
    verdict = moves()["peel"].check(placed, next(iter(moves()["peel"].find(placed, ranges={}))))
    assert "place them last" in str(verdict)


PAIR = "iterate 6 (i, 0.5) to (@6.0:i32 + @6.0:i32, @6.1:f32) until @6.0:i32 + @6.0:i32 < -9 limit 5 end"
LONG = f"iterate 7 ({PAIR}.1) to (@7.0:f32 * 0.5 + @7.0:f32) until {PAIR}.1 < 0.0 limit 40 end.0"
SHARED = f"""
kernel k(n: i32):
  output o: f32[8]
  output q: f32[8]
  for i in 0 .. 8:
    if i < n:
      o[7 - i] := iterate 8 (0.0) to (@8.0:f32 * 0.5 + {LONG}) until @8.0:f32 < {LONG} limit min({PAIR}.0, 3) end.0
    if n < i:
      q[i] := iterate 8 (0.0) to (@8.0:f32 * 0.5 + {LONG}) until @8.0:f32 < {LONG} limit min({PAIR}.0, 3) end.0
"""


def test_what_is_deferred_does_not_hang_on_the_order_in_which_nodes_were_made():
    kernel = parse_nest(SHARED)
    found = set()
    for seed in range(40):
        with reordered(kernel, random.Random(seed)) as again:
            found.add(print_nest(place(again)[0]))
    (text,) = found
    assert "once in 1 loop" in text
    kept = 0
    for seed in range(30):
        kernel = program(late(random.Random(seed)))
        kinds = set()
        for order in range(4):
            with reordered(kernel, random.Random(order)) as again:
                places = N.walk(place(again)[0].body)
            shapes = Counter(
                (type(s).__name__, len(s.values) if isinstance(s, N.Once) else 0) for s in places
            )
            kept += any(name == "Once" for name, _ in shapes)
            kinds.add(frozenset(shapes.items()))
        assert len(kinds) == 1, seed
    assert kept > 20


def test_of_what_is_deferred_only_what_is_wanted_around_is_kept():
    best = place(parse_nest(SHARED))[0]
    outer = [
        s for s in N.walk(best.body) if isinstance(s, N.Once) and any(isinstance(x, N.Repeat) for x in s.body)
    ]
    assert len(outer) == 2, "one in each branch"
    assert all([v.op for v in s.values] == ["get"] for s in outer)


KNOWN = """
kernel k(n: i32):
  output o: f32[8]
  for i in 0 .. 8:
    repeat t1 = iterate 0 (i, 0.5) to (@0.0:i32 + 1, @0.1:f32 * 0.5) until false limit n end:
    for j in 0 .. 4:
      if i < j:
        once in 1 loop, keep t2, t3:
          t2 = t1.1
          t3 = sqrt(t2)
        o[i] := t2 + t3 + convert.f32(j)
"""
INSIDE = """
kernel k(n: i32):
  output o: f32[16]
  output q: f32[16]
  for i in 0 .. 8:
    if i < n:
      once in 1 loop, keep t1, t2:
        t1 = convert.f32(n)
        t2 = sqrt(t1)
      o[i] := t1 + t2
    if n < i:
      for j in 0 .. 4:
        if i < j + 5:
          once in 1 loop, keep t1, t2:
            t1 = convert.f32(n)
            t2 = sqrt(t1)
          q[i + j] := t1 + t2
    if 2 < i:
      once in 1 loop, keep t1, t2:
        t1 = convert.f32(n)
        t2 = sqrt(t1)
      o[i + 8] := t1 + t2
"""
WIDTHS = f"""
kernel k(n: i32):
  output o: f32[48]
  output q: f32[48]
  for i in 0 .. 48:
    if i < n:
      o[i] := iterate 8 (0.0) to (@8.0:f32 * 0.5 + sqrt({LONG})) until false limit min(i, 6) end.0
  for i in 0 .. 48:
    if i < n:
      q[i] := iterate 8 (0.0) to (@8.0:f32 * 0.5 + sqrt({LONG})) until false limit min(i, 6) end.0
"""


def by_lanes(first, second):
    kernel = parse_nest(WIDTHS)
    body = tuple(replace(s, how=N.lanes(n)) for s, n in zip(kernel.body, (first, second), strict=True))
    best = place(replace(kernel, body=body))[0]
    assert len({s.values for s in N.walk(best.body) if isinstance(s, N.Once)}) < sum(
        isinstance(s, N.Once) for s in N.walk(best.body)
    ), "both loops keep the same"
    return best


@pytest.mark.parametrize(
    "kernel",
    [
        pytest.param(parse_nest(KNOWN), id="of an iterate that is known, a component is kept"),
        pytest.param(parse_nest(INSIDE), id="a loop and one inside of it keep the same"),
        pytest.param(by_lanes(2, 16), id="loops by other lanes keep the same"),
        pytest.param(by_lanes(1, 8), id="loops in order and by lanes keep the same"),
    ],
)
def test_every_loop_keeps_its_own(kernel):
    verify_kernel(kernel)
    expected = {b: np.zeros(b.size, np.float32) for b in kernel.outputs}
    run(kernel, {"n": 5}, expected)
    for name in ("numpy", "llvm", "c"):
        found = {b: np.zeros(b.size, np.float32) for b in kernel.outputs}
        make_backend(name).compile(kernel, {}).run({"n": 5}, found)
        for b in kernel.outputs:
            assert np.array_equal(expected[b], found[b]), name
            assert found[b].any(), "something is computed"
