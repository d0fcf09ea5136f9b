"""What may become of a structure that a call changes: its binding time, with lists of any length.

A list that has one item, or none, may come back longer. Its kind tells where it is, and what its items may be.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from pellucid.staging.front.kinds import ITEM, Kind, point_of
from pellucid.staging.front.objects import fields_of
from pellucid.staging.times.lattice import (
    DYNAMIC,
    STATIC,
    Constant,
    Level,
    Time,
    TimeGraph,
    join,
    listed,
    pair,
)

_MAX_DEPTH = 8
"""Structures in structures that are looked into."""


def shape_of(kind: Kind, whole: Collection[Kind] = (), deep: int = 0) -> str:
    """The shape of a kind as a word: what its parts are, in front of them; of `whole` kinds nothing is known by parts.

    >>> stack = Kind("list", name="stack")
    >>> shape_of(stack).partition(":")[0]
    'list'
    """
    own = kind.root
    forms = own.forms - {"none"}
    if own in whole:
        return "whole"
    if forms == {"given"} or (own.of is None and not forms):
        return "S" if forms else "D"
    if deep < _MAX_DEPTH and forms in ({"list"}, {"dict"}):
        return f"{next(iter(forms))}:{point_of(own)}:{shape_of(own.part(ITEM), whole, deep + 1)}"
    if deep < _MAX_DEPTH and own.of is not None and not own.others and forms in ({"object"}, {"tuple"}):
        parts = [shape_of(own.part(name), whole, deep + 1) for name in fields_of(own.of)]
        return ":".join(["object", point_of(own), str(len(parts)), *parts])
    return "any"


def opened(time: Time, shape: str) -> Time | None:
    """A time with the lists in it of any length; None if that is not known.

    >>> opened(pair(DYNAMIC, Constant(None), "p"), "list:p:D")
    D list
    """
    return _opened(time, iter(shape.split(":")))


def _opened(time: Time, words: Iterator[str]) -> Time | None:
    """A time by the next shape of some words."""
    word = next(words)
    if word == "whole":
        return DYNAMIC
    if isinstance(time, Level):
        # Nothing of it is known by parts, or all is.
        _skip(word, words)
        return time
    if word == "object":
        return _object(time, next(words), int(next(words)), words)
    if word not in ("list", "dict"):
        return time if time != Constant(None) else None
    point = next(words)
    known = time.car if isinstance(time, TimeGraph) else None
    if word == "dict" and known is not None:
        known = known.cdr if isinstance(known, TimeGraph) else known
    if known is None and time != Constant(None):
        return None
    item = _opened(known, words) if known is not None else _unknown(words)
    if item is None:
        return None
    if word == "dict":
        item = pair(STATIC, item, f"{point}.entry")
    return join(time, listed(item, point))


def _skip(word: str, words: Iterator[str]) -> None:
    """Go behind the shape that a word begins."""
    if word in ("list", "dict"):
        next(words)
        _skip(next(words), words)
    elif word == "object":
        next(words)
        for _ in range(int(next(words))):
            _skip(next(words), words)


def _unknown(words: Iterator[str]) -> Time | None:
    """The time of the items of a list that is empty yet: static where they are parts of what is static."""
    word = next(words)
    return {"S": STATIC, "D": DYNAMIC, "whole": DYNAMIC}.get(word)


def _object(time: Time, point: str, count: int, words: Iterator[str]) -> Time | None:
    """The time of an object, field by field."""
    fields: list[Time] = []
    for _ in range(count):
        made = _opened(time.car, words) if isinstance(time, TimeGraph) else None
        if made is None or not isinstance(time, TimeGraph):
            return None
        fields.append(made)
        time = time.cdr
    for at, one in reversed(list(enumerate(fields))):
        time = pair(one, time, f"{point}.{at}")
    return time
