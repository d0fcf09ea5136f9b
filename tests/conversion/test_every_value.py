"""Every value of every field of every built-in format: read and written again, it is the same bytes, natively and not.

Fields of up to 16 bits take all their values at each place of a group, the others some, the outermost among them. What
they are is also asked of arithmetic on whole bytes.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.conversion.converted import Samples, bounds
from tests.guarded import Guarded
from tests.pixels.test_layouts import ORACLES, rows

import pellucid as pl
from pellucid.conversion.access import PlaneMemory, plus, read, times, write
from pellucid.conversion.nests import frame_of
from pellucid.driver.kernel import optimized
from pellucid.driver.lending import make_backend
from pellucid.driver.options import Options
from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.pixels import FORMATS, Channel, Layout, pack, unpack
from pellucid.pixels.reference import sample_dtype

MAX_BITS, SAMPLED = 16, 1 << 12
MIN_WIDTH = 256
GROUP = E.index("g")
Size = tuple[int, int]
WHOLE = [
    n for n, f in FORMATS.items() if f.model != "samples" and f.channels[0].kind == "u" and not f.palette
]


def size_of(layout: Layout) -> Size:
    """Whole groups of all planes, at least as many as there are values, and no gap at the end of a row."""
    values = max(1 << c.bits if c.bits <= MAX_BITS else SAMPLED for c in layout.channels)
    planes = [p for p in layout.planes if not p.entries]
    width = math.lcm(*(p.across * p.pixels for p in planes)) * max(values, MIN_WIDTH)
    return width, math.lcm(*(p.down for p in planes))


def every_value(channel: Channel, size: Size) -> np.ndarray:
    """Samples of a channel: all its values at each place of a group, in an order of its own."""
    shape, count = channel.shape(*size), len(channel.places)
    groups = np.arange(shape[0] * shape[1] // count, dtype=np.uint64)
    # An odd factor leaves none out.
    odd = np.uint64(0x9E3779B97F4A7C15 + 2 * sum(map(ord, channel.name)))
    numbers = (groups[:, None] + np.arange(count, dtype=np.uint64)) * odd
    low, high = np.uint64(channel.low % 2**channel.bits), np.uint64(channel.high)
    if channel.bits > MAX_BITS:
        numbers[:4] = np.array([[0], [2**channel.bits - 1], [low], [high]], np.uint64)
    numbers &= np.uint64(2**channel.bits - 1)
    if channel.kind == "s":
        numbers = np.where(numbers > high, numbers - np.uint64(2**channel.bits - 1) - np.uint64(1), numbers)
    wide = {"u": numbers, "s": numbers.view(np.int64)}.get(channel.kind)
    dtype = sample_dtype(channel)
    found = numbers.astype(f"u{dtype.itemsize}").view(dtype) if wide is None else wide.astype(dtype)
    return found.reshape(shape)


def filled(layout: Layout, size: Size) -> tuple[np.ndarray, np.ndarray]:
    """Bytes with every value, noise in the spare bits; and the same with zeros there."""
    samples = {c.name: every_value(c, size) for c in layout.channels}
    noise = np.random.default_rng(3).integers(0, 256, layout.size(*size), np.uint8).tobytes()
    noisy, clean = (np.frombuffer(pack(samples, layout, *size, onto=n), np.uint8) for n in (noise, None))
    return noisy, clean


def arithmetic(name: str, data: np.ndarray, size: Size) -> Samples:
    """What the bytes hold, by the oracle of the format."""
    layout = FORMATS[name]
    with np.errstate(all="ignore"):
        found = ORACLES[name](*(rows(data, layout, *size, k) for k in range(len(layout.planes))))
    return {c.name: found[c.name].astype(sample_dtype(c)) for c in layout.channels}


@pytest.mark.parametrize("name", FORMATS)
def test_all_values_are_among_them(name: str):
    layout = FORMATS[name]
    size = size_of(layout)
    for c in layout.channels:
        at = every_value(c, size).reshape(-1, len(c.places))
        at = at.view(f"u{at.itemsize}")
        if c.bits <= MAX_BITS and not c.entries:
            assert all(len(np.unique(place)) == 1 << c.bits for place in at.T)
        assert at.min() == 0 or c.entries


@pytest.mark.parametrize("name", FORMATS)
def test_the_reference_reads_and_writes_every_value(name: str):
    layout = FORMATS[name]
    size = size_of(layout)
    data, clean = filled(layout, size)
    found = unpack(data, layout, *size)
    want = arithmetic(name, data, size)
    assert {k: v.tobytes() for k, v in found.items()} == {k: v.tobytes() for k, v in want.items()}
    assert pack(found, layout, *size) == clean.tobytes()


@pytest.mark.parametrize("name", FORMATS)
def test_native_code_reads_and_writes_every_value(name: str):
    layout = FORMATS[name]
    size = size_of(layout)
    data, clean = filled(layout, size)
    source, target = (E.Buffer(n, T.u8, len(data)) for n in ("source", "target"))
    words: dict[str, E.Buffer] = {}
    body: N.Block = ()
    for number, (plane, start) in enumerate(zip(layout.planes, layout.offsets(*size), strict=False)):
        memory, samples = PlaneMemory(source, start, 0), {}
        stores: N.Block = ()
        for c in (c for c in layout.channels if c.plane == number):
            places = [plus(times(GROUP, len(c.places)), k) for k in range(len(c.places))]
            values = [
                E.apply("convert", read(layout, c, memory, at, E.const(0, T.i32)), attr=T.u64)
                for at in places
            ]
            words[c.name] = E.Buffer(f"words_{c.name}", T.u64, math.prod(c.shape(*size)))
            stores += tuple(N.Store(words[c.name], at, v) for at, v in zip(places, values, strict=True))
            samples[c.name] = values
        for k, (value, mask) in enumerate(write(layout, number, samples)):
            if mask:
                stores += (N.Store(target, plus(times(GROUP, plane.bits // 8), start + k), value),)
        groups = plane.groups(size[0]) * plane.rows(size[1])
        body += (N.For(GROUP, E.const(0, T.i32), E.const(groups, T.i32), stores),)
    options, backend = Options(), make_backend("llvm")
    frame = frame_of(N.Kernel("again", (), (target, *words.values()), body))
    best = optimized(frame, options, backend)
    memory = {b: Guarded(len(data), at_end=at_end).bytes for b, at_end in ((source, True), (target, False))}
    memory[source][:] = data
    memory |= {b: np.zeros(b.size, np.uint64) for b in words.values()}
    backend.compile(best.kernel, best.ranges).run({}, memory)
    assert memory[target].tobytes() == clean.tobytes()
    for channel, want in arithmetic(name, data, size).items():
        assert memory[words[channel]].astype(f"u{want.itemsize}").tobytes() == want.tobytes(), channel


@pytest.mark.parametrize("name", WHOLE)
def test_a_conversion_keeps_every_value(name: str):
    layout = FORMATS[name]
    size = size_of(layout)
    data, _ = filled(layout, size)
    found = unpack(pl.convert(data, layout, layout, size), layout, *size)
    low, high = bounds(layout, unpack(data, layout, *size), layout, size)
    for channel, values in found.items():
        assert ((low[channel] <= values) & (values <= high[channel])).all(), channel
