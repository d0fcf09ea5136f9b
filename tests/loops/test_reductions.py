"""Loops that gather, in bands with copies: where it is done, where not, and that nothing changes."""

import numpy as np
import pytest

from pellucid.backends.c import CBackend
from pellucid.backends.llvm import LlvmBackend
from pellucid.driver.threads import ThreadPool
from pellucid.ir import nest as N
from pellucid.ir.interp import run
from pellucid.ir.parse import parse_expr, parse_nest
from pellucid.ir.path import at, walk
from pellucid.loops.core import tactic
from pellucid.loops.core.registry import named
from pellucid.loops.scripts.reductions import gathered_in_parts

HEAD = """kernel k():
  output h: {type}[16]
  output rows: {type}[300]
  output many: {type}[70000]
  input a: u8[30000]
"""


def nest(body: str, type_: str = "i32") -> N.Kernel:
    return parse_nest(HEAD.replace("{type}", type_) + body.replace("{type}", type_))


MANY = """  for y in 0 .. 300:
    for x in 0 .. 100:
      s1 := convert.i32(a[y * 100 + x])
      many[s1] := many[s1] + 1
"""
GATHER = """  for y in 0 .. 300:
    for x in {lo} .. 100:
      s1 := convert.i32(a[y * 100 + x]) & 15
      h[s1] := {op}(h[s1], convert.{type}(a[y * 100 + x]))
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("backend", [LlvmBackend(), CBackend(thread_pool=ThreadPool())], ids=["llvm", "c"])
@pytest.mark.parametrize(
    ("op", "type_"), [("max", "i32"), ("min", "u16"), ("add", "u32"), ("add", "i64"), ("xor", "u8")]
)
@pytest.mark.parametrize("lo", [0, 3])
def test_back_ends_and_the_meaning_agree_bit_for_bit(backend, op, type_, lo):
    call = f"{op}(h[s1], convert.{type_}(a[y * 100 + x]))"
    text = GATHER.replace("{op}(h[s1], convert.{type}(a[y * 100 + x]))", call).replace("{lo}", str(lo))
    symbols = {"add": "+", "xor": "^"}
    if op in symbols:
        text = text.replace(call, f"h[s1] {symbols[op]} convert.{type_}(a[y * 100 + x])")
    before = nest(text, type_)
    state = tactic.run(gathered_in_parts(bands=4), before)
    after = state.kernel
    assert [s.move for s in state.ledger.steps] == ["strip_mine", "privatize", "unroll_and_jam", "spread"]
    assert all(s.applied for s in state.ledger.steps)
    state.ledger.recheck()
    rng = np.random.default_rng(4)
    starts = {b.name: rng.integers(0, 200, b.size).astype(b.type.dtype) for b in before.outputs}
    starts["a"] = rng.integers(0, 256, 30000).astype(np.uint8)

    def memory(kernel: N.Kernel) -> dict:
        return {b: starts[b.name].copy() for b in (*kernel.outputs, *N.inputs(kernel))}

    # The meaning of the nest before, told by NumPy: the interpreter would take long.
    ufunc = {"max": np.maximum, "min": np.minimum, "add": np.add, "xor": np.bitwise_xor}[op]
    expected = starts["h"].copy()
    pixels = starts["a"].reshape(300, 100)[:, lo:].ravel()
    with np.errstate(over="ignore"):
        ufunc.at(expected, pixels & 15, pixels.astype(expected.dtype))
    for threads in (1, 3):
        found = memory(after)
        backend.compile(after, {}).run({}, found, threads=threads)
        assert (found[after.outputs[0]] == expected).all()


def test_the_meaning_is_kept_on_a_small_loop(monkeypatch):
    monkeypatch.setattr("pellucid.loops.scripts.reductions.MIN_ITERATIONS", 1)
    before = nest(
        "  for y in 0 .. 7:\n    for x in 0 .. 11:\n"
        "      h[convert.i32(a[y * 11 + x]) & 15] := h[convert.i32(a[y * 11 + x]) & 15] + x\n"
    )
    after = tactic.run(gathered_in_parts(bands=3, copies=4), before).kernel
    assert any(isinstance(s, N.Alloc) for s in N.walk(after.body))
    ends = []
    for kernel in (before, after):
        memory = {b: (np.arange(b.size) * 7 % 23).astype(b.type.dtype) for b in kernel.outputs}
        memory |= {b: (np.arange(b.size) * 31 % 251).astype(np.uint8) for b in N.inputs(kernel)}
        run(kernel, {}, memory)
        ends.append(memory[kernel.outputs[0]].tolist())
    assert ends[0] == ends[1]


def test_a_loop_that_gathers_into_two_arrays_is_parted_for_both():
    before = nest(
        "  for y in 0 .. 300:\n    for x in 0 .. 100:\n      s1 := convert.i32(a[y * 100 + x])\n"
        "      h[s1 & 15] := h[s1 & 15] + 1\n      rows[s1] := max(rows[s1], y)\n"
    )
    state = tactic.run(gathered_in_parts(bands=8), before)
    made = [s.move for s in state.ledger.steps if s.applied]
    assert made == ["strip_mine", "privatize", "privatize", "unroll_and_jam", "spread"]
    pixels = np.random.default_rng(4).integers(0, 256, 30000).astype(np.uint8)
    memory = {b: np.zeros(b.size, np.int32) for b in state.kernel.outputs}
    memory |= dict.fromkeys(N.inputs(state.kernel), pixels)
    LlvmBackend(thread_pool=ThreadPool()).compile(state.kernel, {}).run({}, memory, threads=3)
    h, rows, _ = (memory[b] for b in state.kernel.outputs)
    assert (h == np.bincount(pixels & 15, minlength=16)).all()
    expected = np.zeros(300, np.int32)
    np.maximum.at(expected, pixels, np.arange(30000) // 100)
    assert (rows == expected).all()


@pytest.mark.parametrize(
    "body",
    [
        # Clearing copies would take longer than the loop.
        MANY,
        # Rows do not meet, so that threads can have them as they are.
        "  for y in 0 .. 300:\n    for x in 0 .. 100:\n      rows[y] := rows[y] + convert.i32(a[y * 100 + x])\n",
        # Too short to pay.
        "  for x in 0 .. 100:\n    h[3] := h[3] + convert.i32(a[x])\n",
        "  for y in 0 .. 300:\n    for x in 0 .. 100:\n      rows[y] := x\n",
    ],
)
def test_what_need_not_be_parted_is_not(body):
    kernel = nest(body)
    assert tactic.run(gathered_in_parts(), kernel).kernel is kernel


def test_what_may_not_be_parted_is_left_with_the_reason():
    kernel = nest(
        "  for y in 0 .. 300:\n    for x in 0 .. 100:\n      h[3] := h[3] + convert.i32(a[y * 100 + x])\n"
        "      rows[y] := h[3]\n"
    )
    state = tactic.run(gathered_in_parts(), kernel)
    assert state.kernel is kernel
    assert [(s.move, s.applied) for s in state.ledger.steps] == [("privatize", False)]


@pytest.mark.parametrize("by", ["%y", "%x & 3"])
def test_old_places_are_found_in_the_parted_loop(by):
    kernel = nest(
        "  rows[0] := 1\n  for y in 0 .. 300:\n    rows[y] := y\n    for x in 0 .. 100:\n"
        "      if 3:u8 < a[y * 100 + x]:\n        h[convert.i32(a[x]) & 15] := h[convert.i32(a[x]) & 15] + x\n"
    )
    (copies,) = parse_expr(by)
    applied = named("privatize").apply(kernel, ((0, 1),), buffer="h", by=(copies,))
    for path, s in walk(kernel.body):
        found = at(applied.kernel.body, applied.forward(path))
        assert type(found) is type(s)
        if isinstance(s, N.For):
            assert found.index is s.index
        if isinstance(s, N.Store) and s.buffer.name == "rows":
            assert found.buffer is s.buffer
