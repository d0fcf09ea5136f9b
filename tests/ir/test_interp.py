"""The meaning, against a second one: one value at a time, in plain Python, without arrays, masks or broadcasting."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from tests.diff.programs import Program, joined, programs

from pellucid.backends.conformance import same_bits
from pellucid.backends.conformance.programs import PROGRAMS
from pellucid.base.errors import IrError
from pellucid.ir import expr as E
from pellucid.ir import interp
from pellucid.ir import nest as N
from pellucid.ir import prim as table
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer, Expr
from pellucid.ir.parse import parse_expr, parse_nest


class Scalar:
    """Runs a nest one value at a time."""

    def __init__(self, memory: dict[Buffer, np.ndarray]) -> None:
        self.memory = memory

    def value(self, e: Expr, scope: dict[Expr, Any]) -> Any:
        known = dict(scope)
        for node in E.topological([e]):
            if node not in known and all(a in known for a in self.needed(node)):
                known[node] = self.compute(node, known, scope)
        return known[e]

    def needed(self, node: Expr) -> tuple[Expr, ...]:
        if node.op == "iterate":
            init, _, _, limit = E.parts(node)
            return (*init, limit)
        return node.args

    def compute(self, node: Expr, known: dict[Expr, Any], scope: dict[Expr, Any]) -> Any:
        if node.op == "const":
            return node.type.dtype.type(node.attr)
        if node.op in ("index", "param", "state") or any(known[a] is None for a in self.needed(node)):
            # The body of an iteration has values only while that runs.
            return None if node.op != "iterate" else [None] * node.attr[1]
        if node.op == "load":
            data = self.memory[node.attr]
            return data[min(max(int(known[node.args[0]]), 0), len(data) - 1)]
        if node.op == "get":
            return known[node.args[0]][node.attr]
        if node.op == "iterate":
            return self.iterate(node, known, scope)
        row = table.row(node.op)
        args = [np.asarray(known[a], a.type.dtype) for a in node.args]
        with np.errstate(all="ignore"):
            found = row.ref(node.type.dtype, *args) if row.result == "@" else row.ref(*args)
        return np.asarray(found).astype(node.type.dtype)[()]

    def iterate(self, node: Expr, known: dict[Expr, Any], scope: dict[Expr, Any]) -> Any:
        init, step, stop, limit = E.parts(node)
        states = [E.state(node.attr[0], k, a.type) for k, a in enumerate(init)]
        current = [known[a] for a in init]
        for _ in range(int(known[limit])):
            inner = {**scope, **dict(zip(states, current, strict=True))}
            if self.value(stop, inner):
                break
            current = [self.value(a, inner) for a in step]
        return current

    def block(self, block: N.Block, scope: dict[Expr, Any]) -> None:
        for s in block:
            match s:
                case N.Store(buffer, position, value):
                    at, what = int(self.value(position, scope)), self.value(value, scope)
                    if 0 <= at < len(self.memory[buffer]):
                        self.memory[buffer][at] = what
                case N.If(condition, then, orelse, ()):
                    self.block(then if self.value(condition, scope) else orelse, scope)
                case N.For(index, lo, hi, body, _):
                    for k in range(int(self.value(lo, scope)), int(self.value(hi, scope))):
                        self.block(body, {**scope, index: index.type.dtype.type(k)})
                case N.While(condition, body):
                    while self.value(condition, scope):
                        self.block(body, scope)
                case N.Alloc(sizes, body):
                    lengths = {b: max(1, int(self.value(size, scope))) for b, size in sizes.items()}
                    self.memory.update({b: np.zeros(n, b.type.dtype) for b, n in lengths.items()})
                    self.block(body, scope)
                case _:
                    pass


def check(kernel: N.Kernel, arguments: dict[str, Any], memory: dict[Buffer, np.ndarray]) -> None:
    expected, found = ({b: m.copy() for b, m in memory.items()} for _ in range(2))
    scope = {p: p.type.dtype.type(arguments[p.attr]) for p in kernel.params}
    Scalar(expected).block(kernel.body, scope)
    interp.run(kernel, arguments, found)
    for b in kernel.outputs:
        assert same_bits(found[b], expected[b]), b


@given(programs(count=1, largest=12))
def test_arrays_mean_what_single_values_mean(parts: list[Program]):
    check(*joined(parts))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_programs_of_the_suite_mean_what_single_values_mean(program):
    kernel = parse_nest(program.text.replace("WIDTH", "8"))
    generator = np.random.default_rng(2)
    for arguments in program.cases(8):
        memory = {
            b: generator.integers(0, 60, b.size).astype(b.type.dtype)
            for b in (*kernel.outputs, *N.inputs(kernel))
        }
        check(kernel, arguments, memory)


# ---- by hand ----


def values(text: str, memory: dict[str, np.ndarray] | None = None, **given: Any) -> list[Any]:
    buffers = {n: Buffer(n, T.BY_DTYPE[m.dtype], len(m), m) for n, m in (memory or {}).items()}
    (root,) = parse_expr(text, buffers)
    scope = {n: given[n.attr] for n in E.topological([root]) if n.op in ("param", "index")}
    return np.atleast_1d(interp.evaluate([root], scope)[0]).tolist()


def test_positions_are_clamped():
    assert values("a[%i]", {"a": np.int32([5, 6, 7])}, i=[-100, -1, 0, 2, 3, 2**31 - 1]) == [5, 5, 5, 7, 7, 7]


def test_integers_wrap_and_divide_downwards():
    assert values("$x:i8 + 100:i8", x=[27, 28, -128]) == [127, -128, -28]
    assert values("$x:i32 // $y:i32", x=[7, -7, 7, -7, 5], y=[2, 2, -2, -2, 0]) == [3, -4, -4, 3, 0]
    assert values("$x:i32 % $y:i32", x=[7, -7, 7, -7, 5], y=[2, 2, -2, -2, 0]) == [1, 1, -1, -1, 5]


def test_min_and_max_give_the_second_where_nothing_is_less():
    found = values("min($x:f32, $y:f32)", x=[math.nan, 1, 0.0, -0.0], y=[1, math.nan, -0.0, 0.0])
    assert found[0] == 1
    assert math.isnan(found[1])
    assert [math.copysign(1, v) for v in found[2:]] == [-1, 1]


def test_an_iteration_stops_before_the_step_that_its_limit_forbids():
    loop = "iterate 0 ($x:i32) to (@0.0:i32 * 2) until 100 < @0.0:i32 limit $n:i32 end"
    assert values(f"({loop}).0", x=[1, 1, 1, 200, 3], n=[0, -5, 3, 9, 99]) == [1, 1, 8, 200, 192]


def test_components_step_together():
    loop = "iterate 0 (0, 1) to (@0.1:i32, @0.0:i32 + @0.1:i32) until false limit $n:i32 end"
    assert values(f"({loop}).0", n=[0, 1, 2, 3, 10]) == [0, 1, 1, 2, 55]


def test_nothing_to_run_is_an_iteration_too():
    assert values("(iterate 0 ($x:f32) to (@0.0:f32) until true limit 5 end).0", x=[2.5]) == [2.5]


def test_an_empty_loop_stores_nothing():
    kernel = parse_nest(
        "kernel k(n: i32):\n  output out: i32[3]\n  for i in 2 .. n by 4 lanes:\n    out[i] := 7\n"
    )
    for n in (-5, 0, 2):
        memory = {kernel.outputs[0]: np.zeros(3, np.int32)}
        interp.run(kernel, {"n": n}, memory)
        assert not memory[kernel.outputs[0]].any()


def test_stores_out_of_the_buffer_are_left_out():
    kernel = parse_nest("kernel k():\n  output out: i32[3]\n  for i in -2 .. 5:\n    out[i] := i + 10\n")
    memory = {kernel.outputs[0]: np.zeros(3, np.int32)}
    interp.run(kernel, {}, memory)
    assert memory[kernel.outputs[0]].tolist() == [10, 11, 12]


@pytest.mark.parametrize("how", ["", " by 4 lanes"])
def test_iterations_are_counted_before_they_are_run(how):
    kernel = parse_nest(
        f"kernel k(n: i32):\n  output out: i32[3]\n  for i in 0 .. 3{how}:\n    for j in 0 .. n:\n      out[i] := 7\n"
    )
    (out,) = kernel.outputs
    memory = {out: np.zeros(3, np.int32)}
    with pytest.raises(IrError, match="its loops have too many iterations"):
        interp.run(kernel, {"n": 2**31 - 1}, memory, max_iterations=14)
    interp.run(kernel, {"n": 4}, memory, max_iterations=15)
    assert memory[out].tolist() == [7, 7, 7]
    with pytest.raises(IrError, match="its loops have too many iterations"):
        interp.run(kernel, {"n": 4}, memory, max_iterations=14)


def test_an_abstract_statement_cannot_be_run():
    kernel = parse_nest("kernel k():\n  output out: i32[3]\n  out[0] := 1\n  abstract S1\n")
    with pytest.raises(
        IrError, match="S1: an abstract statement cannot be run; write a statement in its place"
    ):
        interp.run(kernel, {}, {kernel.outputs[0]: np.zeros(3, np.int32)})


def test_a_name_without_a_value_is_refused():
    with pytest.raises(IrError, match="param y has no value here"):
        interp.evaluate(parse_expr("$y:f32 + 1.0"), {})
    with pytest.raises(IrError, match="index i has no value here"):
        interp.evaluate(parse_expr("%i + 1"), {})
    with pytest.raises(IrError, match="load b: has no memory here"):
        interp.evaluate([E.load(Buffer("b", T.f32, 2), E.const(0, T.i32))], {})


def test_a_row_without_a_body_cannot_be_expanded():
    name = next(p.name for p in table.table().values() if p.body is None)
    with pytest.raises(IrError, match="has no body"):
        interp.expand(name, ())
