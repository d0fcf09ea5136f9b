"""Streams of packed samples: machine code against the meaning, at random layouts and at the edges of pages."""

from __future__ import annotations

import platform

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.guarded import Guarded

from pellucid.backends.llvm.streams import compile_stream as compile_for
from pellucid.backends.llvm.streams import narrowed
from pellucid.base.errors import BackendError, InputError, IrError
from pellucid.driver.program import compile_stream
from pellucid.ir import expr as E
from pellucid.ir import types as T
from pellucid.ir.stream import Samples, Stream, run, sample

COUNTS = (0, 1, 2, 7, 8, 63, 64, 65, 150)


def number(value: int) -> E.Expr:
    return E.const(value, T.i64)


@st.composite
def layouts(draw, buffer: int, *, signed: bool = False):
    size = draw(st.integers(1, 32))
    stride = size + draw(st.sampled_from([0, 0, 1, 2, 5, 8, 24]))
    return Samples(buffer, draw(st.integers(0, 20)), size, stride, signed and draw(st.booleans()))


EXPRESSIONS = st.recursive(
    st.one_of(st.builds(sample, st.integers(0, 1)), st.builds(number, st.integers(0, 99))),
    lambda inner: st.one_of(
        st.builds(E.apply, st.sampled_from(["add", "sub", "and", "or", "xor", "min", "max", "mul"]), inner, inner),
        st.builds(lambda a, k: E.apply("shift_right", a, number(k)), inner, st.integers(0, 5)),
        st.builds(
            lambda a, b, c: E.apply("choose", E.apply("lt", a, b), b, c), inner, inner, inner
        ),
    ),
    max_leaves=5,
)  # fmt: skip


def agree(stream: Stream, count: int, seed: int = 0) -> None:
    """Machine code and meaning leave the same bytes in all buffers."""
    random = np.random.default_rng(seed)
    sizes = [1] * stream.buffers
    for s in (*stream.inputs, *stream.outputs):
        sizes[s.buffer] = max(sizes[s.buffer], s.bytes(count) + 3)
    first = [random.integers(0, 256, n, dtype=np.uint8) for n in sizes]
    second = [b.copy() for b in first]
    assert compile_stream(stream)(first, count) == run(stream, second, count)
    for found, expected in zip(first, second, strict=True):
        assert (found == expected).all()


@settings(max_examples=40, deadline=None)
@given(st.data(), st.sampled_from(COUNTS), EXPRESSIONS)
def test_any_layouts_and_any_value(data, count, value):
    a, b = data.draw(layouts(1, signed=True)), data.draw(layouts(2, signed=True))
    agree(Stream((a, b), (data.draw(layouts(0)),), (value,)), count)


@settings(max_examples=40, deadline=None)
@given(st.data(), st.sampled_from((*COUNTS, 4000)), EXPRESSIONS)
def test_any_sums(data, count, value):
    a, b = data.draw(layouts(0, signed=True)), data.draw(layouts(1, signed=True))
    agree(Stream((a, b), (), (), (value, sample(0))), count)


def test_long_sums_do_not_overflow():
    for size in (8, 12, 16, 32):
        stream = Stream((Samples(0, 0, size, size),), (), (), (sample(0), E.apply("neg", sample(0))))
        count = 300_000
        most = (1 << size) - 1
        source = np.full(stream.inputs[0].bytes(count), 255, np.uint8)
        assert compile_stream(stream)([source], count) == (count * most, -count * most)


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(COUNTS), st.permutations([5, 6, 5, 1]), st.integers(0, 9), st.integers(0, 3))
def test_fields_of_one_buffer_are_stored_together(count, sizes, offset, gap):
    stride = sum(sizes) + 4 * gap
    starts = [offset + sum(sizes[:k]) + k * gap for k in range(4)]
    fields = tuple(Samples(0, at, size, stride) for at, size in zip(starts, sizes, strict=True))
    inputs = tuple(Samples(1, 8 * k, 8, 24) for k in range(3))
    values = (sample(0), E.apply("shift_right", sample(1), number(2)), sample(2), number(1))
    agree(Stream(inputs, fields, values), count)


@pytest.mark.parametrize("at_end", [False, True])
@pytest.mark.parametrize(
    ("source", "target"),
    [
        ((0, 8, 8), (0, 8, 8)),
        ((0, 12, 12), (0, 16, 16)),
        ((3, 6, 6), (0, 8, 16)),
        ((0, 8, 24), (5, 7, 9)),
        ((0, 1, 1), (0, 10, 10)),
    ],
)
def test_nothing_is_touched_outside(source, target, at_end):
    one, two = Samples(1, *source), Samples(0, *target)
    code = compile_stream(Stream((one,), (two,), (sample(0),)))
    random = np.random.default_rng(1)
    for count in (1, 3, 31, 64, 65, 67, 127, 129):
        inside, outside = Guarded(one.bytes(count), at_end=at_end), Guarded(two.bytes(count), at_end=at_end)
        inside.bytes[:] = random.integers(0, 256, len(inside.bytes), dtype=np.uint8)
        expected = outside.bytes.copy()
        code([outside.bytes, inside.bytes], count)
        run(code.code.stream, [expected, inside.bytes.copy()], count)
        assert (outside.bytes == expected).all()


@pytest.mark.parametrize(
    ("value", "type_"),
    [
        (sample(0), T.u8),
        (E.apply("add", sample(0), number(200)), T.u8),  # only low bits are stored
        (E.apply("shift_right", E.apply("add", sample(0), number(200)), number(1)), T.u16),
        (E.apply("max", E.apply("sub", sample(0), number(9)), number(0)), T.i16),
    ],
)
def test_lanes_are_as_narrow_as_the_values_allow(value, type_):
    stream = Stream((Samples(1, 0, 8, 8),), (Samples(0, 0, 8, 8),), (value,))
    assert narrowed(stream)[0] is type_
    agree(stream, 100)


def test_overlapping_outputs_are_refused():
    with pytest.raises(IrError, match="the outputs of buffer 0 get into each other"):
        Stream((), (Samples(0, 0, 8, 16), Samples(0, 7, 8, 16)), (number(1), number(2)))
    with pytest.raises(IrError, match="the outputs of buffer 0 get into each other"):
        Stream((), (Samples(0, 0, 8, 16), Samples(0, 12, 8, 16)), (number(1), number(2)))
    with pytest.raises(IrError, match="buffer 0 has outputs and inputs, or samples of different strides"):
        Stream((Samples(0, 0, 8, 8),), (Samples(0, 0, 8, 8),), (sample(0),))
    with pytest.raises(IrError, match="buffer 1 has outputs and inputs, or samples of different strides"):
        Stream((Samples(1, 0, 8, 8), Samples(1, 0, 8, 16)), (Samples(0, 0, 8, 8),), (sample(0),))
    with pytest.raises(IrError, match="numbered from 0 without gaps"):
        Stream((Samples(2, 0, 8, 8),), (Samples(0, 0, 8, 8),), (sample(0),))
    with pytest.raises(IrError, match="as many values as outputs"):
        Stream((), (Samples(0, 0, 8, 16),), ())


@pytest.mark.parametrize("layout", [(0, 0, 8), (0, 33, 40), (0, 9, 8), (-1, 8, 8)])
def test_impossible_samples_are_refused(layout):
    with pytest.raises(IrError, match="a size of 1 to 32, a stride of at least the size"):
        Samples(0, *layout)


def test_what_has_no_lanes_is_refused():
    stream = Stream((), (Samples(0, 0, 8, 8),), (E.param("x", T.i64),))
    with pytest.raises(BackendError, match="param: does not run in the lanes of a stream"):
        compile_stream(stream)


def test_buffers_are_checked():
    code = compile_stream(Stream((Samples(1, 0, 8, 8),), (Samples(0, 0, 8, 8),), (sample(0),)))
    good = np.zeros(9, np.uint8)
    with pytest.raises(InputError, match="buffer 1: has 8 bytes where 9 are needed"):
        code([good, np.zeros(8, np.uint8)], 9)
    with pytest.raises(InputError, match="buffer 1: overlaps buffer 0, which is written to"):
        code([good[:5], good[4:]], 5)
    with pytest.raises(InputError, match="buffer 0: is not a contiguous"):
        code([np.zeros(9, np.uint16), good], 9)
    good.flags.writeable = False
    with pytest.raises(InputError, match="buffer 0: cannot be written to"):
        code([good, np.zeros(9, np.uint8)], 9)


@pytest.mark.parametrize("offset", [0, 8, 3])
def test_threads_share_the_work_and_no_byte(offset):
    stream = Stream((Samples(1, 0, 12, 12),), (Samples(0, offset, 6, 6),), (sample(0),))
    count = 100_003
    source = np.random.default_rng(2).integers(0, 256, stream.inputs[0].bytes(count), dtype=np.uint8)
    found, expected = (np.full(stream.outputs[0].bytes(count) + 5, 0xA5, np.uint8) for _ in range(2))
    compile_stream(stream)([found, source], count)
    run(stream, [expected, source], count)
    assert (found == expected).all()


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="they are of that family")
@pytest.mark.parametrize("cpu", ["x86-64", "x86-64-v3"])
@settings(max_examples=6, deadline=None)
@given(st.data(), st.sampled_from(COUNTS), EXPRESSIONS)
def test_lesser_processors_give_the_same(cpu, data, count, value):
    a, b, out = data.draw(layouts(1)), data.draw(layouts(2, signed=True)), data.draw(layouts(0))
    stream = Stream((a, b), (out,), (value,), (sample(1),))
    sizes = [s.bytes(count) + 1 for s in (out, a, b)]
    first = [np.random.default_rng(k).integers(0, 256, n, dtype=np.uint8) for k, n in enumerate(sizes)]
    second = [x.copy() for x in first]
    code = compile_for(stream, cpu=cpu)
    assert code.run(first, count) == run(stream, second, count)
    assert (first[0] == second[0]).all()
