"""A sensor's frame of 12 megapixels, 10 or 12 bits a sample, to gamma-corrected RGB: one line against fused C by hand.

The picture is `pl.convert(frame, "raw12", "rgb24", size)`: samples unpacked, the mosaic filled in bilinearly, the curve
of sRGB, bytes. The usual way with NumPy and OpenCV runs beside it where cv2 is installed: unpacked by NumPy, the mosaic
by cvtColor, the curve by cv2.LUT; its means are rounded to whole samples, and its edges are other ones. Where halide is
installed, a pipeline of it with a schedule by hand runs as well, twice: with the means as they are, and with means that
are rounded to whole samples, whose table is a quarter as large.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
from harness import Race, reference

import pellucid as pl

WIDTH, HEIGHT, THREADS = 4000, 3000, 2
Pixels = np.ndarray


def scene(bits: int) -> Pixels:
    """Samples of something smooth with noise."""
    rng = np.random.default_rng(4)
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
    level = 0.5 + 0.25 * np.sin(x / 97) * np.cos(y / 61) + 0.15 * np.sin((x + y) / 13)
    level += rng.normal(0, 0.01, (HEIGHT, WIDTH)).astype(np.float32)
    return (np.clip(level, 0, 1) * ((1 << bits) - 1)).astype(np.uint16)


def packed(samples: Pixels, bits: int) -> Pixels:
    """The bytes of samples: the high eight bits of each in a group, then their low bits."""
    many = 2 if bits == 12 else 4
    groups = samples.reshape(HEIGHT, -1, many)
    low = sum((groups[..., k] & (1 << (bits - 8)) - 1) << (bits - 8) * k for k in range(many))
    return np.concatenate([groups >> (bits - 8), low[..., None]], axis=-1).astype(np.uint8).ravel()


def unpacked(data: Pixels, bits: int) -> Pixels:
    """`packed` backwards."""
    many = 2 if bits == 12 else 4
    groups = data.reshape(HEIGHT, -1, many + 1)
    found = np.empty((HEIGHT, WIDTH), np.uint16)
    low = groups[..., many].astype(np.uint16)
    for k in range(many):
        high = groups[..., k].astype(np.uint16) << (bits - 8)
        found[:, k::many] = high | (low >> (bits - 8) * k & (1 << (bits - 8)) - 1)
    return found


def sums(samples: Pixels) -> Pixels:
    """Red, green and blue of the mosaic, four times over: whole numbers."""
    q = np.pad(samples.astype(np.int32), 1, mode="reflect")
    here, beside = 4 * q[1:-1, 1:-1], q[1:-1, :-2] + q[1:-1, 2:]
    ends = q[:-2, 1:-1] + q[2:, 1:-1]
    corners = q[:-2, :-2] + q[:-2, 2:] + q[2:, :-2] + q[2:, 2:]
    found = np.empty((HEIGHT, WIDTH, 3), np.int32)
    found[..., 1] = beside + ends
    found[0::2, 1::2, 1], found[1::2, 0::2, 1] = here[0::2, 1::2], here[1::2, 0::2]
    for own, k in ((0, 0), (2, 1)):
        rows, turn = slice(k, None, 2), slice(1 - k, None, 2)
        found[rows, k::2, own], found[rows, 1 - k :: 2, own] = here[rows, k::2], 2 * beside[rows, 1 - k :: 2]
        found[turn, k::2, own], found[turn, 1 - k :: 2, own] = 2 * ends[turn, k::2], corners[turn, 1 - k :: 2]
    return found


def curve(most: int) -> Pixels:
    """The curve of sRGB (IEC 61966-2-1) as bytes, for whole numbers from 0 to the most there is."""
    x = np.arange(most + 1) / most
    return np.floor(255 * np.where(x <= 0.0031308, 12.92 * x, 1.055 * x ** (1 / 2.4) - 0.055) + 0.5).astype(
        np.uint8
    )


def opencv(data: Pixels, bits: int, out: Pixels) -> Callable[[], None] | None:
    """The usual way with NumPy and OpenCV, if that is installed."""
    try:
        import cv2
    except ImportError:
        return None
    cv2.setNumThreads(THREADS)
    table = np.zeros(1 << 16, np.uint8)
    table[: 1 << bits] = curve((1 << bits) - 1)

    def call() -> None:
        cv2.LUT(cv2.cvtColor(unpacked(data, bits), cv2.COLOR_BayerRGGB2RGB), table, dst=out)

    return call


def halide(
    data: Pixels, bits: int, table: Pixels, out: Pixels, *, rounded: bool
) -> Callable[[], None] | None:
    """The same in Halide, if that is installed: two rows at a time of bands of rows, samples unpacked once a band."""
    try:
        import halide as hl
    except ImportError:
        return None
    x, y, c, outer, inner, group, part = (hl.Var(name) for name in ("x", "y", "c", "o", "i", "g", "p"))
    many = 2 if bits == 12 else 4
    packed_rows = hl.Buffer(data.reshape(HEIGHT, -1))
    curve_table = hl.Buffer(table)

    def wide(value: object) -> object:
        return hl.cast(hl.UInt(16), value)

    sample, line, near, rgb, developed = (hl.Func(name) for name in ("sample", "line", "near", "rgb", "out"))
    first, place = x / many * (many + 1), x % many
    low, shift = wide(packed_rows[first + many, y]), wide(place * (bits - 8))
    sample[x, y] = wide(packed_rows[first + place, y]) << (bits - 8) | low >> shift & (1 << (bits - 8)) - 1
    # Before the first row lies the second one, after the last the one before it; of columns it is the same.
    row = hl.abs(y)
    line[x, y] = sample[
        x, hl.clamp(hl.cast(hl.Int(32), hl.select(row >= HEIGHT, 2 * HEIGHT - 2 - row, row)), 0, HEIGHT - 1)
    ]
    near[x, y] = hl.select(
        x < 0, line[1, y], x >= WIDTH, line[WIDTH - 2, y], line[hl.clamp(x, 0, WIDTH - 1), y]
    )
    beside, ends = near[x - 1, y] + near[x + 1, y], near[x, y - 1] + near[x, y + 1]
    corners = near[x - 1, y - 1] + near[x + 1, y - 1] + near[x - 1, y + 1] + near[x + 1, y + 1]
    here, sides, over, cross = 4 * near[x, y], 2 * beside, 2 * ends, beside + ends
    if rounded:
        here, sides, over = near[x, y], (beside + 1) >> 1, (ends + 1) >> 1
        cross, corners = (cross + 2) >> 2, (corners + 2) >> 2
    even, upper = x % 2 == 0, y % 2 == 0
    rgb[x, y, c] = hl.mux(
        c,
        [
            hl.select(upper, hl.select(even, here, sides), hl.select(even, over, corners)),
            hl.select(upper, hl.select(even, cross, here), hl.select(even, here, cross)),
            hl.select(upper, hl.select(even, corners, over), hl.select(even, sides, here)),
        ],
    )
    developed[x, y, c] = curve_table[hl.cast(hl.Int(32), hl.clamp(rgb[x, y, c], 0, len(table) - 1))]
    to = developed.output_buffer()
    to.dim(0).set_stride(3)
    to.dim(2).set_stride(1)
    developed.bound(c, 0, 3).bound(x, 0, WIDTH).bound(y, 0, HEIGHT).reorder(c, x, y).unroll(c)
    developed.split(y, outer, inner, 20).parallel(outer).unroll(inner, 2).vectorize(x, 32)
    rgb.compute_at(developed, inner).reorder_storage(x, c, y).reorder(c, x, y).unroll(c).vectorize(x, 32)
    line.store_at(developed, outer).compute_at(developed, inner).align_bounds(x, 4)
    line.split(x, group, part, many).unroll(part).vectorize(group, 64 // many, hl.TailStrategy.GuardWithIf)
    near.store_at(developed, outer).compute_at(developed, inner).vectorize(x, 32)
    developed.compile_jit()
    target = hl.Buffer(out.transpose(2, 0, 1))
    return lambda: developed.realize(target)


def told(found: Pixels, wanted: Pixels) -> str:
    """How far bytes are from others at most, at the edges and inside."""
    error = np.abs(found.astype(np.int16) - wanted)
    return f"off by {error.max()} at most, {error[1:-1, 1:-1].max()} inside"


def race(bits: int) -> None:
    """Check, measure, print."""
    samples = scene(bits)
    data = packed(samples, bits)
    most = 4 * ((1 << bits) - 1)
    table = curve(most)
    wanted = table[sums(samples)]
    out, own = np.zeros_like(wanted), np.zeros_like(wanted)
    develop = reference("raw").develop
    pointers = [x.ctypes.data_as(ctypes.c_void_p) for x in (data, out, table)]

    def c() -> None:
        develop(pointers[0], pointers[1], WIDTH, HEIGHT, bits, pointers[2], THREADS)

    def pellucid() -> None:
        pl.convert(data, f"raw{bits}", "rgb24", (WIDTH, HEIGHT), threads=THREADS, out=own.reshape(-1))

    contest = Race(f"RAW{bits} {WIDTH} x {HEIGHT} to RGB through the curve of sRGB, {THREADS} threads")
    c()
    contest.add("C, fused", c, told(out, wanted))
    pellucid()
    if np.abs(own.astype(np.int16) - wanted).max() > 1:
        raise SystemExit(f"raw{bits}: the picture is wrong: {told(own, wanted)}")
    contest.add("pellucid, one line", pellucid, told(own, wanted))
    peer = opencv(data, bits, out)
    if peer is not None:
        peer()
        contest.add("NumPy and OpenCV", peer, told(out, wanted))
    else:
        print("cv2 is not installed: the usual way with NumPy and OpenCV is left out")
    small = curve((1 << bits) - 1)
    for name, curves, rounded in (("Halide", table, False), ("Halide, rounded means", small, True)):
        peer = halide(data, bits, curves, out, rounded=rounded)
        if peer is None:
            print("halide is not installed: it is left out")
            break
        out[...] = 0
        peer()
        contest.add(name, peer, told(out, wanted))
    contest.run("C, fused", rounds=7, calls=4)


if __name__ == "__main__":
    race(12)
    race(10)
