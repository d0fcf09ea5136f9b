"""The tile machine: frames by tiles, without tiles and by machine code, and a long text against a C interpreter.

Ten kinds of pictures, 1024 x 1024; all ways of drawing one give the same bits. Beside each ratio of tiled to untiled
stands what a prototype had, in which all instructions were slower: a faster untiled machine is harder to beat. Then how
time grows with the number of pixels. The text of 7,866 operators is a file of the fidget project, which is not part of
this one: name the folder that holds ``prospero.vm`` in PELLUCID_TEST_DATA. A C program to compare it with, an
interpreter with intervals that exports ``w2_load`` and ``w2_render``, may be named in PELLUCID_INTERVAL_PEER. First
frames are measured in `tiers`.
"""

from __future__ import annotations

import ctypes
import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

# Threads of the C program that look for work between its frames would take the processor from its rival.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import numpy as np
from harness import Race, compiled

import pellucid as pl
from pellucid import images as im
from pellucid.driver.frame import FrameVariant

SIDE = 1024
PEER_TAPE = np.dtype([("op", "u1"), ("_", "u1"), ("o", "<u2"), ("a", "<u2"), ("b", "<u2"), ("c", "<f4")])
PEER_CODES = ("var-x", "var-y", "const", "add", "sub", "mul", "min", "max", "neg", "sqrt", "square")


def swirl(seed: int) -> object:
    """A swirled checkerboard."""
    return im.swirl(10.0 + 0.01 * seed, im.checkerboard(1.3, im.black, im.white))


def translucent(count: int) -> object:
    """Translucent discs one over the other."""
    numbers = random.Random(7)
    picture = im.const(im.white)
    for _ in range(count):
        red, green, blue = (numbers.random() for _ in range(3))
        place = (numbers.uniform(-4, 4), numbers.uniform(-4, 4))
        disc = im.move(place, im.disk(numbers.uniform(0.1, 0.7)))
        picture = im.over(im.fill(im.rgba(red, green, blue, 0.5), disc), picture)
    return picture


def segments(count: int) -> object:
    """Strokes here and there, as one region."""
    numbers = random.Random(3)
    fields = []
    for _ in range(count):
        x, y = numbers.uniform(-4.5, 4.5), numbers.uniform(-4.5, 4.5)
        across, up = numbers.uniform(-0.15, 0.15), numbers.uniform(-0.15, 0.15)
        fields.append(im.sdf_segment((x, y), (x + across, y + up)))
    return im.sdf_inside(im.sdf_offset(0.02, im.sdf_union(*fields)))


def bitmap() -> object:
    """A photograph, as far as intervals can tell, turned, on a sixth of the frame."""
    pixels = np.random.default_rng(5).integers(0, 256, (256, 256, 4), np.uint8)
    pixels[..., 3] = 255
    return im.ustretch(4.0 / 256, im.turn(0.4, im.reconstruct(im.bitmap(pixels))))


@pl.image
def mandelbrot(p: Any) -> Any:
    """How soon a point escapes, of 64 steps."""
    c = pl.Complex(p.x * 0.3 - 0.7, p.y * 0.3)

    def step(state: Any) -> Any:
        z, n = state
        return z * z + c, n + 1.0

    _, n = pl.iterate(step, (pl.Complex(0.0, 0.0), 0.0), until=lambda s: s[0].abs2 > 4.0, limit=64)
    return n / 64.0


@pl.image
def plasma(p: Any) -> Any:
    """Waves of which intervals decide nothing."""
    wave = pl.sin(p.x * 1.3) + pl.sin(p.y * 1.7 + 1.0) + pl.sin(pl.sqrt(p.x * p.x + p.y * p.y + 1.0) * 2.0)
    half = wave / 6.0 + 0.5
    return im.Color(half, half * half, 1.0 - half, 1.0)


def costly() -> object:
    """A disc of noise on nothing: two hundredths of the frame cost a hundred times as much as the others."""
    noise = im.fbm(im.perlin_noise(), 3) * 0.5 + 0.5
    return im.cond(im.disk(0.8), noise, im.const(1.0))


def program() -> str | None:
    """The text, if its folder was told."""
    folder = os.environ.get("PELLUCID_TEST_DATA")
    path = Path(folder) / "prospero.vm" if folder else None
    return path.read_text(encoding="utf-8") if path and path.exists() else None


class Shown(NamedTuple):
    """A picture, how many units of it fit into a frame, and a prototype's milliseconds.

    These are: tiled on one thread and on two, and untiled on one.
    """

    picture: object
    wide: float
    tiled: float
    tiled_by_two: float
    untiled: float


def pictures() -> dict[str, Shown]:
    """One of each kind."""
    found = {
        "swirl": Shown(swirl(0), 10, 0.98, 0.66, 1.26),
        "polar checker": Shown(im.polar_checker(10), 10, 0.55, 0.39, 1.03),
        "turned bitmap": Shown(bitmap(), 10, 1.54, 0.96, 7.66),
        "100 translucent": Shown(translucent(100), 10, 0.83, 0.51, 59.6),
        "300 segments": Shown(segments(300), 10, 1.78, 1.06, 133.0),
        "Mandelbrot, 64": Shown(mandelbrot, 10, 9.1, 5.6, 10.6),
        "noise": Shown(im.fbm(im.perlin_noise(), 6) * 0.5 + 0.5, 10, 15.0, 8.5, 15.0),
        "costly on 2 %": Shown(costly(), 10, 0.6, 0.55, 11.1),
        "plasma": Shown(plasma, 10, 1.44, 1.14, 2.03),
    }
    text = program()
    if text:
        found["text"] = Shown(im.read_vm(text) < 0, 2, 4.3, 2.6, 241.0)
    return found


def drawing(shown: Shown, backend: str, threads: int, *, tiled: bool = True) -> Callable[[], np.ndarray]:
    """What draws a picture."""
    kernel = pl.compile(shown.picture, backend=backend)
    out = kernel.render((SIDE, SIDE))

    def draw() -> np.ndarray:
        if backend == "tiles":
            kernel.code(FrameVariant()).tiled = tiled
        return kernel.render((SIDE, SIDE), zoom=SIDE / shown.wide, threads=threads, out=out)

    return draw


def frames(found: dict[str, Shown]) -> None:
    """Frames by tiles and without, and by machine code."""
    table: list[str] = []
    for name, shown in found.items():
        race = Race(f"{name}, {SIDE} x {SIDE}")
        ways = {
            "llvm, 1 thread": drawing(shown, "llvm", 1),
            "llvm, 2 threads": drawing(shown, "llvm", 2),
            "tiles, 1 thread": drawing(shown, "tiles", 1),
            "tiles, 2 threads": drawing(shown, "tiles", 2),
            "untiled, 1 thread": drawing(shown, "tiles", 1, tiled=False),
        }
        expected = ways["llvm, 1 thread"]().copy()
        for way, draw in ways.items():
            assert np.array_equal(draw(), expected), (name, way)
            race.add(way, draw)
        times = race.run("untiled, 1 thread", rounds=7, calls=3)
        one, two, untiled = (times[way] for way in list(ways)[2:])
        least, middle = (a / b for a, b in zip(one, untiled, strict=True))
        before = shown.tiled / shown.untiled
        table.append(
            f"{name:<16} {one[0]:7.2f} /{two[0]:6.2f} {untiled[0]:8.2f}   {shown.tiled:6.2f} /{shown.tiled_by_two:5.2f} "
            f"{shown.untiled:7.2f}   {least:7.4f} {middle:7.4f} {before:7.4f}   {least / before:5.2f} {middle / before:5.2f}"
        )
    print(
        "\nleast ms            tiled 1 / 2  untiled   prototype 1 / 2 untiled   of minima, medians, prototype's   ours to it"
    )
    print("\n".join(table))


def growth(found: dict[str, Shown], rounds: int = 8) -> None:
    """How a frame's time grows from 512 x 512 to 4096 x 4096, which are 64 times as many pixels.

    Sizes are measured in turn, round by round: the machine's own speed changes within seconds.
    """
    sides = (512, 1024, 2048, 4096)
    print("\none thread             512     1024     2048     4096   times (64 times the pixels)")
    for name, shown in found.items():
        kernel = pl.compile(shown.picture, backend="tiles")
        kernel.code(FrameVariant()).tiled = True
        outs = [kernel.render((side, side)) for side in sides]
        least = [float("inf")] * len(sides)
        for _ in range(rounds):
            for k, (side, out) in enumerate(zip(sides, outs, strict=True)):
                for turn in range(3):
                    start = time.perf_counter()
                    kernel.render((side, side), zoom=side / shown.wide, threads=1, out=out)
                    if turn:
                        least[k] = min(least[k], 1e3 * (time.perf_counter() - start))
        shown_times = " ".join(f"{ms:8.2f}" for ms in least)
        print(f"{name:<16} {shown_times}   {least[-1] / least[0]:.1f}")


def against_peer() -> None:
    """The text against the C program, if both were told."""
    text, source = program(), os.environ.get("PELLUCID_INTERVAL_PEER")
    if not (text and source):
        print("the text against C: not measured; set PELLUCID_TEST_DATA and PELLUCID_INTERVAL_PEER")
        return
    peer = compiled(Path(source))
    tape = peer_tape(text)
    peer.w2_load(ctypes.c_void_p(tape.ctypes.data), len(tape))
    inside = np.zeros((SIDE, SIDE), np.uint8)
    kernel = pl.compile(im.read_vm(text) < 0, backend="tiles")
    out = kernel.render((SIDE, SIDE))
    race = Race(f"text of {len(tape)} operators, {SIDE} x {SIDE}")
    for threads in (1, 2):

        def by_peer(threads: int = threads) -> None:
            peer.w2_render(ctypes.c_void_p(inside.ctypes.data), SIDE, threads, None)

        def by_tiles(threads: int = threads) -> object:
            return kernel.render((SIDE, SIDE), zoom=SIDE / 2, threads=threads, out=out)

        by_peer()
        by_tiles()
        differing = int(((out[..., 0] > 127) != (inside > 127)).sum())
        race.add(f"C, {threads} threads", by_peer)
        race.add(f"tiles, {threads} threads", by_tiles, f"{differing} pixels differ")
    race.run("C, 2 threads", rounds=9, calls=3)


def peer_tape(text: str) -> np.ndarray:
    """The text in the form that the C program reads."""
    lines = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    numbers = {line[0]: k for k, line in enumerate(lines)}
    tape = np.zeros(len(lines), PEER_TAPE)
    for k, (_, operation, *operands) in enumerate(lines):
        tape[k]["op"], tape[k]["o"] = PEER_CODES.index(operation), k
        if operation == "const":
            tape[k]["c"] = float(operands[0])
        elif operands:
            tape[k]["a"], tape[k]["b"] = numbers[operands[0]], numbers[operands[-1]]
    return tape


if __name__ == "__main__":
    everything = pictures()
    frames(everything)
    growth(everything)
    against_peer()
