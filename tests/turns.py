"""What the nightly run tests whole, and the gate by turns."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
NUMERICS = ("exact", "relaxed")
PRECISIONS = ("f32", "f64")


def half(count: int) -> int:
    """As many random cases in the nightly run, half of them in the gate."""
    return count if NIGHTLY else (count + 1) // 2


def every_other(cases: Iterable[Any]) -> list[Any]:
    """All cases in the nightly run, every second one in the gate."""
    return list(cases)[:: 1 if NIGHTLY else 2]


def some_pictures(files: Sequence[Path], turn: int = 0, *, one_in: int = 2) -> list[Path]:
    """All files in the nightly run; one in so many of them in the gate, others at the next turn.

    Which go by the name, so that a new picture changes nothing for the others.
    """
    return [path for path in files if NIGHTLY or (sum(path.stem.encode()) + turn) % one_in == 0]


def pictures_by_turns(files: Sequence[Path], turn: int) -> Any:
    """Parameters `path`, `numerics`, `precision`: one of four kinds of numbers for a picture, the next at turn + 1.

    The turn goes by the name, so that a new picture changes nothing for the others.
    """
    kinds = list(itertools.product(NUMERICS, PRECISIONS))
    variants = [
        (path, *kind)
        for path, (place, kind) in itertools.product(files, enumerate(kinds))
        if NIGHTLY or (sum(path.stem.encode()) + place + turn) % len(kinds) == 0
    ]
    return pytest.mark.parametrize(
        ("path", "numerics", "precision"), variants, ids=["-".join((p.stem, *rest)) for p, *rest in variants]
    )
