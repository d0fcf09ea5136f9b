"""Two warped photographs over a checkerboard at 1920 x 1080 against hand-vectorized C."""

from __future__ import annotations

import ctypes
import math

import numpy as np
from harness import Race, reference

import pellucid as pl
from pellucid import images as im

WIDTH, HEIGHT, SQUARE = 1920, 1080, 32
DARK, LIGHT = 0x66, 0x99


class Bitmap(ctypes.Structure):
    """As in reference/warp.c."""

    _fields_ = (
        ("pixels", ctypes.c_void_p),
        ("width", ctypes.c_int),
        ("height", ctypes.c_int),
        *((name, ctypes.c_float) for name in ("ux", "uy", "u0", "vx", "vy", "v0")),
    )


def photograph(height: int, width: int, seed: int) -> np.ndarray:
    """Something smooth and colorful with soft transparency, premultiplied."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    phase = rng.uniform(0, 6, 6)
    color = [
        0.5 + 0.4 * np.sin(x / (37 + 9 * c) + phase[c]) * np.cos(y / (53 - 7 * c) + phase[c + 3])
        for c in range(3)
    ]
    alpha = np.clip(0.75 + 0.35 * np.sin(x / 211) * np.sin(y / 173), 0, 1)
    noise = 0.1 * rng.normal(size=(height, width)).astype(np.float32)
    planes = [np.clip(c + noise, 0, 1) * alpha for c in color]
    return np.round(255 * np.stack([*planes, alpha], -1)).astype(np.uint8)


def texels(
    scale: float, angle: float, offset: tuple[float, float], width: int, height: int
) -> tuple[float, ...]:
    """Texel coordinates from column and row: the inverse of stretching, turning and moving about the middle."""
    c, s = math.cos(angle) / scale, math.sin(angle) / scale
    # x = column + 1/2 - W/2 - dx, y = H/2 - 1/2 - row - dy; then turned back; then to texels, rows downwards.
    x0, y0 = 0.5 - WIDTH / 2 - offset[0], HEIGHT / 2 - 0.5 - offset[1]
    return (c, -s, (width - 1) / 2 + c * x0 + s * y0, s, c, (height - 1) / 2 + s * x0 - c * y0)


def sampled(pixels: np.ndarray, m: tuple[float, ...]) -> np.ndarray:
    """The warped bitmap in float64, transparent outside."""
    row, column = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float64)
    u, v = m[0] * column + m[1] * row + m[2], m[3] * column + m[4] * row + m[5]
    h, w = pixels.shape[:2]
    framed = np.pad(pixels.astype(np.float64), ((1, 2), (1, 2), (0, 0)))
    i, j = np.floor(u).astype(int), np.floor(v).astype(int)
    a, b = (u - i)[..., None], (v - j)[..., None]
    near = (i >= -1) & (i < w) & (j >= -1) & (j < h)
    i, j = np.clip(i, -1, w) + 1, np.clip(j, -1, h) + 1
    upper = framed[j, i] * (1 - a) + framed[j, i + 1] * a
    lower = framed[j + 1, i] * (1 - a) + framed[j + 1, i + 1] * a
    return np.where(near[..., None], upper * (1 - b) + lower * b, 0)


def main() -> None:
    """Check, measure, print."""
    top, middle = photograph(2048, 2048, 1), photograph(1200, 1600, 2)
    angle, offset = math.radians(30), (37.3, 21.7)
    of_top = texels(0.7, angle, (0, 0), 2048, 2048)
    of_middle = texels(1.1, 0.0, offset, 1600, 1200)
    x = np.floor((np.arange(WIDTH + 16) + 0.5 - WIDTH / 2) / SQUARE)
    y = np.floor((HEIGHT / 2 - 0.5 - np.arange(HEIGHT)) / SQUARE)
    light = [(x + k) % 2 != 0 for k in (0, 1)]
    words = [0xFF000000 | 0x10101 * v for v in (DARK, LIGHT)]
    board = np.stack([np.where(k, words[1], words[0]).astype(np.uint32) for k in light])
    parity = (y % 2).astype(np.uint8)
    floor = board[parity][:, :WIDTH].copy().view(np.uint8).reshape(HEIGHT, WIDTH, 4).astype(np.float64)

    def over(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return a + (1 - a[..., 3:] / 255) * b

    truth = np.rint(over(sampled(top, of_top), over(sampled(middle, of_middle), floor))).astype(int)

    def check(pixels: np.ndarray) -> str:
        worst = int(np.abs(pixels.astype(int) - truth).max())
        assert worst <= 1, worst
        return f"at most {worst}/255 from float64"

    lib = reference("warp")
    out = np.zeros((HEIGHT, WIDTH, 4), np.uint8)
    bitmaps = [
        Bitmap(p.ctypes.data, p.shape[1], p.shape[0], *m) for p, m in ((top, of_top), (middle, of_middle))
    ]
    race = Race("warp and over, 1920 x 1080")
    for threads in (1, 2):

        def by_hand(threads: int = threads) -> None:
            lib.warp(
                ctypes.c_void_p(out.ctypes.data),
                WIDTH,
                HEIGHT,
                ctypes.byref(bitmaps[0]),
                ctypes.byref(bitmaps[1]),
                ctypes.c_void_p(board.ctypes.data),
                ctypes.c_void_p(parity.ctypes.data),
                threads,
            )

        by_hand()
        race.add(f"C by hand, {threads} thread(s)", by_hand, check(out))
    grays = [im.const(im.Color(v / 255, v / 255, v / 255, 1.0)) for v in (DARK, LIGHT)]
    picture = im.over(
        im.turn(angle, im.ustretch(0.7, im.bitmap(top, alpha="premultiplied"))),
        im.over(
            im.move(offset, im.ustretch(1.1, im.bitmap(middle, alpha="premultiplied"))),
            im.checkerboard(SQUARE, *grays),
        ),
    )
    kernel = pl.compile(picture)
    pixels = np.zeros((HEIGHT, WIDTH, 4), np.uint8)
    for threads in (1, 2):

        def ours(threads: int = threads) -> None:
            kernel.render((WIDTH, HEIGHT), threads=threads, out=pixels)

        ours()
        race.add(f"pellucid, {threads} thread(s)", ours, check(pixels))
    race.run("C by hand, 2 thread(s)")


if __name__ == "__main__":
    main()
