"""Samples of any number of bits, one for each lane: cyclic positions, words of bytes, sums of bytes; as by NumPy."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.backends.test_interleaved import DENSE, both
from tests.staging.programs import file_of

from pellucid.backends.jit.engine import machine
from pellucid.backends.llvm import LlvmBackend
from pellucid.ir.parse import parse_nest

HEAD = "kernel k():\n  output out: {out}[{many}]\n  input a: u8[{size}]\n"


def sample(at: str, size: int, offset: int, stride: int, word: int) -> str:
    """A sample of so many bits: the bytes in which it may be, in a word, shifted and masked."""
    odd = 8 - math.gcd(8, offset, stride)
    bit = f"({at} * {stride} + {offset})"
    bytes_ = [f"convert.u{word}(a[shift_right_in({bit}, 3) + {d}])" for d in range(-(-(size + odd) // 8))]
    whole = " | ".join(f"shift_left_in({b}, {8 * d}:u{word})" if d else b for d, b in enumerate(bytes_))
    return f"shift_right_in({whole}, convert.u{word}({bit} & 7)) & {(1 << size) - 1}:u{word}"


@given(st.data())
def test_samples_of_any_size_are_read_by_lanes(data: st.DataObject):
    size = data.draw(st.integers(1, 25))
    stride = size + data.draw(st.sampled_from([0, 0, 1, 3, 8]))
    offset, first = data.draw(st.integers(0, 40)), data.draw(st.sampled_from([0, 0, 3]))
    lanes = data.draw(st.sampled_from([8, 16, 32]))
    count = lanes * data.draw(st.integers(1, 4)) + data.draw(st.sampled_from([0, 0, 0, 5]))
    word = 16 if size <= 9 else 32
    reach = (first + count) * stride + offset + 40
    text, (mine, wanted) = both(
        HEAD.format(out=f"u{word}", many=count + first, size=reach // 8 + 1)
        + f"  for i in {first} .. {first + count} by {lanes} lanes:\n"
        + f"    out[i] := {sample('i', size, offset, stride, word)}\n"
    )
    assert np.array_equal(mine, wanted)
    if count % lanes == 0:
        assert DENSE not in text


def test_blocks_of_samples_in_a_loop_have_one_shuffle_each():
    text, (mine, wanted) = both(
        HEAD.format(out="u16", many=640, size=980)
        + "  for r in 0 .. 10:\n    for j in 0 .. 64 by 32 lanes:\n"
        + f"      out[r * 64 + j] := {sample('j', 12, 4, 12, 16).replace('a[', 'a[r * 96 + ')}\n"
    )
    assert np.array_equal(mine, wanted)
    if machine().permutes:
        assert text.count("lshr <32 x i16>") == 1
        assert "zext" not in text


def test_positions_that_go_on_differently_in_each_block_are_no_cycle():
    """Squares, and the index of a table that is as long as the loop."""
    for at in ("shift_right_in(i * i, 2)", "shift_right_in(i * 5, 3) * shift_right_in(i, 4)", "i * 37 & 31"):
        _, (mine, wanted) = both(
            HEAD.format(out="u8", many=64, size=2000)
            + f"  for i in 0 .. 64 by 16 lanes:\n    out[i] := a[{at}]\n"
        )
        assert np.array_equal(mine, wanted)


def test_cycles_are_found_anew_in_another_loop():
    loops = "".join(
        f"  for i in {lo} .. {lo + 32} by {lanes} lanes:\n"
        "    out[i] := a[shift_right_in(i * 5, 3)] + convert.u8(i * 5 & 7)\n"
        for lo, lanes in ((0, 8), (32, 16), (64, 32))
    )
    _, (mine, wanted) = both(HEAD.format(out="u8", many=96, size=64) + loops)
    assert np.array_equal(mine, wanted)


@pytest.mark.parametrize("type_", ["i64", "u64"])
@given(st.data())
def test_sums_of_bytes_are_taken_at_once(type_: str, data: st.DataObject):
    step, lanes = data.draw(st.integers(8, 24)), data.draw(st.sampled_from([4, 8, 16]))
    places = data.draw(st.lists(st.integers(0, step - 1), min_size=8, max_size=20, unique=True))
    terms = [f"convert.{type_}(a[i * {step} + {c}])" for c in places]
    terms += data.draw(st.lists(st.sampled_from([f"convert.{type_}(b[i])", f"7:{type_}"]), max_size=3))
    mixed = data.draw(st.permutations(terms))
    text, (mine, wanted) = both(
        HEAD.format(out=type_, many=40, size=40 * step)
        + f"  input b: u16[40]\n  for i in 0 .. 40 by {lanes} lanes:\n    out[i] := {' + '.join(mixed)}\n"
    )
    assert np.array_equal(mine, wanted)
    if size := machine().summed_bytes:
        assert text.count("psad.bw") == (len(set(places)) // 8) * -(-8 * lanes // size)


@pytest.mark.parametrize(("features", "size"), [("+sse2", 16), ("+sse2,+avx2", 32), ("+avx2,+avx512bw", 64)])
def test_lesser_processors_have_shorter_instructions(features: str, size: int):
    kernel = parse_nest(
        "kernel k():\n  output out: i64[40]\n  input a: u8[320]\n  for i in 0 .. 40 by 8 lanes:\n    out[i] := "
        + " + ".join(f"convert.i64(a[i * 8 + {c}])" for c in range(8))
        + "\n"
    )
    text = LlvmBackend(cpu="x86-64", features=features).text(kernel, {})
    assert text.count("psad.bw") == 64 // size
    assert f"(<{size} x i8>" in text


@pytest.mark.parametrize("features", ["+sse2", "+avx2", "+avx512bw"])
def test_fields_are_shifted_in_short_words_where_no_instruction_extracts_them(features: str):
    """Four fields of 6 bits in 3 bytes: they are shifted by 0, 2, 4 and 6 bits in a word of 4 bytes."""
    fields = [
        "a[i * 3] & 63:u8",
        "(shift_right_in(a[i * 3], 6:u8) | shift_left_in(a[i * 3 + 1], 2:u8)) & 63:u8",
        "(shift_right_in(a[i * 3 + 1], 4:u8) | shift_left_in(a[i * 3 + 2], 4:u8)) & 63:u8",
        "shift_right_in(a[i * 3 + 2], 2:u8)",
    ]
    rows = "".join(f"    out[i * 4 + {k}] := {one}\n" for k, one in enumerate(fields))
    head = "kernel k():\n  output out: u8[64]\n  input a: u8[48]\n  for i in 0 .. 16 by 16 lanes:\n"
    text = LlvmBackend(cpu="x86-64", features=features).text(parse_nest(head + rows), {})
    shifts = [int(n) for n in re.findall(r"= shl <16 x i32> %\w+, splat \(i32 (\d+)\)", text)]
    assert (shifts, "lshr" in text, "multishift" in text) == ([2, 4, 6], False, False)


def test_bytes_of_words_need_not_follow_one_another():
    """Any bytes of a group in any order, some of them missing; what is no whole byte stays as it is."""
    words = {
        "convert.u32(a[i * 5 + 4]) | shift_left_in(convert.u32(a[i * 5 + 1]), 16:u32)": 0,
        "shift_left_in(convert.u32(a[i * 5]), 24:u32) | shift_left_in(convert.u32(a[i * 5 + 3]), 8:u32)": 0,
        "convert.u32(a[i * 5]) | shift_left_in(convert.u32(a[i * 5 + 1]), 7:u32)": 1,
        "convert.u32(a[i * 5]) | shift_left_in(convert.u32(a[i * 6 + 1]), 8:u32)": 1,
    }
    for word, shifts in words.items():
        text, (mine, wanted) = both(
            HEAD.format(out="u32", many=64, size=400)
            + f"  for i in 0 .. 64 by 16 lanes:\n    out[i] := {word}\n"
        )
        assert np.array_equal(mine, wanted)
        assert text.count(" shl <") == shifts


PACKED = file_of("bench", "packed")
RANDOM = np.random.default_rng(3)
TAPS, CARRIER, MODULATOR, INDEX = (2000, 7000, 14000, 7000, 2000), 42_949_673, 30_064_771, 20_000
WAVE = np.round(32767 * np.sin(2 * np.pi * np.arange(1024) / 1024)).astype(np.int16)
CONSTANTS = {
    "taps": TAPS, "carrier": CARRIER, "modulator": MODULATOR, "wave": WAVE,
    "moved": WAVE.astype(np.int32) * INDEX, "table": RANDOM.permutation(256).astype(np.uint8),
}  # fmt: skip


def fields(bytes_: np.ndarray, size: int) -> np.ndarray:
    """Samples of so many bits, one after the other."""
    bits = np.unpackbits(bytes_, bitorder="little").reshape(-1, size)
    return (bits.astype(np.int64) << np.arange(size)).sum(1)


def computed(name: str, a: np.ndarray, b: np.ndarray, out: np.ndarray) -> np.ndarray | int:
    """What a kernel of the benchmark makes of bytes, by NumPy: what it leaves in its output, or a sum."""
    sound, other = (x.view(np.int16).astype(np.int64) for x in (a, b))
    count = len(out) // 2
    place = np.arange(count, dtype=np.uint32)
    found = {
        "sum8": lambda: int(a.sum()),
        "sum12": lambda: int(fields(a, 12).sum()),
        "spread16": lambda: np.stack([a, out[1::2]], 1).ravel(),
        "from6": lambda: fields(a, 6).astype(np.uint8),
        "to6": lambda: np.packbits(
            np.unpackbits(a, bitorder="little").reshape(-1, 8)[:, :6], bitorder="little"
        ),
        "lut8": lambda: CONSTANTS["table"][a],
        "add10": lambda: (sound + 10).astype(np.int16),
        "mix": lambda: ((sound + other) >> 1).astype(np.int16),
        "fir5": lambda: (sum(t * sound[k : k + count] for k, t in enumerate(TAPS)) >> 15).astype(np.int16),
        "fm": lambda: WAVE[
            (
                place * np.uint32(CARRIER)
                + CONSTANTS["moved"][place * np.uint32(MODULATOR) >> 22].view(np.uint32)
            )
            >> 22
        ],
    }[name]()
    return found if isinstance(found, int) else found.view(np.uint8)


KERNELS = {
    "sum8": (8, 0), "sum12": (12, 0), "spread16": (8, 16), "from6": (6, 8), "to6": (8, 6), "lut8": (8, 8),
    "add10": (16, 16), "mix": (16, 16), "fir5": (16, 16), "fm": (0, 16),
}  # fmt: skip
"""The bits of a sample in and out."""


@pytest.mark.parametrize("name", KERNELS)
def test_the_kernels_of_the_benchmark_are_nests(name: str):
    """In whole blocks and in what is left; by lanes, nothing is read one by one."""
    count = 20_000
    more = 16 if name == "fir5" else 0
    size, written = (count * bits // 8 for bits in KERNELS[name])
    a, b = (RANDOM.integers(0, 256, size + more, dtype=np.uint8) for _ in range(2))
    out = RANDOM.integers(0, 256, written, dtype=np.uint8)
    wanted = computed(name, a, b, out)
    found = PACKED.peer(name, count, CONSTANTS, [a, b], out, 1)()
    assert np.array_equal(found, wanted)
    best = PACKED.optimized(PACKED.nest(name, count, CONSTANTS))
    blocks, *_ = LlvmBackend().text(best.kernel, best.ranges).split("define void @pellucid_1")
    assert DENSE not in blocks
