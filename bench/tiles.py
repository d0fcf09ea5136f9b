"""The tile machine: frames against machine code, and a text of 7,866 operators against a C interpreter.

Frames are 1024 x 1024; each is compared with what the LLVM back end draws, bit for bit. The text is a file of the
fidget project, which is not part of this one: name the folder that holds ``prospero.vm`` in PELLUCID_TEST_DATA. A C
program to compare it with, an interpreter with intervals that exports ``w2_load`` and ``w2_render``, may be named in
PELLUCID_INTERVAL_PEER. First frames are measured in `tiers`.
"""

from __future__ import annotations

import ctypes
import os
import random
import time
from pathlib import Path

# Threads of the C program that look for work between its frames would take the processor from its rival.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import numpy as np
from harness import Race, compiled

import pellucid as pl
from pellucid import images as im

SIDE = 1024
PEER_TAPE = np.dtype([("op", "u1"), ("_", "u1"), ("o", "<u2"), ("a", "<u2"), ("b", "<u2"), ("c", "<f4")])
PEER_CODES = ("var-x", "var-y", "const", "add", "sub", "mul", "min", "max", "neg", "sqrt", "square")


def swirl(seed: int) -> object:
    """A swirled checkerboard."""
    return im.swirl(10.0 + 0.01 * seed, im.checkerboard(1, im.black, im.white))


def discs(count: int, seed: int) -> object:
    """Discs here and there, as one region."""
    numbers = random.Random(seed)
    region = im.disk(0.1)
    for _ in range(count):
        place = (numbers.uniform(-4, 4), numbers.uniform(-4, 4))
        region = region | im.move(place, im.disk(numbers.uniform(0.1, 0.6)))
    return region


def translucent(count: int) -> object:
    """Translucent discs one over the other."""
    numbers = random.Random(7)
    picture = im.const(im.white)
    for _ in range(count):
        red, green, blue = (numbers.random() for _ in range(3))
        place = (numbers.uniform(-4, 4), numbers.uniform(-4, 4))
        disc = im.move(place, im.disk(numbers.uniform(0.1, 0.4)))
        picture = im.over(im.fill(im.rgba(red, green, blue, 0.5), disc), picture)
    return picture


def program() -> str | None:
    """The text, if its folder was told."""
    folder = os.environ.get("PELLUCID_TEST_DATA")
    path = Path(folder) / "prospero.vm" if folder else None
    return path.read_text(encoding="utf-8") if path and path.exists() else None


def frames() -> None:
    """Frames by the tile machine and by machine code, on one thread and two."""
    pictures = {
        "swirl": swirl(0),
        "100 discs": discs(100, 1),
        "100 translucent": translucent(100),
        "400 translucent": translucent(400),
        "noise": im.fbm(im.perlin_noise(), 6) * 0.5 + 0.5,
    }
    for name, picture in pictures.items():
        race = Race(f"{name}, {SIDE} x {SIDE}")
        drawn = {}
        for backend in ("llvm", "tiles"):
            start = time.perf_counter()
            kernel = pl.compile(picture, backend=backend)
            compiling = 1e3 * (time.perf_counter() - start)
            for threads in (1, 2):
                out = np.empty((SIDE, SIDE, 4), np.uint8)

                def draw(kernel: object = kernel, threads: int = threads, out: object = out) -> object:
                    return kernel.render((SIDE, SIDE), zoom=SIDE / 10, threads=threads, out=out)

                drawn[backend] = draw().copy()
                race.add(f"{backend}, {threads} threads", draw, f"compiled in {compiling:.1f} ms")
        assert np.array_equal(drawn["llvm"], drawn["tiles"]), name
        race.run("llvm, 2 threads", rounds=7, calls=4)


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
    out = np.empty((SIDE, SIDE, 4), np.uint8)
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
    frames()
    against_peer()
