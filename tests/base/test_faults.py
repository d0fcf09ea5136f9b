"""Whatever call fails while a file is written, the old file stays, nothing is left, and one error says why."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from tests.faults import Calls, counting, each
from tests.systems import linux

import pellucid as pl
from pellucid import images as im
from pellucid import signals as sg
from pellucid.base import atomic
from pellucid.base.atomic import atomic_write
from pellucid.base.errors import FileError
from pellucid.cli import reports
from pellucid.cli.arguments import parsed
from pellucid.cli.hops.repl import ReplState
from pellucid.driver.cache import Cache
from pellucid.loops.hops.saving import ProgramText

OLD = b"what was there before"
BOARD = im.checkerboard(10.0, im.red, im.blue)
KERNEL = pl.compile(BOARD, backend="numpy")
MOVING = pl.compile(im.animation(lambda t: im.turn(t, BOARD)), backend="numpy")
NEST = "kernel k():\n  output s: i32[4]\n  for i in 0 .. 4:\n    s[i] := i\n"


def write(path: Path) -> None:
    with atomic_write(path) as file:
        for k in range(5):
            file.write(bytes([k]) * 10_000)


def hops(path: Path) -> None:
    repl = ReplState.of(ProgramText.of("k", NEST), width=80)
    repl.say("try lanes i count=4")
    repl.say(f"save {path}")


def export(path: Path) -> None:
    found = SimpleNamespace(thing=BOARD, path=Path("board.py"), name="board")
    before = reports.chosen
    reports.chosen = lambda _: found
    try:
        parsed(["export", "c", "board.py", "--name", "board", "-o", str(path.with_suffix(""))])
    finally:
        reports.chosen = before


def saved(path: Path) -> None:
    pl.save(KERNEL, path, (40, 30))


def animated(path: Path) -> None:
    pl.animate(MOVING, path, (16, 12), seconds=0.3, fps=10, threads=1)


def sounded(path: Path) -> None:
    sg.render_audio(0.5 * sg.noise(), path, seconds=0.05, rate=8000)


#: What writes a file, by the name of the file.
WRITERS: dict[str, Callable[[Path], None]] = {
    "plain.bin": write,
    **{f"still.{suffix}": saved for suffix in ("png", "jpg", "webp", "tiff", "gif", "npy")},
    **{f"film.{suffix}": animated for suffix in ("png", "webp", "gif", "npy")},
    "moves.py": hops,
    "moves.steps": hops,
    "ledger.md": hops,
    "ledger.json": hops,
    "sound.wav": sounded,
    "board.c": export,
}


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("unnamed", [True, False], ids=["without a name", "with a name"])
def test_whatever_call_fails_the_old_file_stays(tmp_path, monkeypatch, name, unnamed):
    if not unnamed:
        monkeypatch.setattr(atomic, "_unnamed", lambda folder, permissions: None)
    path, work = tmp_path / name, WRITERS[name]
    work(path)
    old = dict.fromkeys(content(tmp_path), OLD)
    new = content(tmp_path)
    failed = 0
    for calls in each(lambda: work(path)):
        for found in old:
            (tmp_path / found).write_bytes(OLD)
        error = told(work, path, calls)
        if error is None:
            # Another way was found, such as a file with a name where one without cannot be made.
            assert content(tmp_path) == new, calls.fails
            continue
        failed += 1
        assert content(tmp_path) == old or partly(tmp_path, old, new, calls), calls.fails
        if isinstance(calls.error, OSError):
            assert isinstance(error, FileError), calls.fails
            assert str(tmp_path) in str(error)
            assert os.strerror(calls.error.errno).lower() in str(error).lower()
        else:
            assert error is calls.error
    assert failed > 3
    assert not atomic.unfinished


def told(work: Callable[[Path], None], path: Path, calls: Calls) -> Exception | None:
    """The error that one failing call ends in."""
    try:
        with counting(calls):
            work(path)
    except (FileError, MemoryError, OSError) as error:
        return error
    return None


def partly(folder: Path, old: dict[str, bytes], new: dict[str, bytes], calls: Calls) -> bool:
    """Of two files that are written together, the first was moved already and the second cannot be."""
    assert calls.fails is not None
    assert len(old) > 1
    assert calls.fails[0] in ("open", "link", "replace")
    return all(data in (old[name], new[name]) for name, data in content(folder).items()) and len(
        content(folder)
    ) == len(old)


@pytest.mark.parametrize("name", [*WRITERS, "film.mp4", "film.webm"])
def test_a_file_that_may_grow_no_further_is_one_error(tmp_path, name):
    if name.endswith((".mp4", ".webm")):
        pytest.importorskip("av")
    path, work = tmp_path / name, WRITERS.get(name, animated)
    work(path)
    size, old = path.stat().st_size, dict.fromkeys(content(tmp_path), OLD)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    for most in sorted({0, 1, size // 3, size // 2, size - 1}):
        for found in old:
            (tmp_path / found).write_bytes(OLD)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
        try:
            with pytest.raises(FileError, match="file too large") as caught:
                work(path)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert str(tmp_path) in str(caught.value)
        assert content(tmp_path) == old


def test_whatever_call_fails_the_cache_is_silent_or_warns_once(tmp_path):
    number = 0

    def work() -> None:
        nonlocal number
        number += 1
        cache = Cache(tmp_path / str(number) / "cache", limit=3000)
        for k in range(4):
            cache.put(f"key {k}", bytes([k]) * 1000)
            assert cache.get(f"key {k}") == bytes([k]) * 1000

    for calls in each(work):
        with warnings.catch_warnings(record=True) as said, counting(calls):
            warnings.simplefilter("always")
            work()
        assert calls.failed
        assert len(said) <= 1, [str(warning.message) for warning in said]
        folder = tmp_path / str(number) / "cache"
        assert not list(folder.glob(".*")), "nothing half written is left"
        again = Cache(folder)
        for k in range(4):
            assert again.get(f"key {k}") in (None, bytes([k]) * 1000)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_an_error_while_the_file_is_closed_keeps_the_old_one(tmp_path, number):
    path = tmp_path / "a"
    path.write_bytes(OLD)

    def work() -> None:
        with atomic_write(path) as file:
            file.write(b"new")
            close = file.raw.close

            def fails() -> None:
                close()
                raise OSError(number, os.strerror(number))

            file.raw.close = fails

    calls = Calls()
    with counting(calls), pytest.raises(FileError, match="cannot be written"):
        work()
    assert content(tmp_path) == {"a": OLD}


ENDED = """
import signal, sys, time
from pellucid.base import atomic
from pellucid.base.atomic import atomic_write
if hasattr(signal, "SIGHUP"):  # which `nohup` hands down ignored
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
if sys.argv[2] == "named":
    atomic._unnamed = lambda folder, permissions: None
with atomic_write(sys.argv[1]) as file:
    file.write(bytes(100_000))
    file.flush()
    print("half", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize(
    ("kind", "number"),
    [
        pytest.param("unnamed", signal.SIGTERM, marks=linux),
        pytest.param("unnamed", signal.SIGKILL, marks=linux),
        pytest.param("unnamed", signal.SIGHUP, marks=linux),
        ("named", signal.SIGTERM),
        ("named", signal.SIGHUP),
        ("named", signal.SIGINT),
    ],
)
def test_a_process_that_is_ended_leaves_the_old_file_only(tmp_path, kind, number):
    path = tmp_path / "a.png"
    path.write_bytes(OLD)
    with subprocess.Popen(
        [sys.executable, "-c", ENDED, str(path), kind],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "half\n"
        time.sleep(0.05)
        program.send_signal(number)
        assert program.wait(20) == -number
    assert content(tmp_path) == {"a.png": OLD}


SAVED = """
import sys
import pellucid as pl
from pellucid import images as im
heavy = im.image(lambda p: pl.iterate(lambda s: (s[0] * 1.0000001 + 0.3,), (p.x,), limit=200000)[0])
print("begun", flush=True)
pl.save(heavy, sys.argv[1], 4000, backend="llvm")
"""


def test_a_save_that_is_terminated_while_it_draws_leaves_the_old_file_only(tmp_path):
    path = tmp_path / "a.png"
    path.write_bytes(OLD)
    with subprocess.Popen(
        [sys.executable, "-c", SAVED, str(path)], stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "begun\n"
        time.sleep(1.0)
        program.terminate()
        assert program.wait(20) == -signal.SIGTERM
    assert content(tmp_path) == {"a.png": OLD}


def test_the_harness_counts_and_fails(tmp_path):
    with counting(Calls()) as calls:
        write(tmp_path / "a")
    assert calls.counts["write"] > 3
    assert calls.counts["replace"] == 1
    with counting(Calls(("write", 2), OSError(28, "full"))) as calls, pytest.raises(FileError):
        write(tmp_path / "a")
    assert calls.failed
    with counting(Calls(("allocation", 1), MemoryError())), pytest.raises(MemoryError):
        np.empty(3)
