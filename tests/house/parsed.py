"""The syntax of Python files, for the tests of the house: however many of them look at a file, it is parsed once."""

from __future__ import annotations

import ast
import gc
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/pellucid"


@cache
def sources() -> tuple[Path, ...]:
    """The files of the package, in order."""
    return tuple(sorted(SOURCE.rglob("*.py")))


@cache
def tree(path: Path) -> ast.Module:
    """The syntax of a file. Nobody changes it."""
    text = path.read_text(encoding="utf-8")
    # Nothing in a tree is garbage: a collector that looks for some takes three times as long as the parser.
    collects = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(text)
    finally:
        if collects:
            gc.enable()


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a file."""
    return tuple(ast.walk(tree(path)))


def forget() -> None:
    """Drop what is kept: a hundred megabytes and more, which no test outside of this folder needs."""
    tree.cache_clear()
    nodes.cache_clear()
