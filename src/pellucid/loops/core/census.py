"""Census: what the statements of a block mention, counted; kept from one version of the block to the next.

Below `build` and `elements`, which ask for names that are free and for the users of an array. A move replaces a few
statements and leaves the others as they are, so that only those few are looked at again, however long a program is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeVar

MAX_KEPT = 4
"""Versions that are kept: of the program, and of the blocks inside that are asked about in turn."""

Thing = TypeVar("Thing")
Table = dict[Any, Counter[Any]]


class Census(Generic[Thing]):
    """For each key, how many statements (or other things) mention it with each value; `of` says what one mentions.

    >>> from pellucid.ir.nest import Abstract
    >>> initials = Census(lambda s: {(s.name[0], s)})
    >>> a, b, c = (Abstract(name) for name in ("north", "nadir", "south"))
    >>> len(initials((a, b, c))["n"]), len(initials((a, c))["n"])
    (2, 1)
    """

    def __init__(self, of: Callable[[Thing], Iterable[tuple[Any, Any]]]) -> None:
        self._of = of
        self._kept: list[tuple[tuple[Thing, ...], Table]] = []

    def __call__(self, block: tuple[Thing, ...]) -> Mapping[Any, Counter[Any]]:
        """The table of some statements, good until the next one is asked for."""
        near = (k for k, (old, _) in enumerate(self._kept) if _akin(old, block))
        found = next(near, None)
        old, table = ((), {}) if found is None else self._kept.pop(found)
        if old is not block:
            self._update(table, old, block)
        self._kept = [(block, table), *self._kept[: MAX_KEPT - 1]]
        return table

    def _update(self, table: Table, old: tuple[Thing, ...], new: tuple[Thing, ...]) -> None:
        first = _shared(old, new, min(len(old), len(new)))
        last = _shared(old[first:][::-1], new[first:][::-1], min(len(old), len(new)) - first)
        for s in old[first : len(old) - last]:
            for key, value in self._of(s):
                table[key][value] -= 1
                if not table[key][value]:
                    del table[key][value]
                if not table[key]:
                    del table[key]
        for s in new[first : len(new) - last]:
            for key, value in self._of(s):
                table.setdefault(key, Counter())[value] += 1


def _shared(a: tuple[object, ...], b: tuple[object, ...], most: int) -> int:
    """The number of first things that both have in common, by halves: pieces are compared faster than single things."""
    found, step = 0, most
    while step:
        if found + step <= most and a[found : found + step] == b[found : found + step]:
            found += step
        else:
            step //= 2
    return found


def _akin(old: tuple[object, ...], new: tuple[object, ...]) -> bool:
    """Whether one is likely a version of the other: they begin or end with the same statement."""
    return old is new or bool(old and new and (old[0] is new[0] or old[-1] is new[-1]))
