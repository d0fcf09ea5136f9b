"""Sameness, decided before run time: early equality, and when two states of a program are one state.

Expressions are hash-consed and every moved value has one name, so two dynamic values are surely equal when they are
one object (Draves 1996, section 5.1). A state of a program is *canonical* when its dynamic values are numbered by first
appearance and the remainders of its cyclic integers are normal: that is the key of the memo table.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Hashable
from dataclasses import fields, is_dataclass
from dataclasses import replace as replaced
from typing import Any, cast

from ..base.kinds import takes
from ..base.record import record
from ..ir.expr import Expr
from .folding import node, number
from .value import NUMBER, Cyclic, Dynamic, Terms, integer, of


@takes(a=NUMBER, b=NUMBER)
def early_equal(a: Any, b: Any) -> bool:
    """Whether two values are surely equal: true only where it can be told now (the paper's ``early=``).

    >>> early_equal(3, 3), early_equal(3, 4)
    (True, False)
    """
    if isinstance(a, Dynamic) or isinstance(b, Dynamic):
        return isinstance(a, Dynamic) and isinstance(b, Dynamic) and a.expr is b.expr
    difference = a - b
    return isinstance(difference, int) and difference == 0


def early_distinct(a: Any, b: Any) -> bool:
    """Whether two integers surely differ.

    Asked of an address beside each line of the cache, so the difference is not made as a value.
    """
    distance = _remainder(a) - _remainder(b)
    bases = dict(_terms(a))
    for q, base in _terms(b):
        bases[q] = bases.get(q, 0) - base
    base = math.gcd(*bases.values())
    return distance != 0 if base == 0 else distance % base != 0


def _remainder(value: Any) -> int:
    return value.remainder if isinstance(value, Cyclic) else value


def _terms(value: Any) -> Terms:
    return value.terms if isinstance(value, Cyclic) else ()


# ---- structures ----


@record
class Flat:
    """A structure taken apart: its leaves, where each stands, and how to put it together from other leaves."""

    leaves: tuple[Any, ...]
    places: tuple[str, ...]
    build: Callable[[list[Any]], Any]


def flatten(value: Any, place: str = "") -> Flat:
    """Take apart tuples, lists, dictionaries, dataclasses and closures, down to numbers and other plain things."""
    leaves: list[Any] = []
    places: list[str] = []
    build = _flatten(value, place, leaves, places, ())
    return Flat(tuple(leaves), tuple(places), lambda new: build(iter(new)))


Build = Callable[[Any], Any]


def _flatten(value: Any, place: str, leaves: list[Any], places: list[str], around: tuple[int, ...]) -> Build:
    if id(value) in around or isinstance(value, Cyclic | Dynamic | Expr):
        return _leaf(value, place, leaves, places)
    inside = (*around, id(value))

    def parts(items: list[tuple[str, Any]]) -> list[Build]:
        return [_flatten(v, f"{place}{name}", leaves, places, inside) for name, v in items]

    if isinstance(value, tuple | list):
        sequence = cast("tuple[Any, ...] | list[Any]", value)
        names: Any = getattr(sequence, "_fields", None)
        items = [(f".{names[k]}" if names else f"[{k}]", v) for k, v in enumerate(sequence)]
        made = parts(items)
        kind = type(sequence)
        if names:
            return lambda it: kind(*(b(it) for b in made))
        return lambda it: kind([b(it) for b in made])
    if isinstance(value, dict):
        table = cast("dict[Any, Any]", value)
        keys = list(table)
        leaves.append(tuple(keys))
        places.append(f"{place} (keys)")
        made = parts([(f"[{k!r}]", v) for k, v in table.items()])

        def rebuild(it: Any) -> Any:
            next(it)
            return dict(zip(keys, (b(it) for b in made), strict=True))

        return rebuild
    if is_dataclass(value) and not isinstance(value, type):
        names = [f.name for f in fields(value) if f.init]
        leaves.append(type(value))
        places.append(f"{place} (type)")
        made = parts([(f".{n}", getattr(value, n)) for n in names])

        def remake(it: Any) -> Any:
            next(it)
            return replaced(cast("Any", value), **{n: b(it) for n, b in zip(names, made, strict=True)})

        return remake
    if isinstance(value, types.FunctionType) and value.__closure__:
        return _closure(value, place, leaves, places, inside)
    return _leaf(value, place, leaves, places)


def _leaf(value: Any, place: str, leaves: list[Any], places: list[str]) -> Build:
    leaves.append(value)
    places.append(place)
    return next


def _closure(
    function: types.FunctionType, place: str, leaves: list[Any], places: list[str], around: tuple[int, ...]
) -> Build:
    """A function is its code, which is static, and the values it closes over."""
    leaves.append(function.__code__)
    places.append(f"{place} (code)")
    names = function.__code__.co_freevars
    values = [c.cell_contents for c in function.__closure__ or ()]
    made = [
        _flatten(v, f"{place}{function.__name__}.{n}", leaves, places, around)
        for n, v in zip(names, values, strict=True)
    ]

    def rebuild(it: Any) -> Any:
        next(it)
        cells = tuple(types.CellType(b(it)) for b in made)
        new = types.FunctionType(
            function.__code__, function.__globals__, function.__name__, function.__defaults__, cells
        )
        new.__kwdefaults__ = function.__kwdefaults__
        return new

    return rebuild


# ---- canonical states ----


@record
class Canonical:
    """A state as the memo table knows it: `key`, and the dynamic `values` in order of first appearance.

    `origins` are those values before they were normalized: the quotients as the program knows them.
    """

    key: tuple[Any, ...]
    values: tuple[Expr, ...]
    origins: tuple[Expr, ...]


def canonical(leaves: tuple[Any, ...]) -> Canonical:
    """The key of a state and its dynamic values.

    Values that share a quotient keep sharing it: the first of them is brought into 0 .. base and the others move by as
    much (1996, section 4.1.1, late normalization).
    """
    numbers: dict[Expr, int] = {}
    shifts: dict[Expr, int] = {}
    key: list[Hashable] = []
    for leaf in leaves:
        match leaf:
            case Cyclic():
                q, base = leaf.quotient, leaf.base
                if q not in numbers:
                    numbers[q], shifts[q] = len(numbers), leaf.remainder // base
                key.append(("cyclic", base, numbers[q], leaf.remainder - base * shifts[q]))
            case Dynamic():
                numbers.setdefault(leaf.expr, len(numbers))
                key.append(("dynamic", leaf.expr.type.name, numbers[leaf.expr]))
            case _:
                key.append(("static", _static(leaf)))
    values = tuple(node("add", q, number(shifts[q])) if shifts.get(q) else q for q in numbers)
    return Canonical(tuple(key), values, tuple(numbers))


def _static(leaf: object) -> Hashable:
    kind: type[object] = type(leaf)
    try:
        hash(leaf)
    except TypeError:
        return (kind, id(leaf))
    return (kind, leaf)


def restored(key: tuple[Any, ...], leaves: tuple[Any, ...], names: tuple[Expr, ...]) -> list[Any]:
    """The leaves of a state with new names for its dynamic values; static leaves are taken over."""
    found: list[Any] = []
    for part, leaf in zip(key, leaves, strict=True):
        if part[0] == "cyclic":
            name = names[int(part[2])]
            found.append(integer(((name, part[1]),), part[3]))
        elif part[0] == "dynamic":
            name = names[int(part[2])]
            found.append(of(name))
        else:
            found.append(leaf)
    return found
