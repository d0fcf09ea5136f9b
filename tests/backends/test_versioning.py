"""Loops whose arrays are shorter or longer than the loop: nothing is stored outside, and loads are clamped."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest

from pellucid.backends.llvm import LlvmBackend
from pellucid.backends.port import Backend
from pellucid.ir.expr import param
from pellucid.ir.facts import Facts
from pellucid.ir.interp import run
from pellucid.ir.nest import Kernel, inputs
from pellucid.ir.parse import parse_nest


def kernel(bits: int, store: str, load: str) -> Kernel:
    return parse_nest(f"""
kernel walk(n: i{bits}, from: i{bits}):
  output out: i32[1]
  input a: i32[1]
  alloc total: i32[1]:
    total[0:i{bits}] := 0
    for k: i{bits} in 0:i{bits} .. n:
      total[0:i{bits}] := total[0:i{bits}] + a[{load}]
      out[{store}] := total[0:i{bits}]
""")


CASES = {
    "along": ("k", "k"),
    "from where a parameter says": ("k + from", "from + k"),
    "three apart": ("k * 3:i{b} + 1:i{b}", "k * 2:i{b}"),
    "down, and from below": ("n - k", "k - 2:i{b}"),
    "to one place": ("from", "k"),
}


def cases() -> list[tuple[int, str, str]]:
    return [(b, s.format(b=b), x.format(b=b)) for b in (32, 64) for s, x in CASES.values()]


def both(backend: Backend, given: Kernel, sizes: Sequence[int], n: int, start: int) -> None:
    word = given.params[0].type
    ranges = {param("n", word): Facts(0, 1 << 20), param("from", word): Facts(0, 1000)}
    (a,), (out,) = inputs(given), given.outputs
    rng = np.random.default_rng(1)
    data = rng.integers(-99, 99, sizes[1], np.int32)
    found, expected = np.full(sizes[0], 7, np.int32), np.full(sizes[0], 7, np.int32)
    arguments = {"n": n, "from": start}
    backend.compile(given, ranges).run(arguments, {out: found, a: data})
    run(given, arguments, {out: expected, a: data})
    assert found.tobytes() == expected.tobytes()


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("bits", "store", "load"), cases())
def test_arrays_may_end_anywhere(compiling_backend: Backend, bits: int, store: str, load: str):
    given = kernel(bits, store, load)
    for sizes, n, start in (
        ((40, 40), 40, 0),
        ((41, 120), 40, 0),
        ((7, 40), 40, 3),
        ((40, 3), 40, 5),
        ((1, 1), 20, 30),
        ((100, 100), 0, 1),
        ((121, 121), 40, 81),
    ):
        both(compiling_backend, given, sizes, n, start)


def test_a_place_that_the_loop_itself_moves_is_asked_about_each_time(compiling_backend: Backend):
    given = parse_nest("""
kernel moved(n: i64, from: i64):
  output out: i32[1]
  input a: i32[1]
  alloc at: i64[1]:
    at[0:i64] := 0:i64
    for k: i64 in 0:i64 .. n:
      at[0:i64] := min(max(at[0:i64] + 5:i64, 0:i64), 60:i64)
      out[k + min(max(at[0:i64], 0:i64), 60:i64)] := a[k]
""")
    both(compiling_backend, given, (70, 40), 40, 0)


def test_there_is_a_loop_that_does_not_ask():
    given = kernel(64, "k", "k")
    ranges = {param("n", given.params[0].type): Facts(0, 1 << 20)}
    loops = [
        part for part in re.split(r"\n(?=L\d+:)", LlvmBackend().text(given, ranges)) if " = phi " in part
    ]
    quick, asking = loops
    assert "br i1" in asking
    assert "@llvm.smin" in asking
    assert "br i1" not in quick
    assert "@llvm.smin" not in quick


BLOCKS = {
    "along": ("r * 32:i64 + j", "r * 32:i64 + j"),
    "three of four": ("(r * 32:i64 + j) * 3:i64 + 1:i64", "(r * 32:i64 + j) * 4:i64 + 2:i64"),
    "from a parameter": ("r * 32:i64 + j + from", "from + r * 32:i64 + j"),
    "cyclic": ("r * 32:i64 + j", "r * 48:i64 + shift_right_in(j * 12:i64, 3:i64)"),
}


def blocks(store: str, load: str, lanes: int) -> Kernel:
    return parse_nest(f"""
kernel blocks(n: i64, from: i64):
  output out: i32[1]
  input a: i32[1]
  for r: i64 in 0:i64 .. n:
    for j: i64 in 0:i64 .. 32:i64 by {lanes} lanes:
      out[{store}] := a[{load}] + 1
""")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("lanes", [16, 32])
@pytest.mark.parametrize(("store", "load"), BLOCKS.values(), ids=BLOCKS)
def test_blocks_of_lanes_may_be_as_many_as_the_call_says(
    compiling_backend: Backend, store: str, load: str, lanes: int
):
    given = blocks(store, load, lanes)
    for sizes, n, start in (
        ((400, 600), 3, 0),
        ((400, 600), 0, 0),
        ((96, 96), 3, 0),
        ((97, 130), 3, 1),
        ((40, 600), 3, 2),
        ((400, 50), 3, 2),
        ((1, 1), 2, 30),
    ):
        both(compiling_backend, given, sizes, n, start)


@pytest.mark.parametrize(("store", "load"), BLOCKS.values(), ids=BLOCKS)
def test_blocks_in_bounds_ask_nothing(store: str, load: str):
    """Whole registers are read and written; what is left runs in order."""
    given = blocks(store, load, 16)
    ranges = {param(p.attr, p.type): Facts(0, 1 << 20) for p in given.params}
    text = LlvmBackend().text(given, ranges)
    assert "%g" not in text
    assert "@llvm.masked.gather" not in text


def test_blocks_of_arrays_of_known_sizes_are_written_once():
    """The ranges of the loops inside prove the accesses, so that no second version is needed."""
    given = parse_nest("""
kernel blocks():
  output out: i32[6400]
  input a: i32[6400]
  for r: i64 in 0:i64 .. 200:i64:
    for j: i64 in 0:i64 .. 32:i64 by 16 lanes:
      out[r * 32:i64 + j] := a[r * 32:i64 + j] + 1
""")
    text = LlvmBackend().text(given, {})
    assert "@llvm.smin" not in text
    assert text.count("add <16 x i32>") == 1
    assert "add i32" not in text


def test_blocks_one_after_the_other_may_share_an_index(compiling_backend: Backend):
    given = parse_nest("""
kernel blocks(n: i64, from: i64):
  output out: i32[1]
  input a: i32[1]
  for r: i64 in 0:i64 .. n:
    for j: i64 in 0:i64 .. 64:i64 by 16 lanes:
      out[r * 64:i64 + j] := a[r * 64:i64 + j]
    for j: i64 in 0:i64 .. 16:i64 by 16 lanes:
      out[r * 64:i64 + j] := a[r * 64:i64 + j] * 3
""")
    for sizes in ((200, 200), (130, 200), (200, 100)):
        both(compiling_backend, given, sizes, 3, 0)


def test_an_array_longer_than_its_buffer_declares_is_no_table_in_registers(compiling_backend: Backend):
    given = parse_nest("""
kernel far(n: i64):
  output out: u8[1]
  input a: u8[1]
  for r: i64 in 0:i64 .. n:
    for j: i64 in 0:i64 .. 64:i64 by 64 lanes:
      out[r * 64:i64 + j] := a[r * 32000:i64 + j * 500:i64]
""")
    (a,), (out,) = inputs(given), given.outputs
    data = np.random.default_rng(1).integers(0, 250, 64_000, np.uint8)
    found = np.zeros(128, np.uint8)
    code = compiling_backend.compile(given, {param("n", given.params[0].type): Facts(0, 1 << 20)})
    code.run({"n": 2}, {out: found, a: data})
    assert (found == data[::500]).all()
