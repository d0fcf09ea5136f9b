"""Counting runs: the values are the interpreter's, and the timer predicts the counts where bounds can be told."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from tests.loops.nests import ARGUMENTS, BUFFERS, memories, nests

from pellucid.base.errors import IrError
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer, apply, param, topological
from pellucid.ir.interp import run
from pellucid.ir.parse import parse_nest
from pellucid.loops.hops import read
from pellucid.reasoning.counting import count
from pellucid.reasoning.timer import Timer


def told(s: N.Statement) -> N.Block:
    """No branch but its first arm, and no loop whose bounds load, choose or change with the loops around."""
    if isinstance(s, N.If):
        return s.then
    if isinstance(s, N.For):
        ops = {n.op for n in topological((s.lo, s.hi))}
        return (s,) if ops <= {"const", "param", "add", "sub", "mul", "min", "max"} else ()
    return (s,)


@given(nests())
def test_the_values_are_the_interpreter_s(kernel: N.Kernel):
    for (arguments, memory), (_, again) in zip(memories(), memories(), strict=True):
        with np.errstate(all="ignore"):
            run(kernel, arguments, memory)
            count(kernel, arguments, again)
        for b in kernel.outputs:
            assert memory[b].tobytes() == again[b].tobytes(), b


@given(nests())
def test_the_timer_predicts_the_counts_of_nests_whose_bounds_can_be_told(kernel: N.Kernel):
    plain = N.Kernel("plain", kernel.params, kernel.outputs, N.transform(kernel.body, told))
    for arguments in ARGUMENTS:
        counted = count(plain, arguments, {b: np.zeros(b.size, b.type.dtype) for b in BUFFERS}).work
        for kind in ("loop", "check", "assignment", "load", "convert"):
            timer = Timer(sizes=arguments).only(kind)
            assert timer.symbolic(plain.body).at(arguments) == counted[kind], kind
            assert timer.cost(plain) == counted[kind], kind


@given(nests())
def test_every_nest_has_a_time(kernel: N.Kernel):
    assert Timer(vectorize=True).cost(kernel) >= 0
    assert Timer(sizes={"n": 3, "m": 1}).cost(kernel) >= 0


def test_values_of_all_kinds_are_computed():
    text = """
    (MakeVariable (f 4) f32) (MakeVariable (k 4) u8) (MakeVariable q) (MakeVariable b bool) (MakeLocal t f64)
    (MakeAbstractExpression x f32)
    (for i 0 3
      ((:= t (sqrt (convert.f64 i)))
       (:= (f i) (+ (convert.f32 t) (/ x 3.0)))
       (:= (k i) (- (k i) 1))
       (:= b (and (not b) (<> i 2)))
       (if (in (k i) (0 9)) (:= q (+ (* q 10) (/ (- i 7) 2))) (:= q (mod q 7)))))
    """
    kernel = read(text)
    counted, meant = ({b: np.zeros(b.size, b.type.dtype) for b in kernel.outputs} for _ in range(2))
    found = count(kernel, {"x": 0.7}, counted)
    run(kernel, {"x": 0.7}, meant)
    for b in kernel.outputs:
        assert counted[b].tobytes() == meant[b].tobytes(), b
    assert (found.work["sqrt"], found.work["branch"], found.work["loop"]) == (4, 4, 1)


def test_iterations_in_values_are_computed_but_not_counted():
    kernel = parse_nest(
        "kernel k(n: i32):\n  output out: f32[1]\n"
        "  out[0] := (iterate 0 (1.0) to (@0.0:f32 * 2.0) until false limit n end).0\n"
    )
    memory = {kernel.outputs[0]: np.zeros(1, np.float32)}
    found = count(kernel, {"n": 5}, memory)
    assert memory[kernel.outputs[0]][0] == 32
    assert found.work["mul"] == 0


def test_loads_from_data_of_their_own_and_from_nowhere():
    data = Buffer("data", T.i64, 3, np.int64([5, 6, 7]))
    kernel = read("(MakeVariable s) (for i -2 9 (:= s (+ s (data i))))", memory={"data": data})
    memory = {kernel.outputs[0]: np.zeros(1, np.int64)}
    count(kernel, {}, memory)
    assert memory[kernel.outputs[0]][0] == 3 * 5 + 6 + 8 * 7
    with pytest.raises(IrError, match="load a: has no memory here; bind it"):
        count(read("(MakeVariable s) (MakeVariable (a 3)) (:= s (a 1))"), {}, {})


def test_places_are_not_counted():
    x = param("x", T.i64)
    with pytest.raises(IrError, match="let: places are not counted; erase them first"):
        count(N.Kernel("k", (x,), (), (N.Let(apply("neg", x)),)), {"x": 1}, {})
