"""Streams of packed samples: machine code against the meaning, at random layouts and at the edges of pages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.guarded import Guarded
from tests.systems import levels
from tests.turns import fewer

from pellucid.backends.llvm import LlvmBackend
from pellucid.base.errors import BackendError
from pellucid.driver import compiled, streams
from pellucid.driver.cache import Cache
from pellucid.driver.streams import CompiledStream, compile_stream
from pellucid.ir import expr as E
from pellucid.ir import types as T
from pellucid.ir.nest import For, Store, walk
from pellucid.ir.stream import Samples, Stream, StreamState, moved, position, run, sample, state
from pellucid.rewriting.lane_types import plan
from pellucid.staging import Table, stream, stream_nest

COUNTS = (0, 1, 2, 7, 8, 63, 64, 65, 150)


ORDERS = st.sampled_from(["little", "big"])


def number(value: int) -> E.Expr:
    return E.const(value, T.i64)


@st.composite
def layouts(draw, buffer: int, *, signed: bool = False):
    size = draw(st.integers(1, 32))
    stride = size + draw(st.sampled_from([0, 0, 1, 2, 5, 8, 24]))
    return Samples(
        buffer, draw(st.integers(0, 20)), size, stride, signed and draw(st.booleans()), draw(ORDERS)
    )


@st.composite
def groups(draw, buffer: int, *, apart: bool):
    """Samples in groups, in any order within each; where they need not be apart, they may overlap."""
    count, size, order = draw(st.integers(1, 5)), draw(st.integers(1, 14)), draw(ORDERS)
    base, gap = draw(st.integers(0, 20)), draw(st.integers(0, 5))
    offsets = draw(st.permutations([base + k * (size + gap) for k in range(count)]))
    if not apart:
        offsets = [max(0, at - draw(st.integers(0, 9))) for at in offsets]
    stride = count * (size + gap) + draw(st.sampled_from([0, 0, 3, 8]))
    return Samples(buffer, tuple(offsets), size, stride, draw(st.booleans()), order)


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


@settings(max_examples=fewer(40), deadline=None)
@given(st.data(), st.sampled_from(COUNTS), EXPRESSIONS)
def test_any_layouts_and_any_value(data, count, value):
    a, b = data.draw(layouts(1, signed=True)), data.draw(layouts(2, signed=True))
    agree(Stream((a, b), (data.draw(layouts(0)),), (value,)), count)


@settings(max_examples=fewer(40), deadline=None)
@given(st.data(), st.sampled_from((*COUNTS, 4000)), EXPRESSIONS)
def test_any_sums(data, count, value):
    a, b = data.draw(layouts(0, signed=True)), data.draw(layouts(1, signed=True))
    agree(Stream((a, b), (), (), (value, sample(0))), count)


@settings(max_examples=fewer(40), deadline=None)
@given(st.data(), st.sampled_from(COUNTS), EXPRESSIONS)
def test_any_groups_and_any_value(data, count, value):
    a, b = data.draw(groups(1, apart=False)), data.draw(groups(2, apart=False))
    agree(Stream((a, b), (data.draw(groups(0, apart=True)),), (value,), (sample(0),)), count)


@settings(max_examples=fewer(25), deadline=None)
@given(st.data(), st.sampled_from(COUNTS), st.integers(1, 5), st.sampled_from([4, 8, 12, 16]))
def test_windows_of_neighbors(data, count, taps, size):
    one = data.draw(layouts(1, signed=True))
    inputs = tuple(replace(one, offset=one.offset + k * one.stride) for k in range(taps))
    weights = data.draw(st.lists(st.integers(-50, 50), min_size=taps, max_size=taps))
    total = number(0)
    for k, weight in enumerate(weights):
        total = E.apply("add", total, E.apply("mul", sample(k), number(weight)))
    out = Samples(0, 0, size, size)
    agree(Stream(inputs, (out,), (E.apply("shift_right", total, number(3)),)), count)


SIZES = {16: np.uint8, 64: np.uint8, 200: np.uint8, 256: np.int16, 1000: np.uint16, 70_000: np.int32}
TABLES = st.sampled_from(list(SIZES.items()))


def table(size: int, dtype, seed: int = 1) -> E.Buffer:
    info = np.iinfo(dtype)
    data = np.random.default_rng(seed).integers(info.min, info.max, size, dtype=dtype, endpoint=True)
    return E.Buffer("table", T.BY_DTYPE[np.dtype(dtype)], size, data)


def read(buffer: E.Buffer, at: E.Expr) -> E.Expr:
    return E.apply("convert", E.load(buffer, at), attr=T.i64)


@settings(max_examples=fewer(30), deadline=None)
@given(st.data(), st.sampled_from(COUNTS), TABLES, EXPRESSIONS)
def test_tables_of_any_size_at_any_index(data, count, kind, value):
    a, b = data.draw(layouts(1, signed=True)), data.draw(layouts(2))
    first, second = table(*kind), table(40, np.uint8, 2)
    found = E.apply(
        "add", read(first, value), read(second, E.apply("and", read(first, sample(1)), number(63)))
    )
    agree(Stream((a, b), (data.draw(layouts(0)),), (found,), (read(second, sample(0)),)), count)


def test_functions_of_tables_are_tables():
    small, large = table(256, np.uint8), table(1024, np.int16)
    source = Samples(1, 0, 8, 8)
    half = E.apply("shift_right", read(small, sample(0)), number(1))
    (found,) = plan(Stream((source,), (Samples(0, 0, 8, 8),), (half,))).lookups
    assert found.table == tuple(int(x) >> 1 for x in small.data)
    wider = E.apply("mul", read(small, sample(0)), number(300))  # would take twice the registers
    (kept,) = plan(Stream((source,), (Samples(0, 0, 16, 16),), (wider,))).lookups
    assert kept.table == tuple(map(int, small.data))
    wider = E.apply("mul", read(large, sample(0)), number(300))  # is in memory anyway
    (found,) = plan(Stream((source,), (Samples(0, 0, 32, 32),), (wider,))).lookups
    assert found.table == tuple(300 * int(x) for x in large.data)


@settings(max_examples=fewer(25), deadline=None)
@given(st.data(), st.sampled_from(COUNTS), st.integers(-99, 99), st.integers(0, 12))
def test_positions(data, count, factor, shift):
    moved = E.apply("add", E.apply("mul", position(), number(factor)), number(7))
    waved = read(
        table(1000, np.int16), E.apply("and", E.apply("shift_right", moved, number(shift)), number(1023))
    )
    values = (E.apply("shift_right", moved, number(shift)), E.apply("add", waved, sample(0)))
    outs = (Samples(0, 3, 12, 32), Samples(0, 17, 16, 32))
    agree(Stream((data.draw(layouts(1)),), outs, values, (values[0],)), count)


@settings(max_examples=fewer(25), deadline=None)
@given(st.data(), st.sampled_from(COUNTS), EXPRESSIONS)
def test_states_are_carried_from_sample_to_sample(data, count, value):
    a, b = data.draw(layouts(1, signed=True)), data.draw(layouts(2))
    smooth = E.apply("add", E.apply("shift_right", E.apply("mul", state(0), number(7)), number(3)), value)
    turned = E.apply("and", E.apply("add", state(1), E.apply("xor", state(0), sample(1))), number(0xFFFF))
    steady = E.apply("sub", state(2), number(5))
    states = (StreamState(9, smooth), StreamState(-1, turned), StreamState(100, steady))
    total = E.apply("add", E.apply("add", state(0), state(1)), state(2))
    agree(Stream((a, b), (data.draw(layouts(0)),), (total,), (state(1),), states), count)


def test_states_that_advance_by_a_constant_are_positions():
    stream = Stream(
        (), (Samples(0, 0, 16, 16),), (state(0),), (), (StreamState(3, E.apply("add", state(0), number(5))),)
    )
    assert plan(stream).states == ()
    agree(stream, 150)


@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("fields", [(5, 6, 5), (10, 10, 10, 2), (4, 4, 4), (8, 8, 8, 8), (3, 3, 2)])
def test_fields_of_words(fields, order):
    """Red, green and blue in one word, to bytes side by side and back."""
    stride = 8 * -(-sum(fields) // 8)
    starts = [sum(fields[:k]) for k in range(len(fields))]
    packed = [Samples(1, at, size, stride, order=order) for at, size in zip(starts, fields, strict=True)]
    bytes_ = [Samples(0, 16 * k, 16, 16 * len(fields)) for k in range(len(fields))]
    values = tuple(map(sample, range(len(fields))))
    back = tuple(replace(s, buffer=0) for s in packed)
    for count in (1, 16, 17, 64, 65, 200):
        agree(Stream(tuple(packed), tuple(bytes_), values), count)
        agree(Stream(tuple(replace(s, buffer=1) for s in bytes_), back, values), count)


def test_long_sums_do_not_overflow():
    for size in (8, 12, 16, 32):
        stream = Stream((Samples(0, 0, size, size),), (), (), (sample(0), E.apply("neg", sample(0))))
        count = 300_000
        most = (1 << size) - 1
        source = np.full(stream.inputs[0].bytes(count), 255, np.uint8)
        assert compile_stream(stream)([source], count) == (count * most, -count * most)


@settings(max_examples=fewer(15), deadline=None)
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
        run(code.stream, [expected, inside.bytes.copy()], count)
        assert (outside.bytes == expected).all()


def ten_bits(buffer: int) -> tuple[Samples, Samples]:
    """Four samples of ten bits in five bytes: the high parts, then the low parts of all."""
    return Samples(buffer, (0, 8, 16, 24), 8, 40), Samples(buffer, (32, 34, 36, 38), 2, 40)


def joined() -> E.Expr:
    return E.apply("or", E.apply("shift_left", sample(0), number(2)), sample(1))


RED_GREEN_BLUE = tuple(Samples(1, at, size, 16) for at, size in ((11, 5), (5, 6), (0, 5)))
KINDS = {
    "groups in": Stream(ten_bits(1), (Samples(0, 0, 16, 16),), (joined(),)),
    "groups out": Stream(
        (Samples(1, 0, 10, 16),),
        ten_bits(0),
        (E.apply("shift_right", sample(0), number(2)), sample(0)),
    ),
    "words": Stream(
        RED_GREEN_BLUE, tuple(Samples(0, 8 * k, 8, 24) for k in range(3)), tuple(map(sample, range(3)))
    ),
    "words back": Stream(
        tuple(Samples(1, 8 * k, 8, 24) for k in range(3)),
        tuple(replace(s, buffer=0) for s in RED_GREEN_BLUE),
        tuple(map(sample, range(3))),
    ),
    "neighbors": Stream(
        tuple(Samples(1, 12 * k, 12, 12) for k in range(3)),
        (Samples(0, 4, 14, 14),),
        (E.apply("add", E.apply("add", sample(0), sample(1)), sample(2)),),
    ),
    "table": Stream((Samples(1, 3, 5, 7),), (Samples(0, 5, 8, 8),), (read(table(32, np.uint8), sample(0)),)),
    "short blocks": Stream(
        (Samples(1, 0, 3, 6),), (Samples(0, 0, 8, 8),), (read(table(8, np.uint8), sample(0)),)
    ),
    "large table": Stream(
        (Samples(1, 0, 10, 10),), (Samples(0, 0, 8, 16),), (read(table(1024, np.uint8), sample(0)),)
    ),
    "other order": Stream(
        (Samples(1, 2, 12, 12, order="big"),), (Samples(0, 3, 9, 9, order="big"),), (sample(0),)
    ),
    "bits": Stream((Samples(1, 0, 1, 1),), (Samples(0, 0, 1, 1),), (E.apply("xor", sample(0), number(1)),)),
    "far off": Stream((Samples(1, 300_003, 12, 12),), (Samples(0, 200_005, 8, 8),), (sample(0),)),
    "far apart": Stream((Samples(1, 0, 8, 4000),), (Samples(0, 0, 8, 1000),), (sample(0),)),
}


@pytest.mark.parametrize("at_end", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_touched_outside_by_other_forms(kind, at_end):
    stream_ = KINDS[kind]
    code = compile_stream(stream_)
    random = np.random.default_rng(1)
    for count in (*range(1, 150), 300):
        sizes = code.needed(count)
        inside, outside = (Guarded(size, at_end=at_end) for size in reversed(sizes))
        for each in (inside, outside):
            each.bytes[:] = random.integers(0, 256, len(each.bytes), dtype=np.uint8)
        expected = outside.bytes.copy()
        code([outside.bytes, inside.bytes], count)
        run(stream_, [expected, inside.bytes.copy()], count)
        assert (outside.bytes == expected).all(), count


@pytest.mark.parametrize(
    ("value", "type_"),
    [
        (sample(0), T.u8),
        (E.apply("add", sample(0), number(200)), T.u8),  # only low bits are stored
        (E.apply("shift_right", E.apply("add", sample(0), number(200)), number(2)), T.u16),
        (
            E.apply("shift_right", E.apply("add", sample(0), number(200)), number(1)),
            T.u8,
        ),  # halved without a sum
        (E.apply("max", E.apply("sub", sample(0), number(9)), number(0)), T.i16),
    ],
)
def test_lanes_are_as_narrow_as_the_values_allow(value, type_):
    stream = Stream((Samples(1, 0, 8, 8),), (Samples(0, 0, 8, 8),), (value,))
    assert plan(stream).type is type_
    agree(stream, 100)


UNARY = ("abs", "neg", "not")
BINARY = (
    "add", "and", "floor_div", "max", "min", "mod", "mul", "or", "shift_left", "shift_right", "sub", "xor",
)  # fmt: skip


@pytest.mark.parametrize("row", [*UNARY, *BINARY])
@settings(max_examples=5, deadline=None)
@given(st.data())
def test_every_row_means_the_same_in_lanes_of_any_width(row, data):
    """Also where a divisor is 0 and where an amount is no less than the width."""
    a, b = data.draw(layouts(1, signed=True)), data.draw(layouts(2, signed=True))
    right = data.draw(
        st.one_of(st.just(sample(1)), st.builds(number, st.sampled_from([0, 1, -1, 7, 8, 64, 256, 300])))
    )
    right = E.apply("mul", right, number(data.draw(st.sampled_from([1, 1, 128]))))
    value = E.apply(row, sample(0)) if row in UNARY else E.apply(row, sample(0), right)
    out = Samples(0, 0, *data.draw(st.sampled_from([(8, 8), (12, 12), (32, 32)])))
    agree(Stream((a, b), (out,), (value,)), 70)


def test_samples_may_be_farther_apart_than_the_stack_is_long():
    stream_ = Stream((Samples(1, 8, 8, 400_000),), (Samples(0, 0, 8, 80_000),), (sample(0),))
    for count in (1, 40):
        agree(stream_, count)


def test_truths_are_numbers():
    made = stream(lambda x: x < 100, [Samples(1, 0, 8, 8)], [Samples(0, 0, 1, 1)])
    source, out = np.arange(90, 110, dtype=np.uint8), np.zeros(3, np.uint8)
    compile_stream(made)([out, source], 20)
    assert np.unpackbits(out, bitorder="little").tolist() == [1] * 10 + [0] * 14


@settings(max_examples=fewer(15), deadline=None)
@given(st.lists(st.integers(0, 40), min_size=2, max_size=2), st.sampled_from(COUNTS), ORDERS)
def test_starts_are_decided_at_the_call(starts, count, order):
    stream = Stream(
        (Samples(1, 0, 12, 12, order=order),), (Samples(0, 0, 10, 10, order=order),), (sample(0),)
    )
    code = compile_stream(stream)
    random = np.random.default_rng(5)
    first = [random.integers(0, 256, 300, dtype=np.uint8) for _ in range(2)]
    second = [b.copy() for b in first]
    code(first, count, starts=starts)
    run(moved(stream, starts), second, count)
    assert all((a == b).all() for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize(
    "out", [(0, 6, 6), (8, 6, 6), (3, 6, 6), (5, 3, 7), (1, 1, 1), (3, 12, 12, False, "big"), (7, 16, 16)]
)
def test_threads_share_the_work_and_the_bits_of_a_byte(monkeypatch, out):
    monkeypatch.setattr(streams, "MIN_THREAD_BYTES", 64)
    monkeypatch.setattr(stream_nest, "CHUNK", 1)
    stream = Stream((Samples(1, 0, 12, 12),), (Samples(0, *out),), (sample(0),), (sample(0),))
    count = 30_003
    source = np.random.default_rng(2).integers(0, 256, stream.inputs[0].bytes(count), dtype=np.uint8)
    found, expected = (np.full(stream.outputs[0].bytes(count) + 5, 0xA5, np.uint8) for _ in range(2))
    code = compile_stream(stream)
    total = run(stream, [expected, source], count)
    for _ in range(20):
        found[:] = 0xA5
        assert code([found, source], count) == total
        assert (found == expected).all()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("cpu", levels())
@pytest.mark.parametrize("kind", KINDS)
def test_other_forms_are_the_same_on_lesser_processors(cpu, kind):
    stream_ = KINDS[kind]
    code = CompiledStream(stream_, LlvmBackend(cpu=cpu))
    for count in (1, 15, 128, 300, 1111):
        sizes = code.needed(count)
        first = [np.random.default_rng(k).integers(0, 256, n, dtype=np.uint8) for k, n in enumerate(sizes)]
        second = [x.copy() for x in first]
        assert code(first, count) == run(stream_, second, count)
        assert (first[0] == second[0]).all(), count


@pytest.mark.parametrize("cpu", levels())
@settings(max_examples=fewer(fewer(10)), deadline=None)
@given(st.data(), st.sampled_from(COUNTS), EXPRESSIONS, TABLES)
def test_lesser_processors_give_the_same(cpu, data, count, value, kind):
    kinds = st.one_of(layouts(1), groups(1, apart=False))
    a, b = data.draw(kinds), data.draw(layouts(2, signed=True))
    out = data.draw(st.one_of(layouts(0), groups(0, apart=True)))
    value = E.apply("add", value, read(table(*kind), sample(0)))
    stream = Stream((a, b), (out,), (value,), (sample(1),))
    sizes = [s.bytes(count) + 1 for s in (out, a, b)]
    first = [np.random.default_rng(k).integers(0, 256, n, dtype=np.uint8) for k, n in enumerate(sizes)]
    second = [x.copy() for x in first]
    code = CompiledStream(stream, LlvmBackend(cpu=cpu))
    assert code(first, count) == run(stream, second, count)
    assert (first[0] == second[0]).all()


def test_streams_are_written_as_functions():
    """The front: tables, the number of the sample, states, neighbors."""
    ramp = Table(np.arange(0, 300, 3, dtype=np.uint16))
    neighbors = [Samples(1, 8 * k, 8, 8) for k in range(2)]

    def smoothed(i, a, b, before):
        now = (3 * before + a + b) >> 2
        return now + ramp(i & 63), now

    made = stream(smoothed, neighbors, [Samples(0, 0, 16, 16)], counted=True, states=(100,))
    source = np.arange(0, 202, 2, dtype=np.uint8)
    out = np.zeros(200, np.uint8)
    compile_stream(made)([out, source], 100)
    state_ = 100
    for i, found in enumerate(out.view(np.uint16)):
        expected, state_ = smoothed(i, int(source[i]), int(source[i + 1]), state_)
        assert found == expected & 0xFFFF


def test_tables_that_are_not_known_are_refused():
    unknown = E.Buffer("later", T.u8, 16)
    with pytest.raises(BackendError, match="later: is no table of a stream"):
        compile_stream(Stream((Samples(1, 0, 8, 8),), (Samples(0, 0, 8, 8),), (read(unknown, sample(0)),)))


def test_code_is_kept_and_not_optimized_again(monkeypatch, tmp_path):
    store = Cache(tmp_path)
    monkeypatch.setattr(compiled, "cache", lambda: store)
    backend = LlvmBackend(store)
    made = Stream((Samples(1, 3, 5, 7),), (Samples(0, 0, 8, 8),), (sample(0),))
    found, again = np.zeros(40, np.uint8), np.zeros(40, np.uint8)
    source = np.random.default_rng(1).integers(0, 256, 40, dtype=np.uint8)
    CompiledStream(made, backend)([found, source], 40)
    store.forget()
    monkeypatch.setattr(streams, "optimized", lambda *_: pytest.fail("optimized again"))
    CompiledStream(made, backend)([again, source], 40)
    assert (found == again).all()
    with pytest.raises(pytest.fail.Exception):
        CompiledStream(replace(made, values=(number(1),)), backend)


def test_bytes_that_no_sample_is_in_are_not_written_to():
    """Another thread may write to them meanwhile."""
    nest = stream_nest.stream_nest(
        Stream((Samples(1, 0, 8, 8),), (Samples(0, 16, 8, 24),), (sample(0),))
    ).kernel
    main = next(s for s in nest.body if isinstance(s, For))
    assert len([s for s in walk(main.body) if isinstance(s, Store)]) == 1


def test_a_stream_of_samples_far_apart_needs_no_stack():
    agree(Stream((Samples(1, 0, 8, 8), Samples(1, 1 << 23, 8, 8)), (Samples(0, 0, 8, 8),), (sample(1),)), 300)


@pytest.mark.parametrize("count", [1, 63, 64, 65, 300])
def test_words_that_an_array_has_a_part_of_are_read_by_bytes(count):
    """The last word of each array is not whole: it would be cut off."""
    a, b = Samples(1, 0, 12, 32), Samples(1, 16, 5, 32)
    out = Samples(0, 0, 9, 32)
    agree(Stream((a, b), (out,), (E.apply("add", sample(0), sample(1)),)), count)


def test_units_that_are_too_long_run_in_order(monkeypatch):
    monkeypatch.setattr(stream_nest, "MAX_UNIT", 3)
    agree(Stream((Samples(1, 0, 7, 7),), (Samples(0, 2, 5, 5),), (sample(0),), (sample(0),)), 300)
