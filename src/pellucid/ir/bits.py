"""Bits: the numbers by which an expression knows the loop indices and the states of iterations that it depends on.

Under `expr`, whose `free` is made of them. Bits are never taken back, and their order tells nothing.
"""

from __future__ import annotations

import itertools

MAX_COMPONENTS = 16
"""Components of a state that have bits of their own; those after them share the last one."""
_bits = itertools.count()
_indices: dict[str, int] = {}
_states: dict[int, tuple[int, ...]] = {}
"""The bits of components, and of the whole state, of iterations by depth."""


def index_bit(name: str) -> int:
    """The bit of a loop index."""
    bit = _indices.get(name)
    if bit is None:
        bit = _indices.setdefault(name, 1 << next(_bits))
    return bit


def component_bit(depth: int, position: int) -> int:
    """The bit of a component of the state of an iteration of a depth."""
    return _bits_of(depth)[min(position, MAX_COMPONENTS - 1)]


def state_bits(depth: int) -> int:
    """The bits of all components of the state of an iteration of a depth.

    >>> state_bits(0) & component_bit(0, 3) == component_bit(0, 3), state_bits(1) & component_bit(0, 3)
    (True, 0)
    """
    return _bits_of(depth)[-1]


def states_in(free: int) -> int:
    """The bits of states among others."""
    return sum(free & bits[-1] for bits in tuple(_states.values()))


def whole_states(free: int) -> int:
    """Some bits, and those of all components of each state of which there is one among them."""
    for bits in tuple(_states.values()):
        if free & bits[-1]:
            free |= bits[-1]
    return free


def _bits_of(depth: int) -> tuple[int, ...]:
    found = _states.get(depth)
    if found is None:
        own = [1 << next(_bits) for _ in range(MAX_COMPONENTS)]
        found = _states.setdefault(depth, (*own, sum(own)))
    return found
