"""A file that somebody names is read whole, or refused in one error; nothing is waited for and nothing has no end."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from tests.systems import linux

from pellucid import images as im
from pellucid.base import opening
from pellucid.base.errors import FileError
from pellucid.base.opening import contents, opened, text_of
from pellucid.cli.hops.edits import opened as opened_program
from pellucid.cli.loading import chosen

#: Every reader of a file that somebody names, by what it reads; none may wait, whatever stands under the name.
READERS: dict[str, Callable[[str], object]] = {
    "bytes": contents,
    "text": text_of,
    "picture": im.read_image,
    "program of registers": im.read_vm,
    "font": lambda name: im.text("a", font=name or "."),
    "program of loops": opened_program,
    "script of a picture": lambda name: chosen(f"{name}:picture"),
}


def in_time(code: str, *arguments: str) -> str:
    """What a program prints that has ten seconds; a pipe without a writer would take forever."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout


HOSTILE = """
import signal, sys
sys.path.insert(0, sys.argv[1])
from tests.base.test_opening import READERS
from pellucid.base.errors import FileError
signal.signal(signal.SIGALRM, signal.SIG_DFL)
for name in READERS:
    for path in sys.argv[2:]:
        signal.alarm(10)
        try:
            READERS[name](path)
        except FileError as error:
            assert path in str(error), error
            assert "is not a file but" in str(error), error
        else:
            raise SystemExit(f"{name} read {path}")
print("refused")
"""


def test_no_reader_waits_for_a_pipe_or_reads_a_device(tmp_path: Path):
    pipe, link, held = tmp_path / "pipe.py", tmp_path / "link.py", tmp_path / "socket.py"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(held))
        paths = [str(pipe), str(link), str(held), str(tmp_path), "/dev/zero", "/dev/null"]
        root = str(Path(__file__).parents[2])
        assert in_time(HOSTILE, root, *paths) == "refused\n"


@pytest.mark.parametrize("reader", READERS)
def test_what_is_not_there_is_told_with_its_name(tmp_path: Path, reader: str):
    (tmp_path / "there.py").write_text("")
    path = tmp_path / "thhere.py"
    with pytest.raises(FileError, match=r"is not there; did you mean 'there\.py'") as caught:
        READERS[reader](str(path))
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("name", ["a\0b", "a" * 300, "\ud800", "", " ", "a/../../b\n", "x" * 5000])
@pytest.mark.parametrize("reader", READERS)
def test_a_name_that_no_file_can_have_is_one_error(reader: str, name: str):
    with pytest.raises(FileError):
        READERS[reader](name)


def test_a_file_larger_than_the_limit_is_refused_unread(tmp_path: Path):
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(6 << 30)
    with pytest.raises(FileError, match=r"has 6\.0 GiB, more than 64\.0 MiB; give the path of a font"):
        contents(path, "a font")
    with pytest.raises(FileError, match=r"has 6\.0 GiB, more than 4\.0 GiB"):
        im.read_image(path)


def test_a_file_larger_than_memory_is_refused_unread(tmp_path: Path):
    path = tmp_path / "sparse.bmp"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    with (
        patch.object(opening, "available_memory", lambda: 1 << 28),
        pytest.raises(FileError, match=r"has 1\.0 GiB, and 256\.0 MiB of memory are available"),
    ):
        im.read_image(path)


def test_the_limit_itself_is_read(tmp_path: Path):
    path = tmp_path / "a"
    for size in (0, 1, 99, 100):
        path.write_bytes(bytes(size))
        assert contents(path, max_bytes=100) == bytes(size)
    path.write_bytes(bytes(101))
    with pytest.raises(FileError, match="has 101 bytes, more than 100 bytes"):
        contents(path, max_bytes=100)


@linux
def test_files_that_do_not_say_how_long_they_are_are_read_up_to_the_limit():
    assert b"VmRSS" in contents("/proc/self/status")
    with pytest.raises(FileError, match="has more than 1000 bytes"):
        contents("/proc/self/maps", max_bytes=1000)


def test_a_file_that_grows_while_it_is_read_is_read_up_to_the_limit(tmp_path: Path):
    path = tmp_path / "a"
    path.write_bytes(b"1234")
    with opened(path) as file:
        with path.open("ab") as more:
            more.write(b"5" * 200_000)
        assert opening._read(file, 1 << 20, "a", "a file") == b"1234" + b"5" * 200_000
    path.write_bytes(b"1234")
    with opened(path) as file, path.open("ab") as more:
        more.write(b"5" * 200_000)
        more.flush()
        with pytest.raises(FileError, match="has more than 1000 bytes"):
            opening._read(file, 1000, "a", "a file")


def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(tmp_path: Path):
    path = tmp_path / "a"
    path.write_bytes(b"1234")
    look = os.open

    def swapped(name, flags, *rest):
        path.unlink()
        os.mkfifo(path)
        return look(name, flags, *rest)

    with (
        patch.object(opening.os, "open", swapped),
        pytest.raises(FileError, match="is not a file but a pipe"),
    ):
        contents(path)


def test_a_link_is_followed_only_where_it_may_be(tmp_path: Path):
    (tmp_path / "real").write_bytes(b"1234")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert contents(tmp_path / "link") == b"1234"
    with pytest.raises(FileError, match="is not a file but a link"):
        contents(tmp_path / "link", follow=False)
    round_ = tmp_path / "round"
    round_.symlink_to(round_)
    with pytest.raises(FileError, match="cannot be read"):
        contents(round_)


def test_no_program_that_is_started_gets_the_file(tmp_path: Path):
    (tmp_path / "a").write_bytes(b"1234")
    with opened(tmp_path / "a") as file:
        assert not os.get_inheritable(file.fileno())
        assert stat.S_ISREG(os.fstat(file.fileno()).st_mode)


def test_text_is_utf_8_with_any_line_ends(tmp_path: Path):
    path = tmp_path / "a"
    path.write_bytes("ä\r\nb\rc\n".encode())
    assert text_of(path) == "ä\nb\nc\n"
    path.write_bytes(b"ab\xff")
    with pytest.raises(FileError, match=r"is not text in UTF-8 \(byte 2\)"):
        text_of(path)


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), MemoryError()])
def test_a_read_that_fails_is_one_error(tmp_path: Path, error: Exception):
    path = tmp_path / "a"
    path.write_bytes(b"1234")

    def fails(*_):
        raise error

    with (
        patch.object(opening, "_read", fails),
        pytest.raises(FileError, match=r"cannot be read \(input/output error\)|does not fit into memory"),
    ):
        contents(path)


TRUNCATED = """
import os, sys
import numpy as np
from pellucid import images as im
import pellucid as pl
path = sys.argv[1]
picture = im.read_image(path)
before = pl.render(picture, (64, 64))
for size in (5000, 54, 10, 0):
    os.truncate(path, size)
    assert np.array_equal(pl.render(picture, (64, 64)), before)
    assert np.isfinite(picture.at(np.linspace(-2000, 2000, 99), 3.0)).all()
    try:
        im.read_image(path)
    except pl.PellucidError:
        pass
    else:
        raise SystemExit("read what is cut off")
print("the same")
"""


def test_a_bitmap_that_is_cut_off_in_place_draws_the_same(tmp_path: Path):
    from PIL import Image

    side = 1500
    colors = np.random.default_rng(1).integers(0, 256, (side, side, 3), np.uint8)
    path = Path(tempfile.mkdtemp(dir=tmp_path)) / "a.bmp"
    Image.fromarray(colors).save(path)
    assert in_time(TRUNCATED, str(path)) == "the same\n"
