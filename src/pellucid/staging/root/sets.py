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


def bits(values: Set) -> Iterator[Set]:
    """The sets of one bit in a set.

    >>> list(bits(10))
    [2, 8]
    """
    while values:
        low = values & -values
        yield low
        values ^= low
