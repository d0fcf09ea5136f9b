"""Python values and those of root: static data become vectors, sequences that a program makes become pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, cast

import numpy as np

from pellucid.base.errors import StagingError, brief
from pellucid.base.kinds import whole
from pellucid.staging.front.kinds import Kind
from pellucid.staging.memory import Memory
from pellucid.staging.root.primitives import PRIMITIVES, Row
from pellucid.staging.root.program import Pair, unlinked

_WHOLE = whole()


class Vector(tuple[Any, ...]):
    """A static sequence; each is known by itself, so that a key need not look into it."""

    __slots__ = ()


class Entries(dict[Any, Any]):
    """A static dictionary."""


def static_data(value: Any, place: str) -> Any:
    """A Python value as a static value of root.

    >>> static_data([1, ("a", 2)], "here")
    (1, ('a', 2))
    """
    made: dict[int, Any] = {}

    def of(one: Any, deep: int) -> Any:
        if deep > _DEEPEST:
            raise StagingError(f"nested more than {_DEEPEST} deep", place=place, fix="make the data flatter")
        if one.__class__ in _PLAIN or isinstance(one, bool | str | float | Pair | Memory):
            return one
        if not isinstance(one, tuple | list) and _WHOLE.test(one):
            return int(one)
        if isinstance(one, tuple | list | Mapping | Sequence):
            held = cast("Mapping[Any, Any] | Sequence[Any]", one)
            if id(held) not in made:
                if not isinstance(held, tuple | list) and isinstance(held, Mapping):
                    made[id(held)] = Entries({key: of(each, deep + 1) for key, each in held.items()})
                else:
                    # Most of what a program is are its atoms.
                    made[id(held)] = Vector(
                        [each if each.__class__ in _PLAIN else of(each, deep + 1) for each in held]
                    )
            return made[id(held)]
        raise StagingError(
            f"{brief(one)} is no static value",
            place=place,
            fix="give numbers, texts, None, and tuples, lists or dictionaries of these",
        )

    return of(value, 0)


_DEEPEST = 300
_PLAIN = frozenset({int, str, bool, float, type(None)})
"""The classes whose values stay as they are."""


def dynamic_data(value: Any, place: str) -> Any:
    """A Python value as one of the running program: tuples are lists of pairs."""
    if isinstance(value, tuple | list):
        held: Any = None
        for one in reversed(cast("Sequence[Any]", value)):
            held = Pair(dynamic_data(one, place), held)
        return held
    if isinstance(value, np.generic):
        return cast("Any", value).item()
    return value


def result(value: Any, kind: Kind) -> Any:
    """A value of the running program as Python's."""
    kind = kind.root
    if isinstance(value, Vector | Entries):
        return value
    if (isinstance(value, Pair) or value is None) and "tuple" in kind.forms:
        if value is None and "none" in kind.forms:
            return None
        return tuple(result(one, kind.part(at)) for at, one in enumerate(unlinked(value)))
    if (isinstance(value, Pair) or value is None) and "list" in kind.forms:
        return [result(one, kind.part("item")) for one in reversed(unlinked(value))]
    if (isinstance(value, Pair) or value is None) and "dict" in kind.forms:
        return {one.car: result(one.cdr, kind.part("item")) for one in unlinked(value)}
    if isinstance(value, Pair):
        return tuple(result(one, kind.part(at)) for at, one in enumerate(unlinked(value)))
    return value


def _item(held: Any, index: Any) -> Any:
    """An element of a vector or a dictionary, as in Python."""
    if not isinstance(held, Vector | Entries | str):
        raise TypeError(f"{brief(held)} has no items")
    try:
        return cast("Any", held[index])
    except KeyError:
        raise KeyError(f"no entry {brief(index)}") from None
    except (IndexError, TypeError):
        raise IndexError(f"no item {brief(index)} of {len(held)}") from None


def _has(held: Any, item: Any) -> bool:
    """Whether a vector or a dictionary has an item."""
    return item in held


def _at(held: Any, index: Any) -> Any:
    """The item that a loop has come to: of a dictionary, a key."""
    return next(islice(held, index, None)) if isinstance(held, Entries) else held[index]


_ROWS = {
    "item": Row(2, _item),
    "item-at": Row(2, _at),
    "has": Row(2, _has),
    "text-of": Row(1, str),
    "repr-of": Row(1, repr),
}
PRIMITIVES.update(_ROWS)
