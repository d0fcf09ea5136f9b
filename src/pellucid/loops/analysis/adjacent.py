"""Two statements that stand together: what most primitive moves look at, and how new ones take their place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from ...base.errors import beginning
from ...ir.nest import Block, For, If, Kernel, Statement, Store, While
from ...ir.path import Path, replace_at
from ...ir.path import walk as paths
from ...reasoning.effects import shown
from ...reasoning.prove import Verdict, decided
from ..core.move import Applied
from ..core.theorem import Clause, Site

MAX_SHOWN = 60
"""Letters of a statement that a message shows."""


def here(site: Site) -> Statement:
    """The statement at a site, once a theorem's shape has shown that there is one."""
    assert site.statement is not None  # noqa: S101 - the shape
    return site.statement


def after(site: Site) -> Statement:
    """The statement after the one at a site, once a theorem's shape has shown that there is one."""
    found = site.after()
    assert found is not None  # noqa: S101 - the shape
    return found


def branch(statement: Statement) -> If:
    """The statement as the branch that a theorem's shape has shown it to be."""
    assert isinstance(statement, If)  # noqa: S101 - the shape
    return statement


def loop(site: Site) -> For:
    """The loop at a site, once a theorem's shape has shown that there is one."""
    assert isinstance(site.statement, For)  # noqa: S101 - the shape
    return site.statement


def unbounded(site: Site) -> While:
    """The loop without bounds at a site, once a theorem's shape has shown that there is one."""
    assert isinstance(site.statement, While)  # noqa: S101 - the shape
    return site.statement


def assignment(statement: Statement) -> Store:
    """The statement as the assignment that a theorem's shape has shown it to be."""
    assert isinstance(statement, Store)  # noqa: S101 - the shape
    return statement


def told(site: Site) -> str:
    """The statement at a site as its first line of text, or the site in words."""
    match site.statement:
        case Store(buffer, position, value):
            words = f"{buffer.name}[{shown(position)}] := {shown(value)}"
        case For(index, lo, hi):
            words = f"for {index.attr} in {shown(lo)} .. {shown(hi)}"
        case If(condition):
            words = f"if {shown(condition)}"
        case While(condition):
            words = f"while {shown(condition)}"
        case _:
            words = str(site)
    return beginning(words, MAX_SHOWN)


def is_branch(statement: Statement | None) -> bool:
    """Whether a statement is an `if` as White has it, and not one that only places choices."""
    return isinstance(statement, If) and not statement.selects


def _two(site: Site) -> Verdict:
    fits = site.statement is not None and site.after() is not None
    return decided(fits, "another statement comes after it", f"{told(site)} is the last of its block")


TWO = Clause("two-statements", "another statement comes after it in the same block", _two)


def pairs(kernel: Kernel) -> Iterable[Path]:
    """The paths of all statements with another one after them."""
    found = {path for path, _ in paths(kernel.body)}
    for path in sorted(found):
        if moved(path, 1) in found:
            yield path


def moved(path: Path, by: int) -> Path:
    """The path of the statement that stands so many places further on in the same block."""
    number, position = path[-1]
    return (*path[:-1], (number, position + by))


Inside = Callable[[int, Path], "tuple[int, Path] | None"]
"""The new place of a statement: from its number, and the rest of the path below it, to both afterwards, or None."""


def gone(number: int, below: Path) -> None:
    """Nowhere in particular."""


def replaced(kernel: Kernel, path: Path, count: int, new: Block, inside: Inside = gone) -> Applied:
    """The kernel with `count` statements from a path on replaced by others, and where old paths went.

    `inside` says so of what was replaced; what stands after it moves up or down.
    """
    body = kernel.body
    for k in reversed(range(1, count)):
        body = replace_at(body, moved(path, k), ())
    *around, (block, first) = path
    depth = len(around)

    def forward(old: Path) -> Path | None:
        if (
            len(old) <= depth
            or list(old[:depth]) != around
            or old[depth][0] != block
            or old[depth][1] < first
        ):
            return old
        number, below = old[depth][1] - first, old[depth + 1 :]
        found = (number + len(new) - count, below) if number >= count else inside(number, below)
        return None if found is None else (*around, (block, first + found[0]), *found[1])

    return Applied(replace(kernel, body=replace_at(body, path, new)), forward)


def deeper(below: Path, by: int) -> Path:
    """A path below an `if` whose arms got so many more statements in front."""
    return (moved(below[:1], by)[0], *below[1:]) if below else below
