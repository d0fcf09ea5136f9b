"""The registry of moves: found by listing `loops/moves/`, so that a move is one file and no list names it.

Nothing below the moves imports one: they are asked for by name, and only the file of that name is read, so that a
program pays for the moves that it makes.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Mapping
from pathlib import Path

from ...base.errors import IrError, did_you_mean
from .move import Move
from .theorem import Theorem

MOVES = Path(__file__).parents[1] / "moves"


@functools.cache
def moves() -> Mapping[str, Move]:
    """Every move by name: a move has the name of its file."""
    return {name: named(name) for name in _names()}


@functools.cache
def named(name: str) -> Move:
    """The move of that name.

    Raises IrError if there is none.

    >>> named("spread").name
    'spread'
    """
    known = _names()
    if name not in known:
        raise IrError(f"no move is called {name!r}", fix=did_you_mean(name, known) or "see loops/moves/")
    return importlib.import_module(f"..moves.{name}", __package__).MOVE


def theorems() -> Mapping[str, Theorem]:
    """Every theorem by name: the whole of what is believed.

    >>> [clause.name for clause in theorems()["places change no value"].clauses]
    ['no-places-yet', 'loads-kept']
    """
    return {t.name: t for move in moves().values() for t in move.theorems}


@functools.cache
def _names() -> tuple[str, ...]:
    return tuple(module.name for module in pkgutil.iter_modules([str(MOVES)]))
