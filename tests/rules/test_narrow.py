"""Narrowing: the same values, and in 16 bits only what facts prove to fit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.ir import types as T
from pellucid.ir.expr import Buffer, Expr, apply, const, index, load, topological
from pellucid.ir.interp import evaluate
from pellucid.rewriting.narrow import narrow
from pellucid.rewriting.simplify import simplify

BYTES, WORDS = Buffer("bytes", T.u8, 64), Buffer("words", T.u16, 64)
I = index("i")  # noqa: E741 - the index


def leaf(buffer: Buffer, k: int) -> Expr:
    return apply("convert", load(buffer, apply("add", I, const(k, T.i32))), attr=T.u32)


@st.composite
def values(draw: st.DrawFn) -> Expr:
    found = [leaf(b, k) for b in (BYTES, WORDS) for k in range(3)]
    for _ in range(draw(st.integers(1, 8))):
        a, b = draw(st.sampled_from(found)), draw(st.sampled_from(found))
        op = draw(
            st.sampled_from(
                ["add", "sub", "mul", "and", "or", "xor", "min", "max", "shift", "down", "choose"]
            )
        )
        if op in ("shift", "down"):
            amount = const(draw(st.integers(0, 31)), T.u32)
            found.append(apply("shift_left_in" if op == "shift" else "shift_right_in", a, amount))
        elif op == "choose":
            found.append(apply("choose", apply(draw(st.sampled_from(["lt", "eq"])), a, b), a, b))
        else:
            found.append(apply(op, a, b))
    return apply("convert", found[-1], attr=draw(st.sampled_from([T.f32, T.u8, T.u16, T.i64, T.u32])))


@given(values(), st.integers(0, 9))
def test_narrowed_values_are_the_same(value: Expr, seed: int):
    rng = np.random.default_rng(seed)
    (simple,) = simplify([value], numerics="exact")
    (small,) = narrow([simple])
    memory = {
        BYTES: rng.integers(0, 256, 64).astype(np.uint8),
        WORDS: rng.choice([0, 1, 255, 256, 65535, 4096], 64).astype(np.uint16),
    }
    known = {I: np.arange(60, dtype=np.int32)}
    before, after = (evaluate([e], known, memory)[0] for e in (simple, small))
    assert np.array_equal(before, after)


def test_a_sum_of_samples_is_done_in_sixteen_bits():
    total = apply("add", leaf(BYTES, 0), apply("shift_left_in", leaf(BYTES, 1), const(4, T.u32)))
    (small,) = narrow([apply("convert", total, attr=T.f32)])
    assert {n.type for n in topological([small]) if n.op in ("add", "shift_left_in")} >= {T.u16}


@pytest.mark.parametrize("by", [12, 9])
def test_what_may_not_fit_stays_wide(by: int):
    wide = apply("shift_left_in", leaf(BYTES, 0), const(by, T.u32))
    assert narrow([wide]) == [wide]


@pytest.mark.parametrize("type_", [T.u8, T.u16])
def test_of_what_is_cut_only_the_bits_that_are_seen_are_computed(type_: T.Type):
    wide = apply("shift_left_in", leaf(BYTES, 0), const(12, T.u32))
    cut = apply("convert", wide, attr=type_)
    (small,) = narrow([cut])
    assert {n.type for n in topological([small]) if n.op == "shift_left_in"} == {T.u16}
    # Seen elsewhere, it is as wide as it was.
    assert narrow([cut, wide]) == [cut, wide]
    # The lesser of two numbers is not known by their low bits.
    lesser = apply("convert", apply("min", wide, leaf(BYTES, 1)), attr=type_)
    assert {n.type for n in topological(narrow([lesser])) if n.op in ("min", "shift_left_in")} == {T.u32}
