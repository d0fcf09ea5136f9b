"""Streams that cannot be, and calls that do not fit them: one error each, that says what to do."""

from __future__ import annotations

import numpy as np
import pytest

from pellucid.base.errors import BackendError, InputError, IrError, StagingError
from pellucid.driver.streams import compile_stream
from pellucid.ir import expr as E
from pellucid.ir import types as T
from pellucid.ir.stream import Samples, Stream, sample, state
from pellucid.staging import Table, stream


def number(value: int) -> E.Expr:
    return E.const(value, T.i64)


def test_values_over_anything_else_are_refused():
    source, out = Samples(1, 0, 8, 8), Samples(0, 0, 8, 8)
    for leaf in (sample(1), state(0), E.index("i", T.i64)):
        with pytest.raises(IrError, match="is neither a sample of an input, nor a state, nor the position"):
            Stream((source,), (out,), (E.apply("add", sample(0), leaf),))
    with pytest.raises(IrError, match="a value is of type bool; convert it to i64"):
        Stream((source,), (out,), (E.apply("lt", sample(0), number(3)),))


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


def test_starts_are_checked():
    code = compile_stream(Stream((Samples(1, 0, 8, 8),), (Samples(0, 0, 8, 8),), (sample(0),)))
    two = [np.zeros(9, np.uint8), np.zeros(9, np.uint8)]
    for starts in ((0,), (0, -1)):
        with pytest.raises(InputError, match="one for each buffer, from 0 on"):
            code(two, 4, starts=starts)
    with pytest.raises(InputError, match="buffer 1: has 8 bytes where 9 are needed"):
        code(two, 8, starts=(0, 9))
    with pytest.raises(InputError, match="1 buffers; give it 2 buffers"):
        code(two[:1], 4)


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


@pytest.mark.parametrize(
    "values", [np.zeros((2, 2), np.uint8), np.zeros(0, np.uint8), [1.5], np.zeros(3, np.int64)]
)
def test_what_is_no_table_is_refused(values):
    with pytest.raises(StagingError, match="make it a row of integers of 8, 16 or 32 bits"):
        Table(values)


def test_states_that_are_not_returned_are_refused():
    with pytest.raises(StagingError, match="2 states and 1 results; return each state"):
        stream(lambda x, a, b: x, [Samples(1, 0, 8, 8)], [Samples(0, 0, 8, 8)], states=(0, 0))


def test_an_order_that_is_none_is_refused():
    with pytest.raises(IrError, match="no order of bits is called 'middle'; little or big"):
        Samples(0, 0, 8, 8, order="middle")


def test_outputs_in_two_orders_share_no_byte_unless_groups_are_whole_bytes():
    with pytest.raises(IrError, match="all in one order of bits or in groups of whole bytes"):
        Stream((), (Samples(0, 0, 4, 12), Samples(0, 4, 4, 12, order="big")), (number(1), number(2)))
    Stream((), (Samples(0, 0, 4, 16), Samples(0, 8, 4, 16, order="big")), (number(1), number(2)))
