"""Classes of an interpreter: their fields and methods. An object is a tuple of its fields, in an order of the class.

Named tuples, data classes, and plain classes whose `__init__` assigns the fields.
"""

from __future__ import annotations

import ast
import dataclasses
from enum import Enum
from functools import cache
from types import FunctionType
from typing import Any, ClassVar, cast, get_args, get_type_hints

from pellucid.base.errors import StagingError
from pellucid.staging.front.source import Source


def is_class(value: Any) -> bool:
    """Whether a value is a class that an interpreter may make objects of: its fields can be known."""
    if not isinstance(value, type) or issubclass(value, BaseException | Enum):
        return False
    if (value.__module__ or "").startswith("pellucid."):
        return False
    return is_named_tuple(value) or _is_data(value) or isinstance(value.__init__, FunctionType)


def is_named_tuple(value: Any) -> bool:
    """Whether a class is one of named tuples."""
    return isinstance(value, type) and issubclass(value, tuple) and hasattr(cast("Any", value), "_fields")


def _is_data(what: Any) -> bool:
    """Whether a class is a data class."""
    return dataclasses.is_dataclass(what)


def has_init(what: type) -> bool:
    """Whether a class has an `__init__` that was written, and not made by a decorator."""
    return isinstance(vars(what).get("__init__") or what.__init__, FunctionType) and not (
        _is_data(what) or is_named_tuple(what)
    )


class Keyed(dict[str, Any]):
    """A dictionary whose keys are all written in the interpreter, `keys_of` them: it is an object with these fields."""

    keys_of: ClassVar[tuple[str, ...]] = ()


@cache
def keyed(names: tuple[str, ...]) -> type[Keyed]:
    """The class of dictionaries with some keys.

    >>> fields_of(keyed(("x", "y")))
    ('x', 'y')
    """
    return type("dict", (Keyed,), {"keys_of": names})


def is_keyed(what: Any) -> bool:
    """Whether a class is one of dictionaries with known keys."""
    return isinstance(what, type) and issubclass(what, Keyed)


@cache
def fields_of(what: Any) -> tuple[str, ...]:
    """The names of the fields of a class, in order.

    >>> import collections
    >>> fields_of(collections.namedtuple("Point", "x y"))
    ('x', 'y')
    """
    if is_named_tuple(what):
        return tuple(getattr(what, "_fields", ()))
    if is_keyed(what):
        return what.keys_of
    if _is_data(what):
        return tuple(one.name for one in dataclasses.fields(what))
    found: dict[str, None] = {}
    classes: list[type] = list(reversed(what.__mro__))
    for each in classes:
        methods = [one for one in vars(each).values() if isinstance(one, FunctionType)]
        for function in sorted(methods, key=lambda one: one.__name__ != "__init__"):
            source = Source(function)
            own = source.params[0] if source.params else ""
            for node in ast.walk(source.tree):
                match node:
                    case ast.Attribute(ast.Name(name), field, ast.Store()) if name == own:
                        found[field] = None
                    case _:
                        pass
    return tuple(found)


def defaults_of(source: Source, call: ast.Call, what: Any) -> dict[str, ast.expr]:
    """The default values of the fields of a data class or a named tuple, as expressions at the place of a call."""
    found: dict[str, Any] = {}
    if _is_data(what):
        for one in dataclasses.fields(what):
            if one.default is not dataclasses.MISSING:
                found[one.name] = one.default
            elif any(one.default_factory is made for made in (list, dict, tuple)):
                found[one.name] = one.default_factory()  # pyright: ignore[reportCallIssue] - one of three classes
    else:
        found = dict(getattr(what, "_field_defaults", {}))
    made: dict[str, ast.expr] = {}
    for name, value in found.items():
        if isinstance(value, list | dict) and not value:
            node = ast.List([], ast.Load()) if isinstance(value, list) else ast.Dict([], [])
        elif value is None or isinstance(value, int | float | str):
            node = ast.Constant(value)
        elif value == ():
            node = ast.Tuple([], ast.Load())
        else:
            continue
        made[name] = ast.copy_location(node, call)
    if hasattr(what, "__post_init__"):
        raise source.error(call, f"{what.__name__} has a __post_init__", "compute fields before the call")
    return made


def method_of(source: Source, node: ast.AST, what: type, name: str) -> FunctionType:
    """The function of a method."""
    found = getattr(what, name, None)
    if isinstance(found, FunctionType) and not isinstance(
        vars(what).get(name, found), staticmethod | classmethod
    ):
        return found
    raise source.error(
        node,
        f"{what.__name__} has no method {name} that `def` makes",
        "write a function that takes the object",
    )


@cache
def field_class(what: Any, name: str) -> type | None:
    """The class that the annotation of a field names; None if it names none, or several."""
    try:
        hint = get_type_hints(what).get(name)
    except (NameError, TypeError):
        return None
    found = [one for one in (get_args(hint) or (hint,)) if is_class(one)]
    return found[0] if len(found) == 1 else None


def match_fields(source: Source, pattern: ast.MatchClass, what: Any) -> tuple[str, ...]:
    """The fields that the patterns in a class pattern are of, in order; one of a class as `int` is the value itself.

    Raises the error of the line for more patterns than there are fields, and for what is no class.
    """
    if not isinstance(what, type):
        raise source.error(
            pattern, f"{ast.unparse(pattern.cls)} is no class", "match int, str, tuple or a class of yours"
        )
    fields = ("",) if what in _WHOLE else tuple(getattr(what, "__match_args__", ()))
    if len(pattern.patterns) > len(fields):
        raise source.error(
            pattern,
            f"{what.__name__} takes {len(fields)} patterns in order",
            "name the fields: Point(x=0, y=y), or use a data class",
        )
    return fields[: len(pattern.patterns)]


_WHOLE = frozenset({bool, dict, float, int, list, str, tuple})
"""Classes whose pattern in order is of the value itself."""


def position_of(source: Source, node: ast.AST, what: type, field: str) -> int:
    """The position of a field; raises the error of the line if there is none."""
    names = fields_of(what)
    if field not in names:
        raise source.error(
            node, f"{what.__name__} has no field {field}", f"it has {', '.join(names) or 'none'}"
        )
    return names.index(field)


def lacking(source: Source, node: ast.AST, what: type, field: str, names: list[str]) -> StagingError:
    """The error of a field that objects of a class lack, and that static data have which flow to the same place.

    Parameters: `names` are variables that may stand for both.
    """
    shown = f", as {' and '.join(names)} may be" if names else ""
    return source.error(
        node,
        f"{what.__name__} has no field {field}; static data and a {what.__name__} have one name here",
        f"give each a name of its own, since a variable is of one kind in all of a function{shown}",
    )


def rebuilt(what: Any, values: list[Any]) -> Any:
    """An object of its fields, without a call of its `__init__`.

    Raises StagingError for a class whose objects have no fields that can be set.
    """
    if is_named_tuple(what):
        return what(*values)
    if is_keyed(what):
        return dict(zip(what.keys_of, values, strict=True))
    made = object.__new__(what)
    try:
        for name, value in zip(fields_of(what), values, strict=True):
            object.__setattr__(made, name, value)
    except (AttributeError, ValueError) as error:
        raise StagingError(str(error), place=what.__name__, fix="return a tuple") from None
    return made
