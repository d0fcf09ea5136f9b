"""Files are opened in one place: whatever a name that comes from outside stands for, nothing waits and nothing ends."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from .parsed import SOURCE, nodes, sources

#: Functions that open what a name stands for.
OPENS = {
    "open",
    "read_text",
    "read_bytes",
    "write_text",
    "write_bytes",
    "fromfile",
    "memmap",
    "mmap",
    "tofile",
}
#: Where that may be called, and of what.
ALLOWED = {
    "base/opening.py": "the door for reading",
    "base/atomic.py": "the door for writing",
    "base/memory.py": "files of the system that say how much memory there is",
    "base/trust.py": "files of the system that say who the users are",
    "cli/doctor.py": "a file of the system that names the processor",
    "cli/drawing.py": "a file in a folder that it has just made",
    "cli/problems.py": "the null device",
    "backends/c/compiler.py": "files in a folder that it has just made",
    "backends/jit/executable.py": "memory for instructions, in a file without a name",
    "backends/jit/host.py": "a file of the system that names the processor",
    "backends/tiles/machine/pool.py": "memory without a file",
    "canvas/spill.py": "memory in a file without a name",
    "canvas/shards.py": "the ends of files in the folder of a store",
    "canvas/deep_zoom.py": "the ends of tiles in the folder of a store",
    "canvas/folders.py": "the lock in the folder of a store",
    "canvas/sinks.py": "bytes in memory, and the file that is being written",
    "driver/cache.py": "entries, which have rules of their own",
    "images/bitmap.py": "bytes in memory",
    "loops/hops/examples.py": "files of the package",
    "loops/core/lemmas.py": "files of the package",
    "loops/report/page.py": "files of the package",
    "rewriting/status.py": "files of the package",
}


def opened(path: Path) -> list[str]:
    """The calls that open something, with their lines; blocks of LLVM have a method of that name too."""
    found: list[str] = []
    for node in nodes(path):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
            own = isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "self"
            if name in OPENS and not own:
                found.append(f"{path.relative_to(SOURCE)}:{node.lineno} {name}")
    return found


@pytest.mark.parametrize("path", sources(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_files_are_opened_at_the_doors_only(path: Path):
    if str(path.relative_to(SOURCE)) not in ALLOWED:
        assert opened(path) == [], "take base/opening.py to read, base/atomic.py to write"


def test_the_doors_are_seen():
    assert opened(SOURCE / "base/opening.py")
    assert opened(SOURCE / "base/atomic.py")
