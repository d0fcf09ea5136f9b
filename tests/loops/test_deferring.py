"""No evaluation is added: what an arm alone wants leaves a loop under the arm's condition, or if it is cheap."""

import random

import numpy as np
import pytest
from tests.evaluations import evaluated, meaning_of

import pellucid as pl
from pellucid.driver.frame import OUT, build
from pellucid.driver.kernel import compile, make_backend, optimized
from pellucid.driver.options import Options
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.interp import run
from pellucid.ir.parse import parse_nest
from pellucid.ir.text import print_nest
from pellucid.ir.verify import verify_kernel
from pellucid.loops.move import Proved, moves
from pellucid.loops.placement import THRESHOLD, place

VIEW = {"time": 0.5, "center_x": 0.25, "center_y": -0.5, "scale": 0.5, "width": 6, "height": 5, "samples": 1}


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
