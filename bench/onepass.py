"""A sensor's frame to NV12 in one pass: 12 bits a sample, through a lens correction, white-balanced, 2000 x 1500.

The picture is a function: the place in the lens, the mosaic filled in and mixed bilinearly there, gains, the curve of
sRGB; the planes of NV12 come out of the same loop. The usual way beside it is a chain of passes: unpacked by NumPy, then
OpenCV's cvtColor, remap, LUT, transform and resize, where cv2 is installed. Both are compared with float64 NumPy, which
mixes bilinearly at the exact place and takes a chroma sample as the mean of the colors of its four pixels, as pellucid
does; OpenCV's remap rounds places to 1/32 of a pixel, which is what its errors are. Memory is the process's peak beyond
what it held before, the output included.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable
from pathlib import Path

import numpy as np
from harness import Race

import pellucid as pl
from pellucid import images as im
from pellucid.images.color import Color
from pellucid.images.spaces import from_linear
from pellucid.tracing import Point

SIZE, THREADS = (2000, 1500), 2
BEND = 0.08
"""How much further out the lens shows what is at the corners."""
GAINS = 1.7, 1.0, 1.4
Pixels = np.ndarray
SIZE, THREADS = (2000, 1500), 2
BEND = 0.08
"""How much further out the lens shows what is at the corners."""
GAINS = 1.7, 1.0, 1.4
Pixels = np.ndarray
MAPPED_FROM = -3
"""M_MMAP_THRESHOLD of mallopt(3)."""


def scene(width: int, height: int) -> Pixels:
    """Samples of 12 bits of something smooth with noise."""
    rng = np.random.default_rng(6)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    level = 0.3 + 0.15 * np.sin(x / 97) * np.cos(y / 61) + 0.08 * np.sin((x + y) / 31)
    level += rng.normal(0, 0.003, (height, width)).astype(np.float32)
    return (np.clip(level, 0, 1) * 4095).astype(np.uint16)


def packed(samples: Pixels) -> Pixels:
    """The bytes of RAW12."""
    a, b = samples[:, 0::2], samples[:, 1::2]
    return np.stack([a >> 4, b >> 4, a & 15 | (b & 15) << 4], -1).astype(np.uint8).ravel()


def bend(width: int, height: int) -> float:
    """The bend of the lens by the square of the distance from the middle, in pixels."""
    return BEND / ((width / 2) ** 2 + (height / 2) ** 2)


def picture(data: Pixels, size: tuple[int, int]) -> pl.Image:
    """The frame as a function: the sensor's own numbers, the curve only after the gains."""
    frame = im.from_buffer(data, "raw12 | srgb", size).reconstruct("bilinear", "clamp")
    strength = bend(*size)

    @pl.image
    def developed(p: Point) -> Color:
        further = 1.0 + strength * (p.x * p.x + p.y * p.y)
        seen = frame.sample(0.0, Point(p.x * further, p.y * further))
        r, g, b = (from_linear(pl.clamp(x * k, 0.0, 1.0)) for x, k in zip(seen, GAINS, strict=False))
        return Color(r, g, b, 1.0)

    return developed


def filled(samples: Pixels) -> Pixels:
    """Red, green and blue of the mosaic, as fractions."""
    q = np.pad(samples / 4095.0, 1, mode="reflect")
    here, beside = q[1:-1, 1:-1], (q[1:-1, :-2] + q[1:-1, 2:]) / 2
    ends = (q[:-2, 1:-1] + q[2:, 1:-1]) / 2
    corners = (q[:-2, :-2] + q[:-2, 2:] + q[2:, :-2] + q[2:, 2:]) / 4
    found = np.empty((*samples.shape, 3))
    found[..., 1] = (beside + ends) / 2
    found[0::2, 1::2, 1], found[1::2, 0::2, 1] = here[0::2, 1::2], here[1::2, 0::2]
    for own, k in ((0, 0), (2, 1)):
        rows, turn = slice(k, None, 2), slice(1 - k, None, 2)
        found[rows, k::2, own], found[rows, 1 - k :: 2, own] = here[rows, k::2], beside[rows, 1 - k :: 2]
        found[turn, k::2, own], found[turn, 1 - k :: 2, own] = ends[turn, k::2], corners[turn, 1 - k :: 2]
    return found


def places(width: int, height: int) -> tuple[Pixels, Pixels]:
    """The column and the row that each pixel shows."""
    row, column = np.mgrid[0:height, 0:width].astype(np.float64)
    x, y = column + 0.5 - width / 2, row + 0.5 - height / 2
    further = 1 + bend(width, height) * (x * x + y * y)
    return (
        np.clip(x * further + width / 2 - 0.5, 0, width - 1),
        np.clip(y * further + height / 2 - 0.5, 0, height - 1),
    )


def coded(x: Pixels) -> Pixels:
    """The curve of sRGB (IEC 61966-2-1)."""
    return np.where(x <= 0.0031308, 12.92 * x, 1.055 * np.maximum(x, 0.0031308) ** (1 / 2.4) - 0.055)


RED, BLUE = 0.2126, 0.0722
LUMA = np.array([RED, 1 - RED - BLUE, BLUE])
MATRIX = np.stack([LUMA, (np.eye(3)[2] - LUMA) / (2 - 2 * BLUE), (np.eye(3)[0] - LUMA) / (2 - 2 * RED)])
"""Y, Cb and Cr of colors (ITU-R BT.709)."""


def expected(samples: Pixels) -> Pixels:
    """The bytes of NV12 in float64."""
    height, width = samples.shape
    rgb, (u, v) = filled(samples), places(width, height)
    i, j = (np.minimum(np.floor(k).astype(int), n - 2) for k, n in ((u, width), (v, height)))
    a, b = (u - i)[..., None], (v - j)[..., None]
    upper = rgb[j, i] * (1 - a) + rgb[j, i + 1] * a
    lower = rgb[j + 1, i] * (1 - a) + rgb[j + 1, i + 1] * a
    color = coded(np.clip((upper * (1 - b) + lower * b) * GAINS, 0, 1))
    mean = color.reshape(height // 2, 2, width // 2, 2, 3).mean(axis=(1, 3))
    luma = 16 + 219 * (color @ MATRIX[0])
    chroma = 128 + 224 * (mean @ MATRIX[1:].T)
    return np.floor(np.concatenate([luma.ravel(), chroma.ravel()]) + 0.5).astype(np.uint8)


def chain(data: Pixels, size: tuple[int, int], out: Pixels) -> Callable[[], None] | None:
    """The usual way, if OpenCV is installed; the map of the lens is made beforehand."""
    try:
        import cv2
    except ImportError:
        return None
    cv2.setNumThreads(THREADS)
    width, height = size
    across, down = cv2.convertMaps(*(x.astype(np.float32) for x in places(*size)), cv2.CV_16SC2)
    level = np.arange(1 << 16) / 4095.0
    curves = np.stack([np.floor(255 * coded(np.clip(level * k, 0, 1)) + 0.5) for k in GAINS], -1)
    table = curves.astype(np.uint8)[None]
    luma = np.append(219 / 255 * MATRIX[:1], [[16]], axis=1)
    chroma = np.append(224 / 255 * MATRIX[1:], [[128], [128]], axis=1)
    half = width // 2, height // 2
    planes = out[: width * height].reshape(height, width), out[width * height :].reshape(half[1], half[0], 2)

    def call() -> None:
        groups = data.reshape(height, -1, 3)
        samples = np.empty((height, width), np.uint16)
        low = groups[..., 2].astype(np.uint16)
        samples[:, 0::2] = groups[..., 0].astype(np.uint16) << 4 | low & 15
        samples[:, 1::2] = groups[..., 1].astype(np.uint16) << 4 | low >> 4
        rgb = cv2.cvtColor(samples, cv2.COLOR_BayerRGGB2RGB)
        bent = cv2.remap(rgb, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        bytes_ = cv2.LUT(bent, table)
        cv2.transform(bytes_, luma, dst=planes[0])
        cv2.transform(cv2.resize(bytes_, half, interpolation=cv2.INTER_AREA), chroma, dst=planes[1])

    return call


def held(word: str) -> int:
    """Bytes of memory that the process has (VmRSS), or had at most since it was last asked to forget (VmHWM)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line for line in lines if line.startswith(word)).split()[1])


def peak(call: Callable[[], object]) -> float:
    """The megabytes that a call takes at most beyond what is held before."""
    system = ctypes.CDLL(None)
    found: list[float] = []
    for _ in range(5):
        # What was freed goes back first: it would hide what the call takes. Python's own objects come and go.
        gc.collect()
        system.malloc_trim(0)
        before = held("VmRSS")
        Path("/proc/self/clear_refs").write_text("5")
        call()
        found.append((held("VmHWM") - before) / 1e6)
    return min(found)


def told(found: Pixels, wanted: Pixels) -> str:
    """How far bytes are from others."""
    error = np.abs(found.astype(np.int16) - wanted)
    return f"off by {error.max()} at most, by more than 1 in {100 * (error > 1).mean():.3f} %"


def main() -> None:
    """Check, measure, print."""
    width, height = size = SIZE
    samples = scene(width, height)
    data = packed(samples)
    kernel = pl.compile(picture(data, size))
    out = np.zeros(width * height * 3 // 2, np.uint8)
    # Memory first, before others take and free much of it.
    own_peak = peak(lambda: pl.render(kernel, size, format="nv12", threads=THREADS)) - out.nbytes / 1e6
    if not -0.5 < own_peak <= 1:
        raise SystemExit(f"one pass takes {own_peak:.1f} MB beyond input and output")
    peer = chain(data, size, out)
    peer_peak = 0.0 if peer is None else peak(peer)
    own = pl.render(kernel, size, format="nv12", threads=THREADS)
    wanted = expected(samples)
    if np.abs(own.astype(np.int16) - wanted).max() > 1:
        raise SystemExit(f"the picture is wrong: {told(own, wanted)}")
    contest = Race(f"RAW12 {width} x {height}, lens, white balance, NV12, {THREADS} threads")
    text = f"{told(own, wanted)}; {max(0.0, own_peak):.1f} MB beyond input and output"
    contest.add(
        "pellucid, one pass", lambda: pl.render(kernel, size, format="nv12", threads=THREADS, out=own), text
    )
    if peer is None:
        print("cv2 is not installed: the usual way with NumPy and OpenCV is left out")
    else:
        text = f"{told(out, wanted)}; {peer_peak:.0f} MB beyond input, output and the map of the lens"
        contest.add("NumPy and OpenCV", peer, text)
    contest.run("pellucid, one pass", rounds=7, calls=3)


if __name__ == "__main__":
    main()
