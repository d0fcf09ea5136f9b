"""Memory: how much there is to take, and amounts of it as people say them.

Ground floor. Asked before something large is allocated or read, because a system that lends more than it has ends the
process later without a word.
"""

from __future__ import annotations

import os
from pathlib import Path


def available_memory() -> int | None:
    """Bytes that can still be allocated without swapping, or None where the system does not say.

    >>> memory = available_memory()
    >>> memory is None or memory > 0
    True
    """
    found = [amount for amount in (_meminfo(), _cgroup(), _physical()) if amount is not None]
    return min(found) if found else None


def readable_bytes(amount: int) -> str:
    """A number of bytes as people say it.

    >>> readable_bytes(4_000_000_000_000)
    '3.6 TiB'
    """
    size = float(amount)
    for unit in ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB"):
        if size < 1024 or unit == "PiB":
            break
        size /= 1024
    return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"


def _meminfo() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def _cgroup() -> int | None:
    """The bytes that a container may still take; its files hold `max` when it has no limit."""
    group = Path("/sys/fs/cgroup")
    try:
        limit = (group / "memory.max").read_text(encoding="ascii").strip()
        used = (group / "memory.current").read_text(encoding="ascii").strip()
        return max(int(limit) - int(used), 0) if limit.isdigit() else None
    except (OSError, ValueError):
        return None


def _physical() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None
