"""The cache of compiled code: in memory, and in a folder that other processes share.

Keys are hashes of everything the code depends on, so an entry is never out of date, only unused. Each entry is sealed:
it begins with a hash of its key and its content that nobody can make without a secret, which stands in the folder for
its owner only. So a file that is cut short, changed, renamed or written by others is no entry, and is never run.
Nothing here can make a compilation fail; the worst is one warning.

PELLUCID_CACHE=off turns the folder off, PELLUCID_CACHE_DIR moves it (the default is pellucid in XDG_CACHE_HOME, or in
~/.cache), and PELLUCID_CACHE_SIZE limits it, in megabytes (256).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import threading
import time
import warnings
from collections import OrderedDict
from collections.abc import Mapping
from functools import cache as once
from pathlib import Path

from ..base.atomic import MAX_STEM, SUFFIX, atomic_write
from ..base.errors import FileError
from ..base.opening import opened
from ..base.trust import distrusted, is_ours

MARK = b"pellucid code 2\n"
SEAL_BYTES = 32
ENTRY = re.compile(r"[0-9a-f]{64}\.code\Z")
#: What is left of an entry where the system has no files without names and the process was killed.
REMAINS = re.compile(rf"\.[0-9a-f]{{{MAX_STEM}}}\.[0-9a-f]{{16}}\{SUFFIX}\Z")
KEY_FILE = "key"
KEY_BYTES = 32
#: The largest entry that is read: one of a picture of 10,000 operators has 1 MB.
MAX_ENTRY = 1 << 28
STALE_SECONDS = 3600.0
DEFAULT_LIMIT = 256 << 20


class Cache:
    """Bytes by key: up to `memory` bytes in this process, up to `limit` bytes in `folder` (None: no files).

    >>> small = Cache(None)
    >>> small.put("key", b"code")
    >>> small.get("key"), small.get("other")
    (b'code', None)
    """

    def __init__(self, folder: Path | None, *, limit: int = DEFAULT_LIMIT, memory: int = 16 << 20) -> None:
        self.folder, self.limit, self.memory = folder, limit, memory
        self._entries: OrderedDict[str, bytes] = OrderedDict()
        self._held = 0
        self._lock = threading.Lock()
        self._ready: bool | None = None
        self._size: int | None = None
        self._secret = b""

    def get(self, key: str) -> bytes | None:
        """The bytes that this process or another put under the key, or None."""
        with self._lock:
            value = self._entries.get(key)
            if value is not None:
                self._entries.move_to_end(key)
                return value
        value = self._read(key)
        if value is not None:
            self._keep(key, value)
        return value

    def put(self, key: str, value: bytes) -> None:
        """Keep a value; where the folder cannot be written, in memory only."""
        self._keep(key, value)
        if self._usable():
            try:
                self._write(self._path(key), value)
            except OSError as problem:
                self._give_up(_why("cannot be written", problem))

    # ---- memory ----

    def forget(self) -> None:
        """Drop what is kept in memory; files stay."""
        with self._lock:
            self._entries.clear()
            self._held = 0

    def _keep(self, key: str, value: bytes) -> None:
        with self._lock:
            self._held += len(value) - len(self._entries.pop(key, b""))
            self._entries[key] = value
            while self._held > self.memory and len(self._entries) > 1:
                _, old = self._entries.popitem(last=False)
                self._held -= len(old)

    # ---- files ----

    def _path(self, key: str) -> Path:
        from .. import __version__

        return (self.folder or Path()) / f"{hashlib.sha256(f'{__version__} {key}'.encode()).hexdigest()}.code"

    def _usable(self) -> bool:
        """Whether the folder is there and ours, with a secret: code from it is run."""
        if self._ready is None:
            self._ready = self.folder is not None
            if self.folder is not None and self.folder.parts[:1] and self.folder.parts[0].startswith("~"):
                self._give_up("is in no home that can be found")
            elif self.folder is not None:
                try:
                    self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                    why = distrusted(self.folder)
                    if why is None:
                        self._secret = _secret(self.folder / KEY_FILE)
                except OSError as problem:
                    self._give_up(_why("cannot be made", problem))
                else:
                    if why is not None:
                        self._give_up(why)
        return self._ready

    def _give_up(self, why: str) -> None:
        self._ready = False
        warnings.warn(
            f"the folder of compiled code {self.folder} {why}; set PELLUCID_CACHE_DIR or PELLUCID_CACHE=off",
            stacklevel=4,
        )

    def _seal(self, path: Path, value: bytes) -> bytes:
        """The seal before a value, for this user only: it is bound to the key, of which the name is a hash."""
        seal = hashlib.blake2b(path.name.encode(), key=self._secret, digest_size=SEAL_BYTES, person=MARK)
        seal.update(value)
        return seal.digest()

    def _read(self, key: str) -> bytes | None:
        if not self._usable():
            return None
        path = self._path(key)
        # Usually there is no entry, and an error with a hint at near names takes longer than many a compilation.
        if not os.path.lexists(path):
            return None
        try:
            with opened(path, max_bytes=MAX_ENTRY, follow=False) as file:
                if not is_ours(os.fstat(file.fileno())):
                    return None
                data = file.read()
                begin = len(MARK) + SEAL_BYTES
                if data[:begin] == MARK + self._seal(path, data[begin:]):
                    with contextlib.suppress(OSError):
                        os.utime(file.fileno() if os.utime in os.supports_fd else path)
                    return data[begin:]
        except (OSError, MemoryError):
            # Whatever stands there, it is no entry; what is put there takes its place.
            return None
        with contextlib.suppress(OSError):
            path.unlink()
        return None

    def _write(self, path: Path, value: bytes) -> None:
        data = MARK + self._seal(path, value) + value
        with atomic_write(path, private=True) as file:
            file.write(data)
        # Others add files too, so a count kept here is only a reason to look.
        if self._size is None or self._size + len(data) > self.limit:
            self._size = self._trim(path.parent)
        else:
            self._size += len(data)

    def _trim(self, folder: Path) -> int:
        """Remove what was used least lately until a tenth of the limit is free, if it is exceeded; returns the size."""
        found: list[tuple[float, int, str]] = []
        with contextlib.suppress(OSError), os.scandir(folder) as listing:
            for entry in listing:
                with contextlib.suppress(OSError):
                    state = entry.stat(follow_symlinks=False)
                    if not stat.S_ISREG(state.st_mode):
                        continue
                    if ENTRY.match(entry.name):
                        found.append((state.st_mtime, state.st_size, entry.path))
                    elif REMAINS.match(entry.name) and state.st_mtime < time.time() - STALE_SECONDS:
                        Path(entry.path).unlink()
        size = sum(each[1] for each in found)
        if size > self.limit:
            for _, bytes_, path in sorted(found):
                if size <= self.limit * 9 // 10:
                    break
                with contextlib.suppress(OSError):
                    Path(path).unlink()
                size -= bytes_
        return size


def _secret(path: Path) -> bytes:
    """The secret of a folder, made where there is none that only this user can read and write.

    Raises OSError where it can neither be read nor made. Of processes that make the first one at once, one succeeds and
    the others read its secret, so that what any of them writes is an entry for all. Of two that replace one that others
    may know, the later wins; what the other one has written by then is no entry any more.
    """
    for _ in range(3):
        # Asked before it is read: one that comes meanwhile is whole, and is not replaced.
        there = os.path.lexists(path)
        with contextlib.suppress(FileError), opened(path, max_bytes=KEY_BYTES, follow=False) as file:
            state = os.fstat(file.fileno())
            found = file.read()
            if is_ours(state) and not state.st_mode & 0o077 and len(found) == KEY_BYTES:
                return found
        try:
            with atomic_write(path, private=True, replace=there) as file:
                file.write(os.urandom(KEY_BYTES))
        except FileError:
            if there or not os.path.lexists(path):
                raise
    raise FileError("is changed by others", place=str(path), fix="look who does")


def _why(what: str, problem: OSError) -> str:
    told = problem.message if isinstance(problem, FileError) else problem.strerror or str(problem)
    return told if told.startswith("cannot be") else f"{what} ({told})"


def folder_of(environment: Mapping[str, str]) -> Path | None:
    """The folder of compiled code, by the environment; None where the cache is turned off.

    >>> folder_of({"PELLUCID_CACHE": "off"}) is None
    True
    """
    if environment.get("PELLUCID_CACHE", "").lower() in ("off", "0", "no", "false"):
        return None
    given = environment.get("PELLUCID_CACHE_DIR")
    if given:
        return _at_home(given)
    base = environment.get("XDG_CACHE_HOME")
    # The specification says that a relative path there is to be ignored.
    root = Path(base) if base and Path(base).is_absolute() else _at_home("~/.cache")
    return root / "pellucid"


def _at_home(path: str) -> Path:
    # The method of Path raises where there is no home; here such a path is left as it is, for `Cache` to refuse.
    return Path(os.path.expanduser(path))  # noqa: PTH111


def limit_of(environment: Mapping[str, str]) -> int:
    """The most bytes kept in the folder, after the environment.

    >>> limit_of({"PELLUCID_CACHE_SIZE": "1"})
    1048576
    """
    text = environment.get("PELLUCID_CACHE_SIZE", "")
    if text and not (text.isascii() and text.isdigit()):
        warnings.warn(
            f"PELLUCID_CACHE_SIZE is {text!r}, not a whole number of megabytes; it stays at {DEFAULT_LIMIT >> 20}",
            stacklevel=2,
        )
        return DEFAULT_LIMIT
    return int(text) << 20 if text else DEFAULT_LIMIT


@once
def cache() -> Cache:
    """The cache of this process, made when it is first asked for."""
    return Cache(folder_of(os.environ), limit=limit_of(os.environ))
