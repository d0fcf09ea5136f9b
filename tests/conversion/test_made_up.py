"""A new format is one line: layouts that nobody thought of are read, written and converted as plain Python does."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.pixels.made_up import MadeUp, Samples, layouts
from tests.turns import fewer

import pellucid as pl
from pellucid.pixels import Layout, pack, unpack

SIZES = st.tuples(st.integers(1, 14), st.integers(1, 5))


def noise(size: int) -> bytes:
    return np.random.default_rng(size).integers(0, 256, size, np.uint8).tobytes()


def as_numbers(layout: Layout, found: dict[str, np.ndarray]) -> Samples:
    """Arrays of samples as plain Python has them: floats are their bits."""
    return {
        name: (values.view(f"u{values.itemsize}") if layout[name].kind == "f" else values).tolist()
        for name, values in found.items()
    }


@given(layouts(), SIZES)
def test_they_are_read_and_written_bit_by_bit(made: MadeUp, size: tuple[int, int]):
    layout = Layout(made.text)
    assert layout.size(*size) == made.size(*size)
    data, other = noise(made.size(*size)), noise(made.size(*size) + 1)[:-1]
    samples = made.read(data, *size)
    found = unpack(data, layout, *size)
    assert as_numbers(layout, found) == samples
    assert pack(found, layout, *size, onto=other) == made.write(samples, *size, other)
    # The round trip: nothing is lost, and no other bit is touched.
    assert pack(found, layout, *size, onto=data) == data


@settings(max_examples=fewer(20))
@given(layouts("gray", "rgb", "rgba", "mosaic", most=20), SIZES)
def test_compiled_code_reads_and_writes_the_same(made: MadeUp, size: tuple[int, int]):
    data = noise(made.size(*size))
    wanted = made.write(made.read(data, *size), *size, bytes(len(data)))
    assert pl.convert(data, made.text, made.text, size, precision="f64").tobytes() == wanted
