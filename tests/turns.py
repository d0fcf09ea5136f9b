"""What the nightly run tests whole, and the gate by turns."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
NUMERICS = ("exact", "relaxed")
PRECISIONS = ("f32", "f64")


def fewer(count: int) -> int:
    """As many random cases in the nightly run, a third of them in the gate."""
    return count if NIGHTLY else (count + 2) // 3


def by_turns(items: list[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Those of the gate, and those of the nightly run only: of a test marked `one_in(n)`, all cases but one in n.

    Which go by the whole name of a case: another test takes others, and a new case changes nothing for most.
    """
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if not NIGHTLY and item.get_closest_marker("one_in"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    left = set[pytest.Item]()
    for found in cases.values():
        (count,) = found[0].get_closest_marker("one_in").args
        found.sort(key=lambda item: crc32(item.nodeid.encode()))
        left |= set(found[-(-len(found) // count) :])
    return [item for item in items if item not in left], [item for item in items if item in left]


def every_other(cases: Iterable[Any]) -> list[Any]:
    """All cases in the nightly run, every second one in the gate."""
    return list(cases)[:: 1 if NIGHTLY else 2]


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
