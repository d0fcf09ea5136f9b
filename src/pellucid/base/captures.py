"""What functions of Python capture: the variables that they close over and the globals that they name, with values.

A picture is a function, and it means something else once such a variable has another value. `captures` notes what all
functions of a picture can read, so that whoever keeps what was traced can ask whether it is still so. A function that
may read anything else, such as an array, a file or an object of the user's own class, has no captures.
"""

from __future__ import annotations

import builtins
import dis
import sys
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from functools import lru_cache, partial
from inspect import Parameter, Signature
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    EllipsisType,
    FunctionType,
    MethodType,
    ModuleType,
    NoneType,
)
from typing import Any, cast

import numpy as np

MAX_CAPTURED = 2000
"""Variables that are asked about for each use; more take longer than most pictures are traced in."""
_LEAVES = frozenset({
    int, float, complex, bool, str, bytes, range, slice, NoneType, EllipsisType, CodeType, Signature
})  # fmt: skip
"""Classes whose objects never change and hold nothing."""
_MODULES = frozenset({"math", "cmath", "itertools", "operator", "_operator", "pellucid"})
"""Modules whose functions say the same of the same arguments, whenever they are called."""
_FUNCTIONS = frozenset({
    "abs", "all", "any", "bool", "complex", "dict", "divmod", "enumerate", "filter", "float", "frozenset", "int",
    "isinstance", "len", "list", "map", "max", "min", "pow", "range", "reversed", "round", "set", "slice", "sorted",
    "str", "sum", "tuple", "type", "zip",
})  # fmt: skip
"""Builtins of which the same holds."""
_FICKLE = frozenset({
    "DataSource", "empty", "empty_like", "fromfile", "fromregex", "genfromtxt", "lib", "load", "loadtxt", "memmap",
    "random", "seterr", "seterrcall",
})  # fmt: skip
"""Names of NumPy of which it does not hold."""
_MISSING = object()


class _UnknownError(Exception):
    """Something that a function may read cannot be told."""


class Captures:
    """The variables that some functions can read, each with the value that it had."""

    __slots__ = ("cells", "dicts", "functions", "globals", "lists")

    def __init__(self) -> None:
        self.cells: list[tuple[CellType, object]] = []
        self.globals: list[tuple[dict[str, object], str, object]] = []
        self.lists: list[tuple[list[object], tuple[object, ...]]] = []
        self.dicts: list[tuple[dict[object, object], tuple[tuple[object, object], ...]]] = []
        self.functions: list[tuple[FunctionType, CodeType, object, object]] = []

    def __len__(self) -> int:
        inside = sum([len(then) for _, then in (*self.lists, *self.dicts)])
        return len(self.cells) + len(self.globals) + len(self.functions) + inside

    def hold(self) -> bool:
        """Whether each variable still has the same value: the same object, since none of them can change in place."""
        try:
            cells = all(cell.cell_contents is value for cell, value in self.cells)
        except ValueError:
            # A variable that was deleted.
            return False
        return (
            cells
            and all(names.get(name, _MISSING) is value for names, name, value in self.globals)
            and all(_are(now, then) for now, then in self.lists)
            and all(_are([*now], [key for key, _ in then]) for now, then in self.dicts)
            and all(_are([*now.values()], [value for _, value in then]) for now, then in self.dicts)
            and all(
                each.__code__ is code and each.__defaults__ is defaults and each.__kwdefaults__ is named
                for each, code, defaults, named in self.functions
            )
        )


def captures(thing: object) -> Captures | None:
    """What the functions in a thing can read beside their arguments; None where that cannot be told.

    Objects of pellucid's own say by `__pellucid_parts__` which of their attributes decide what they mean.

    >>> speed = 3
    >>> def turned(x):
    ...     return speed * x
    >>> found = captures(turned)
    >>> found.hold()
    True
    >>> speed = 4
    >>> found.hold()
    False
    >>> captures(lambda x: open(x)) is None
    True
    """
    found = Captures()
    seen: set[int] = set()
    waiting: list[object] = [thing]
    try:
        while waiting:
            one = waiting.pop()
            if type(one) not in _LEAVES and id(one) not in seen:
                seen.add(id(one))
                waiting += _inside(one, found)
                if len(found) > MAX_CAPTURED:
                    return None
    except _UnknownError:
        return None
    return found


def _are(now: Sequence[object], then: Sequence[object]) -> bool:
    """Whether two sequences hold the same objects."""
    return len(now) == len(then) and all(a is b for a, b in zip(now, then, strict=True))


def _inside(one: Any, found: Captures) -> Iterator[object]:
    """What a thing holds that its functions can read; note the variables among that.

    Raises _UnknownError for a thing of which that is not known.
    """
    kind: type = cast("Any", type(one))
    if kind is tuple or kind is frozenset:
        yield from one
    elif kind is list:
        found.lists.append((one, tuple(one)))
        yield from one
    elif kind is dict:
        found.dicts.append((one, tuple(one.items())))
        yield from one
        yield from one.values()
    elif kind is FunctionType:
        yield from _of_function(one, found)
    elif kind is MethodType:
        yield from (one.__self__, one.__func__)
    elif kind is partial:
        yield from (one.func, *one.args, *one.keywords.values())
    elif isinstance(one, np.number | np.bool_):
        return
    elif kind is BuiltinFunctionType:
        if not (one.__module__ in _MODULES or (one.__module__ == "builtins" and one.__name__ in _FUNCTIONS)):
            raise _UnknownError
    elif isinstance(one, ModuleType):
        if not (_is_ours(one.__name__) or one is np):
            raise _UnknownError
    elif isinstance(one, type):
        if not (
            _is_ours(one.__module__) or one is Parameter.empty or getattr(builtins, one.__name__, None) is one
        ):
            raise _UnknownError
    else:
        parts = _parts(kind)
        if parts is None:
            raise _UnknownError
        yield from [getattr(one, name) for name in parts]


@lru_cache(maxsize=1 << 8)
def _parts(kind: Any) -> tuple[str, ...] | None:
    """The attributes that decide what an object of pellucid's own means; None for a class that may have others."""
    if not _is_ours(kind.__module__):
        return None
    if is_dataclass(kind):
        frozen = vars(kind)["__dataclass_params__"].frozen
        return tuple([each.name for each in fields(kind)]) if frozen else None
    return getattr(kind, "_fields", None) or getattr(kind, "__pellucid_parts__", None)


def _is_ours(module: str) -> bool:
    """Whether what a module holds stays as it is."""
    return module.partition(".")[0] in _MODULES


def _of_function(one: FunctionType, found: Captures) -> Iterator[object]:
    """The values of the variables that a function can read."""
    for cell in one.__closure__ or ():
        try:
            value = cell.cell_contents
        except ValueError:
            raise _UnknownError from None
        found.cells.append((cell, value))
        yield value
    yield from one.__defaults__ or ()
    yield from (one.__kwdefaults__ or {}).values()
    module = sys.modules.get(one.__module__ or "")
    if module is not None and _is_ours(module.__name__) and vars(module) is one.__globals__:
        return
    if one.__dict__:
        raise _UnknownError
    found.functions.append((one, one.__code__, one.__defaults__, one.__kwdefaults__))
    names = one.__globals__
    read = _names(one.__code__)
    for name in read:
        value = names.get(name, _MISSING)
        if value is _MISSING and hasattr(builtins, name) and name not in _FUNCTIONS:
            raise _UnknownError
        # The name of an attribute, or of a builtin, may become that of a global.
        found.globals.append((names, name, value))
        if value is np and not read.isdisjoint(_FICKLE):
            raise _UnknownError
        if value is not _MISSING:
            yield value


def _names(code: CodeType) -> set[str]:
    """The names of globals and attributes in a code and in those of the functions that it makes.

    Raises _UnknownError for one that imports.
    """
    if dis.opmap["IMPORT_NAME"] in code.co_code[::2]:
        raise _UnknownError
    found = set(code.co_names)
    for each in code.co_consts:
        if type(each) is CodeType:
            found |= _names(each)
    return found
