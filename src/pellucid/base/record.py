"""Records: data classes that are frozen, as `dataclasses` makes them, in a quarter of the time.

`dataclasses.dataclass(frozen=True, slots=True)` compiles a text for each of six methods, which takes half a millisecond
for each class, whenever it is imported. Here `dataclasses` reads the fields, as ever, and only `__init__` is compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from functools import partial
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, TypeVar, dataclass_transform, overload

C = TypeVar("C")
Methods = dict[str, Callable[..., Any]]


class _Factory:
    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()
"""The default of a parameter whose value is made anew."""


@overload
def record(cls: type[C], /) -> type[C]: ...
@overload
def record(
    *, eq: bool = True, slots: bool = True, weakref_slot: bool = False
) -> Callable[[type[C]], type[C]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: Any = None, /, *, eq: bool = True, slots: bool = True, weakref_slot: bool = False) -> Any:
    """The class as `dataclass(frozen=True, slots=slots, ...)` makes it; used as a decorator.

    Methods that the class has of its own are kept.

    >>> @record
    ... class Pair:
    ...     left: int
    ...     right: int = 2
    >>> Pair(1), Pair(1) == Pair(1, 2), hash(Pair(1)) == hash(Pair(1))
    (Pair(left=1, right=2), True, True)
    """
    decorate = partial(_made, eq=eq, slots=slots, weakref_slot=weakref_slot)
    return decorate if cls is None else decorate(cls)


def _made(cls: type[Any], *, eq: bool, slots: bool, weakref_slot: bool) -> type[Any]:
    if any("__dataclass_fields__" in vars(base) for base in cls.__mro__[1:]):
        # What it inherits is to be frozen too, which only the library tells of classes that it has made.
        return dataclass(frozen=True, slots=slots, weakref_slot=weakref_slot, eq=eq)(cls)
    own = {name for name, value in vars(cls).items() if value is not None}
    made: Any = dataclass(init=False, repr=False, eq=False, slots=slots, weakref_slot=weakref_slot)(cls)
    made.__dataclass_params__.frozen, made.__dataclass_params__.eq = True, eq
    all_fields = fields(made)
    methods = _of_all(made, all_fields)
    if eq:
        methods |= _of_values(all_fields)
    if slots:
        methods |= _of_slots(all_fields)
    if "__init__" not in own:
        methods["__init__"] = _initializer(all_fields, post=hasattr(made, "__post_init__"))
    for name in methods.keys() - own:
        method = methods[name]
        method.__name__, method.__qualname__ = name, f"{made.__qualname__}.{name}"
        method.__module__ = made.__module__
        setattr(made, name, method)
    return made


def _of_all(made: type[Any], all_fields: tuple[Field[Any], ...]) -> Methods:
    names = tuple(each.name for each in all_fields)
    shown = tuple(each.name for each in all_fields if each.repr)

    def text(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    def set_(self: Any, name: str, value: Any) -> None:
        if type(self) is made or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(made, self).__setattr__(name, value)

    def delete(self: Any, name: str) -> None:
        if type(self) is made or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(made, self).__delattr__(name)

    return {"__repr__": recursive_repr()(text), "__setattr__": set_, "__delattr__": delete}


def _of_slots(all_fields: tuple[Field[Any], ...]) -> Methods:
    names = tuple(each.name for each in all_fields)

    def state(self: Any) -> list[Any]:
        return [getattr(self, name) for name in names]

    def set_state(self: Any, values: list[Any]) -> None:
        for name, value in zip(names, values, strict=True):
            object.__setattr__(self, name, value)

    return {"__getstate__": state, "__setstate__": set_state}


def _of_values(all_fields: tuple[Field[Any], ...]) -> Methods:
    compared = _values([each.name for each in all_fields if each.compare])
    hashed = _values([each.name for each in all_fields if (each.compare if each.hash is None else each.hash)])

    def equal(self: Any, other: object) -> bool:
        return compared(self) == compared(other) if type(other) is type(self) else NotImplemented

    def hash_(self: Any) -> int:
        return hash(hashed(self))

    return {"__eq__": equal, "__hash__": hash_}


def _values(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """The function that gives the values of these fields of an object."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda self: tuple([getattr(self, name) for name in names])


def _initializer(all_fields: tuple[Field[Any], ...], *, post: bool) -> Callable[..., None]:
    known: dict[str, Any] = {"_set": object.__setattr__, "_FACTORY": _FACTORY}
    parameters, lines = ["self"], ["pass"]
    for each in all_fields:
        value, default = each.name, f"_default_{each.name}"
        if each.default_factory is not MISSING:
            known[default] = each.default_factory
            value = f"{default}() if {value} is _FACTORY else {value}" if each.init else f"{default}()"
            parameters += [f"{each.name}=_FACTORY"] if each.init else []
        elif each.default is not MISSING:
            known[default] = each.default
            value = value if each.init else default
            parameters += [f"{each.name}={default}"] if each.init else []
        elif each.init:
            parameters.append(each.name)
        else:
            continue
        lines.append(f"_set(self, {each.name!r}, {value})")
    lines += ["self.__post_init__()"] if post else []
    exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(lines), known)  # noqa: S102 - names of fields
    made = known["__init__"]
    made.__annotations__ = {each.name: each.type for each in all_fields if each.init} | {"return": None}
    return made
