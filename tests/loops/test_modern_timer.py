"""The timer's prediction has the sign that is measured, for modern moves whose gain is too large to be missed."""

import time

import numpy as np
import pytest

from pellucid.backends.llvm import LlvmBackend
from pellucid.ir import nest as N
from pellucid.ir.parse import parse_nest
from pellucid.ir.path import walk
from pellucid.loops import tactic
from pellucid.loops.ledger import Ledger
from pellucid.loops.move import Proved, named

DEAD = """kernel dead():
  output out: i32[1]
  output table: i32[20000]
  out[0] := 1
  for i in 0 .. 20000:
    table[i] := (i * i) // (i + 3)
"""
SUMS = """kernel sums():
  output out: f32[10]
  input a: f32[20000]
  for y in 0 .. 10:
    for x in 0 .. 2000:
      out[y] := out[y] + a[y * 2000 + x]
"""
COUNTER = """kernel counter():
  output out: i32[20000]
  output k: i32[1]
  for i in 0 .. 20000:
    k[0] := k[0] + 2
"""


def seconds(kernel: N.Kernel) -> float:
    """The least time of some runs."""
    placed = tactic.run(tactic.attempt("place"), kernel).kernel
    code = LlvmBackend().compile(placed, {})
    memory = {b: np.ones(b.size, b.type.dtype) for b in (*kernel.outputs, *N.inputs(kernel))}
    arguments = {p.attr: 5 for p in kernel.params}
    found = []
    for _ in range(9):
        start = time.perf_counter()
        code.run(arguments, memory)
        found.append(time.perf_counter() - start)
    return min(found)


@pytest.mark.parametrize(
    ("move", "number", "options", "text"),
    [
        ("eliminate_dead", 0, {"live": ("out",)}, DEAD),
        ("eliminate_induction", 1, {}, COUNTER),
        ("accumulate", 2, {}, SUMS),
    ],
)
def test_the_prediction_has_the_measured_sign(move, number, options, text):
    kernel = parse_nest(text)
    path = [(), *(p for p, _ in walk(kernel.body))][number]
    state, done = tactic.make(tactic.State(kernel, {}, Ledger()), named(move), path, **options)
    assert done
    assert isinstance(state.ledger.steps[0].verdict, Proved)
    step = state.ledger.steps[0]
    assert step.after < step.before
    assert seconds(step.new) < seconds(step.old)
