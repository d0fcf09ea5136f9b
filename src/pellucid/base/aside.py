"""Writing aside: a file appears whole or not at all.

Ground floor. Every file of `canvas`, of `signals` and of the command line is written through `written_aside`: first
into a temporary neighbor, then moved over the target in one step. Whatever goes wrong on the way, Ctrl-C included, the
neighbor is removed and an existing file stays as it was.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from pellucid.base.errors import FileError

#: Files and folders that exist for now only, for whoever ends the process before they are finished.
unfinished: set[str] = set()


@contextmanager
def written_aside(path: str | os.PathLike[str]) -> Generator[BinaryIO]:
    """A seekable binary file that becomes `path` when the block ends well and vanishes when it does not.

    A symbolic link is followed, an existing file keeps its permissions, and a device or pipe receives the
    bytes at the end. Raises `FileError` if the file cannot be written.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with written_aside(folder / "hello.txt") as file:
    ...     _ = file.write(b"hello")
    >>> [item.name for item in folder.iterdir()]
    ['hello.txt']
    """
    shown = os.fsdecode(path)
    target = Path(os.path.realpath(shown))
    try:
        mode = target.stat().st_mode
    except OSError:
        mode = None
    if mode is not None and stat.S_ISDIR(mode):
        raise FileError("is a folder", place=shown, fix="name a file in it")
    regular = mode is None or stat.S_ISREG(mode)
    if mode is not None and regular and not os.access(target, os.W_OK):
        raise FileError("is write-protected", place=shown, fix="change its permissions or name another file")
    try:
        handle, name = tempfile.mkstemp(
            prefix=f".{target.name[:40]}.", suffix=".part", dir=target.parent if regular else None
        )
    except OSError as error:
        raise _file_error(shown, error) from error
    aside = Path(name)
    unfinished.add(name)
    try:
        os.close(handle)
        with aside.open("w+b") as file:
            yield file
            file.flush()
        if regular:
            aside.chmod(stat.S_IMODE(mode) if mode is not None else 0o666 & ~_umask())
            aside.replace(target)
        else:
            with aside.open("rb") as source, target.open("wb") as sink:
                shutil.copyfileobj(source, sink)
    except FileError:
        raise
    except OSError as error:
        raise _file_error(shown, error) from error
    finally:
        with suppress(OSError):
            aside.unlink()
        unfinished.discard(name)


def _file_error(shown: str, error: OSError) -> FileError:
    reason = error.strerror or str(error) or type(error).__name__
    if isinstance(error, FileNotFoundError) and not Path(shown).parent.exists():
        fix = f"make the folder {str(Path(shown).parent)!r} first"
    elif isinstance(error, (PermissionError, FileNotFoundError)):
        fix = "change the permissions or name another folder"
    elif error.errno == errno.ENAMETOOLONG:
        fix = "give a shorter name"
    else:
        fix = "free some space or name another file"
    return FileError(f"cannot be written ({reason[:1].lower()}{reason[1:]})", place=shown, fix=fix)


def _umask() -> int:
    """The mask of new files; there is no way to ask for it without setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
