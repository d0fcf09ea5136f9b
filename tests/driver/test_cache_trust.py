"""Code from the cache is run only if this user put it there, under that key; anything else is no entry."""

from __future__ import annotations

import hashlib
import itertools
import os
import random
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im
from pellucid.backends.jit import manifest
from pellucid.backends.jit.loading import loaded
from pellucid.backends.llvm import LlvmBackend
from pellucid.base import trust
from pellucid.base.errors import BackendError
from pellucid.base.trust import distrusted
from pellucid.driver import cache as cache_file
from pellucid.driver.cache import KEY_FILE, MARK, SEAL_BYTES, Cache
from pellucid.ir.expr import Buffer
from pellucid.ir.nest import Kernel
from pellucid.ir.parse import parse_nest

HEAD = len(MARK) + SEAL_BYTES


def kernel(number: int) -> Kernel:
    """A kernel that stores multiples of a number; for some numbers into more elements than for others."""
    size = 4 + number % 3
    return parse_nest(
        f"kernel k():\n  output out: i32[{size}]\n  for i in 0 .. {size}:\n    out[i] := i * {number}\n"
    )


def run(number: int, folder: Path) -> list[int]:
    found = kernel(number)
    memory = {found.outputs[0]: np.zeros(found.outputs[0].size, np.int32)}
    LlvmBackend(Cache(folder)).compile(found, {}).run({}, memory)
    return memory[found.outputs[0]].tolist()


def right(number: int) -> list[int]:
    return [i * number for i in range(4 + number % 3)]


def entry_of(folder: Path, number: int) -> Path:
    """The one entry that compiling adds."""
    before = set(folder.glob("*.code"))
    assert run(number, folder) == right(number)
    (path,) = set(folder.glob("*.code")) - before
    return path


def test_an_entry_under_the_name_of_another_is_no_entry(tmp_path: Path):
    folder = tmp_path / "cache"
    made = {number: entry_of(folder, number) for number in range(2, 10)}
    kept = {number: path.read_bytes() for number, path in made.items()}
    pairs = list(itertools.permutations(made, 2))
    assert len(pairs) >= 50
    for one, other in pairs:
        made[other].write_bytes(kept[one])
        with patch.object(Cache, "_path", lambda self, key, path=made[other]: path):
            assert Cache(folder).get("any") is None
        made[other].write_bytes(kept[one])
        assert run(other, folder) == right(other)
        assert made[other].read_bytes() == kept[other], "it is made again"


def test_pictures_whose_entries_are_exchanged_are_drawn_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PELLUCID_CACHE_DIR", str(tmp_path / "cache"))
    cache_file.cache.cache_clear()
    pictures = [im.disk(float(r)) for r in (3, 5, 7)]
    wanted = [pl.render(p, (32, 32), backend="llvm") for p in pictures]
    files = sorted((tmp_path / "cache").glob("*.code"))
    data = [path.read_bytes() for path in files]
    for path, other in zip(files, data[1:] + data[:1], strict=True):
        path.write_bytes(other)
    cache_file.cache.cache_clear()
    for picture, pixels in zip(pictures, wanted, strict=True):
        assert np.array_equal(pl.render(picture, (32, 32), backend="llvm"), pixels)
    cache_file.cache.cache_clear()


SEALS: dict[str, Callable[[bytes, bytes], bytes]] = {
    "a hash without a secret": lambda name, value: hashlib.blake2b(value, digest_size=SEAL_BYTES).digest(),
    "a hash of the name and the value": lambda name, value: hashlib.sha256(name + value).digest(),
    "the hash of another secret": lambda name, value: hashlib.blake2b(
        name + value, key=bytes(32), digest_size=SEAL_BYTES, person=MARK
    ).digest(),
}


@pytest.mark.parametrize("seal", SEALS)
def test_content_that_is_changed_with_its_checksum_is_no_entry(tmp_path: Path, seal: str):
    folder, choose = tmp_path / "cache", random.Random(3)
    path = entry_of(folder, 7)
    whole = path.read_bytes()
    for _ in range(150):
        value = bytearray(whole[HEAD:])
        for _ in range(choose.randint(0, 5)):
            value[choose.randrange(len(value))] = choose.randrange(256)
        if choose.random() < 0.2:
            del value[choose.randrange(len(value)) :]
        path.write_bytes(MARK + SEALS[seal](path.name.encode(), bytes(value)) + value)
        with patch.object(Cache, "_path", lambda self, key: path):
            assert Cache(folder).get("any") is None
    path.write_bytes(MARK + SEALS[seal](path.name.encode(), whole[HEAD:]) + whole[HEAD:])
    assert run(7, folder) == right(7)


@pytest.mark.parametrize("value", [b"", b"\0", b"\x7fELF", b"\x7fELF" + bytes(500), b"{}", b'{"key": 1}\n'])
def test_sealed_content_that_is_unusable_is_no_entry(tmp_path: Path, value: bytes):
    folder = tmp_path / "cache"
    found = kernel(3)
    cache = Cache(folder)
    backend = LlvmBackend(cache)
    code = backend.compile(found, {})
    # What a version with a mistake might have written: it is this user's, and of no use.
    cache.put(code.key, value)
    assert run(3, folder) == right(3)
    assert run(3, folder) == right(3)
    assert Cache(folder).get(code.key) not in (None, value), "it is replaced"


def test_damaged_entries_are_no_entries():
    found = kernel(3)
    backend = LlvmBackend(Cache(None))
    code = backend.compile(found, {})
    whole, choose = backend.entry(code, found.outputs), random.Random(5)
    assert backend.recall(whole, found.outputs) is not None
    for number in range(600):
        data = bytearray(whole)
        for _ in range(choose.randint(1, 4)):
            data[choose.randrange(len(data))] = choose.choice(b'{}[]",:0123456789abc\n\\\xff\0')
        if number % 5 == 0:
            del data[choose.randrange(len(data)) :]
        read = manifest.read(bytes(data), found.outputs)
        assert read is None or len(read) == 3
    for data in (b"", b"\n", b"[" * 100_000 + b"\n", b"null\n", b"{}\n", b'{"bound": 3}\n', b"\xff\n"):
        assert manifest.read(data, found.outputs) is None


def test_an_entry_for_other_buffers_is_no_entry():
    found = kernel(3)
    backend = LlvmBackend(Cache(None))
    entry = backend.entry(backend.compile(found, {}), found.outputs)
    out = found.outputs[0]
    assert backend.recall(entry, [Buffer(out.name, out.type, out.size + 1)]) is None
    assert backend.recall(entry, []) is None


def test_code_that_cannot_be_loaded_is_made_again_and_only_good_code_is_kept():
    cache = Cache(None)

    def load(code: bytes) -> int:
        if code != b"good":
            raise KeyError("bound")
        return 1

    cache.put("key", b"bad")
    assert loaded(cache, "key", lambda: b"good", load) == 1
    assert cache.get("key") == b"good"
    with pytest.raises(KeyError):
        loaded(cache, "other", lambda: b"bad", load)
    assert cache.get("other") is None
    with pytest.raises(BackendError):
        LlvmBackend().machine.link(b"no object")


# ---- files and folders of others ----


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_an_entry_that_others_may_write_is_not_run(tmp_path: Path, mode: int):
    folder = tmp_path / "cache"
    Cache(folder).put("key", b"code")
    (path,) = folder.glob("*.code")
    path.chmod(mode)
    assert Cache(folder).get("key") is None
    Cache(folder).put("key", b"code")
    assert path.stat().st_mode & 0o777 == 0o600
    assert Cache(folder).get("key") == b"code"


def test_what_another_user_owns_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "cache"
    Cache(folder).put("key", b"code")
    reads = Cache(folder)
    assert reads._usable()
    owner = os.getuid()
    monkeypatch.setattr(trust.os, "getuid", lambda: owner + 1)
    assert reads.get("key") is None
    with pytest.warns(UserWarning, match="others"):
        assert Cache(folder).get("key") is None


def test_caches_that_begin_at_once_share_one_secret(tmp_path: Path):
    for turn in range(20):
        folder = tmp_path / str(turn)
        gate = threading.Barrier(4)

        def put(number: int, folder: Path = folder, gate: threading.Barrier = gate):
            cache = Cache(folder)
            gate.wait(timeout=30)
            cache.put(str(number), b"code")

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(put, range(4)))
        later = Cache(folder)
        assert [later.get(str(number)) for number in range(4)] == [b"code"] * 4


@pytest.mark.parametrize("key", ["gone", "short", "long", "readable", "link", "pipe", "folder"])
def test_a_secret_that_others_may_know_is_replaced(tmp_path: Path, key: str):
    folder = tmp_path / "cache"
    Cache(folder).put("key", b"code")
    path = folder / KEY_FILE
    before = path.read_bytes()
    if key == "readable":
        path.chmod(0o640)
    else:
        path.unlink()
    if key in ("short", "long"):
        path.write_bytes(before[:5] if key == "short" else before + b"0")
        path.chmod(0o600)
    elif key == "link":
        (tmp_path / "known").write_bytes(before)
        (tmp_path / "known").chmod(0o600)
        path.symlink_to(tmp_path / "known")
    elif key == "pipe":
        os.mkfifo(path, 0o600)
    elif key == "folder":
        path.mkdir()
        with pytest.warns(UserWarning, match="is a folder"):
            assert Cache(folder).get("key") is None
        return
    assert Cache(folder).get("key") is None
    assert path.read_bytes() != before
    assert path.stat().st_mode & 0o777 == 0o600
    Cache(folder).put("key", b"code")
    assert Cache(folder).get("key") == b"code"


def test_a_link_or_a_pipe_in_the_place_of_an_entry_is_no_entry(tmp_path: Path):
    folder, outside = tmp_path / "cache", tmp_path / "outside"
    Cache(folder).put("key", b"code")
    (path,) = folder.glob("*.code")
    outside.write_bytes(path.read_bytes())
    os.utime(outside, (1, 1))
    for make in (lambda: path.symlink_to(outside), lambda: os.mkfifo(path), lambda: path.symlink_to(path)):
        path.unlink()
        make()
        assert Cache(folder).get("key") is None
        Cache(folder, limit=1).put("other", b"code")
        Cache(folder).put("key", b"code")
        assert Cache(folder).get("key") == b"code"
        assert not path.is_symlink()
    assert outside.stat().st_mtime == 1, "nothing is done to what a link names"
    assert outside.exists()


def test_what_links_name_is_neither_counted_nor_removed(tmp_path: Path):
    folder, outside = tmp_path / "cache", tmp_path / "outside.bin"
    outside.write_bytes(bytes(9000))
    Cache(folder).put("key", b"code")
    link = folder / f"{'0' * 64}.code"
    link.symlink_to(outside)
    os.utime(link, (1, 1), follow_symlinks=False)
    cache = Cache(folder, limit=2000)
    for k in range(10):
        cache.put(f"key {k}", bytes(900))
    assert link.is_symlink()
    assert outside.stat().st_size == 9000


@pytest.mark.parametrize("mode", [0o777, 0o772])
def test_a_folder_below_one_that_others_may_write_is_not_trusted(tmp_path: Path, mode: int):
    above = tmp_path / "above"
    above.mkdir()
    folder = above / "deep" / "cache"
    Cache(folder).put("key", b"code")
    above.chmod(mode)
    with pytest.warns(UserWarning, match="can be replaced by others, who can write to"):
        assert Cache(folder).get("key") is None
    (tmp_path / "link").symlink_to(above / "deep")
    with pytest.warns(UserWarning, match="can be replaced by others, who can write to"):
        assert Cache(tmp_path / "link" / "cache").get("key") is None
    # As in /tmp: nobody but the owner moves what is there.
    above.chmod(mode | 0o1000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Cache(folder).get("key") == b"code"


def test_links_on_the_way_are_followed_and_looked_at(tmp_path: Path):
    (tmp_path / "real" / "cache").mkdir(parents=True, mode=0o700)
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "up").symlink_to("real/../link")
    assert distrusted(tmp_path / "link" / "cache") is None
    assert distrusted(tmp_path / "up" / "cache") is None
    (tmp_path / "round").symlink_to("round")
    assert distrusted(tmp_path / "round" / "cache") == "is behind links that go round in a circle"
    with pytest.raises(FileNotFoundError):
        distrusted(tmp_path / "nowhere")


def test_owners_without_a_number_are_trusted_in_a_sandbox_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = tmp_path / "above" / "cache"
    folder.mkdir(parents=True, mode=0o700)
    stat = Path.stat

    def unnumbered(path: Path, **named: bool) -> os.stat_result:
        found = stat(path, **named)
        owner = found.st_uid if path == folder else 65534
        return os.stat_result((*found[:4], owner, *found[5:]))

    monkeypatch.setattr(trust.Path, "stat", unnumbered)
    texts = {"/proc/self/uid_map": "1000 1000 1\n", "/proc/sys/kernel/overflowuid": "65534\n"}
    monkeypatch.setattr(trust.Path, "read_text", lambda path, **named: texts[str(path)])
    assert distrusted(folder) is None
    texts["/proc/self/uid_map"] = " 0          0 4294967295\n"
    assert "can be replaced by others" in (distrusted(folder) or "")
