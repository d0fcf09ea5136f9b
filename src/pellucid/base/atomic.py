"""Atomic writes: a file appears whole or not at all.

Ground floor. Every file of `canvas`, of `signals`, of the cache and of the command line is written through
`atomic_write`: first into a file beside the target, then moved over the target in one step. Whatever goes wrong on the
way, Ctrl-C and the end of the process included, nothing is left beside the target and an existing file stays as it was.

Where the system can, the file beside the target has no name until it is finished, so that it vanishes with the process
however that ends. Elsewhere it has a name that ends in `.part`, and is removed when the process is told to end.
"""

from __future__ import annotations

import errno
import os
import signal
import stat
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import BinaryIO

from pellucid.base.errors import FileError

#: Files and folders that exist for now only, for whoever ends the process before they are finished.
unfinished: set[str] = set()
SUFFIX = ".part"
#: Letters of the target's name in that of the file beside it, so that the name is no longer than systems allow.
MAX_STEM = 40
_ENDS = [number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None]
_FLAGS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


@contextmanager
def atomic_write(
    path: str | os.PathLike[str], *, private: bool = False, replace: bool = True
) -> Generator[BinaryIO]:
    """A seekable binary file that becomes `path` when the block ends well and vanishes when it does not.

    Its `name` is a path under which it can be opened again. A symbolic link is followed, an existing file keeps its
    permissions, and a device or pipe receives the bytes at the end; a `private` file is for its owner only, and takes
    the place of a link, a device or a pipe. Raises `FileError` if the file cannot be written, or if `replace` is False
    and something has that name: of many who write such a file at once, one succeeds.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with atomic_write(folder / "hello.txt") as file:
    ...     _ = file.write(b"hello")
    >>> [item.name for item in folder.iterdir()]
    ['hello.txt']
    """
    shown = os.fsdecode(path)
    try:
        target = Path(shown if private else os.path.realpath(shown))
        mode = _mode(target, private=private)
    except (OSError, ValueError) as error:
        raise _file_error(shown, error) from error
    if mode is not None and stat.S_ISDIR(mode):
        raise FileError("is a folder", place=shown, fix="name a file in it")
    regular = private or mode is None or stat.S_ISREG(mode)
    spool = target if regular else Path(_temporary(), "out")
    if mode is not None and regular and not private and not os.access(target, os.W_OK):
        raise FileError("is write-protected", place=shown, fix="change its permissions or name another file")
    permissions = 0o600 if private else None if mode is None else stat.S_IMODE(mode)
    try:
        with _beside(spool, permissions) as beside:
            with beside.file as file:
                yield file
                file.flush()
                if regular:
                    beside.give_name()
                else:
                    import shutil

                    file.seek(0)
                    with target.open("wb") as sink:
                        shutil.copyfileobj(file, sink)
            # Closed first: some systems move no open file, and some tell of a full disk only then.
            if regular and replace:
                Path(beside.name).replace(target)
            elif regular:
                os.link(beside.name, target)
    except FileError:
        raise
    except OSError as error:
        raise _file_error(shown, error) from error


def _temporary() -> str:
    import tempfile

    return tempfile.gettempdir()


def _mode(target: Path, *, private: bool) -> int | None:
    """The kind and permissions of what is there, or None where nothing is."""
    try:
        return target.stat(follow_symlinks=not private).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


class _Beside:
    """A file in the folder of a target; its `name` is empty as long as it has none."""

    file: BinaryIO

    def __init__(self, target: Path) -> None:
        self.target, self.name = target, ""
        self._heard: list[int] = []

    def open(self, permissions: int | None) -> None:
        """Make it, with these permissions; None are those of any new file."""
        # The system takes from them what the user gives to no new file.
        new = 0o666 if permissions is None else 0o600
        handle = _unnamed(self.target.parent, new)
        if handle is None:
            handle = os.open(self._new_name(), os.O_RDWR | os.O_CREAT | os.O_EXCL | _FLAGS, new)
        path = self.name or _by_number(handle)
        try:
            if permissions is not None and permissions != new:
                Path(path).chmod(permissions)
        except OSError:
            os.close(handle)
            raise

        def opener(_path: str, _flags: int) -> int:
            return handle

        self.file = open(path, "w+b", opener=opener)  # noqa: SIM115 - whoever asked closes it

    def give_name(self) -> None:
        """Give it a name, if it has none."""
        if self.name:
            return
        folder = os.open(self.target.parent, os.O_DIRECTORY | os.O_PATH | os.O_CLOEXEC)
        try:
            # A folder must be given, though both names are whole, for the number to be followed to the file.
            os.link(self.file.name, self._new_name(), src_dir_fd=folder, follow_symlinks=True)
        finally:
            os.close(folder)

    def remove(self) -> None:
        """Remove it, if it has a name still."""
        if self.name:
            with suppress(OSError):
                Path(self.name).unlink()
            unfinished.discard(self.name)
        for number in self._heard:
            signal.signal(number, signal.SIG_DFL)

    def _new_name(self) -> str:
        """A name that nothing has: it ends in 64 random bits."""
        stem = f".{self.target.name[:MAX_STEM]}.{os.urandom(8).hex()}{SUFFIX}"
        self.name = str(self.target.parent / stem)
        unfinished.add(self.name)
        # From now on it must be removed before a signal ends the process; unless somebody hears such signals already.
        if threading.current_thread() is threading.main_thread():
            for number in _ENDS:
                if signal.getsignal(number) == signal.SIG_DFL:
                    signal.signal(number, self._end)
                    self._heard.append(number)
        return self.name

    def _end(self, number: int, frame: FrameType | None) -> None:
        self.remove()
        signal.raise_signal(number)


@contextmanager
def _beside(target: Path, permissions: int | None) -> Generator[_Beside]:
    """A new file in the folder of a target, which is gone afterwards unless it was moved."""
    beside = _Beside(target)
    try:
        beside.open(permissions)
        yield beside
    finally:
        beside.remove()


def _unnamed(folder: Path, permissions: int) -> int | None:
    """A new file without a name, open; None where the system has no such files, or gives them no name later."""
    flags = getattr(os, "O_TMPFILE", 0)
    if not flags:
        return None
    try:
        handle = os.open(folder, os.O_RDWR | flags | getattr(os, "O_CLOEXEC", 0), permissions)
    except OSError:
        # Whatever the reason is, a file with a name meets it too, or does not.
        return None
    if not Path(_by_number(handle)).exists():
        os.close(handle)
        return None
    return handle


def _by_number(handle: int) -> str:
    """The path under which an open file can be opened again."""
    return f"/proc/self/fd/{handle}"


def _file_error(shown: str, error: OSError | ValueError) -> FileError:
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    if isinstance(error, FileNotFoundError) and not Path(shown).parent.exists():
        fix = f"make the folder {str(Path(shown).parent)!r} first"
    elif isinstance(error, (PermissionError, FileNotFoundError)):
        fix = "change the permissions or name another folder"
    elif getattr(error, "errno", None) == errno.ENAMETOOLONG:
        fix = "give a shorter name"
    else:
        fix = "free some space or name another file"
    return FileError(f"cannot be written ({reason[:1].lower()}{reason[1:]})", place=shown, fix=fix)
