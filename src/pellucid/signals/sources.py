"""Where samples come from: memory, at any bit address; numbers that stay, count, or are set by hand; noise.

Memory is also where they go (`put`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..staging import Memory, load_sample, store_sample
from ..staging import signed as with_sign
from .delays import scan
from .node import Carrying, Moment, Node
from .signal import Constant, Signal, as_number, as_signal, mapped


@dataclass(frozen=True, slots=True)
class Span:
    """Samples of `size` bits, `stride` bits apart, at the bit addresses from `start` to before `stop`."""

    start: Any
    stop: Any
    size: Any
    stride: Any


class InMemory(Node):
    """Samples in memory, of which the first one was at the origin."""

    name = "memory"

    def __init__(self, memory: Memory, origin: Any, *, signed: bool) -> None:
        self.memory, self.origin, self.signed = memory, origin, signed

    def sample(self, moment: Moment) -> Any:
        """The sample at the start."""
        span = moment.states[self]
        bits = load_sample(self.memory, span.start, span.size)
        return with_sign(bits, span.size) if self.signed else bits

    def store(self, state: Span, value: Any) -> None:
        """Overwrite the sample at the start."""
        store_sample(self.memory, state.start, state.size, value)

    def next(self, moment: Moment) -> Span:
        """One stride on."""
        span = moment.states[self]
        return replace(span, start=span.start + span.stride)

    def lifted(self, state: Span) -> Span:
        """The same, since what is known of addresses is what loops are unrolled by; but not for an unknown while."""
        if isinstance(state.start, int) and not isinstance(state.stop, int):
            return super().lifted(state)
        return state

    def ended(self, state: Span) -> Any:
        """Whether the start is at the stop."""
        return state.start == state.stop

    def left(self, state: Span) -> int:
        """How many strides there are."""
        return (state.stop - state.start) // state.stride

    def reach(self, state: Span) -> int:
        """As many."""
        return self.left(state)

    def numbers(self, state: Span) -> tuple[Any, ...]:
        """How many samples have gone."""
        return ((state.start - self.origin) // state.stride,)

    def with_numbers(self, state: Span, numbers: tuple[Any, ...]) -> Span:
        """As many samples from the origin on."""
        return replace(state, start=self.origin + state.stride * numbers[0])

    def rewired(self, inputs: tuple[Node, ...]) -> Node:
        """The same memory."""
        return InMemory(self.memory, self.origin, signed=self.signed)


def memory(words: Memory, start: Any, stop: Any, size: Any, stride: Any, *, signed: bool = False) -> Signal:
    """The samples of `size` bits, `stride` bits apart, from one bit address of a memory to before another.

    `stop` less `start` is a multiple of the stride. Samples are integers, with a sign if `signed`; the signal can be
    written to. Any of the numbers may be dynamic.

    >>> import numpy as np
    >>> memory(Memory("m", 8, np.array([0x21, 0x43], np.uint8)), 4, 16, 4, 4).take(3)
    [2, 3, 4]
    """
    node = InMemory(words, start, signed=signed)
    return Signal(node, {node: Span(start, stop, size, stride)})


def constant(value: Any) -> Signal:
    """One sample for ever, an integer or a real number.

    >>> constant(0.5).take(2)
    [0.5, 0.5]
    """
    return as_signal(value)


class Control(Carrying, Constant):
    """A constant with a name, set from outside."""

    def __init__(self, label: str) -> None:
        self.label = label

    def rewired(self, inputs: tuple[Node, ...]) -> Node:
        """Another control of that name."""
        return Control(self.label)


def control(name: str, value: float) -> Signal:
    """A constant that a compiled signal lets be set between its blocks, by its name.

    >>> control("volume", 0.5).take(1)
    [0.5]
    """
    node = Control(name)
    return Signal(node, {node: as_number(value, "control")})


def count(start: int = 0) -> Signal:
    """The integers from `start` up.

    >>> count(5).take(3)
    [5, 6, 7]
    """
    return scan(constant(1), start - 1, lambda n, step: n + step)


def noise(seed: int = 1) -> Signal:
    """White noise: real numbers from -1 to below 1, the same ones for the same seed (an integer).

    A linear congruential generator modulo 2 to the 48th, of which the high half is taken (as POSIX drand48).

    >>> [round(x, 3) for x in noise().take(3)]
    [-0.917, -0.091, 0.67]
    """
    first = ((seed << 16) + 0x330E) & _LOW48
    return mapped(_as_level, scan(constant(0), first, _drawn))


_LOW48 = (1 << 48) - 1


def _drawn(state: Any, _: Any) -> Any:
    return (state * 0x5DEECE66D + 0xB) & _LOW48


def _as_level(state: Any) -> Any:
    return (state >> 16) * 2.0**-31 - 1.0
