"""Kinds: what a parameter takes, checked at the door of a public function.

Ground floor. A wrong kind of thing is told at once, by the name of the parameter, and not by whatever Python meets
first inside.
"""

from __future__ import annotations

import functools
import inspect
import math
import numbers
from collections.abc import Callable, Sequence
from typing import ParamSpec, TypeVar, cast

from .errors import InputError, brief
from .record import record
from .source_location import caller

P = ParamSpec("P")
R = TypeVar("R")


@record
class ArgumentKind:
    """The arguments that a parameter takes: their name in messages, the test, and the fix."""

    noun: str
    test: Callable[[object], bool]
    fix: str


def instance(noun: str, *types: type, fix: str = "") -> ArgumentKind:
    """The instances of some types; a truth is no number."""

    def test(thing: object) -> bool:
        return isinstance(thing, types) and (not isinstance(thing, bool) or bool in types)

    return ArgumentKind(noun, test, fix or f"give {noun}")


def whole(least: int | None = None, most: int | None = None) -> ArgumentKind:
    """The integers of a range.

    >>> whole(1, 4).fix
    'give a whole number from 1 to 4'
    """
    noun = (
        "a whole number" if least is None else f"a whole number from {least} {f'to {most}' if most else 'up'}"
    )

    def test(thing: object) -> bool:
        if isinstance(thing, bool) or not isinstance(thing, numbers.Integral):
            return False
        return (least is None or int(thing) >= least) and (most is None or int(thing) <= most)

    return ArgumentKind(noun, test, f"give {noun}")


def optional(kind: ArgumentKind) -> ArgumentKind:
    """A kind, or None."""
    return ArgumentKind(kind.noun, lambda thing: thing is None or kind.test(thing), kind.fix)


def each(kind: ArgumentKind, noun: str) -> ArgumentKind:
    """The sequences of a kind."""

    def test(thing: object) -> bool:
        if isinstance(thing, str | bytes) or not isinstance(thing, Sequence):
            return False
        return all(kind.test(x) for x in cast("Sequence[object]", thing))

    return ArgumentKind(noun, test, f"give {noun}")


def _is_finite(thing: object) -> bool:
    try:
        return isinstance(thing, numbers.Real) and math.isfinite(thing)
    except OverflowError:
        return False


FUNCTION = ArgumentKind("a function", callable, "give a function")
TEXT = instance("text", str)
NUMBER = ArgumentKind("a number", lambda thing: isinstance(thing, numbers.Real), "give a number")
FLOAT = ArgumentKind("a finite number", _is_finite, "give a number such as 0.5")
TRUTH = instance("True or False", bool)


def takes(**kinds: ArgumentKind) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function whose parameters are of some kinds; a call with others raises InputError.

    >>> @takes(count=whole(1))
    ... def repeated(text, count):
    ...     return text * count
    >>> repeated("ab", 2)
    'abab'
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)
        own = function.__qualname__.removesuffix(".__init__").rpartition(".")[2]

        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            given = signature.bind(*args, **kwargs).arguments
            for name, kind in kinds.items():
                if name in given and not kind.test(given[name]):
                    refuse(kind, given[name], f"{own}: {name}")
            return function(*args, **kwargs)

        return call

    return decorate


def refuse(kind: ArgumentKind, thing: object, where: str) -> None:
    """Raise the InputError for a thing that is of another kind; `where` names the function and the parameter."""
    place, _ = caller()
    raise InputError(f"{brief(thing)} is not {kind.noun}", place=f"{place}: {where}", fix=kind.fix)
