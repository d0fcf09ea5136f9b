"""Paths: where a statement stands in a nest, and how to replace it there.

A path is a tuple of steps, each ``(block, position)``: which block of the enclosing statement, and which statement of
it. The kernel's own body is block 0. Moves name their sites by paths.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from ..base.errors import IrError
from .nest import Block, For, If, Statement, blocks, with_blocks

Path = tuple[tuple[int, int], ...]


def walk(block: Block, prefix: Path = (), number: int = 0) -> Iterator[tuple[Path, Statement]]:
    """Every statement with its path, outer first."""
    stack = [((*prefix, (number, position)), s) for position, s in enumerate(block)][::-1]
    while stack:
        path, s = stack.pop()
        yield path, s
        inside = [((*path, (k, n)), x) for k, inner in enumerate(blocks(s)) for n, x in enumerate(inner)]
        stack += reversed(inside)


def at(block: Block, path: Path) -> Statement:
    """The statement at a path.

    Raises IrError when the path leads nowhere.
    """
    try:
        s = block[path[0][1]]
        for number, position in path[1:]:
            s = blocks(s)[number][position]
    except IndexError:
        raise IrError("leads to no statement", place=f"path {path}") from None
    return s


def replace_at(block: Block, path: Path, new: Block) -> Block:
    """The block with the statement at a path replaced by a block."""
    around = [block]
    for (_, position), (number, _) in pairwise(path):
        around.append(blocks(around[-1][position])[number])
    for k in range(len(path) - 1, -1, -1):
        position = path[k][1]
        found = (*around[k][:position], *new, *around[k][position + 1 :])
        if k:
            s = around[k - 1][path[k - 1][1]]
            inner = list(blocks(s))
            inner[path[k][0]] = found
            new = (with_blocks(s, tuple(inner)),)
        else:
            new = found
    return new


def enclosing(block: Block, path: Path) -> list[Statement]:
    """The statements around a path, outermost first."""
    found: list[Statement] = []
    if len(path) > 1:
        at(block, path)
        found.append(block[path[0][1]])
        for number, position in path[1:-1]:
            found.append(blocks(found[-1])[number][position])
    return found


def describe(block: Block, path: Path) -> str:
    """The site in words: the loops and branches around it and what stands there."""
    words: list[str] = []
    for s in [*enclosing(block, path), at(block, path)]:
        if isinstance(s, For):
            words.append(f"for {s.index.attr}")
        elif isinstance(s, If):
            words.append("if")
        else:
            words.append(type(s).__name__.lower())
    return " / ".join(words)
