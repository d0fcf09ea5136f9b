"""What a command loads: of a picture whose code is kept, nothing that makes code, and no word that it does not use."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

MAX_MODULES = 130
"""Modules of pellucid that drawing such a picture takes: each costs a fifth of a millisecond."""
PICTURE = """from pellucid import images as im

picture = im.swirl(100, im.checkerboard(10, im.black, im.white))
"""
PROBE = """
import json, sys, numpy
before = {*sys.modules}
from pellucid.cli import main
status = main(sys.argv[1:])
print(json.dumps([status, sorted(sys.modules.keys() - before)]))
"""
MAKERS = (
    "algebra", "conversion", "document", "loops", "notebook", "pixels", "rewriting", "signals", "staging", "studio",
)  # fmt: skip
"""Folders that no picture of words needs once its code is kept."""
FILES = (
    "canvas.containers", "canvas.film", "canvas.spill", "canvas.tiff", "driver.card", "driver.pipeline",
    "images.bitmap",
)  # fmt: skip
OTHERS = (
    "PIL", "concurrent.futures", "decimal", "difflib", "llvmlite", "logging", "shutil", "statistics", "tempfile",
)  # fmt: skip


@pytest.fixture
def loaded(tmp_path, monkeypatch):
    """Run a command in a process of its own; the names of the modules that it loads after NumPy."""
    monkeypatch.setenv("PELLUCID_CACHE_DIR", str(tmp_path / "cache"))

    def run(*words):
        command = [sys.executable, "-c", PROBE, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
        status, names = json.loads(done.stdout.splitlines()[-1])
        assert status == 0
        return set(names)

    return run


@pytest.fixture
def drawn(loaded, tmp_path):
    """What is loaded to draw the picture with an empty cache, and again."""
    (tmp_path / "swirl.py").write_text(PICTURE, encoding="utf-8")
    words = ["render", "swirl.py", "-o", "a.png", "--size", "16x16", "--zoom", "1", "--backend", "llvm"]
    return loaded(*words), loaded(*words)


def test_a_picture_whose_code_is_kept_loads_little(drawn):
    first, again = drawn
    assert {"pellucid.rewriting", "pellucid.loops", "pellucid.backends.llvm.emitter"} <= first
    found = {name for name in again if name.partition(".")[0] == "pellucid"}
    heavy = {*(f"pellucid.{name}" for name in (*MAKERS, *FILES)), *OTHERS}
    assert not heavy & again
    assert len(found) <= MAX_MODULES, sorted(found)


def test_a_picture_loads_the_files_of_its_words(drawn):
    _, again = drawn
    from pellucid.images.homes import HOMES

    files = {f"pellucid.images.{file}" for file in HOMES.values()}
    assert files & again == {"pellucid.images.pattern", "pellucid.images.warp"}


def test_no_module_is_asked_for_what_a_picture_is(loaded, tmp_path):
    """A module that finds its names when it is asked for them would load all of them."""
    (tmp_path / "swirl.py").write_text(PICTURE, encoding="utf-8")
    assert "pellucid.images.noise" not in loaded("render", "swirl.py", "--list")


def test_a_process_ends_without_looking_for_cycles():
    program = (
        "import atexit, gc, sys; atexit.register(lambda: print(gc.get_freeze_count() > 0)); "
        "sys.argv[1:] = ['rendr']; from pellucid.cli import run; run()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "True\n")
