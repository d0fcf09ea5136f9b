"""Many at once: processes that share a folder of compiled code, files in it that are broken, and threads that draw."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im
from pellucid.driver import forget

PROGRAM = """
import hashlib, sys
import pellucid as pl
from pellucid import images as im
from pellucid.backends.c.compiler import CCompiler
from pellucid.backends.jit.engine import Machine

compiled = []
for kind in (Machine, CCompiler):
    def counting(self, source, *args, original=kind.compile, **named):
        compiled.extend([1] * ("pellucid(" in source))
        return original(self, source, *args, **named)
    kind.compile = counting
sys.stdin.readline()
for k in range(3):
    picture = im.swirl(100 + k, im.checkerboard(10, im.red, im.over(im.fade(0.5, im.blue), im.gold)))
    for backend in sys.argv[1:]:
        pixels = pl.render(picture, (64, 48), backend=backend)
        print(k, backend, hashlib.sha256(pixels.tobytes()).hexdigest())
print("compiled", len(compiled))
"""
BACKENDS = ["llvm", *(["c"] if shutil.which("cc") else [])]


def started(folder):
    environment = {**os.environ, "PELLUCID_CACHE_DIR": str(folder)}
    environment.pop("PELLUCID_CACHE", None)
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *BACKENDS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


def told(process, *, warns=False):
    """What a process printed about its pictures, and how many it compiled; it must not fail, or say anything else."""
    out, err = process.communicate("go\n", timeout=120)
    assert process.returncode == 0, err
    # What cannot be kept is told once.
    assert err.count("PELLUCID_CACHE_DIR") == warns
    assert err == "" or warns
    *pictures, last = out.splitlines()
    assert len(pictures) == 3 * len(BACKENDS)
    return pictures, int(last.removeprefix("compiled "))


def entries(folder):
    return sorted(folder.glob("*.code"))


def test_processes_that_compile_the_same_at_once_draw_the_same(tmp_path):
    folder = tmp_path / "shared"
    racing = [started(folder) for _ in range(3)]
    for process in racing:
        # All of them are ready, and wait for the word.
        process.stdin.write("go\n")
        process.stdin.flush()
    answers = []
    for process in racing:
        out, err = process.communicate(timeout=120)
        assert (process.returncode, err) == (0, "")
        answers.append(out.splitlines()[:-1])
    assert answers[0] == answers[1] == answers[2]
    assert len(entries(folder)) >= 3 * len(BACKENDS)
    assert not list(folder.glob("*.part")), "nothing half written is left behind"
    # Whoever comes later finds everything.
    pictures, compiled = told(started(folder))
    assert (pictures, compiled) == (answers[0], 0)


def cut(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def one_bit(path):
    data = bytearray(path.read_bytes())
    data[len(data) * 2 // 3] ^= 4
    path.write_bytes(data)


def noise(path):
    path.write_bytes(np.random.default_rng(3).bytes(5000))


def a_folder(path):
    path.unlink()
    path.mkdir()


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A folder with entries, and what the pictures look like."""
    folder = tmp_path_factory.mktemp("filled") / "cache"
    pictures, compiled = told(started(folder))
    assert compiled == len(pictures)
    return folder, pictures


@pytest.mark.parametrize("damage", [cut, one_bit, noise, a_folder])
def test_broken_files_are_no_entries(filled, tmp_path, damage):
    folder, pictures = filled
    again = tmp_path / "cache"
    shutil.copytree(folder, again)
    for path in entries(again):
        damage(path)
    assert told(started(again), warns=damage is a_folder) == (pictures, len(pictures))
    if damage is not a_folder:
        # They are written anew, and serve the next.
        assert told(started(again)) == (pictures, 0)


# ---- threads ----


def pictures():
    strength = pl.param("twirl", 100.0, 20, 400)
    yield im.swirl(strength, im.checkerboard(10, im.black, im.white))
    yield pl.animation(lambda t: im.turn(t, im.checkerboard(7, im.gold, im.navy)))
    yield im.over(im.crop(im.disk(12), im.fade(0.4, im.const(im.red))), im.checkerboard(3, im.white, im.gray))
    yield pl.image(lambda p: 0.5 + 0.5 * pl.sin(p.x * 0.3) * pl.cos(p.y * 0.2))
    yield pl.image(lambda p: pl.fraction(0.1 * p.r))


def together(tasks, threads=4):
    """The results of tasks that begin at one moment, in order."""
    gate = threading.Barrier(threads)

    def run(task):
        gate.wait(timeout=30)
        return task()

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(run, tasks))


@pytest.mark.parametrize("backend", [*BACKENDS, "numpy"])
def test_threads_that_compile_and_draw_at_once_get_the_right_pictures(backend):
    views = [{"size": (70, 50), "time": 0.1 * k, "zoom": 1 + k, "backend": backend} for k in range(4)]
    alone = [[pl.render(p, **view) for view in views] for p in pictures()]
    for p, wanted in zip(pictures(), alone, strict=True):
        forget()
        # The same picture for all: four compilations of one program race.
        for have, want in zip(
            together([lambda view=view, p=p: pl.render(p, **view) for view in views]), wanted, strict=True
        ):
            np.testing.assert_array_equal(have, want)
    forget()
    every = list(pictures())[:4]
    for view, wanted in zip(views, zip(*alone, strict=True), strict=True):
        # Another picture for each.
        drawn = together([lambda p=p, view=view: pl.render(p, **view) for p in every])
        for have, want in zip(drawn, wanted[:4], strict=True):
            np.testing.assert_array_equal(have, want)


@pytest.mark.parametrize("backend", [*BACKENDS, "numpy"])
def test_one_kernel_may_be_called_from_many_threads(backend):
    kernel = pl.compile(next(pictures()), backend=backend)
    values = [30.0 + k for k in range(24)]
    wanted = [kernel.render((90, 60), params={"twirl": v}, threads=1) for v in values]

    def task(k):
        return lambda: kernel.render((90, 60), params={"twirl": values[k]}, threads=1 + k % 3)

    for first in range(0, 24, 4):
        drawn = together([task(k) for k in range(first, first + 4)])
        for have, want in zip(drawn, wanted[first:], strict=False):
            np.testing.assert_array_equal(have, want)


def test_the_number_of_threads_changes_nothing():
    for picture in pictures():
        for size in ((130, 97), (1, 300), (300, 1), (17, 16)):
            kernel = pl.compile(picture)
            drawn = [kernel.render(size, threads=n, time=0.3) for n in (None, 1, 2, 3, 7)]
            for other in drawn[1:]:
                np.testing.assert_array_equal(other, drawn[0])


def test_variants_compiled_at_once_do_not_get_mixed_up():
    glass = im.crop(im.disk(12), im.fade(0.4, im.const(im.red)))
    forget()
    kernel = pl.compile(glass)
    tasks = [
        lambda: kernel.render((40, 30)),
        lambda: kernel.premultiplied((40, 30)),
        lambda: kernel.render((40, 30), samples=3),
        lambda: kernel.premultiplied((40, 30), samples=2),
    ]
    for have, task in zip(together(tasks), tasks, strict=True):
        np.testing.assert_array_equal(have, task())


def test_errors_in_one_thread_are_its_own():
    picture = next(pictures())
    good = pl.render(picture, 32)

    def bad():
        with pytest.raises(pl.PellucidError):
            pl.render(picture, 32, params={"twirl": 1e9})
        return good

    for drawn in together([bad, lambda: pl.render(picture, 32)] * 2):
        np.testing.assert_array_equal(drawn, good)


def test_a_forked_child_draws_too(tmp_path):
    code = (
        "import os, hashlib, warnings\n"
        "warnings.simplefilter('ignore')\n"
        "import pellucid as pl\n"
        "from pellucid import images as im\n"
        "picture = im.swirl(100, im.checkerboard(10, im.black, im.white))\n"
        "def seen():\n"
        "    return hashlib.sha256(pl.render(picture, (300, 200), threads=2).tobytes()).hexdigest()\n"
        "before = seen()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    again = seen() == before\n"
        "    other = pl.render(im.turn(1, picture), 64).any()\n"
        "    os._exit(0 if again and other else 3)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0\n"
        "assert seen() == before\n"
    )
    environment = {**os.environ, "PELLUCID_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_hashing_tells_pictures_apart():
    """The programs above compare hashes; two pictures have two."""
    seen = {hashlib.sha256(pl.render(p, (64, 48)).tobytes()).hexdigest() for p in pictures()}
    assert len(seen) == 5
