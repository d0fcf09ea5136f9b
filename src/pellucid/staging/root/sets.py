"""Sets of values of root, as integers of bits: one for each kind, to which `flow` adds one for each code and pair."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from pellucid.ir.types import Type, boolean

Set: TypeAlias = int
"""The values that a variable may have."""

INTEGERS, BOOLEANS, NILS, GIVEN, TEXTS, REALS = 1, 2, 4, 8, 16, 32
"""Kinds: integers, truth values, the empty list, pairs that come from outside, texts, and real numbers."""
NUMBERS = INTEGERS | BOOLEANS
SCALARS = NUMBERS | REALS
DATA = NUMBERS | NILS | GIVEN
"""All that an argument may be."""


def kind_of(type_: Type) -> Set:
    """The set of all values of a type."""
    return BOOLEANS if type_ is boolean else REALS if type_.is_float else INTEGERS


def is_ordered(values: Set) -> bool:
    """Whether values have the order of their words: numbers only, or texts only."""
    return not values & ~NUMBERS or values == TEXTS


def is_key(values: Set) -> bool:
    """Whether words and tags of values tell which of them are equal to a number or a text."""
    return not values & ~(NUMBERS | TEXTS | NILS)


def alike(values: Set) -> Set:
    """The kinds of what may equal one of some numbers, or of some texts."""
    return NUMBERS if values & NUMBERS else values


def bits(values: Set) -> Iterator[Set]:
    """The sets of one bit in a set.

    >>> list(bits(10))
    [2, 8]
    """
    while values:
        low = values & -values
        yield low
        values ^= low
