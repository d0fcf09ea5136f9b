"""Block diagrams against C by hand: oscillators that modulate each other, a filter with poles, a plucked string."""

from __future__ import annotations

import ctypes
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from harness import Race, reference

import pellucid as pl
from pellucid import signals as sg

FRAMES = 1 << 18
RATE = 48000


def pointer(data: np.ndarray[Any, Any]) -> ctypes.c_void_p:
    """Where an array is."""
    return data.ctypes.data_as(ctypes.c_void_p)


def race(
    title: str,
    make: Callable[[], sg.Signal],
    call: Callable[[np.ndarray[Any, Any]], object],
    live: np.ndarray[Any, Any] | None = None,
) -> None:
    """A diagram against a function that fills an array of floats; both from their beginning for the check."""
    start = time.perf_counter()
    player = sg.Player(make(), format="pcm_f32le")
    compiled = 1e3 * (time.perf_counter() - start)
    expected = np.zeros(FRAMES, np.float32)
    call(expected)
    out = np.zeros(4 * FRAMES, np.uint8)
    given = {} if live is None else {"input": live}
    found = player.play(FRAMES, **given).view(np.float32)
    away = float(np.abs(found - expected).max())
    sure = sg.Player(make(), format="pcm_f32le")
    parts = (slice(1000), slice(1000, FRAMES))
    blocks = [sure.play(len(expected[p]), **{n: x[p] for n, x in given.items()}) for p in parts]
    fine = away < 1e-5 and np.concatenate(blocks).tobytes() == found.tobytes() and np.abs(found).max() > 0.1
    contest = Race(f"{title}: {FRAMES} frames, compiled in {compiled:.0f} ms")
    contest.add("C", lambda: call(expected), "")
    contest.add(
        "diagram",
        lambda: player.play(FRAMES, out, **given),
        f"within {away:.1g}" if fine else f"WRONG by {away:.2g}",
    )
    contest.run("C")


def main() -> None:
    """Check, measure, print."""
    library = reference("signals")
    for name in ("bell", "pluck"):
        getattr(library, name).restype = None
    count = ctypes.c_int64(FRAMES)

    table = np.round(32767 * np.sin(2 * np.pi * np.arange(1024) / 1024)).astype(np.int16)
    cells = sg.Cells("sine", table.astype(np.int64))
    steps = 1717, 2402

    def fm() -> sg.Signal:
        other = sg.fm_osc(sg.constant(steps[1]), 8, cells, 10, sg.constant(0), 0)
        return sg.fm_osc(sg.constant(steps[0]), 8, cells, 10, other, 6) * (1 / 32768)

    race("FM by a table", fm, lambda out: library.fm(pointer(table), pointer(out), count, *steps))

    def phase(step: float) -> sg.Signal:
        return sg.scan(sg.constant(step), 0.0, lambda p, by: pl.fraction(p + by))

    def fading(envelope: sg.Signal) -> sg.Signal:
        return 0.99999 * sg.delay1(envelope, 1.0)

    def bell() -> sg.Signal:
        envelope = sg.rec(fading)
        modulator = 3.0 / math.pi * envelope * sg.map(lambda q: pl.sinpi(2.0 * q), phase(280 / RATE))
        return sg.map2(lambda p, m: pl.sinpi(2.0 * p + m), phase(200 / RATE), modulator) * envelope

    numbers = [ctypes.c_double(x) for x in (200 / RATE, 280 / RATE, 0.99999)]
    race("FM by sines", bell, lambda out: library.bell(pointer(out), count, *numbers))

    samples = np.random.default_rng(1).integers(-20000, 20000, FRAMES, dtype=np.int16)
    c = np.array([0.2, 0.3, 0.1, -1.1, 0.5])

    def biquad() -> sg.Signal:
        (x,) = sg.live("pcm_s16le").channels
        x1 = sg.delay1(x, 0.0)
        x2 = sg.delay1(x1, 0.0)

        def body(y: sg.Signal) -> sg.Signal:
            y1 = sg.delay1(y, 0.0)
            return c[0] * x + c[1] * x1 + c[2] * x2 - c[3] * y1 - c[4] * sg.delay1(y1, 0.0)

        return sg.rec(body)

    def filtered(out: np.ndarray[Any, Any]) -> None:
        library.biquad(pointer(samples), pointer(out), count, pointer(c))

    race("Biquad", biquad, filtered, samples)

    period = 217
    burst = np.array(sg.noise().take(period))

    def pluck() -> sg.Signal:
        def body(y: sg.Signal) -> sg.Signal:
            line = sg.delay(y, period, burst)
            return 0.498 * (line + sg.delay1(line, 0.0))

        return sg.rec(body)

    def plucked(out: np.ndarray[Any, Any]) -> None:
        library.pluck(pointer(burst.copy()), ctypes.c_int64(period), pointer(out), count)

    race("Plucked string", pluck, plucked)


if __name__ == "__main__":
    main()
