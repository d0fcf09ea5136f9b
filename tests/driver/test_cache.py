"""The cache of compiled code: kept, shared, limited, and never a reason to fail."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

from pellucid.backends.jit import engine
from pellucid.backends.llvm import LlvmBackend
from pellucid.base.atomic import MAX_STEM
from pellucid.driver.cache import MARK, STALE_SECONDS, Cache, folder_of, limit_of
from pellucid.ir.parse import parse_nest


def entries(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.code"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "cache"


def test_what_was_put_is_there_for_another_process(folder: Path):
    Cache(folder).put("key", b"code")
    assert Cache(folder).get("key") == b"code"
    assert Cache(folder).get("other") is None
    assert len(entries(folder)) == 1


def test_empty_and_large_values_are_kept(folder: Path):
    large = os.urandom(1 << 20)
    cache = Cache(folder)
    cache.put("empty", b"")
    cache.put("large", large)
    assert Cache(folder).get("empty") == b""
    assert Cache(folder).get("large") == large


DAMAGE = {
    "cut short": lambda data: data[:-1],
    "cut to its mark": lambda data: data[: len(MARK)],
    "empty": lambda data: b"",
    "one bit": lambda data: data[:-3] + bytes([data[-3] ^ 1]) + data[-2:],
    "another sum": lambda data: data[: len(MARK)] + bytes(32) + data[len(MARK) + 32 :],
    "foreign": lambda data: b"#!/bin/sh\necho\n" * 20,
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_no_entry_and_is_replaced(folder: Path, damage: str):
    Cache(folder).put("key", b"code" * 100)
    (path,) = entries(folder)
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    fresh = Cache(folder)
    assert fresh.get("key") is None
    fresh.put("key", b"code" * 100)
    assert Cache(folder).get("key") == b"code" * 100


def test_code_from_a_damaged_entry_is_never_run(folder: Path):
    kernel = parse_nest("kernel k():\n  output out: i32[4]\n  for i in 0 .. 4:\n    out[i] := i * 5\n")
    LlvmBackend(Cache(folder)).compile(kernel, {})
    for path in entries(folder):
        data = path.read_bytes()
        half = min(200, len(data) // 2)
        path.write_bytes(data[:half] + bytes(len(data) - half))
    memory = {kernel.outputs[0]: np.zeros(4, np.int32)}
    LlvmBackend(Cache(folder)).compile(kernel, {}).run({}, memory)
    assert memory[kernel.outputs[0]].tolist() == [0, 5, 10, 15]


def test_a_folder_in_the_place_of_an_entry_is_no_entry(folder: Path):
    cache = Cache(folder)
    cache.put("key", b"code")
    (path,) = entries(folder)
    path.unlink()
    path.mkdir()
    assert Cache(folder).get("key") is None


def test_the_key_counts_whole(folder: Path):
    cache = Cache(folder)
    for k in range(20):
        cache.put(f"key {k}", str(k).encode())
    assert [Cache(folder).get(f"key {k}") for k in range(20)] == [str(k).encode() for k in range(20)]


def test_another_version_of_the_program_does_not_see_it(folder: Path, monkeypatch: pytest.MonkeyPatch):
    import pellucid

    Cache(folder).put("key", b"code")
    monkeypatch.setattr(pellucid, "__version__", "999")
    assert Cache(folder).get("key") is None


# ---- limits ----


def test_what_was_used_least_lately_goes_first(folder: Path):
    limit = 40_000
    for k in range(12):
        Cache(folder, limit=limit).put(f"key {k}", bytes(4000))
        # Times of files may be coarse; make the order plain.
        for path in entries(folder):
            if path.stat().st_mtime > time.time() - 100:
                os.utime(path, (1_000_000 + k, 1_000_000 + k))
        if k == 5:
            assert Cache(folder).get("key 0") is not None
            for path in entries(folder):
                if path.stat().st_mtime > time.time() - 100:
                    os.utime(path, (1_000_005.5, 1_000_005.5))
    kept = [k for k in range(12) if Cache(folder, limit=limit).get(f"key {k}") is not None]
    assert 0 in kept, "it was used"
    assert 11 in kept
    assert 1 not in kept
    assert sum(p.stat().st_size for p in entries(folder)) <= limit


def test_memory_is_limited():
    cache = Cache(None, memory=1000)
    for k in range(10):
        cache.put(f"key {k}", bytes(300))
    assert [k for k in range(10) if cache.get(f"key {k}") is not None] == [7, 8, 9]
    cache.put("huge", bytes(5000))
    assert cache.get("huge") == bytes(5000)


def test_files_that_are_not_ours_stay(folder: Path):
    folder.mkdir(parents=True, mode=0o700)
    (folder / "notes.txt").write_text("mine")
    (folder / "short.code").write_text("mine too")
    cache = Cache(folder, limit=2000)
    for k in range(10):
        cache.put(f"key {k}", bytes(900))
    assert (folder / "notes.txt").read_text() == "mine"
    assert (folder / "short.code").read_text() == "mine too"


def test_remains_of_interrupted_writes_are_removed_in_time(folder: Path):
    folder.mkdir(parents=True, mode=0o700)
    old, new = (folder / f".{c * MAX_STEM}.{c * 16}.part" for c in "01")
    others = [folder / "tmpold.part", folder / "thesis.part", folder / f".{'g' * MAX_STEM}.{'0' * 16}.part"]
    for path in (old, new, *others):
        path.write_bytes(b"half")
    past = time.time() - STALE_SECONDS - 10
    for path in (old, *others):
        os.utime(path, (past, past))
    Cache(folder).put("key", b"code")
    assert not old.exists()
    assert new.exists()
    assert all(path.read_bytes() == b"half" for path in others), "files that the cache did not write stay"


# ---- places that cannot be used ----


def quiet_after_one_warning(cache: Cache, match: str) -> None:
    with pytest.warns(UserWarning, match=match):
        cache.put("key", b"code")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cache.put("other", b"code")
        assert cache.get("other") == b"code"
        assert cache.get("nothing") is None


def test_a_file_in_the_place_of_the_folder_is_one_warning(tmp_path: Path):
    (tmp_path / "cache").write_text("in the way")
    quiet_after_one_warning(Cache(tmp_path / "cache"), "cannot be made")


def test_a_folder_that_cannot_be_written_is_one_warning(protected: Path):
    quiet_after_one_warning(Cache(protected), "cannot be written")


def test_a_folder_that_others_can_write_to_is_not_trusted(folder: Path):
    Cache(folder).put("key", b"code")
    folder.chmod(0o777)
    quiet_after_one_warning(Cache(folder), "written by others")
    fresh = Cache(folder)
    with pytest.warns(UserWarning, match="written by others"):
        assert fresh.get("key") is None


def test_the_folder_is_for_its_owner_only(folder: Path):
    Cache(folder).put("key", b"code")
    assert folder.stat().st_mode & 0o077 == 0


def test_a_full_disk_is_one_warning(folder: Path, monkeypatch: pytest.MonkeyPatch):
    def full(*_args, **_options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pellucid.base.atomic.os.open", full)
    quiet_after_one_warning(Cache(folder), "no space left")


# ---- the environment ----


def test_the_environment_says_where():
    home = Path("~/.cache").expanduser()
    assert folder_of({}) == home / "pellucid"
    assert folder_of({"XDG_CACHE_HOME": "/var/x"}) == Path("/var/x/pellucid")
    assert folder_of({"XDG_CACHE_HOME": "relative"}) == home / "pellucid"
    assert folder_of({"PELLUCID_CACHE_DIR": "/var/y", "XDG_CACHE_HOME": "/var/x"}) == Path("/var/y")
    assert folder_of({"PELLUCID_CACHE": "off", "PELLUCID_CACHE_DIR": "/var/y"}) is None
    assert limit_of({}) == 256 << 20
    assert limit_of({"PELLUCID_CACHE_SIZE": "3"}) == 3 << 20
    with pytest.warns(UserWarning, match="PELLUCID_CACHE_SIZE is 'much', not a whole number of megabytes"):
        assert limit_of({"PELLUCID_CACHE_SIZE": "much"}) == 256 << 20


PROGRAM = """
import numpy as np
from pellucid.backends.llvm import LlvmBackend
from pellucid.driver.cache import cache
from pellucid.ir.parse import parse_nest
kernel = parse_nest("kernel k():\\n  output out: i32[4]\\n  for i in 0 .. 4:\\n    out[i] := i * 77\\n")
memory = {kernel.outputs[0]: np.zeros(4, np.int32)}
LlvmBackend(cache()).compile(kernel, {}).run({}, memory)
print(memory[kernel.outputs[0]].tolist())
"""


def test_off_means_off(tmp_path: Path):
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "PELLUCID_CACHE": "off"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[0, 77, 154, 231]\n"
    assert list(tmp_path.iterdir()) == []


def test_two_programs_share_the_folder(tmp_path: Path):
    environment = {**os.environ, "PELLUCID_CACHE_DIR": str(tmp_path / "c")}
    runs = [
        subprocess.Popen([sys.executable, "-c", PROGRAM], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    assert [r.communicate(timeout=60)[0] for r in runs] == ["[0, 77, 154, 231]\n"] * 2
    assert len(entries(tmp_path / "c")) == 1
    assert not list((tmp_path / "c").glob("*.part"))


def write_many(folder: str, number: int) -> None:
    cache = Cache(Path(folder), limit=60_000)
    for k in range(60):
        cache.put(f"key {k % 20}", bytes([k % 20]) * 3000)
        found = Cache(Path(folder)).get(f"key {(k + number) % 20}")
        if found is not None and found != bytes([(k + number) % 20]) * 3000:
            raise SystemExit(3)


def test_processes_that_write_at_once_never_see_half_a_file(folder: Path):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=write_many, args=(str(folder), k)) for k in range(3)]
    for w in workers:
        w.start()
    for w in workers:
        w.join(120)
    assert [w.exitcode for w in workers] == [0, 0, 0]


def test_the_compiler_is_not_asked_for_what_the_folder_has(folder: Path, monkeypatch: pytest.MonkeyPatch):
    kernel = parse_nest("kernel k():\n  output out: i32[4]\n  for i in 0 .. 4:\n    out[i] := i * 6\n")
    LlvmBackend(Cache(folder)).compile(kernel, {})
    monkeypatch.setattr(engine.Machine, "compile", None)
    memory = {kernel.outputs[0]: np.zeros(4, np.int32)}
    LlvmBackend(Cache(folder)).compile(kernel, {}).run({}, memory)
    assert memory[kernel.outputs[0]].tolist() == [0, 6, 12, 18]
