"""The form of every move: find its sites, check its conditions, apply, and say where old places went.

A move is pure: it makes a new nest. `check` answers Proved, Refuted or Unknown, each with the premises in words; a move
whose check does not answer Proved is not applied, and the ledger keeps the condition that failed. There is no way to
skip a check.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..base.errors import IrError, did_you_mean
from ..ir.nest import Kernel
from ..ir.path import Path


@dataclass(frozen=True, slots=True)
class Premise:
    """One side condition on one site: its words, and the test that decides it again at any time."""

    words: str
    test: Callable[[], bool]

    def holds(self) -> bool:
        """Run the test again."""
        return self.test()

    def __str__(self) -> str:
        """The condition in words."""
        return self.words


@dataclass(frozen=True, slots=True)
class Proved:
    """The move preserves meaning here: by which theorem, from which premises."""

    theorem: str
    premises: tuple[Premise, ...] = ()

    def __str__(self) -> str:
        """One line for the ledger."""
        return f"Proved  {self.theorem}" + "".join(f"; {p}" for p in self.premises)


@dataclass(frozen=True, slots=True)
class Refuted:
    """The premise is false here, and a witness shows it."""

    premise: str
    witness: str

    def __str__(self) -> str:
        """One line for the ledger."""
        return f"Refuted  not so that {self.premise}: {self.witness}"


@dataclass(frozen=True, slots=True)
class Unknown:
    """The premise could not be decided; `missing` is the fact that would decide it."""

    premise: str
    missing: str

    def __str__(self) -> str:
        """One line for the ledger."""
        return f"Unknown  whether {self.premise}: {self.missing}"


Verdict = Proved | Refuted | Unknown


@dataclass(frozen=True, slots=True)
class Applied:
    """A move's result: the new kernel, where each old path went, and steps that the ledger shows beneath it."""

    kernel: Kernel
    forward: Callable[[Path], Path | None] = lambda path: path
    details: Callable[[], tuple[str, ...]] = tuple


@dataclass(frozen=True, slots=True)
class Move:
    """A named, checked transformation of nests.

    find   the sites where the move might apply, most promising first.
    check  whether it may be applied at a site.
    apply  the nest after it; only called when `check` answered Proved.
    """

    name: str
    doc: str
    find: Callable[..., Iterable[Path]]
    check: Callable[..., Verdict]
    apply: Callable[..., Applied]
    theorem: str = ""
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])


def prove(theorem: str, *premises: Premise, missing: Mapping[str, str] | None = None) -> Verdict:
    """Proved if every premise holds, else Refuted by the first that does not."""
    for p in premises:
        if not p.holds():
            return Refuted(p.words, (missing or {}).get(p.words, "the condition fails at this place"))
    return Proved(theorem, premises)


def moves() -> Mapping[str, Move]:
    """Every move by name, found by listing `loops/moves/`."""
    from . import moves as package

    found: dict[str, Move] = {}
    for module in pkgutil.iter_modules(package.__path__):
        move = importlib.import_module(f"{package.__name__}.{module.name}").MOVE
        found[move.name] = move
    return found


def named(name: str) -> Move:
    """The move of that name.

    >>> named("spread").name
    'spread'
    """
    known = moves()
    if name not in known:
        raise IrError(f"no move is called {name!r}", fix=did_you_mean(name, known) or "see loops/moves/")
    return known[name]
