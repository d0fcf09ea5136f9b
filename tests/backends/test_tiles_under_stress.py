"""The tile machine under stress: threads, forks, long tapes, little memory, spoiled caches, and what it refuses."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.diff.fields import Frame, frame, word
from tests.diff.programs import COLUMN, ROW

import pellucid as pl
from pellucid import images as im
from pellucid.backends.jit.engine import machine
from pellucid.backends.tiles import TileBackend
from pellucid.backends.tiles.abi import FrameWord
from pellucid.backends.tiles.machine import kernels, running
from pellucid.backends.tiles.machine import pool as blocks
from pellucid.backends.tiles.machine.kernels import Kernels
from pellucid.backends.tiles.tape.key import Key
from pellucid.base.errors import BackendError
from pellucid.driver.frame import FrameVariant
from pellucid.ir import expr as E
from pellucid.ir import interp
from pellucid.ir import types as T

BOARD = im.swirl(3.0, im.checkerboard(1, im.black, im.white))
CLOUDS = im.fbm(im.perlin_noise(), 5)
VIEW = {"zoom": 50.0, "center": (0.31, -0.17)}


def ridges(count: int) -> Frame:
    """A frame of that many half planes, of which few matter in any one place."""
    x, y = (E.apply("convert", i, attr=T.f32) for i in (COLUMN, ROW))
    generator = np.random.default_rng(1)
    value = x
    for k in range(count):
        right, down = (E.const(v, T.f32) for v in 200 * generator.random(2))
        across = E.apply("mul", E.apply("sub", x, right), E.const(1.5, T.f32))
        plane = E.apply("add", across, E.apply("sub", y, down))
        value = E.apply("min" if k % 2 else "max", value, plane)
    return frame(word(value), 200, 130)


def expected(one: Frame) -> np.ndarray:
    memory = {b: m.copy() for b, m in one.memory.items()}
    interp.run(one.kernel, one.arguments, memory)
    return memory[one.out]


def test_a_tape_may_have_tens_of_thousands_of_instructions():
    one = ridges(6000)
    code = TileBackend(threads=2).compile(one.kernel, {})
    assert len(code.tape) > 30000
    code.run(one.arguments, one.memory)
    assert np.array_equal(one.memory[one.out], expected(one))


def test_ctrl_c_ends_a_frame_of_one_thread_before_it_is_whole():
    kernel = pl.compile(CLOUDS, backend="tiles")
    code = kernel.code(FrameVariant())
    tiles, drawn = code._entries.tiles, []

    def interrupted(*arguments):
        tiles(*arguments)
        drawn.append(arguments)
        if len(drawn) == 3:
            signal.raise_signal(signal.SIGINT)

    out = np.full((512, 512, 4), 7, np.uint8)
    code._entries = code._entries._replace(tiles=interrupted)
    with pytest.raises(KeyboardInterrupt):
        kernel.render(512, zoom=64, threads=1, out=out)
    assert len(drawn) == 3
    assert (out == 7).all(-1).any()
    kernel.render(512, zoom=64, threads=1, out=out)
    assert np.array_equal(out, pl.render(CLOUDS, 512, zoom=64, backend="llvm"))


def test_memory_that_was_let_go_of_serves_the_next_tape_unless_there_is_too_much(monkeypatch):
    kept: list[object] = []
    monkeypatch.setattr(blocks, "_kept", kept)
    places = []
    for _ in range(2):
        block = blocks.WorkspaceBlock(2, 4096)
        block.rows[:] = 7
        places.append(block.rows.ctypes.data)
        del block
    assert places[0] == places[1]
    many = [blocks.WorkspaceBlock(1, 4096 * k) for k in range(1, 6)]
    large = blocks.WorkspaceBlock(1, blocks.MAX_KEPT_BYTES)
    del many, large
    assert len(kept) == blocks.MAX_KEPT
    with pytest.raises(BackendError, match="bytes"):
        blocks.WorkspaceBlock(1 << 20, 1 << 40)
    # Whatever stands there, the bits are right.
    expected = pl.compile(BOARD, backend="llvm").render((300, 200), **VIEW)
    for _ in range(3):
        code = pl.compile(BOARD, backend="tiles")
        assert np.array_equal(code.render((300, 200), **VIEW), expected)


@pytest.mark.parametrize("word", [FrameWord.ARENA_BYTES, FrameWord.MAX_POOL])
@pytest.mark.parametrize("room", [0, 64, 700, 2000, 10000])
def test_children_share_a_tape_where_there_is_no_room_for_their_own(word, room):
    one = ridges(300)
    code = TileBackend().compile(one.kernel, {})
    code.memory.frame[word] = min(room, code.memory.frame[word])
    code.run(one.arguments, one.memory)
    assert np.array_equal(one.memory[one.out], expected(one))


def test_values_beyond_what_a_slot_can_number_are_refused(monkeypatch):
    monkeypatch.setattr(running, "MAX_SLOTS", 5)
    with pytest.raises(BackendError, match=r"values at once.*compile it by LLVM"):
        TileBackend().compile(ridges(3).kernel, {})


def test_operators_beyond_the_table_are_refused(monkeypatch):
    monkeypatch.setattr(kernels, "MAX_KERNELS", 2)
    few = Kernels(4, None)
    keys = [Key(op, (T.i32, T.i32), T.i32) for op in ("add", "sub", "mul")]
    assert len(few.opcodes(keys[:2])) == 2
    with pytest.raises(BackendError, match="more than 2 operators"):
        few.opcodes(keys)
    # What there is stays.
    assert len(few.opcodes(keys[:2])) == 2


@pytest.mark.parametrize("threads", [2, 3, 7, 64])
def test_any_number_of_threads_draws_the_same_bits(threads):
    kernel = pl.compile(BOARD, backend="tiles")
    alone = kernel.render((517, 411), threads=1, **VIEW)
    assert np.array_equal(kernel.render((517, 411), threads=threads, **VIEW), alone)


def test_frames_may_be_drawn_by_several_threads_at_once():
    kernel = pl.compile(BOARD, backend="tiles")
    sizes = [(517, 411), (64, 65), (200, 130)]
    alone = [kernel.render(size, **VIEW) for size in sizes]
    wrong: list[int] = []

    def draw(k: int) -> None:
        for turn in range(6):
            size = (k + turn) % 3
            if not np.array_equal(kernel.render(sizes[size], threads=1 + k % 3, **VIEW), alone[size]):
                wrong.append(k)

    workers = [threading.Thread(target=draw, args=(k,)) for k in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_draws_on():
    kernel = pl.compile(BOARD, backend="tiles")
    before = kernel.render((200, 130), threads=2, **VIEW)
    child = os.fork()
    if child == 0:
        same = np.array_equal(kernel.render((200, 130), threads=2, **VIEW), before)
        os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_code_for_another_processor_has_another_name(monkeypatch):
    names: list[str] = []

    class Store:
        def get(self, key: str) -> bytes | None:
            names.append(key)
            return None

        def put(self, key: str, value: bytes) -> None:
            pass

    this = machine()
    key = [Key("add", (T.i32, T.i32), T.i32)]
    Kernels(4, Store()).opcodes(key)
    monkeypatch.setattr(kernels, "machine", lambda: replace(this, cpu="another"))
    Kernels(4, Store()).opcodes(key)
    assert len(set(names)) == 2


SPOILED = """
import numpy as np, pellucid as pl
from pellucid import images as im
kernel = pl.compile(im.swirl(3.0, im.checkerboard(1, im.black, im.white)), backend="tiles")
print(kernel.render((64, 65), zoom=50.0, center=(0.31, -0.17)).tobytes().hex())
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("part", [0.0, 0.4, 0.99])
def test_code_that_was_cut_off_is_made_again(tmp_path: Path, part):
    def draw() -> str:
        given = os.environ | {"PELLUCID_CACHE_DIR": str(tmp_path)}
        return subprocess.run(
            [sys.executable, "-c", SPOILED], env=given, check=True, capture_output=True, text=True
        ).stdout

    fresh = draw()
    files = [p for p in tmp_path.rglob("*.code") if p.is_file()]
    assert len(files) >= 2
    for path in files:
        data = path.read_bytes()
        path.write_bytes(data[: int(part * len(data))])
    assert draw() == fresh


@pytest.mark.parametrize("zoom", [300.0, 1e-3, 1e-9, 1e30])
def test_large_frames_are_right_at_any_zoom(zoom):
    # So far that squares are beyond all numbers, and so near that they are smaller than any.
    size = (4097, 3001) if zoom == 300.0 else (1025, 301)
    tiles, llvm = (pl.compile(BOARD, backend=name).render(size, zoom=zoom) for name in ("tiles", "llvm"))
    assert np.array_equal(tiles, llvm)


@pytest.mark.parametrize("scale", [1e-9, 1e-38, 1e38, float("nan"), float("inf")])
@pytest.mark.parametrize("op", ["add", "mul", "sub", "div"])
def test_coordinates_that_are_one_point_or_no_number_are_right(op, scale):
    x, y = (E.apply("convert", i, attr=T.f32) for i in (COLUMN, ROW))
    across = E.apply("add", E.apply("mul", x, E.const(scale, T.f32)), E.const(1.0, T.f32))
    down = E.apply(op, across, E.apply("mul", y, E.const(scale, T.f32)))
    test = E.apply("lt", down, E.apply("floor", E.apply("mul", across, across)))
    one = frame(E.apply("xor", word(down), word(test)), 130, 70)
    TileBackend().compile(one.kernel, {}).run(one.arguments, one.memory)
    assert np.array_equal(one.memory[one.out], expected(one))


@pytest.mark.parametrize("type_", [T.f32, T.f64])
def test_a_uniform_that_is_no_number_is_in_no_interval(type_):
    nan, zero = E.const(float("nan"), type_), E.const(0.0, type_)
    x = E.apply("convert", COLUMN, attr=type_)
    part = E.apply("choose", E.apply("lt", COLUMN, E.const(40, T.i32)), nan, zero)
    root = E.apply("sqrt", part)
    start = E.apply("choose", E.apply("lt", ROW, E.const(30, T.i32)), nan, x)
    state = E.state(0, 0, type_)
    step, stop = E.apply("min", state, nan), E.apply("lt", state, zero)
    (final,) = E.iterate((start,), (step,), stop, E.const(3, T.i32), 0)
    value = E.const(0, T.u32)
    for found in (part, root, E.apply("add", x, nan), start, final):
        value = E.apply("add", E.apply("mul", value, E.const(0x9E3779B1, T.u32)), word(found))
    one = frame(value, 130, 70)
    TileBackend().compile(one.kernel, {}).run(one.arguments, one.memory)
    assert np.array_equal(one.memory[one.out], expected(one))


@pytest.mark.parametrize("positive", [True, False])
def test_an_iteration_that_never_ends_runs_only_where_it_is_wanted(positive):
    state = E.state(0, 0, T.i32)
    stop = E.apply("lt", COLUMN, E.const(40, T.i32))
    step = E.apply("add", state, ROW)
    (endless,) = E.iterate((COLUMN,), (step,), stop, E.const(2**31 - 1, T.i32), 0)
    test = stop if positive else E.apply("le", E.const(40, T.i32), COLUMN)
    arms = (endless, ROW) if positive else (ROW, endless)
    value = word(E.apply("choose", test, *arms))
    one = frame(value, 130, 70)
    TileBackend().compile(one.kernel, {}).run(one.arguments, one.memory)
    column, row = np.meshgrid(np.arange(130), np.arange(70))
    assert np.array_equal(one.memory[one.out].reshape(70, 130), np.where(column < 40, column, row))
