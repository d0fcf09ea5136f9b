"""The timer's prediction has the sign of what a run counts, for modern moves that spare stores."""

from dataclasses import replace

import numpy as np
import pytest

from pellucid.ir import nest as N
from pellucid.ir.expr import index
from pellucid.ir.parse import parse_nest
from pellucid.ir.path import walk
from pellucid.loops.core import tactic
from pellucid.loops.core.ledger import Ledger
from pellucid.loops.core.registry import named
from pellucid.reasoning.counting import count
from pellucid.reasoning.machine import PROCESSOR
from pellucid.reasoning.prove import Proved
from pellucid.reasoning.timer import Timer

DEAD = """kernel dead():
  output out: i32[1]
  output table: i32[2000]
  out[0] := 1
  for i in 0 .. 2000:
    table[i] := (i * i) // (i + 3)
"""
SUMS = """kernel sums():
  output out: f32[10]
  input a: f32[2000]
  for y in 0 .. 10:
    for x in 0 .. 200:
      out[y] := out[y] + a[y * 200 + x]
"""
COUNTER = """kernel counter():
  output out: i32[2000]
  output k: i32[1]
  for i in 0 .. 2000:
    k[0] := k[0] + 2
"""


def stores(kernel: N.Kernel) -> int:
    """How many values a run stores."""
    memory = {b: np.ones(b.size, b.type.dtype) for b in (*kernel.outputs, *N.inputs(kernel))}
    return count(kernel, {}, memory).work["assignment"]


@pytest.mark.parametrize(
    ("move", "number", "options", "text"),
    [
        ("eliminate_dead", 0, {"live": ("out",)}, DEAD),
        ("eliminate_induction", 1, {}, COUNTER),
        ("accumulate", 2, {}, SUMS),
    ],
)
def test_the_prediction_has_the_counted_sign(move, number, options, text):
    kernel = parse_nest(text)
    path = [(), *(p for p, _ in walk(kernel.body))][number]
    state, done = tactic.make(tactic.State(kernel, {}, Ledger()), named(move), path, **options)
    assert done
    assert isinstance(state.ledger.steps[0].verdict, Proved)
    step = state.ledger.steps[0]
    assert step.after < step.before
    assert stores(step.new) < stores(step.old)


@pytest.mark.parametrize(("size", "pays"), [(1 << 20, True), (1 << 8, False)])
def test_copies_for_threads_are_predicted_to_pay_where_there_is_enough_to_count(size, pays):
    text = f"""kernel count():
  output h: i64[256]
  input a: u8[{4 * size}]
  for j in 0 .. 4:
    for i in 0 .. {size}:
      h[convert.i32(a[j * {size} + i])] := h[convert.i32(a[j * {size} + i])] + 1:i64
"""
    state = tactic.State(parse_nest(text), {}, Ledger())
    state, done = tactic.make(state, named("privatize"), ((0, 0),), by=[index("j")])
    assert done
    state = tactic.everywhere("spread", limit=1, band=1)(state)
    assert any(isinstance(s, N.For) and s.how.kind == "spread" for s in N.walk(state.kernel.body))
    first, last = state.ledger.steps[0], state.ledger.steps[-1]
    assert (last.after < first.before) is pays
    alone = Timer(replace(PROCESSOR, threads=1, wake=0.0))
    assert alone.cost(last.new) > alone.cost(first.old), "on one thread the copies are work and no gain"
