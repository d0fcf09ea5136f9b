"""What LLVM says of the processor at hand, kept, so that a program whose code is kept does not load LLVM to ask it.

Under `engine`, which compiles for that processor.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import platform
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ..port import CodeStore
from .binding import llvm_binding

_CPU_INFO = "/proc/cpuinfo"
_MAX_READ = 1 << 14
"""Bytes that tell of the first processor."""
_CHANGING = ("bogomips", "cpu mhz", "processor")
"""What is told of a processor that is not always the same."""
_store: CodeStore | None = None


class Host(NamedTuple):
    """A processor, its features and its kind of system, as LLVM calls them, and LLVM's version."""

    cpu: str
    features: str
    triple: str
    version: str


def remember_in(store: CodeStore) -> None:
    """From now on, keep in this store what is the same in each process."""
    global _store
    _store = store


def store() -> CodeStore | None:
    """Where that is kept, if anything said so."""
    return _store


@cache
def host() -> Host:
    """The processor that this program runs on: as it was told in an earlier process, or else by LLVM."""
    key = _key()
    if _store is not None and key:
        with suppress(ValueError, TypeError):
            return Host(*map(str, json.loads(_store.get(key) or b"")))
    found = _asked()
    if _store is not None and key:
        _store.put(key, json.dumps(found).encode())
    return found


def _asked() -> Host:
    """What LLVM says."""
    llvm = llvm_binding()
    features = llvm.get_host_cpu_features().flatten()
    version = ".".join(map(str, llvm.llvm_version_info))
    return Host(llvm.get_host_cpu_name(), features, llvm.get_default_triple(), version)


def _key() -> str:
    """The key of what LLVM says, made of its files and of what else tells of the processor; empty if unknown."""
    found = importlib.util.find_spec("llvmlite")
    # The system may tell of another processor than an emulator has; NumPy has asked the one that runs this program.
    present: Any = getattr(sys.modules.get("numpy._core._multiarray_umath"), "__cpu_features__", None)
    if found is None or found.origin is None or not present or not sys.platform.startswith("linux"):
        return ""
    features = sorted(str(name) for name in present if present[name])
    try:
        file = Path(found.origin).stat()
        with Path(_CPU_INFO).open("rb", buffering=0) as source:
            told = source.read(_MAX_READ).split(b"\n\n")[0].decode(errors="replace")
    except OSError:
        return ""
    lines = [line for line in told.splitlines() if not line.lower().startswith(_CHANGING)]
    parts = [found.origin, str(file.st_mtime_ns), str(file.st_size), platform.machine(), *features, *lines]
    return hashlib.sha256("\n".join(["host", *parts]).encode()).hexdigest()
