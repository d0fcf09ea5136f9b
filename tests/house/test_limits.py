"""Every limit that `docs/limits.md` states is that of the program, and past it there is one error, soon."""

from __future__ import annotations

import importlib
import re
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import pellucid as pl
from pellucid import algebra as alg
from pellucid import images as im
from pellucid import signals as sg
from pellucid.base.errors import PellucidError
from pellucid.canvas.draw import checked_film
from pellucid.canvas.formats import Look, format_of
from pellucid.ir.parse import parse_nest
from pellucid.loops.hops.reading import read
from pellucid.loops.move import Proved, named
from pellucid.pixels import layout_of
from pellucid.signals.wav import header

PAGE = Path(__file__).parents[2] / "docs/limits.md"
ROWS = re.findall(
    r'^\| ([^|]+) \| `([\w.]+)(?:\["(\w+)"\])?` \| ([^|]+) \| ([^|]+) \|$',
    PAGE.read_text("utf-8"),
    re.MULTILINE,
)
SECONDS = 30.0
"""Processor time after which a search counts as one without a bound; `bench/refusing.py` says how soon each refuses."""
DISK = im.fill(im.tomato, im.udisk)


def endless(p: pl.Point) -> object:
    """A picture that calls itself without end."""
    return endless(p) + 1


def sparse(folder: Path, name: str, size: int) -> Path:
    """A file of so many bytes that takes no room."""
    path = folder / name
    with path.open("wb") as file:
        file.truncate(size)
    return path


def grown(depth: int, choice: Callable[[pl.Point, object, object], object]) -> None:
    """Compile a picture whose every level uses the one below at two points."""

    def around(inner: Callable[[pl.Point], object]) -> Callable[[pl.Point], object]:
        points = [lambda p, k=k: pl.Point(p.x * 1.01 + k, p.y - 0.1 * k) for k in range(2)]
        return pl.image(lambda p: choice(p, *(inner(at(p)) for at in points)))

    picture = im.image(lambda p: pl.sin(p.x) * p.y)
    for _ in range(depth):
        picture = around(picture)
    pl.compile(picture)


def private(folder: Path) -> None:
    """Compile a kernel with more scratch memory inside a loop than there may be."""
    text = f"""
kernel much():
  output out: u8[1]
  for i in 0 .. 4:
    alloc scratch: u8[{(128 << 10) + 1}]:
      scratch[i] := 1:u8
      out[i] := scratch[i]
"""
    from pellucid.backends.llvm import LlvmBackend

    LlvmBackend().compile(parse_nest(text), {})


def many_lanes(folder: Path) -> None:
    """Ask for more lanes than a loop may have."""
    kernel = parse_nest("kernel k():\n  output out: i32[4]\n  for i in 0 .. 4:\n    out[i] := i\n")
    (path,) = named("lanes").find(kernel)
    verdict = named("lanes").check(kernel, path, count=1025)
    assert not isinstance(verdict, Proved)
    raise PellucidError(str(verdict))


EXCEED: dict[str, Callable[[Path], object]] = {
    "driver.frame.LARGEST_SIDE": lambda _: pl.render(DISK, ((1 << 20) + 1, 1)),
    "driver.frame.MOST_PIXELS": lambda _: pl.render(DISK, (1 << 16, 1 << 15)),
    "driver.frame.REACH": lambda _: pl.render(DISK, (1, 1), time=2.0**41),
    "driver.frame.FINEST": lambda _: pl.render(DISK, (1, 1), zoom=1.1e37),
    "driver.view.MOST_SAMPLES": lambda _: pl.render(DISK, (1, 1), samples=65),
    "driver.view.MOST_THREADS": lambda _: pl.render(DISK, (1, 1), threads=1025),
    "canvas.draw._MOST_FRAMES": lambda _: checked_film(10_000_001, 1, Look(format_of("a.mp4"))),
    "base.room.DEEPEST": lambda _: pl.render(pl.image(endless), (1, 1)),
    "images.text.MOST_PIXELS": lambda _: im.text("A" * 400, 1.0, detail=4096).at(0, 0),
    "base.opening.MAX_BYTES": lambda folder: im.read_vm(sparse(folder, "a.vm", (1 << 26) + 1)),
    "images.bitmap.MAX_BYTES": lambda folder: im.read_image(sparse(folder, "a.bmp", (1 << 32) + 1)),
    "images.bitmap.MOST_PIXELS": lambda folder: im.read_image(wide_picture(folder)),
    "images.vm.MOST_BYTES": lambda folder: im.read_vm(sparse(folder, "a.vm", (1 << 26) + 1)),
    "signals.wav._LARGEST": lambda _: header("pcm_s16le", 1, 8000, 1 << 31),
    "cli.hops.looking.MAX_ARRAY_BYTES": lambda folder: array_of_numpy(sparse(folder, "a.npy", (1 << 32) + 1)),
    "pixels.notation.MAX_CHARACTERS": lambda _: layout_of("Y:8" + " " * (1 << 14)),
    "pixels.notation.MAX_DIGITS": lambda _: layout_of("Y:8 rows 1000000000"),
    "pixels.layout.MAX_CHANNELS": lambda _: layout_of(" ".join(f"C{chr(65 + k)}:8" for k in range(17))),
    "pixels.layout.MAX_BLOCK": lambda _: layout_of("R:11 /8x8; G:9 /7x4; B:7 /5x5"),
    "pixels.layout.MOST_INDEX_BITS": lambda _: layout_of("I:17; palette: B:8 G:8 R:8 A:8"),
    "tracing.session.MAX_NODES": lambda _: grown(
        40, lambda p, a, b: pl.sin(a) * p.x + b * b * p.y - a * 0.25
    ),
    "tracing.session.MAX_USES": lambda _: grown(40, lambda p, a, b: pl.where(p.x < p.y, a, b)),
    "signals.delays._LONGEST": lambda _: sg.delay(sg.constant(0.0), (1 << 24) + 1),
    "signals.player.LONGEST": lambda _: sg.Player(sg.constant(0.0), format="pcm_s16le").play((1 << 31) + 1),
    "signals.render._LONGEST": lambda folder: pl.render_audio(
        sg.constant(0.0), folder / "a.raw", seconds=1e9
    ),
    "loops.hops.reading.DEEPEST": lambda _: read(
        "(MakeVariable s) " + "(if true " * 5001 + "()" + ")" * 5001
    ),
    "loops.hops.numbers._MOST_DIGITS": lambda _: read(f"(MakeVariable s) (:= s {'9' * 41})"),
    "reasoning.scratch.MOST_PRIVATE": private,
    "loops.moves.lanes.MAX_COUNT": many_lanes,
    "algebra.array.MOST_AXES": lambda _: alg.array("a", (2, 2, 2, 2)),
    "algebra.array.MOST_ELEMENTS": lambda _: alg.array("a", (1 << 16, 1 << 15)),
}


def wide_picture(folder: Path) -> Path:
    """A picture file whose header tells of more pixels than are read."""
    import struct
    import zlib

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    path = folder / "wide.png"
    head = struct.pack(">IIBBBBB", 1 << 14, (1 << 13) + 1, 8, 0, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")
    )
    return path


def array_of_numpy(path: Path) -> object:
    """Read an array as the command line does."""
    from pellucid.cli.hops import looking

    return looking._input(str(path))


def test_the_page_about_security_names_tests_that_there_are():
    root = PAGE.parents[1]
    named_there = set(re.findall(r"`(test_\w+)`", (root / "SECURITY.md").read_text("utf-8")))
    defined = {
        name
        for path in (root / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text("utf-8"), re.MULTILINE)
    }
    assert named_there
    assert named_there <= defined, named_there - defined


def test_the_page_is_read():
    assert len(ROWS) == len(EXCEED)
    assert {row[1] for row in ROWS} == set(EXCEED)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[1])
def test_a_limit_is_what_the_page_says(row: tuple[str, ...]):
    module, _, name = row[1].rpartition(".")
    found = getattr(importlib.import_module(f"pellucid.{module}"), name)
    assert (found[row[2]] if row[2] else found) == eval(row[3])


@pytest.mark.parametrize("name", EXCEED)
def test_past_a_limit_there_is_one_error_soon(name: str, tmp_path: Path):
    begin = time.process_time()
    with pytest.raises(PellucidError) as caught:
        EXCEED[name](tmp_path)
    assert len(str(caught.value)) < 1000
    # Processor time: other work on the machine is not this program's.
    assert time.process_time() - begin < SECONDS
    assert not np.any([path.suffix == ".part" for path in tmp_path.iterdir()])
