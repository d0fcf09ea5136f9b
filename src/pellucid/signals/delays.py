"""What keeps something from one sample to the next: a delay by one, a running reduction, a delay line, tiles.

Delays keep the length of a signal and lose its last samples (Draves 1997).
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..base.errors import InputError, brief
from ..base.kinds import FUNCTION, takes, whole
from ..base.source_location import caller
from ..staging import Cells, divides, lift, require
from ..staging.points import MAX_CASES
from .keys import function_key, number_key
from .node import Carrying, Later, SignalNode, Tick, reached
from .signal import SIGNAL, Signal, as_initial, as_number, as_signal, joined

_lines = itertools.count(1)


class Delayed(Later, Carrying):
    """A delay by one sample, which is its state."""

    name = "delay"

    def __init__(self, inputs: tuple[SignalNode, ...]) -> None:
        self.inputs = inputs

    def sample(self, tick: Tick) -> Any:
        """The sample before."""
        return tick.states[self]

    def next(self, tick: Tick) -> Any:
        """The sample at hand."""
        # What a sample is made of is its own affair: nothing is to be unrolled for it.
        return lift(as_number(tick.sample(self.inputs[0]), "a delay"))

    def rewired(self, inputs: tuple[SignalNode, ...]) -> SignalNode:
        """A delay of another signal."""
        return Delayed(inputs)


class Scanned(Carrying):
    """A running reduction, whose state is the result so far."""

    name = "scan"

    def __init__(self, operation: Callable[[Any, Any], Any], inputs: tuple[SignalNode, ...]) -> None:
        self.operation, self.inputs = operation, inputs

    def key(self, state: Any) -> Hashable:
        """The operation, and the result so far."""
        return function_key(self.operation), number_key(state)

    def needs(self) -> tuple[SignalNode, ...]:
        """Itself: its own sample is its next state."""
        return (self,)

    def sample(self, tick: Tick) -> Any:
        """The result with the sample at hand."""
        return self.operation(tick.states[self], tick.sample(self.inputs[0]))

    def next(self, tick: Tick) -> Any:
        """The same."""
        return lift(as_number(tick.sample(self), "a scan"))

    def rewired(self, inputs: tuple[SignalNode, ...]) -> SignalNode:
        """The reduction of another signal."""
        return Scanned(self.operation, inputs)


class Ring(SignalNode):
    """A node that keeps earlier samples of its first input; its state is cells, and a count of samples.

    The cells are a ring: sample number n is in cell n modulo their number. There are more of them than a loop would
    unroll for, and as many as a power of two, so that an address is a mask away and proved to be inside.
    """

    owned = True

    def next(self, tick: Tick) -> Any:
        """The state that has the present sample too."""
        cells, count = tick.states[self]
        cells.store(count & (len(cells) - 1), as_number(tick.sample(self.inputs[0]), "a delay"))
        return cells, count + 1

    def key(self, state: Any) -> Hashable:
        """The count, and the content of the cells."""
        cells, count = state
        return number_key(count), cells.data.dtype, hashlib.sha256(cells.data).digest()

    def fresh(self, state: Any) -> Any:
        """The state with cells of its own, of the same content."""
        cells, count = state
        return _cells(cells.data), count

    def numbers(self, state: Any) -> tuple[Any, ...]:
        """The count of samples."""
        return (state[1],)

    def with_numbers(self, state: Any, numbers: tuple[Any, ...]) -> Any:
        """The state at another count of samples."""
        return state[0], numbers[0]


class DelayLine(Later, Ring):
    """A delay by many samples."""

    name = "delay line"

    def __init__(self, length: int, inputs: tuple[SignalNode, ...]) -> None:
        self.length, self.inputs = length, inputs

    def sample(self, tick: Tick) -> Any:
        """The sample that came `length` samples before."""
        cells, count = tick.states[self]
        return cells.load((count - self.length) & (len(cells) - 1))

    def key(self, state: Any) -> Hashable:
        """The length, and the state of the ring."""
        return self.length, super().key(state)

    def rewired(self, inputs: tuple[SignalNode, ...]) -> DelayLine:
        """A delay of the same length of another signal."""
        return DelayLine(self.length, inputs)


def _cells(data: Any) -> Cells:
    """Cells that hold a copy of an array, under a name of their own."""
    return Cells(f"line{next(_lines)}", np.array(data))


class TileSums(SignalNode):
    """Sums of tiles of samples; its state is the signal that is left, and what sums begin with."""

    name = "sum_tile"

    def __init__(self, size: int) -> None:
        self.size = size

    def sample(self, tick: Tick) -> Any:
        """The sum of the tile at hand."""
        return self._tile(tick)[0]

    def needs(self) -> tuple[SignalNode, ...]:
        """The tile at hand, before anything moves on."""
        return (self,)

    def next(self, tick: Tick) -> Any:
        """The signal after it."""
        return self._tile(tick)[1]

    def _tile(self, tick: Tick) -> tuple[Any, Any]:
        first, signal = tick.states[self]
        total = first
        for _ in range(self.size):
            x, signal = signal.step()
            total = total + x
        return total, (first, signal)

    def known_end(self, state: Any) -> bool:
        """Whether it is of the signal."""
        return all(n.known_end(s) for n, s in state[1].states.items())

    def lifted(self, state: Any, gone: Any) -> Any:
        """The signal lifted, a tile of samples on for each that is gone."""
        first, signal = state
        inner = None if gone is None else gone * self.size
        return first, Signal(signal.node, {n: n.lifted(s, inner) for n, s in signal.states.items()})

    def ended(self, state: Any) -> Any:
        """Whether the signal has ended."""
        return state[1].endp()

    def left(self, state: Any) -> int | None:
        """The number of tiles; a recording is silent after its end."""
        left = state[1].left()
        return None if left is None else -(-left // self.size)

    def spans(self, state: Any) -> Iterable[tuple[Any, Any]]:
        """Those of the signal, in steps of tiles."""
        inner = state[1].states.items()
        return [(distance, step * self.size) for n, s in inner for distance, step in n.spans(s)]

    def reach(self, state: Any) -> int | None:
        """The number of whole tiles."""
        reach = state[1].reach()
        return None if reach is None else reach // self.size

    def numbers(self, state: Any) -> tuple[Any, ...]:
        """Those of the signal."""
        return tuple(x for n, s in state[1].states.items() for x in n.numbers(s))

    def with_numbers(self, state: Any, numbers: tuple[Any, ...]) -> Any:
        """Those of the signal."""
        rest = iter(numbers)
        signal: Signal = state[1]
        found = {
            n: n.with_numbers(s, tuple(itertools.islice(rest, len(n.numbers(s)))))
            for n, s in signal.states.items()
        }
        return state[0], Signal(signal.node, found)

    def rewired(self, inputs: tuple[SignalNode, ...]) -> SignalNode:
        """Other tiles of that size."""
        return TileSums(self.size)


# ---- the words ----


def delay1(signal: Signal, first: Any) -> Signal:
    """A signal one sample later: `first`, then its samples, of which the last is lost.

    >>> from pellucid import signals as sg
    >>> delay1(sg.count(), 7).take(3)
    [7, 0, 1]
    """
    nodes, states = joined(as_signal(signal))
    node = Delayed(nodes)
    return Signal(node, {**states, node: as_initial(first, "delay1")})


MAX_DELAY = 1 << 24
"""Samples of a delay at most: six minutes at 48 kHz."""


_SAMPLES = replace(
    whole(1, MAX_DELAY),
    fix=f"give a whole number from 1 to {MAX_DELAY}, or use variable_delay for others and for signals",
)


@takes(samples=_SAMPLES)
def delay(signal: Signal, samples: int, first: Any = 0.0) -> Signal:
    """A signal so many samples later: `first` as often, or the samples that it gives, then those of the signal.

    `first` is a number or as many of them: real numbers for a signal of real numbers, integers for one of integers.
    Raises InputError for less than one sample, or another number of first ones.

    >>> from pellucid import signals as sg
    >>> delay(sg.count(), 2, 9).take(4)
    [9, 9, 0, 1]
    >>> delay(sg.count() * 0.5, 2, [0.25, 0.75]).take(4)
    [0.25, 0.75, 0.0, 0.5]
    """
    given = np.asarray(first)
    kind = {"b": "int64", "i": "int64", "u": "int64", "f": "float64"}.get(given.dtype.kind)
    if kind is None or given.shape not in ((), (samples,)):
        place, _ = caller()
        raise InputError(
            f"the first samples are {brief(first)}",
            place=f"{place}: delay",
            fix=f"give one number, or {samples}",
        )
    return line(partial(DelayLine, int(samples)), int(samples), given.astype(kind), as_signal(signal))


def line(make: Callable[[tuple[SignalNode, ...]], Ring], length: int, first: Any, *signals: Signal) -> Signal:
    """A ring that `make` wires to signals, for at least `length` samples; `first` is one number or so many."""
    size = max(2 * MAX_CASES, 1 << length.bit_length())
    given = np.asarray(first)
    data = np.zeros(size, given.dtype)
    data[np.arange(-length, 0) % size] = given
    nodes, states = joined(*signals)
    node = make(nodes)
    return Signal(node, {**states, node: (_cells(data), 0)})


@takes(operation=FUNCTION)
def scan(signal: Signal, first: Any, operation: Callable[[Any, Any], Any]) -> Signal:
    """The running reduction of a signal: `first` combined with its first sample, that with the second, and so on.

    >>> from pellucid import signals as sg
    >>> scan(sg.count(1), 0, lambda r, x: r + x).take(4)
    [1, 3, 6, 10]
    """
    nodes, states = joined(as_signal(signal))
    node = Scanned(operation, nodes)
    return Signal(node, {**states, node: as_initial(first, "scan")})


@takes(signal=SIGNAL)
def sum_tile(first: Any, signal: Signal, size: Any) -> Signal:
    """`first` and the sum of so many samples of a signal, then with the sum of as many after them, and so on.

    Raises InputError for a size of less than 1, for a signal that has a delay line, and for one in memory whose samples
    do not fill the last tile: at the call of the residual program if that is known then.

    >>> from pellucid import signals as sg
    >>> sum_tile(100, sg.count(), 3).take(3)
    [103, 112, 121]
    """
    place, _ = caller()
    if not isinstance(size, int) or size < 1:
        raise InputError(f"a tile of {brief(size)} samples", place=f"{place}: sum_tile", fix="give 1 or more")
    if any(n.owned for n in reached([signal.node])):
        raise InputError(
            "a signal with a delay line is summed up in tiles",
            place=f"{place}: sum_tile",
            fix="put the delay behind the sum",
        )
    node, state = TileSums(size), (as_initial(first, "sum_tile"), signal)
    for distance, step in node.spans(state):
        require(
            divides(step, distance),
            f"the samples of a signal in memory are not whole tiles of {size}",
            place=f"{place}: sum_tile",
            fix="give as many as fill the last tile, or sum up those that are left apart",
        )
    return Signal(node, {node: state})
