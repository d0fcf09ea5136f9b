"""A file appears whole or not at all, whatever goes wrong on the way."""

from __future__ import annotations

import os
import stat
from contextlib import nullcontext

import numpy as np
import pytest
from tests.systems import linux

from pellucid.base.atomic import atomic_write
from pellucid.base.errors import FileError, InputError
from pellucid.canvas.draw import animate, save
from pellucid.canvas.sinks import Video

OLD = b"what was there before"


def only(folder, *names):
    return sorted(item.name for item in folder.iterdir()) == sorted(names)


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, MemoryError])
def test_an_interrupted_write_leaves_the_old_file(tmp_path, error):
    path = tmp_path / "a.png"
    path.write_bytes(OLD)

    def write():
        with atomic_write(path) as file:
            file.write(b"half")
            raise error

    with pytest.raises(error):
        write()
    assert path.read_bytes() == OLD
    assert only(tmp_path, "a.png")


def test_a_failing_encoder_leaves_nothing(kernel, tmp_path, monkeypatch):
    from PIL import Image

    def fails(self, file, *args, **named):
        file.write(b"half")
        raise RuntimeError("encoder broke")

    monkeypatch.setattr(Image.Image, "save", fails)
    with pytest.raises(RuntimeError, match="encoder broke"):
        save(kernel, tmp_path / "a.webp", 8)
    with pytest.raises(RuntimeError, match="encoder broke"):
        animate(kernel, tmp_path / "b.png", 8)
    assert only(tmp_path)


@pytest.mark.parametrize("suffix", [".png", ".gif", ".webp", ".npy", ".mp4", ".webm"])
def test_ctrl_c_between_frames_leaves_the_old_file(kernel, tmp_path, suffix):
    if suffix in (".mp4", ".webm"):
        pytest.importorskip("av")
    path = tmp_path / f"film{suffix}"
    path.write_bytes(OLD)
    render = kernel.render

    def interrupted(*args, **named):
        if len(kernel.calls) == 7:
            raise KeyboardInterrupt
        return render(*args, **named)

    kernel.render = interrupted
    with pytest.raises(KeyboardInterrupt):
        animate(kernel, path, (32, 32), seconds=2, fps=10)
    assert path.read_bytes() == OLD
    assert only(tmp_path, path.name)


def test_a_failing_video_encoder_leaves_nothing(kernel, tmp_path, monkeypatch):
    pytest.importorskip("av")
    add = Video.add

    def fails(self, colors):
        add(self, colors)
        if self._frames == 3:
            raise RuntimeError("encoder broke")

    monkeypatch.setattr(Video, "add", fails)
    with pytest.raises(RuntimeError, match="encoder broke"):
        animate(kernel, tmp_path / "film.mp4", (32, 32))
    assert only(tmp_path)


def test_a_full_disk_is_one_error(tmp_path):
    with (
        pytest.raises(
            FileError, match=r"a.png: cannot be written \(no space left on device\); free some space"
        ),
        atomic_write(tmp_path / "a.png"),
    ):
        raise OSError(28, "No space left on device")
    assert only(tmp_path)


def test_a_missing_folder_is_one_error(kernel, tmp_path):
    with pytest.raises(
        FileError, match=r"cannot be written \(no such file or directory\); make the folder '.*nowhere'"
    ):
        save(kernel, tmp_path / "nowhere" / "a.png", 8)


def test_a_folder_is_not_a_file(kernel, tmp_path):
    (tmp_path / "a.png").mkdir()
    with pytest.raises(FileError, match=r"is a folder; name a file in it"):
        save(kernel, tmp_path / "a.png", 8)


def test_a_protected_folder_is_one_error(kernel, protected):
    with pytest.raises(FileError, match=r"cannot be written \(permission denied\)"):
        save(kernel, protected / "a.png", 8)


def test_a_protected_file_is_one_error(kernel, tmp_path, monkeypatch):
    path = tmp_path / "a.png"
    path.write_bytes(OLD)
    monkeypatch.setattr(os, "access", lambda target, mode: False)
    with pytest.raises(FileError, match="is write-protected; change its permissions"):
        save(kernel, path, 8)
    assert path.read_bytes() == OLD


def test_permissions_are_those_of_any_new_file_or_of_the_old_one(kernel, tmp_path):
    plain, old = tmp_path / "plain", tmp_path / "old.png"
    plain.write_bytes(b"")
    save(kernel, tmp_path / "new.png", 8)
    assert (tmp_path / "new.png").stat().st_mode == plain.stat().st_mode
    old.write_bytes(OLD)
    old.chmod(0o640)
    save(kernel, old, 8)
    assert stat.S_IMODE(old.stat().st_mode) == 0o640


def test_a_link_stays_a_link(kernel, tmp_path):
    (tmp_path / "real.png").write_bytes(OLD)
    (tmp_path / "link.png").symlink_to(tmp_path / "real.png")
    save(kernel, tmp_path / "link.png", 8)
    assert (tmp_path / "link.png").is_symlink()
    assert (tmp_path / "real.png").read_bytes() != OLD


def test_a_pipe_receives_the_bytes_and_stays_a_pipe(tmp_path):
    import threading

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    with atomic_write(pipe) as file:
        file.write(b"hello")
    reader.join(5)
    assert got == [b"hello"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert only(tmp_path, "pipe")


def test_a_written_file_is_complete(tmp_path):
    with atomic_write(tmp_path / "a.npy") as file:
        np.save(file, np.arange(5))
        assert not (tmp_path / "a.npy").exists()
    assert np.load(tmp_path / "a.npy").tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    "name", ["a\0.png", "a" * 300 + ".png", "\ud800.png", "x/" * 3000 + "a.png", "a.png/b.png"]
)
def test_a_name_that_no_file_can_have_is_one_error(kernel, tmp_path, name):
    (tmp_path / "a.png").write_bytes(OLD)
    with pytest.raises(
        (FileError, InputError), match=r"cannot be written|that no file name has|is not a path"
    ):
        save(kernel, f"{tmp_path}/{name}", 8)
    with pytest.raises(FileError), atomic_write(f"{tmp_path}/{name}") as file:
        file.write(b"hello")
    assert only(tmp_path, "a.png")
    assert (tmp_path / "a.png").read_bytes() == OLD


@linux
def test_a_device_that_takes_nothing_is_one_error(tmp_path):
    full = r"full: cannot be written \(no space left on device\)"
    with pytest.raises(FileError, match=full), atomic_write("/dev/full") as file:
        file.write(b"hello")
    with atomic_write("/dev/null") as file:
        file.write(b"hello")
    link = tmp_path / "round"
    link.symlink_to(link)
    with pytest.raises(FileError, match="cannot be written"), atomic_write(link) as file:
        file.write(b"hello")


def test_a_private_file_takes_the_place_of_what_is_there_and_follows_nothing(tmp_path):
    outside, link, pipe = tmp_path / "outside", tmp_path / "link", tmp_path / "pipe"
    outside.write_bytes(OLD)
    link.symlink_to(outside)
    os.mkfifo(pipe)
    for path in (link, pipe, tmp_path / "new"):
        with atomic_write(path, private=True) as file:
            file.write(b"mine")
        assert path.read_bytes() == b"mine"
        assert stat.S_IMODE(path.lstat().st_mode) == 0o600
        assert stat.S_ISREG(path.lstat().st_mode)
    assert outside.read_bytes() == OLD


@pytest.mark.parametrize("before", [b"first", None])
def test_what_is_there_stays_where_it_is_not_to_be_replaced(tmp_path, before):
    target = tmp_path / "out"
    refused = pytest.raises(FileError, match="exists") if before else nullcontext()
    with refused, atomic_write(target, replace=False) as file:
        file.write(b"second")
        if before:
            target.write_bytes(before)
    assert target.read_bytes() == (before or b"second")
    assert [item.name for item in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("unnamed", [True, False])
def test_nobody_reads_a_protected_file_while_it_is_written(tmp_path, monkeypatch, unnamed):
    if not unnamed:
        monkeypatch.setattr("pellucid.base.atomic._unnamed", lambda folder, permissions: None)
    path = tmp_path / "a"
    path.write_bytes(OLD)
    path.chmod(0o600)
    mask = os.umask(0)
    try:
        with atomic_write(path) as file:
            assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == 0o600
        with atomic_write(tmp_path / "b") as file:
            file.write(b"new")
    finally:
        os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "b").stat().st_mode) == 0o666
