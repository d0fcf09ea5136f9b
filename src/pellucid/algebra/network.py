"""Sorting networks: fixed sequences of comparators that put values in order, pruned to the one that is asked for.

Used by `naive` for the median of a window: the comparisons do not depend on the values, so a network runs in lanes.
Sources: Batcher, "Sorting networks and their applications" (1968), the odd-even merge; for nine values the network of
Smith, "Implementing median filters in XC4000E FPGAs" (1996).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeVar

Value = TypeVar("Value")
Pair = tuple[int, int]

# Columns, then rows of their least, middle and greatest, then the diagonal.
NINE: tuple[Pair, ...] = (
    (0, 3), (3, 6), (0, 3), (1, 4), (4, 7), (1, 4), (2, 5), (5, 8), (2, 5),
    (0, 1), (1, 2), (3, 4), (4, 5), (3, 4), (7, 8), (6, 7),
    (2, 4), (4, 6), (2, 4),
)  # fmt: skip


@cache
def network(count: int) -> tuple[Pair, ...]:
    """The comparators of an odd-even merge sort of so many values, in order; each puts the lesser value first.

    >>> network(3)
    ((0, 1), (0, 2), (1, 2))
    """
    pairs: list[Pair] = []
    p = 1
    while p < count:
        k = p
        while k >= 1:
            for j in range(k % p, count - k, 2 * k):
                ends = range(j, j + min(k, count - j - k))
                pairs += [(i, i + k) for i in ends if i // (2 * p) == (i + k) // (2 * p)]
            k //= 2
        p *= 2
    return tuple(pairs)


@cache
def median_network(count: int) -> tuple[Pair, ...]:
    """The comparators that bring the median of an odd number of values to the middle position, and no others."""
    if count == 9:
        return NINE
    wanted = {count // 2}
    kept: list[Pair] = []
    for pair in reversed(network(count)):
        if not wanted.isdisjoint(pair):
            wanted.update(pair)
            kept.append(pair)
    return tuple(reversed(kept))


def median(
    values: Sequence[Value], lesser: Callable[[Value, Value], Value], greater: Callable[[Value, Value], Value]
) -> Value:
    """The middle one of an odd number of values, by comparisons that do not depend on them.

    >>> median([3, 1, 2, 9, 4], min, max)
    3
    """
    line = list(values)
    for i, j in median_network(len(line)):
        line[i], line[j] = lesser(line[i], line[j]), greater(line[i], line[j])
    return line[len(line) // 2]
