"""Chance that is the same each time: integer hashes of the points of a lattice, in wrapping 32-bit arithmetic.

No tables: a hash is ten operators, so noise needs no memory and vectorizes. Used by `noise`.
"""

from __future__ import annotations

from typing import Any

from ..ir import expr as E
from ..ir import types as T
from ..tracing import Value, call, convert, real_type, where
from ..tracing.tracer import lift

# Odd numbers found by search: the nearest two lattice points that meet before mixing are 70,200 apart.
_ACROSS, _UP = 0x1B2BA2D9, 0x4229F603
_MASK = 0xFFFFFFFF


def word(x: Any) -> Value:
    """A whole number as an unsigned 32-bit one; negative ones wrap; of floats, see `convert`.

    >>> word(-1).expr
    4294967295:u32
    """
    if isinstance(x, int):
        return Value(E.const(x, T.u32))
    # A constant float takes the way of one that is known later, so that both mean the same.
    return convert(convert(Value(lift(x)), T.i32), T.u32)


def mixed(h: Any) -> Any:
    """Every bit of the result depends on every bit of `h`: two rounds of shift, exclusive or and odd multiplication.

    A one-to-one function of 32-bit words; Python integers give Python integers.

    >>> hex(mixed(1)), hex(mixed(2))
    ('0x688990c0', '0xd1132181')
    """
    if isinstance(h, int):
        h ^= h >> 16
        h = h * 0x7FEB352D & _MASK
        h ^= h >> 15
        h = h * 0x846CA68B & _MASK
        return h ^ h >> 16
    h = h ^ call("shift_right_in", h, 16)
    h = h * 0x7FEB352D
    h = h ^ call("shift_right_in", h, 15)
    h = h * 0x846CA68B
    return h ^ call("shift_right_in", h, 16)


def layer(seed: int, z: Any = 0) -> Any:
    """The word that sets one layer of a lattice apart from others: a word made of a seed and of a whole number.

    >>> layer(0) == layer(1)
    False
    """
    start = mixed((seed + 0x2545F491) & _MASK)
    if isinstance(z, int):
        return mixed((z + start) & _MASK)
    return mixed(word(z) + start)


class Lattice:
    """The hashes of a point of a lattice and of those near it, in one layer: one addition and one mixing for each.

    `i` and `j` are whole numbers, as floats or integers.
    """

    def __init__(self, i: Any, j: Any, layer: Any) -> None:
        self._base = word(i) * _ACROSS + word(j) * _UP
        self._layer = layer

    def __call__(self, right: int, up: int) -> Any:
        """The hash of the point so many steps away."""
        step = right * _ACROSS + up * _UP
        if isinstance(self._layer, int):
            return mixed(self._base + (step + self._layer & _MASK))
        return mixed(self._base + self._layer + (step & _MASK))


class WrappedLattice:
    """The hashes of a point of a lattice and of its neighbors to the right and above, if the lattice repeats.

    `period` is after how many points it does, across and up; `i` and `j` are whole numbers, as floats or integers.
    """

    def __init__(self, i: Any, j: Any, layer: Any, period: tuple[int, int]) -> None:
        # In integers: the quotient of floats may be rounded up to the next whole number.
        self._columns = _wrapped(i, period[0], _ACROSS)
        self._rows = _wrapped(j, period[1], _UP)
        self._layer = layer

    def __call__(self, right: int, up: int) -> Any:
        """The hash of the point `right` and `up` steps away, each 0 or 1."""
        return mixed(self._columns[right] + self._rows[up] + self._layer)


def _wrapped(i: Any, period: int, factor: int) -> tuple[Any, Any]:
    """The word of a coordinate, and that of the next one."""
    here = convert(Value(lift(i)), T.i32) % period
    following = where(here == period - 1, 0, here + 1)
    return convert(here, T.u32) * factor, convert(following, T.u32) * factor


def fraction_of(h: Any) -> Any:
    """A number in 0 .. 1, without 1, from the high 24 bits of a hash."""
    return convert(call("shift_right_in", h, 8), real_type()) * 2.0**-24


def halves_of(h: Any) -> tuple[Any, Any]:
    """Two numbers in 0 .. 1, without 1, from the halves of a hash."""
    low, high = h & 0xFFFF, call("shift_right_in", h, 16)
    return convert(low, real_type()) * 2.0**-16, convert(high, real_type()) * 2.0**-16


def direction_of(h: Any) -> tuple[Any, Any]:
    """A vector in any direction, of a length from 1 to 1.061: a circle made of parabolas, without sine or cosine."""
    quarter = 0x40000000
    return _bow(h + quarter), _bow(h)


def _bow(h: Any) -> Any:
    # As a signed number the hash is an angle in half turns, and adding to it wraps around.
    t = convert(convert(h, T.i32), real_type()) * 2.0**-31
    return (4.0 * t) * (1.0 - abs(t))


def edge_product(h: Any, x: Any, y: Any, z: Any) -> Any:
    """The inner product of (x, y, z) with one of the twelve vectors to the edges of a cube, such as (1, 0, -1)."""
    low = h & 0x3FFFFFFF
    third = 0x40000000 // 3
    u = where(low < third, y, x)
    v = where(low < 2 * third, z, y)
    positive = convert(h, T.i32) >= 0
    return where(positive, u, -u) + where((h & 0x40000000) == 0, v, -v)
