"""Python values and those of root: static data become vectors, sequences that a program makes become pairs."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from itertools import islice
from typing import Any, cast

import numpy as np

from pellucid.base.errors import StagingError, brief
from pellucid.base.kinds import whole
from pellucid.staging.front.kinds import Kind
from pellucid.staging.front.objects import fields_of, is_class, is_named_tuple, rebuilt
from pellucid.staging.memory import Memory
from pellucid.staging.root.primitives import LABELED, PRIMITIVES, Primitive
from pellucid.staging.root.program import Pair, unlinked

_WHOLE = whole()


class Vector(tuple[Any, ...]):  # noqa: SLOT001 - a record has fields beside its items
    """A static sequence; each is known by itself, so that a key need not look into it."""

    def __eq__(self, other: object) -> bool:
        """Whether it has equal items, and is a list where the other one is."""
        return super().__eq__(other) is True and isinstance(self, Listed) == isinstance(other, Listed)

    def __hash__(self) -> int:
        """That of its items, as of a tuple."""
        return super().__hash__()


class Listed(Vector):
    """A static list, which is no key, and equals no tuple."""

    __hash__ = None  # pyright: ignore[reportAssignmentType] - as that of a list


_SEQUENCES = frozenset({tuple, list, dict})
"""Classes of sequences that are most common, and no objects."""


def _class_of(value: Any) -> Any:
    """The class of a value."""
    return value.__class__


class Record(Vector):
    """The fields of a static object, which is `origin`."""

    names: tuple[str, ...]
    origin: Any


class Entries(dict[Any, Any]):
    """A static dictionary."""


def static_data(value: Any, place: str) -> Any:
    """A Python value as a static value of root.

    >>> static_data([1, ("a", 2)], "here")
    (1, ('a', 2))
    """
    made: dict[int, Any] = {}

    def of(one: Any, deep: int) -> Any:
        if deep > _MAX_DEPTH:
            raise StagingError(
                f"nested more than {_MAX_DEPTH} deep", place=place, fix="make the data flatter"
            )
        if one.__class__ in _PLAIN or isinstance(one, bool | str | float | Pair | Memory):
            return one
        if isinstance(one, Enum) and not isinstance(one, int):
            return one
        what = _class_of(one)
        if what not in _SEQUENCES and (is_named_tuple(what) or (is_class(what) and hasattr(one, "__dict__"))):
            if id(one) not in made:
                names = fields_of(what)
                record = Record(of(getattr(one, name, None), deep + 1) for name in names)
                record.names, record.origin = names, one
                made[id(one)] = record
            return made[id(one)]
        if not isinstance(one, tuple | list) and _WHOLE.test(one):
            return int(one)
        if isinstance(one, bytes | bytearray):
            return Vector(one)
        if isinstance(one, tuple | list | Mapping | Sequence):
            held = cast("Mapping[Any, Any] | Sequence[Any]", one)
            if id(held) not in made:
                if not isinstance(held, tuple | list) and isinstance(held, Mapping):
                    made[id(held)] = Entries({_key(key): of(each, deep + 1) for key, each in held.items()})
                else:
                    # Most of what a program is are its atoms.
                    what = Listed if isinstance(held, list) else Vector
                    made[id(held)] = what(
                        [each if each.__class__ in _PLAIN else of(each, deep + 1) for each in held]
                    )
            return made[id(held)]
        raise StagingError(
            f"{brief(one)} is no static value",
            place=place,
            fix="give numbers, texts, None, and tuples, lists, dictionaries or objects of these",
        )

    return of(value, 0)


_MAX_DEPTH = 300
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
    if isinstance(value, Record):
        return value.origin
    if isinstance(value, Vector):
        items = [result(one, kind) for one in value]
        return items if isinstance(value, Listed) else tuple(items)
    if isinstance(value, Entries):
        return {key: result(one, kind) for key, one in value.items()}
    if kind.of is not None and isinstance(value, Pair):
        names, values = fields_of(kind.of), unlinked(value)
        return rebuilt(
            kind.of, [result(one, kind.part(name)) for name, one in zip(names, values, strict=True)]
        )
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


def _key(value: Any) -> Any:
    """A key of a dictionary: a tuple is one, also if it is made of pairs."""
    if isinstance(value, Pair):
        return Vector(map(_key, unlinked(value)))
    return Vector(map(_key, cast("tuple[Any, ...]", value))) if value.__class__ is tuple else value


def _item(held: Any, index: Any) -> Any:
    """An element of a vector or a dictionary, as in Python."""
    index = _key(index)
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
    return _key(item) in held


def _at(held: Any, index: Any) -> Any:
    """The item that a loop has come to: of a dictionary, a key."""
    return next(islice(held, index, None)) if isinstance(held, Entries) else held[index]


def _field(held: Any, name: Any) -> Any:
    """A field of a static object."""
    if not isinstance(held, Record) or name not in held.names:
        raise TypeError(f"{brief(held)} has no field {name}")
    return held[held.names.index(name)]


def _slice(held: Any, first: Any, end: Any) -> Any:
    """A part of a vector or a text."""
    if not _is_sequence(held) and not isinstance(held, str):
        raise TypeError(f"{brief(held)} has no slices")
    if isinstance(held, str):
        return held[first:end]
    what = Listed if isinstance(held, Listed) else Vector
    return _derived(held, ("slice", first, end), lambda: what(held[first:end]))


def _rest(held: Any, first: Any) -> Any:
    """The items from a position on, as `*rest` of an assignment gives them."""
    if first < 0:
        raise ValueError(f"no position {first}")
    return _derived(held, ("rest", first), lambda: Listed(_unpacked(held, first, True)[first:]))


def _derived(held: Any, key: tuple[Any, ...], make: Callable[[], Vector]) -> Vector:
    """What is made of a vector or a text: the same each time, since vectors are told apart by what they are."""
    made = vars(held).setdefault("derived", {}) if isinstance(held, Vector) else _of_texts
    if isinstance(held, str):
        key = (held, *key)
    if key not in made:
        if len(made) > _MAX_DERIVED:
            made.clear()
        made[key] = make()
    return made[key]


_of_texts: dict[tuple[Any, ...], Vector] = {}
_MAX_DERIVED = 10_000
"""Vectors that are kept of one vector, or of all texts."""


def _is_sequence(held: Any) -> bool:
    """Whether a value is a sequence: an object is none, if its class is no named tuple."""
    return isinstance(held, Vector) and not (isinstance(held, Record) and not isinstance(held.origin, tuple))


def _unpacked(held: Any, count: Any, longer: Any) -> Any:
    """A sequence that has as many items as are asked for, or more."""
    if not _is_sequence(held) and not isinstance(held, str):
        raise TypeError(f"cannot unpack {brief(held)}")
    if len(held) < count or (len(held) > count and not longer):
        few = (
            f"not enough values to unpack (expected {'at least ' if longer else ''}{count}, got {len(held)})"
        )
        raise ValueError(few if len(held) < count else f"too many values to unpack (expected {count})")
    return held


def _is_a(value: Any, classes: Any) -> bool:
    """Whether a value is of one of some classes."""
    if isinstance(value, Record):
        return isinstance(value.origin, classes)
    if isinstance(value, Vector | Entries):
        what = list if isinstance(value, Listed) else tuple if isinstance(value, Vector) else dict
        return issubclass(what, classes)
    return isinstance(value, classes)


def _is_a_or_empty(value: Any, classes: Any) -> bool:
    """As `_is_a`, where None is a tuple without items."""
    return issubclass(tuple, classes) if value is None else _is_a(value, classes)


def _has_length(held: Any, count: Any, longer: Any) -> bool:
    """Whether a value is a static sequence of so many items, or of more."""
    return _is_sequence(held) and (len(held) == count or (longer and len(held) > count))


def _alike(one: Any, other: Any) -> bool:
    """Whether two values have equal parts, be they vectors or pairs."""
    waiting = [(one, other)]
    while waiting:
        left, right = waiting.pop()
        if left is right:
            continue
        if isinstance(left, Listed) != isinstance(right, Listed):
            return False
        if isinstance(left, Pair | Vector) or isinstance(right, Pair | Vector):
            lists = [unlinked(each) if isinstance(each, Pair) else each for each in (left, right)]
            if not all(isinstance(each, list | Vector) for each in lists) or len(lists[0]) != len(lists[1]):
                return False
            waiting += zip(*lists, strict=True)
        elif left != right:
            return False
    return True


def _text(value: Any) -> str:
    """A value as Python's `str` writes it."""
    return str(result(value, Kind()))


def _shown(value: Any) -> str:
    """A value as Python's `repr` writes it."""
    return repr(result(value, Kind()))


def _text_method(name: str) -> Callable[..., Any]:
    """The primitive that is a method of texts."""

    def ask(held: Any, *args: Any) -> Any:
        if not isinstance(held, str) and not (name in SEARCHES and isinstance(held, Vector)):
            raise TypeError(f"{brief(held)} is no text")
        if name in LISTING:
            return _derived(held, (name, *args), lambda: Listed(getattr(held, name)(*args)))
        return getattr(held, name)(*args)

    return ask


TEXT_METHODS: Mapping[str, tuple[int, ...]] = {
    "isdigit": (0,), "isalpha": (0,), "isspace": (0,), "isalnum": (0,), "isidentifier": (0,), "upper": (0,),
    "lower": (0,), "strip": (0, 1), "split": (0, 1), "splitlines": (0,), "startswith": (1,), "endswith": (1,),
    "find": (1,), "index": (1,), "count": (1,), "replace": (2,), "lstrip": (0, 1), "rstrip": (0, 1),
}  # fmt: skip
"""The methods of static texts, and how many arguments they take."""
LISTING = ("split", "splitlines")
"""Those that make lists."""
SEARCHES = ("index", "count")
"""Those that tuples and lists have too."""
_ROWS = {
    "item": Primitive(2, _item),
    "item-at": Primitive(2, _at),
    "has": Primitive(2, _has),
    "slice": Primitive(3, _slice),
    "is-a": Primitive(2, _is_a),
    "is-a-or-empty": Primitive(2, _is_a_or_empty),
    "has-length": Primitive(3, _has_length),
    "unpacked": Primitive(3, _unpacked),
    "rest": Primitive(2, _rest),
    "same-data": Primitive(2, _alike),
    "text-of": Primitive(1, _text),
    "repr-of": Primitive(1, _shown),
    "integer-of": Primitive(1, int),
    "index-of": Primitive(1, operator.index),
    "code-of": Primitive(1, ord),
    "letter-of": Primitive(1, chr),
}
PRIMITIVES.update(_ROWS)
LABELED["field"] = Primitive(1, _field)
PRIMITIVES.update(
    (f"{name}-{count}", Primitive(count + 1, _text_method(name)))
    for name, counts in TEXT_METHODS.items()
    for count in counts
)
