"""Borders: which point of an array stands for a coordinate that is outside of it.

Between `window`, which checks the word, and `naive`, which writes the coordinate as an expression. The expressions are
made of rows whose facts prove them to be inside, and of `min`, `max` and `abs`, which vanish where a loop's range shows
that no coordinate leaves the array.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..base.errors import InputError, brief, did_you_mean
from ..ir.expr import Expr, apply, const

Fold = Callable[[Expr, int, int], Expr]


def _clamp(at: Expr, size: int, reach: int) -> Expr:
    return apply("max", apply("min", at, const(size - 1, at.type)), const(0, at.type))


def _wrap(at: Expr, size: int, reach: int) -> Expr:
    return apply("mod", at, const(size, at.type))


def _reflect(at: Expr, size: int, reach: int) -> Expr:
    """About the middle of the first and of the last element; a far reach goes back and forth, with a period."""
    if size == 1:
        return const(0, at.type)
    last = const(size - 1, at.type)
    if reach >= size:
        at = apply("mod", at, const(2 * (size - 1), at.type))
    # |x| folds at the first element; then n - 1 - |n - 1 - x| folds at the last.
    return apply("sub", last, apply("abs", apply("sub", last, apply("abs", at))))


MODES: Mapping[str, Fold] = {"reflect": _reflect, "clamp": _clamp, "wrap": _wrap, "constant": _clamp}
"""The modes by name, each with the coordinate that it takes for one along an axis of `size` elements.

reflect   ``d c b | a b c d | c b a``: the edge itself is not repeated.
clamp     ``a a a | a b c d | d d d``
wrap      ``b c d | a b c d | a b c``
constant  ``k k k | a b c d | k k k``: here the coordinate is clamped, and the value is chosen.
"""


def checked_border(border: object, place: str) -> str:
    """The mode of that name.

    Raises InputError for anything else.

    >>> checked_border("reflct", "convolve")
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: convolve: 'reflct' is no border; did you mean 'reflect'?
    """
    if isinstance(border, str) and border in MODES:
        return border
    hint = did_you_mean(border, MODES) if isinstance(border, str) else None
    raise InputError(
        f"{brief(border)} is no border", place=place, fix=hint or f"give one of {', '.join(MODES)}"
    )


def folded(mode: str, at: Expr, size: int, reach: int) -> Expr:
    """The coordinate along an axis of `size` elements that stands for `at`, which is at most `reach` outside.

    >>> from pellucid.ir.parse import parse_expr
    >>> folded("clamp", parse_expr("%x - 1")[0], 10, 1)
    max(min(%x - 1, 9), 0)
    """
    return MODES[mode](at, size, reach)


def inside(at: Expr, size: int) -> Expr:
    """Whether a coordinate is one of the array's."""
    return apply("and", apply("le", const(0, at.type), at), apply("lt", at, const(size, at.type)))
