"""`doctor` tells what is there, notices what is broken, and clears nothing but the cache."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from pellucid.backends.cuda import driver as cuda_driver
from pellucid.cli import doctor as doctor_file
from pellucid.driver import cache as cache_file
from pellucid.driver import calibration
from pellucid.driver.lending import make_backend
from pellucid.reasoning.machine import CHARGES, CostModel


@pytest.fixture
def cache_folder(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setattr(cache_file, "cache", lambda: cache_file.Cache(folder))
    return folder


def test_a_healthy_machine(pellucid, tmp_path, monkeypatch):
    # A driver of Vulkan complains by itself where nobody is logged in.
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    status, out, err = pellucid("doctor")
    assert (status, err) == (0, "")
    sections = [line for line in out.splitlines() if not line.startswith(" ")]
    assert sections == ["pellucid", "extras", "machine", "cache", "back ends", "exports"]
    for word in ("version", "packages", "processor", "vectors", "threads", "memory", "folder"):
        assert f"  {word:<10} " in out
    assert "  numpy      draws (" in out
    assert "  llvm       draws (" in out
    assert "  ptx        is written" in out
    assert "  wasm       is written" in out


def test_every_extra_is_told_and_what_is_missing_of_it(pellucid, monkeypatch):
    metadata = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    extras = set(metadata["optional-dependencies"]) - {"dev", "docs"}
    assert extras == set(doctor_file._EXTRAS)
    monkeypatch.setattr(doctor_file, "_version", lambda name: None if name in ("uvicorn", "av") else "1.0")
    rows = dict(doctor_file._extras())
    assert rows["studio"] == "uvicorn not installed: pip install 'pellucid[studio]'"
    assert rows["video"] == "not installed: pip install 'pellucid[video]'"
    assert rows["notebook"] == "ipywidgets 1.0, anywidget 1.0"


def test_a_machine_without_a_gpu_is_told_why_and_is_healthy(pellucid, monkeypatch):
    monkeypatch.setattr(cuda_driver, "LIBRARIES", ("libnothing.so.1",))
    cuda_driver.driver.cache_clear()
    make_backend.cache_clear()
    status, out, _ = pellucid("doctor")
    assert status == 0
    assert "  cuda       does not draw: cuda: NVIDIA's driver is not here" in out


def test_a_back_end_that_fails_is_told_and_fails_the_check(pellucid, monkeypatch):
    drawn = doctor_file._drawn

    def broken(name):
        return (None, "does not draw: no LLVM") if name == "llvm" else drawn(name)

    monkeypatch.setattr(doctor_file, "_drawn", broken)
    status, out, _ = pellucid("doctor")
    assert status == 1
    assert "  llvm       does not draw: no LLVM" in out


def test_a_back_end_that_draws_something_else_fails_the_check(pellucid, monkeypatch):
    monkeypatch.setattr(doctor_file, "_drawn", lambda name: (name.encode(), "draws"))
    status, out, _ = pellucid("doctor")
    assert status == 1
    assert "  numpy      draws\n" in out
    assert "  llvm       draws other bytes than numpy" in out


def test_a_machine_without_a_c_compiler_is_healthy(pellucid, monkeypatch):
    monkeypatch.setattr(doctor_file, "_drawn", lambda name: (None if name == "c" else b"same", "said"))
    assert pellucid("doctor")[0] == 0


def test_a_broken_llvm_does_not_stop_the_report(pellucid, monkeypatch):
    def broken():
        raise ImportError("libLLVM is gone")

    monkeypatch.setattr(doctor_file, "_processor", broken)
    _, out, _ = pellucid("doctor")
    assert "  processor  unknown: ImportError('libLLVM is gone')" in out
    assert "back ends" in out


def test_clearing_removes_programs_and_nothing_else(pellucid, cache_folder):
    cache_folder.mkdir(mode=0o700)
    (cache_folder / "notes.txt").write_text("mine")
    cache = cache_file.cache()
    cache.put("a", b"code")
    cache.put("b", b"more code")
    _, out, _ = pellucid("doctor")
    assert "  holds      2 programs, " in out
    status, out, _ = pellucid("doctor", "--clear-cache")
    assert status == 0
    assert out.startswith("removed 2 programs, ")
    assert sorted(item.name for item in cache_folder.iterdir()) == ["key", "notes.txt"]
    assert pellucid("doctor", "--clear-cache")[1].startswith("removed 0 programs, 0 bytes, from ")


def test_a_cache_that_is_turned_off(pellucid, monkeypatch):
    monkeypatch.setattr(cache_file, "cache", lambda: cache_file.Cache(None))
    assert "none: it is turned off by PELLUCID_CACHE" in pellucid("doctor")[1]
    assert pellucid("doctor", "--clear-cache")[1] == "the cache is turned off by PELLUCID_CACHE\n"


MACHINE = CostModel(
    "measured on a z80, nanoseconds", dict.fromkeys(CHARGES, 2.0), {"add": 1.0, "sin": 40.0}, lanes=4
)


def test_calibrating_prints_and_keeps_the_timer_s_table(pellucid, cache_folder, monkeypatch):
    monkeypatch.setattr(calibration, "calibrate", lambda: MACHINE)
    assert "to measure this one: pellucid doctor --calibrate" in pellucid("doctor")[1]
    status, out, _ = pellucid("doctor", "--calibrate")
    assert status == 0
    assert "measured on a z80, nanoseconds\n" in out
    assert "  branch             2.00  a condition decides between two blocks\n" in out
    assert out.index("  add                1.00\n") < out.index("  sin               40.00\n")
    (kept,) = cache_folder.iterdir()
    assert out.endswith(f"kept in {kept}\n")
    assert "  timer      measured on a z80, nanoseconds" in pellucid("doctor")[1]
    # It is no program.
    assert "  holds      0 programs, " in pellucid("doctor")[1]


def test_calibrating_without_a_cache_prints_the_table(pellucid, monkeypatch):
    monkeypatch.setattr(calibration, "calibrate", lambda: MACHINE)
    monkeypatch.setattr(cache_file, "cache", lambda: cache_file.Cache(None))
    status, out, _ = pellucid("doctor", "--calibrate")
    assert status == 0
    assert out.endswith("not kept: the cache is turned off by PELLUCID_CACHE\n")


def test_a_table_that_cannot_be_kept_is_told(pellucid, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(calibration, "calibrate", lambda: MACHINE)
    monkeypatch.setattr(cache_file, "cache", lambda: cache_file.Cache(tmp_path / "file"))
    status, _, err = pellucid("doctor", "--calibrate")
    assert status != 0
    assert "the timer's table cannot be kept" in err
    assert "name another folder by PELLUCID_CACHE_DIR" in err
