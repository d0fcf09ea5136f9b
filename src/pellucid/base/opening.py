"""Opening: the one way in which a file that somebody names is read.

Ground floor. Every reader of pictures, fonts, sounds, programs and arrays takes its bytes from here. A pipe, a device
or a socket is refused before it is opened, because reading one may wait forever or never end. A file is read whole
into memory of this process, up to a limit, so that nobody who changes the file later changes what was read.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from .errors import FileError, did_you_mean
from .memory import available_memory, readable_bytes

#: Flags beside those for reading. A pipe that takes the place of a file between two looks must not be waited for.
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
#: Bytes of programs, fonts and other files that people write: 64 MiB, more than the largest font in use.
MAX_BYTES = 1 << 26
#: Bytes from which on a file is compared with the memory that is available.
_LARGE = 1 << 26
#: Bytes read at once from a file that does not say how long it is, as those of /proc.
_CHUNK = 1 << 16
#: Names of a folder that are compared with one that is not there.
_MAX_NAMES = 1000
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
    stat.S_IFLNK: "a link",
}


def contents(
    path: str | os.PathLike[str], noun: str = "a file", *, max_bytes: int = MAX_BYTES, follow: bool = True
) -> bytes:
    """The bytes of a regular file, which is closed again.

    `noun` says in messages what is wanted, such as "a font". Raises `FileError` for what is not there, no regular file,
    longer than `max_bytes`, larger than memory, or cannot be read; for a link too, unless `follow` is true.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "hello.txt").write_bytes(b"hello")
    >>> contents(folder / "hello.txt")
    b'hello'
    >>> contents("/", "a font")
    Traceback (most recent call last):
        ...
    pellucid.base.errors.FileError: /: is not a file but a folder; give the path of a font
    """
    shown = os.fsdecode(path)
    try:
        with opened(path, noun, max_bytes=max_bytes, follow=follow) as file:
            return _read(file, max_bytes, shown, noun)
    except MemoryError:
        raise FileError(
            "does not fit into memory", place=shown, fix=f"give a smaller file as {noun}"
        ) from None


def text_of(path: str | os.PathLike[str], noun: str = "a file", *, max_bytes: int = MAX_BYTES) -> str:
    r"""The text of a regular file in UTF-8, its lines ended by "\n"; otherwise as `contents`.

    Raises `FileError` for bytes that are no such text.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "hello.txt"
    >>> _ = path.write_bytes(b"one\r\ntwo")
    >>> text_of(path)
    'one\ntwo'
    """
    data = contents(path, noun, max_bytes=max_bytes)
    try:
        found = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileError(
            f"is not text in UTF-8 (byte {error.start})",
            place=os.fsdecode(path),
            fix=f"give the path of {noun}",
        ) from None
    return found.replace("\r\n", "\n").replace("\r", "\n")


@contextmanager
def opened(
    path: str | os.PathLike[str], noun: str = "a file", *, max_bytes: int = MAX_BYTES, follow: bool = True
) -> Generator[BinaryIO]:
    """A regular file, open for reading; errors of reading it within are told as `contents` tells them.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "hello.txt"
    >>> _ = path.write_bytes(b"hello")
    >>> with opened(path) as file:
    ...     file.read(4)
    b'hell'
    """
    shown = os.fsdecode(path)
    try:
        # A device is looked at first: opening one may already do something.
        _check(Path(path).stat(follow_symlinks=follow), shown, noun, max_bytes)
        handle = os.open(path, _FLAGS if follow else _FLAGS | _NO_LINK)
        with os.fdopen(handle, "rb") as file:
            _check(os.fstat(handle), shown, noun, max_bytes)
            yield file
    except FileError:
        raise
    except (OSError, ValueError) as error:
        raise _file_error(path, shown, noun, error) from None


def _check(state: os.stat_result, shown: str, noun: str, max_bytes: int) -> None:
    kind = stat.S_IFMT(state.st_mode)
    if kind != stat.S_IFREG:
        what = _KINDS.get(kind, "something else")
        raise FileError(f"is not a file but {what}", place=shown, fix=f"give the path of {noun}")
    if state.st_size > max_bytes:
        raise FileError(
            f"has {readable_bytes(state.st_size)}, more than {readable_bytes(max_bytes)}",
            place=shown,
            fix=f"give the path of {noun}",
        )
    available = available_memory() if state.st_size > _LARGE else None
    if available is not None and state.st_size > available:
        raise FileError(
            f"has {readable_bytes(state.st_size)}, and {readable_bytes(available)} of memory are available",
            place=shown,
            fix=f"give a smaller file as {noun}",
        )


def _read(file: BinaryIO, max_bytes: int, shown: str, noun: str) -> bytes:
    size = os.fstat(file.fileno()).st_size
    # One byte more than it says, so that a file that says its length needs no second buffer.
    data = file.read(min(size, max_bytes) + 1)
    if len(data) <= min(size, max_bytes):
        return data
    parts, total = [data], len(data)
    while total <= max_bytes and (part := file.read(_CHUNK)):
        parts.append(part)
        total += len(part)
    if total > max_bytes:
        raise FileError(
            f"has more than {readable_bytes(max_bytes)}", place=shown, fix=f"give the path of {noun}"
        )
    return b"".join(parts)


def _file_error(
    path: str | os.PathLike[str], shown: str, noun: str, error: OSError | ValueError
) -> FileError:
    if isinstance(error, FileNotFoundError):
        return FileError("is not there", place=shown, fix=_near(Path(path)) or "check the name")
    reason = getattr(error, "strerror", None) or str(error)
    if getattr(error, "errno", None) == errno.ELOOP:
        fix = "give the file that the link names"
    elif isinstance(error, PermissionError):
        fix = "change its permissions"
    else:
        fix = f"give the path of {noun}"
    return FileError(f"cannot be read ({reason[:1].lower()}{reason[1:]})", place=shown, fix=fix)


def _near(path: Path) -> str | None:
    """A hint at a file of the folder that has nearly that name."""
    try:
        with os.scandir(path.parent) as listing:
            names = [each.name for each in islice(listing, _MAX_NAMES)]
    except OSError:
        return None
    return did_you_mean(path.name, names)
