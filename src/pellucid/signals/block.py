"""Blocks: a diagram specialized to one loop over frames, and the numbers that it takes over from block to block.

Below `player`. All numbers of all nodes are in two arrays, one of reals and one of integers, which the loop reads
before its first frame and overwrites after its last. So a block is called with a few arrays, however many nodes there
are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..base.record import record
from ..ir import types as T
from ..pixels import Layout
from ..staging import Memory, Residual, choose, lift, loop, specialize, unknown
from ..staging.cells import StateCells
from ..staging.real import call
from . import pcm
from .node import SignalNode
from .signal import Signal, as_number, type_of

Array = np.ndarray[Any, Any]
Numbers = tuple[Any, ...]
_TYPES = (T.boolean, T.i64, T.f64)


class BlockState:
    """The numbers of the nodes of a diagram: `numbers[k]` is in one of two arrays, by its type.

    >>> state = BlockState((0.5, 3, True), (T.f64, T.i64, T.boolean))
    >>> state[1] = 4
    >>> state.numbers
    (0.5, 4, True)
    >>> state.reset()
    >>> state.numbers
    (0.5, 3, True)
    """

    def __init__(self, first: Numbers, types: Sequence[T.Type]) -> None:
        self.types = tuple(types)
        parts: tuple[list[Any], list[Any]] = [], []
        self._places: list[tuple[int, int]] = []
        """Of each number, the array that it is in and its index there."""
        for number, type_ in zip(first, types, strict=True):
            part = 0 if type_ is T.f64 else 1
            self._places.append((part, len(parts[part])))
            parts[part].append(number)
        # The last real number is the greatest magnitude so far; the last integer is unused: no memory is empty.
        self._first = np.array([*parts[0], 0.0], np.float64), np.array([*parts[1], 0], np.int64)
        self._arrays = tuple(data.copy() for data in self._first)
        self._reals = StateCells("state_reals", self._arrays[0])
        self._wholes = StateCells("state_integers", self._arrays[1])

    def __getitem__(self, k: int) -> Any:
        part, at = self._places[k]
        value = self._arrays[part][at].item()
        return bool(value) if self.types[k] is T.boolean else value

    def __setitem__(self, k: int, value: Any) -> None:
        part, at = self._places[k]
        self._arrays[part][at] = value

    @property
    def numbers(self) -> Numbers:
        """All of them, in the order of the nodes."""
        return tuple(self[k] for k in range(len(self.types)))

    @property
    def peak(self) -> float:
        """The greatest magnitude that was played."""
        return self._arrays[0][-1].item()

    def saved(self) -> tuple[Array, ...]:
        """A copy of both arrays, for `restore`."""
        return tuple(data.copy() for data in self._arrays)

    def restore(self, saved: tuple[Array, ...]) -> None:
        """Be as at an earlier time."""
        for data, before in zip(self._arrays, saved, strict=True):
            data[:] = before

    def reset(self) -> None:
        """Be as at the beginning."""
        self.restore(self._first)

    # ---- staged ----

    def load(self) -> tuple[Numbers, Any]:
        """The numbers, and the greatest magnitude, as a program reads them before its first frame."""
        loaded = self._reals.load_all(), self._wholes.load_all()
        found = (loaded[part][at] for part, at in self._places)
        numbers = (x != 0 if t is T.boolean else x for x, t in zip(found, self.types, strict=True))
        return tuple(numbers), loaded[0][-1]

    def store(self, numbers: Numbers, peak: Any) -> None:
        """Keep the numbers for the next block."""
        parts: tuple[list[Any], list[Any]] = [], []
        for number, type_, (part, _) in zip(numbers, self.types, self._places, strict=True):
            parts[part].append(_as_whole(number) if type_ is T.boolean else number)
        self._reals.store_all([*parts[0], peak])
        self._wholes.store_all([*parts[1], 0])


def _as_whole(truth: Any) -> Any:
    return choose(truth, lambda: lift(1), lambda: lift(0))


@record(eq=False)
class Block:
    """The loop over the frames of a block, and its state."""

    residual: Residual
    state: BlockState


def specialized(signal: Signal, layout: Layout, out: tuple[Memory, ...], *, meter: bool = False) -> Block:
    """The loop over the frames of a sound, in its first state.

    What begins as an integer and goes on as a real number is a real number from the beginning.
    """
    first = numbers_of(signal)
    types = [type_of(x) for x in first]

    def block(frames: Any, state: BlockState) -> None:
        def done(frame: Any, peak: Any, at: Signal) -> Any:
            return frame == frames

        def step(frame: Any, peak: Any, at: Signal) -> Any:
            levels, at = at.step()
            for channel, sample in zip(layout.channels, levels, strict=True):
                level = _as_level(sample)
                pcm.write(layout, channel, out, frame, level)
                if meter:
                    # What is no number is left out of it.
                    peak = call("max", abs(level), peak)
            return frame + 1, peak, at

        numbers, peak = state.load()
        _, peak, at = loop(done, step, lift(0), peak, with_numbers(signal, numbers))
        kept = numbers_of(at)
        became[:] = [max(type_of(x), t, key=_TYPES.index) for x, t in zip(kept, state.types, strict=True)]
        if became == list(state.types):
            state.store(kept, peak)

    while True:
        became: list[T.Type] = []
        state = BlockState(first, types)
        residual = specialize(block, unknown("frames"), state, name="sound")
        if became == types:
            return Block(residual, state)
        types = became


def _as_level(sample: Any) -> Any:
    """A sample as a level; what is true is 1."""
    level = as_number(sample, "sound")
    return choose(level, lambda: 1.0, lambda: 0.0) if type_of(level) is T.boolean else level


def places(signal: Signal) -> Iterator[tuple[SignalNode, int]]:
    """Every node with a state, and the number of its first value among all."""
    at = 0
    for node, state in signal.states.items():
        yield node, at
        at += len(node.numbers(state))


def numbers_of(signal: Signal) -> Numbers:
    """The states of the nodes of a signal."""
    return tuple(x for node, state in signal.states.items() for x in node.numbers(state))


def with_numbers(signal: Signal, numbers: Numbers) -> Signal:
    """A signal whose nodes have these states."""
    found: dict[SignalNode, Any] = {}
    for node, at in places(signal):
        state = signal.states[node]
        found[node] = node.with_numbers(state, numbers[at : at + len(node.numbers(state))])
    return Signal(signal.node, found)
