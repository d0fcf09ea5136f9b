"""The build fingerprint: code that is kept between runs is used only by the files of the package that made it."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path


@cache
def fingerprint() -> str:
    """A hash of the names, sizes and times of all files of the package that hold code."""
    root = Path(__file__).parents[1]
    found: list[tuple[str, int, int]] = []
    rest = [str(root)]
    while rest:
        with os.scandir(rest.pop()) as listing:
            for each in listing:
                if each.name.endswith(".py"):
                    state = each.stat()
                    found.append((each.path[len(str(root)) :], state.st_size, state.st_mtime_ns))
                elif "." not in each.name and each.is_dir() and each.name != "__pycache__":
                    rest.append(each.path)
    return hashlib.sha256(repr(sorted(found)).encode()).hexdigest()
