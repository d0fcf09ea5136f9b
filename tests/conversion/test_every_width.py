"""Every built-in format at every width from 1 to 67: native code, byte for byte what arithmetic says, in its bytes.

Each is read to words and written from words, as `pl.convert` does it, which compiles code for a size. Of the first
widths the gate reads every other and writes the rest, beyond them it reads one of twenty-six and writes another.
Forbidden pages lie at one end of either memory, and the code also runs at offsets from them of 0 to 15 bytes; what
lies around the bytes of the picture stays as it was. Sound is compiled for any number of frames. The nightly run takes
each width with heights, offsets and bits that the gate takes by turns.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from tests.conversion.converted import Samples, bounds, plain, word_bits
from tests.guarded import Guarded
from tests.pixels.test_layouts import ORACLES, rows
from tests.turns import NIGHTLY

import pellucid as pl
from pellucid import signals as sg
from pellucid.pixels import FORMATS, Layout, pack

WIDTHS = range(1, 68)
FEW = 9
PICTURES = [name for name, f in FORMATS.items() if f.model != "samples"]
SOUNDS = [name for name, f in FORMATS.items() if f.model == "samples"]
DRAWN = [name for name in PICTURES if not FORMATS[name].palette]
ROOM = 8192
ENDS = [(True, True), (False, False), (True, False), (False, True)]


def heights(width: int) -> tuple[int, ...]:
    """With and without whole blocks of two rows, and what is left below them, beside each rest of a row."""
    return (1, 2, 3, 5) if NIGHTLY else ((3, 2, 1, 1, 1)[width % 5],)


def sizes(*, is_read: bool) -> Iterator[tuple[int, int]]:
    """Sizes of pictures."""
    widths = (
        width
        for width in WIDTHS
        if NIGHTLY or (width % 2 == is_read if width < FEW else width % 26 == is_read * 6 + 1)
    )
    return ((width, height) for width in widths for height in heights(width))


def places(width: int) -> Iterator[tuple[tuple[bool, int], tuple[bool, int]]]:
    """Where source and target lie: at which end of their memory, and how many bytes away from it."""
    for a, b in ENDS:
        yield (a, 0), (b, 0)
    for k in range(1, 16) if NIGHTLY else range(width % 5, 16, 5):
        yield (k % 2 > 0, k), (k % 3 > 0, k * 7 % 16)


class Arena:
    """Memory between forbidden pages, in which the bytes of a picture are put at some place; full of noise."""

    def __init__(self) -> None:
        self.memory = Guarded(ROOM, at_end=True).bytes
        self.noise = np.random.default_rng(5).integers(0, 256, ROOM, np.uint8)

    def put(self, data: np.ndarray, *, at_end: bool, gap: int) -> slice:
        """Where the bytes are now."""
        start = ROOM - len(data) - gap if at_end else gap
        self.memory[:] = self.noise
        where = slice(start, start + len(data))
        self.memory[where] = data
        return where

    def kept(self, where: slice) -> bool:
        """Whether everything outside of the place is as it was."""
        return all(
            self.memory[s].tobytes() == self.noise[s].tobytes()
            for s in (slice(where.start), slice(where.stop, None))
        )


@pytest.fixture(scope="module")
def arenas() -> tuple[Arena, Arena]:
    return Arena(), Arena()


def everywhere(
    arenas: tuple[Arena, Arena],
    data: np.ndarray,
    size: int,
    width: int,
    run: Callable[[np.ndarray, np.ndarray], object],
) -> tuple[np.ndarray, np.ndarray]:
    """What bytes so many were, and what a run on the data makes of them, wherever both lie."""
    before = np.random.default_rng(size).integers(0, 256, size, np.uint8)
    first = b""
    for (at_end, gap), (out_at_end, out_gap) in places(width):
        given = arenas[0].put(data, at_end=at_end, gap=gap)
        out = arenas[1].put(before, at_end=out_at_end, gap=out_gap)
        run(arenas[0].memory[given], arenas[1].memory[out])
        found = arenas[1].memory[out].tobytes()
        assert arenas[0].memory[given].tobytes() == data.tobytes()
        assert arenas[0].kept(given)
        assert arenas[1].kept(out)
        first = first or found
        assert found == first
    return before, np.frombuffer(first, np.uint8)


def converted(
    arenas: tuple[Arena, Arena],
    data: np.ndarray,
    source: Layout,
    target: Layout,
    size: tuple[int, int],
    precision: str = "f32",
) -> tuple[np.ndarray, np.ndarray]:
    """What the bytes of the target were, and what they are afterwards."""

    def run(given: np.ndarray, out: np.ndarray) -> None:
        pl.convert(given, source, target, size, out=out, precision=precision)

    return everywhere(arenas, data, target.size(*size), size[0], run)


def noise(layout: Layout, size: tuple[int, int]) -> np.ndarray:
    """Any bytes; floats are those of levels there are."""
    rng = np.random.default_rng(size)
    if layout.channels[0].kind == "f":
        size_of_one = layout.channels[0].bits // 8
        real = f"{'>' if 'msb' in layout.text else '<'}f{size_of_one}"
        return rng.uniform(0, 1, layout.size(*size) // size_of_one).astype(real).view(np.uint8)
    return rng.integers(0, 256, layout.size(*size), np.uint8)


def samples_of(name: str, data: np.ndarray, size: tuple[int, int]) -> Samples:
    """What bytes hold in a built-in format."""
    layout = FORMATS[name]
    found = ORACLES[name](*(rows(data, layout, *size, k) for k in range(len(layout.planes))))
    shapes = {c.name: c.shape(*size) for c in layout.channels}
    return {name: found[name][: shape[0], : shape[1]] for name, shape in shapes.items()}


def words_of(layout: Layout, data: np.ndarray, size: tuple[int, int]) -> Samples:
    """What bytes hold in words, the spare bits of which are left out."""
    found, at = {}, 0
    for c in layout.channels:
        count = word_bits(c) // 8 * size[0] * size[1]
        words = data[at : at + count].view(f"{'f' if c.kind == 'f' else 'u'}{word_bits(c) // 8}")
        found[c.name] = (words if c.kind == "f" else words & (1 << c.bits) - 1).reshape(size[::-1])
        at += count
    return found


def check(found: Samples, low: Samples, high: Samples, size: tuple[int, int]) -> None:
    assert set(found) == set(low)
    for name, values in found.items():
        if values.dtype.kind == "f":
            assert np.array_equal(values, low[name].astype(values.dtype)), (name, size)
        else:
            assert ((low[name] <= values) & (values <= high[name])).all(), (name, size)


@functools.cache
def without_types(text: str) -> Layout:
    """The layout with numbers without a sign for all others."""
    return Layout(text.replace(":f", ":u").replace(":s", ":u"))


def check_unused(layout: Layout, before: np.ndarray, found: np.ndarray, size: tuple[int, int]) -> None:
    """Spare bits are zero, but for bytes of nothing else, which may be as they were."""
    whole = without_types(layout.text)
    used = np.frombuffer(pack({c.name: c.high for c in whole.channels}, whole, *size), np.uint8)
    spare = found & ~used
    assert not spare[used != 0].any(), size
    assert ((spare == 0) | (spare == before))[used == 0].all(), size


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("name", "is_read"),
    [*((name, True) for name in PICTURES), *((name, False) for name in DRAWN)],
    ids=lambda x: x if isinstance(x, str) else "read" if x else "written",
)
def test_every_width_is_read_and_written(name: str, is_read: bool, arenas: tuple[Arena, Arena]):
    layout, words = FORMATS[name], plain(FORMATS[name])

    def in_format(data: np.ndarray, size: tuple[int, int]) -> dict[str, np.ndarray]:
        return samples_of(name, data, size)

    def in_words(data: np.ndarray, size: tuple[int, int]) -> dict[str, np.ndarray]:
        return words_of(words, data, size)

    ways = (layout, in_format), (words, in_words)
    (source, given), (target, got) = ways if is_read else ways[::-1]
    for size in sizes(is_read=is_read):
        data = noise(source, size)
        before, found = converted(arenas, data, source, target, size)
        check(got(found, size), *bounds(source, given(data, size), target, size), size)
        check_unused(target, before, found, size)


@pytest.mark.parametrize("name", SOUNDS)
def test_every_number_of_frames_is_read_and_written(name: str, arenas: tuple[Arena, Arena]):
    layout = FORMATS[name]
    player = sg.Player(*sg.live(name).channels, format=name)
    for frames in WIDTHS:
        data = noise(layout, (frames, 1))
        before, found = everywhere(
            arenas, data, len(data), frames, lambda given, out, n=frames: player.play(n, out=out, input=given)
        )
        want = samples_of(name, data, (frames, 1))["S"]
        assert np.array_equal(samples_of(name, found, (frames, 1))["S"], want)
        check_unused(layout, before, found, (frames, 1))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("order", ["lsb", "msb"])
@pytest.mark.parametrize("bits", [1, 2, 3, 5, 7, 9, 11, 12, 15, 17, 24, 31, 32])
def test_fields_may_begin_at_any_bit(bits: int, order: str, arenas: tuple[Arena, Arena]):
    # In the gate each eighth width for either order.
    for width in WIDTHS if NIGHTLY else WIDTHS[bits % 4 + 4 * (order == "msb") :: 8]:
        for start in range(8) if NIGHTLY else [(width // 2 + bits) % 8]:
            layout = Layout(f"{order}: _:{start} Y:{bits}" if start else f"{order}: Y:{bits}")
            size, step = (width, 2), start + bits
            data = noise(layout, size)
            # Numbers of more bits than a float of 32 has are told apart by one of 64.
            precision = "f32" if bits <= 16 else "f64"
            _, found = converted(arenas, data, layout, layout, size, precision)
            bit_order = "little" if order == "lsb" else "big"
            given = np.unpackbits(data.reshape(2, -1), axis=1, bitorder=bit_order)
            at = np.arange(given.shape[1])
            given[:, (at % step < start) | (at >= step * width)] = 0
            assert np.array_equal(found.reshape(2, -1), np.packbits(given, axis=1, bitorder=bit_order)), (
                start,
                width,
            )
