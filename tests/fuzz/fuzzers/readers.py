"""Damaged files for every reader: pictures, programs of registers, lines of notation, sounds.

A case is a batch of inputs that follow from a seed, or one input as it is. Each gives what it holds or one clear error,
in little time and memory.
"""

from __future__ import annotations

import atexit
import json
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
from tests.fuzz.contract import NotACase, demand_soon
from tests.fuzz.files import PICTURES, mutated

from pellucid import images as im
from pellucid import signals as sg
from pellucid.base.errors import PellucidError
from pellucid.pixels import Layout, pack, unpack

WEIGHT = 2
BATCH = 100
MAX_PIXELS = 1 << 16
SECONDS = 2.0
"""Seconds of processor time that one input may take: a hundred times what the slowest does."""
DRAWN = 20
"""One input of so many is drawn, or written again, if it is read."""
X, Y = np.array([0.0, -0.5, 3.5, 1e9, np.nan]), np.array([0.25, 0.5, -2.5, 0.0, 1.0])


def generate(rng: random.Random) -> str:
    """A batch for one reader."""
    return json.dumps({"reader": rng.choice([*READERS]), "seed": rng.randrange(1 << 32), "count": BATCH})


def _inputs(case: str) -> tuple[str, list[bytes]]:
    """The reader of a case and its inputs."""
    try:
        asked = json.loads(case)
        reader = asked["reader"]
        if "data" in asked:
            found = [bytes.fromhex(asked["data"])]
        else:
            found = [mutated(reader, random.Random(f"{asked['seed']} {k}")) for k in range(asked["count"])]
    except (ValueError, KeyError, TypeError) as problem:
        raise NotACase from problem
    if reader not in READERS:
        raise NotACase(reader)
    return reader, found


def check(case: str) -> Mapping[str, int]:
    """Read each input."""
    reader, inputs = _inputs(case)
    counts = Counter[str]()
    for number, data in enumerate(inputs):
        begin = time.process_time()
        problem = _problem(reader, data, drawn=number % DRAWN == 0)
        counts[f"{reader} {'read' if problem is None else 'refused'}"] += 1
        if problem is not None:
            assert problem.fix, f"{problem} has no fix"
            assert len(str(problem)) < 3000, "a message that nobody reads"
        demand_soon(begin, SECONDS, "an input takes too long")
    return counts


def _problem(reader: str, data: bytes, *, drawn: bool) -> PellucidError | None:
    """What is said of an input that is refused."""
    try:
        READERS[reader](data, drawn)
    except PellucidError as error:
        return error
    return None


def shrink(case: str) -> Iterator[str]:
    """Yield each input of a batch by itself; less of an input."""
    reader, inputs = _inputs(case)
    if len(inputs) > 1:
        for data in inputs:
            yield json.dumps({"reader": reader, "data": data.hex()})
        return
    (data,) = inputs
    size = len(data) // 2
    while size:
        for at in range(0, len(data), size):
            yield json.dumps({"reader": reader, "data": (data[:at] + data[at + size :]).hex()})
        size //= 2
    for at in range(len(data)):
        if data[at]:
            yield json.dumps({"reader": reader, "data": (data[:at] + b"\0" + data[at + 1 :]).hex()})


def _picture(data: bytes, drawn: bool) -> None:
    read = im.read_image(data, max_pixels=MAX_PIXELS)
    buffer = read.buffer
    assert buffer is not None
    assert buffer.size * buffer.type.bits // 8 <= 16 * MAX_PIXELS + len(data)
    if drawn:
        colors = read.at(X, Y)
        assert np.isfinite(colors).all()
        assert ((colors >= 0) & (colors <= 1)).all()


def _program(data: bytes, drawn: bool) -> None:
    read = im.read_vm(data.decode("utf-8", "replace") + "\n")
    if drawn:
        read.at(X[:2], Y[:2])


def _layout(data: bytes, drawn: bool) -> None:
    layout = Layout(data.decode("utf-8", "replace"))
    size = layout.size(3, 2)
    if drawn and size < 1 << 16:
        given = np.random.default_rng(size).integers(0, 256, size, np.uint8).tobytes()
        with np.errstate(all="ignore"):
            assert pack(unpack(given, layout, 3, 2), layout, 3, 2, onto=given) == given


_folder = tempfile.TemporaryDirectory()
atexit.register(_folder.cleanup)
_file = Path(_folder.name) / "a.wav"


def _sound(data: bytes, drawn: bool) -> None:
    _file.write_bytes(data)
    read = sg.read_audio(_file)
    if drawn:
        read.channels[0].take(3)


READERS: dict[str, Callable[[bytes, bool], None]] = {
    **dict.fromkeys(PICTURES, _picture),
    "vm": _program,
    "layout": _layout,
    "wav": _sound,
}
