"""Where samples come from: memory, at any bit address; numbers that stay, count, or are set by hand; noise.

Memory is also where they go (`put`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import Any

from ..base.errors import InputError, brief
from ..base.kinds import FLOAT, TEXT, TRUTH, ArgumentKind, instance, takes, whole
from ..base.record import record
from ..base.source_location import caller
from ..ir import types as T
from ..staging import Cyclic, Dynamic, Memory, divides, load_sample, require, store_sample
from ..staging import signed as with_sign
from ..staging.folding import node, number
from ..staging.value import expression
from .delays import scan
from .envelopes import MAX_RAMP
from .envelopes import ramp as ramped
from .keys import number_key
from .node import Carrying, SignalNode, Tick
from .signal import ConstantSignal, Signal, as_initial, as_signal, mapped


@record
class MemorySpan:
    """Samples of `size` bits, `stride` bits apart, at the bit addresses from `start` to before `stop`."""

    start: Any
    stop: Any
    size: Any
    stride: Any


class InMemory(SignalNode):
    """Samples in memory, of which the first one was at the origin."""

    name = "memory"

    def __init__(self, memory: Memory, origin: Any, *, signed: bool) -> None:
        self.memory, self.origin, self.signed = memory, origin, signed

    def sample(self, tick: Tick) -> Any:
        """The sample at the start."""
        span = tick.states[self]
        bits = load_sample(self.memory, span.start, span.size)
        return with_sign(bits, span.size) if self.signed else bits

    def store(self, state: MemorySpan, value: Any) -> None:
        """Overwrite the sample at the start."""
        store_sample(self.memory, state.start, state.size, value)

    def next(self, tick: Tick) -> MemorySpan:
        """One stride on."""
        span = tick.states[self]
        return replace(span, start=span.start + span.stride)

    def known_end(self, state: MemorySpan) -> bool:
        """Whether the distance is known."""
        return isinstance(state.stop - state.start, int)

    def lifted(self, state: MemorySpan, gone: Any) -> MemorySpan:
        """The same, since what is known of addresses is what loops are unrolled by; but not for an unknown while.

        A start that would not come back to what is known of it moves by the count that all such starts move by: what
        ends together stays one unknown.
        """
        if gone is not None and (isinstance(state.start, int) or self.known_end(state)):
            return replace(state, start=state.start + state.stride * gone)
        return state

    def ended(self, state: MemorySpan) -> Any:
        """Whether the start is at the stop."""
        return state.start == state.stop

    def left(self, state: MemorySpan) -> int:
        """The number of strides that are left."""
        return (state.stop - state.start) // state.stride

    def reach(self, state: MemorySpan) -> int:
        """The same number."""
        return self.left(state)

    def spans(self, state: MemorySpan) -> Iterable[tuple[Any, Any]]:
        """Its own."""
        return ((state.stop - state.start, state.stride),)

    def numbers(self, state: MemorySpan) -> tuple[Any, ...]:
        """The number of samples that have passed."""
        return ((state.start - self.origin) // state.stride,)

    def with_numbers(self, state: MemorySpan, numbers: tuple[Any, ...]) -> MemorySpan:
        """The state after that many samples from the origin."""
        return replace(state, start=self.origin + state.stride * numbers[0])

    def rewired(self, inputs: tuple[SignalNode, ...]) -> SignalNode:
        """The same memory."""
        return InMemory(self.memory, self.origin, signed=self.signed)


_INTEGER = ArgumentKind(
    "an integer",
    lambda thing: isinstance(thing, Cyclic) or (isinstance(thing, int) and T.i64.low <= thing <= T.i64.high),
    "give a whole number of 64 bits, or a staged one",
)


@takes(
    words=instance("a memory", Memory),
    start=_INTEGER,
    stop=_INTEGER,
    size=_INTEGER,
    stride=_INTEGER,
    signed=TRUTH,
)
def memory(words: Memory, start: Any, stop: Any, size: Any, stride: Any, *, signed: bool = False) -> Signal:
    """The samples of `size` bits, `stride` bits apart, from one bit address of a memory to before another.

    Samples are integers, with a sign if `signed`; the signal can be written to. Any of the numbers may be dynamic.
    Raises InputError if `stop` less `start` is no multiple of the stride, or is on the other side: at the call of the
    residual program if that is known then.

    >>> import numpy as np
    >>> memory(Memory("m", 8, np.array([0x21, 0x43], np.uint8)), 4, 16, 4, 4).take(3)
    [2, 3, 4]
    """
    whole = divides(stride, stop - start) & _ahead(stop - start, stride)
    require(
        whole,
        "the bits from the start to the stop of a signal are not a whole number of strides",
        place=f"{caller()[0]}: memory",
        fix="stop a multiple of the stride after the start, or sum up the samples that are left apart",
    )
    node = InMemory(words, start, signed=signed)
    return Signal(node, {node: MemorySpan(start, stop, size, stride)})


def _ahead(distance: Any, stride: Any) -> Any:
    """Whether strides lead over a distance, and not away from it."""
    if not isinstance(stride, int):
        return Dynamic(node("le", number(0), node("floor_div", expression(distance), expression(stride))))
    return distance >= 0 if stride > 0 else distance <= 0


def constant(value: Any) -> Signal:
    """One sample for ever, an integer or a real number.

    >>> constant(0.5).take(2)
    [0.5, 0.5]
    """
    return as_signal(value)


class Control(Carrying, ConstantSignal):
    """A constant with a name, set from outside."""

    def __init__(self, label: str) -> None:
        self.label = label

    def key(self, state: Any) -> Hashable:
        """The number, and the name."""
        return number_key(state), self.label

    def rewired(self, inputs: tuple[SignalNode, ...]) -> SignalNode:
        """Another control of that name."""
        return Control(self.label)


@takes(name=TEXT, ramp=whole(0, MAX_RAMP))
def control(name: str, value: float, *, ramp: int = 0) -> Signal:
    """A constant that a compiled signal lets be set between its blocks, by its name.

    With a `ramp` each new value is reached after so many samples, without a click. Raises InputError for what is no
    finite number, and for an integer of more than 64 bits.

    >>> control("volume", 0.5).take(1)
    [0.5]
    """
    value = as_initial(value, "control")
    if not FLOAT.test(value):
        raise InputError(
            f"{brief(value)} is not finite", place=f"{caller()[0]}: control", fix="begin with a finite number"
        )
    node = Control(name)
    found = Signal(node, {node: value})
    return ramped(found, ramp, float(value)) if ramp else found


@takes(start=_INTEGER)
def count(start: int = 0) -> Signal:
    """The integers from `start` up.

    >>> count(5).take(3)
    [5, 6, 7]
    """
    return scan(constant(1), start - 1, lambda n, step: n + step)


@takes(seed=whole())
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
