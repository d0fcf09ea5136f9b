"""Loops in C that end where their store would leave its buffer: the same elements are stored, and no others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.backends.c import CBackend
from pellucid.backends.c.clipping import MAX_BASE, PRAGMA
from pellucid.ir.expr import param
from pellucid.ir.facts import Facts
from pellucid.ir.interp import run
from pellucid.ir.nest import Kernel, inputs
from pellucid.ir.parse import parse_nest

from .conftest import needs_compiler

pytestmark = needs_compiler


def nest(body: str, bits: int = 32, first: str = "0", head: str = "") -> Kernel:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return parse_nest(
        f"kernel walk(n: i{bits}, from: i{bits}):\n  output out: i32[1]\n  input a: i32[1]\n{head}"
        f"  for k: i{bits} in {first}:i{bits} .. n:\n{lines}\n"
    )


def text(kernel: Kernel, lo: int = -(1 << 31), hi: int = (1 << 31) - 1) -> str:
    word = kernel.params[0].type
    return CBackend().text(kernel, {param("n", word): Facts(0, 60), param("from", word): Facts(lo, hi)})


KERNELS = {
    "from anywhere": (nest("out[from + k] := a[k] * 2"), 31),
    "from anywhere, the other way around": (nest("out[k + from] := a[k] * 2"), 31),
    "of 64 bits": (nest("out[from + k] := a[k]", 64), 47),
    "of 64 bits, from anywhere": (nest("out[from + k] := a[k]", 64), 63),
    "along": (nest("out[k] := a[k] + 1"), 31),
    "of what was stored": (nest("out[from + k] := a[k] + out[k]"), 31),
    "from below": (nest("out[from + k] := a[k]", first="-9"), 31),
}


@pytest.mark.parametrize("name", KERNELS)
def test_what_is_stored_is_what_is_inside(name: str):
    kernel, bits = KERNELS[name]
    word = kernel.params[0].type
    ends = -(1 << bits) + 1, (1 << bits) - 1
    ranges = {param("n", word): Facts(0, 60), param("from", word): Facts(*ends)}
    code = CBackend().compile(kernel, ranges)
    (a,), (out,) = inputs(kernel), kernel.outputs
    near = st.integers(-70, 70)
    starts = st.one_of(near, near.map(lambda x: ends[0] + abs(x)), near.map(lambda x: ends[1] - abs(x)))

    @given(st.integers(0, 60), starts, st.integers(1, 70), st.integers(1, 70))
    def agrees(n: int, start: int, size: int, length: int) -> None:
        data = np.arange(length, dtype=np.int32)
        found, expected = np.full(size, -7, np.int32), np.full(size, -7, np.int32)
        arguments = {"n": n, "from": start}
        code.run(arguments, {out: found, a: data})
        run(kernel, arguments, {out: expected, a: data})
        assert found.tolist() == expected.tolist()

    agrees()


def test_a_loop_of_one_store_asks_once_and_may_be_vectors():
    for kernel in (nest("out[from + k] := a[k]"), nest("out[k] := a[k]")):
        found = text(kernel)
        assert "end_inside(" in found.split("walk")[-1]
        assert PRAGMA in found
        assert "if (" not in found.split(PRAGMA)[1]


REFUSED = {
    "an index below zero": nest("out[from + k] := a[k]", first="-9"),
    "a position that goes down": nest("out[from - k] := a[k]"),
    "a position that goes up by two": nest("out[2 * k + from] := a[k]"),
    "a first position that is read": nest("out[a[0] + k] := a[k]"),
    "two stores": nest("out[from + k] := a[k]\nout[k] := 2"),
    "a store that is done if": nest("if k < from:\n  out[from + k] := a[k]"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_loops_ask_for_each_element(name: str):
    assert "end_inside(" not in text(REFUSED[name])


def test_a_first_position_that_may_be_far_away_is_asked_about_each_time():
    kernel = nest("out[from + k] := a[k]", 64)
    assert "end_inside(" in text(kernel, 1 - MAX_BASE, MAX_BASE - 1)
    assert "end_inside(" not in text(kernel, 1 - MAX_BASE, MAX_BASE)


def test_what_reads_what_was_stored_is_no_vector():
    assert PRAGMA not in text(nest("out[from + k] := out[k] + a[k]"))
