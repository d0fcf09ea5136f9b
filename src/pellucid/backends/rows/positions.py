"""Positions: integers of a loop over rows as multiples of the column, of which each row has its own part.

In `rows` below `tape`. A border makes a position a smaller or larger one of two: then the columns are cut where that
changes, and each part has positions without choices.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...base.errors import BackendError

Part = Any
"""An integer, or one for each row."""
_MAX_POSITION = 1 << 31
"""The bound of positions: no product of two of them overflows a word."""


class Position(NamedTuple):
    """`step` times the column, and a part of each row."""

    step: int
    part: Part


class Cut(Exception):  # noqa: N818 - it is no error: whoever catches it goes on with both parts
    """Columns from here on go another way."""

    def __init__(self, column: int) -> None:
        super().__init__(column)
        self.column = column


def unfit(what: str) -> BackendError:
    """The error for a program that cannot run by rows."""
    return BackendError(f"{what} are not run by rows", place="rows", fix="compile the nest")


def combined(op: str, one: Position, other: Position, columns: tuple[int, int]) -> Position:
    """An operator on two positions in some columns: add, sub, mul, min or max.

    Raises Cut where the columns have to be parted, and BackendError for what is no position.

    >>> combined("max", Position(1, -1), Position(0, 0), (1, 9))
    Position(step=1, part=-1)
    >>> try:
    ...     combined("max", Position(1, -1), Position(0, 0), (0, 9))
    ... except Cut as cut:
    ...     print(cut)
    1
    """
    if op == "add":
        return _bounded(one.step + other.step, one.part + other.part)
    if op == "sub":
        return _bounded(one.step - other.step, one.part - other.part)
    if op == "mul":
        if one.step == 0 and type(one.part) is int:
            one, other = other, one
        if other.step == 0 and type(other.part) is int:
            return _bounded(one.step * other.part, one.part * other.part)
        if one.step == other.step == 0:
            return _bounded(0, one.part * other.part)
        raise unfit("products of columns")
    return _chosen(op, one, other, columns)


def _bounded(step: int, part: Part) -> Position:
    low, high = ends(part)
    if not (-_MAX_POSITION < low and high < _MAX_POSITION and -_MAX_POSITION < step < _MAX_POSITION):
        raise unfit("positions of more than 31 bits")
    return Position(step, part)


def ends(part: Part) -> tuple[int, int]:
    """The smallest and the largest of the parts of all rows.

    >>> ends(3), ends(np.arange(4))
    ((3, 3), (0, 3))
    """
    return (part, part) if type(part) is int else (int(part.min()), int(part.max()))


def _chosen(op: str, one: Position, other: Position, columns: tuple[int, int]) -> Position:
    """The smaller or the larger one."""
    step, part = one.step - other.step, one.part - other.part
    if step == 0:
        if type(part) is int:
            return one if (part <= 0) == (op == "min") else other
        least: Callable[..., Any] = np.minimum if op == "min" else np.maximum
        return Position(one.step, least(one.part, other.part))
    first, last = columns[0], columns[1] - 1
    low, high = ends(part)
    least_step, most_step = sorted((step * first, step * last))
    if most_step + high <= 0:
        return one if op == "min" else other
    if least_step + low >= 0:
        return other if op == "min" else one
    if low != high:
        raise unfit("borders that are not straight")
    # Where both are equal they are taken for the one that goes on with the columns.
    before = one if (step > 0) == (op == "min") else other
    raise Cut(-low // step + 1 if before.step else -(low // step))
