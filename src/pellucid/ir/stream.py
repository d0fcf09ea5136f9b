"""Streams: samples of any number of bits in, an expression of each, samples of any number of bits out.

What a loop over packed samples is before anyone decides how its words are read. `staging.stream_nest` makes it a nest.
The meaning, `run`, goes bit by bit.

The values are integers of 64 bits, over these leaves: `sample` (of an input), `position` (how many samples came before)
and `state` (what the sample before has left), besides constants and `load`s from tables: buffers with data.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from ..base.errors import IrError
from ..base.record import record
from . import expr as E
from . import types as T
from .expr import Expr, topological
from .facts import Facts
from .interp import evaluate

Bytes = np.ndarray[Any, Any]
ORDERS = ("little", "big")


@record
class Samples:
    """The places of samples: the number of a buffer, the first bit, the size, the distance; with a sign or without.

    Several offsets make groups: sample i is `offset[i % n]` bits into group `i // n`; groups are `stride` bits apart.
    In order "little", bit 0 is the least significant bit of byte 0, and a sample begins with its least significant bit;
    in order "big" both are the most significant ones.

    >>> [Samples(0, (0, 8, 16, 24), 8, 40).start(k) for k in (0, 1, 4)]
    [0, 8, 40]
    """

    buffer: int
    offset: int | tuple[int, ...]
    size: int
    stride: int
    signed: bool = False
    order: str = "little"

    def __post_init__(self) -> None:
        """Check that samples follow one another."""
        if self.order not in ORDERS:
            raise IrError(f"no order of bits is called {self.order!r}", place="stream", fix="little or big")
        if not 1 <= self.size <= 32 or not self.size <= self.stride or min(self.offsets, default=-1) < 0:
            raise IrError(
                f"samples of {self.size} bits, {self.stride} apart, from bit {self.offset}",
                place="stream",
                fix="a size of 1 to 32, a stride of at least the size, an offset of at least 0",
            )

    @property
    def offsets(self) -> tuple[int, ...]:
        """The first bits of the samples of the first group."""
        return self.offset if isinstance(self.offset, tuple) else (self.offset,)

    @property
    def pace(self) -> Fraction:
        """The mean distance of samples in bits."""
        return Fraction(self.stride, len(self.offsets))

    @property
    def cycle(self) -> int:
        """The number of samples after which the first bit is the same bit of a byte."""
        return len(self.offsets) * (8 // math.gcd(self.stride, 8))

    @property
    def facts(self) -> Facts:
        """The range of a sample."""
        if self.signed:
            return Facts(-(1 << (self.size - 1)), (1 << (self.size - 1)) - 1)
        return Facts(0, (1 << self.size) - 1)

    def start(self, number: int) -> int:
        """The bit at which a sample begins."""
        group, within = divmod(number, len(self.offsets))
        return self.offsets[within] + group * self.stride

    def bytes(self, count: int) -> int:
        """The number of bytes up to the end of `count` samples."""
        last = range(max(0, count - len(self.offsets)), count)
        return max((-(-(self.start(k) + self.size) // 8) for k in last), default=0)


def sample(number: int) -> Expr:
    """The sample of an input, as an integer of 64 bits: a leaf that the values of a stream are written over."""
    return E.index(f"sample{number}", T.i64)


def position() -> Expr:
    """The number of samples before this one: a leaf of the values of a stream."""
    return E.index("position", T.i64)


def state(number: int) -> Expr:
    """The value of a state after the sample before: a leaf of the values of a stream."""
    return E.index(f"state{number}", T.i64)


@record
class StreamState:
    """A value that is carried from sample to sample: `first` at the first one, and `then` after each."""

    first: int
    then: Expr


@record
class Stream:
    """For each position: `values`, over the samples of the `inputs`, are stored as the samples of the `outputs`.

    Of a value the low bits are stored. `sums` are added up over all positions. `states` go from each position to the
    next. Buffers are numbered, those of the outputs first; planes are buffers, which may be parts of one array. The
    inputs of a buffer may overlap: neighbors are inputs at other offsets.
    """

    inputs: tuple[Samples, ...]
    outputs: tuple[Samples, ...]
    values: tuple[Expr, ...]
    sums: tuple[Expr, ...] = ()
    states: tuple[StreamState, ...] = ()

    def __post_init__(self) -> None:
        """Check that there is a value for each output, and that samples keep out of each other's way."""
        if len(self.outputs) != len(self.values) or not (self.outputs or (self.sums and self.inputs)):
            raise IrError("a stream has as many values as outputs", place="stream")
        self._check_values()
        paces: dict[int, set[Fraction]] = {}
        for s in (*self.outputs, *self.inputs):
            paces.setdefault(s.buffer, set()).add(s.pace)
        if sorted(paces) != list(range(len(paces))):
            raise IrError("the buffers of a stream are numbered from 0 without gaps", place="stream")
        shared = {s.buffer for s in self.outputs} & {s.buffer for s in self.inputs}
        uneven = {k for k, found in paces.items() if len(found) > 1}
        for buffer in shared | uneven:
            raise IrError(
                f"buffer {buffer} has outputs and inputs, or samples of different strides",
                place="stream",
                fix="give it a number for each use",
            )
        for buffer in {s.buffer for s in self.outputs}:
            if not _apart([s for s in self.outputs if s.buffer == buffer]):
                raise IrError(
                    f"the outputs of buffer {buffer} get into each other",
                    place="stream",
                    fix="place them apart, all in one order of bits or in groups of whole bytes",
                )

    def _check_values(self) -> None:
        leaves = {position(), *(sample(k) for k in range(len(self.inputs)))}
        leaves |= {state(k) for k in range(len(self.states))}
        roots = (*self.values, *self.sums, *(s.then for s in self.states))
        for node in topological(roots):
            if node.op == "index" and node not in leaves:
                raise IrError(
                    f"{node.attr} is neither a sample of an input, nor a state, nor the position",
                    place="stream",
                    fix="give the stream an input or a state for it",
                )
        for root in roots:
            if root.type is not T.i64:
                raise IrError(f"a value is of type {root.type}", place="stream", fix="convert it to i64")

    @property
    def buffers(self) -> int:
        """The number of buffers."""
        return 1 + max(s.buffer for s in (*self.outputs, *self.inputs))

    @property
    def cycle(self) -> int:
        """The number of positions after which all samples begin at the same bits of bytes."""
        return math.lcm(*(s.cycle for s in (*self.outputs, *self.inputs)))


def moved(stream: Stream, bits: Sequence[int]) -> Stream:
    """The stream whose buffers begin so many bits later, one number for each.

    >>> copy = Stream((Samples(1, 0, 6, 6),), (Samples(0, 4, 8, 8),), (sample(0),))
    >>> [s.offset for s in (*moved(copy, [0, 3]).outputs, *moved(copy, [0, 3]).inputs)]
    [(4,), (3,)]
    """

    def later(s: Samples) -> Samples:
        return replace(s, offset=tuple([at + bits[s.buffer] for at in s.offsets]))

    return replace(stream, inputs=tuple(map(later, stream.inputs)), outputs=tuple(map(later, stream.outputs)))


def _apart(outputs: list[Samples]) -> bool:
    """Whether no bit belongs to two samples, of one group or of two: a group is no longer than to the next."""
    groups = math.lcm(*(len(s.offsets) for s in outputs))
    fields = [(s.start(k), s) for s in outputs for k in range(groups)]
    first = min(at for at, _ in fields)
    length = outputs[0].pace * groups
    if max(at + s.size for at, s in fields) - first > length:
        return False
    if len({s.order for s in outputs}) > 1 and (length % 8 or first % 8):
        return False
    bits = [bit for at, s in fields for bit in bits_of(s, at)]
    return len(bits) == len(set(bits))


def bits_of(s: Samples, start: int) -> list[int]:
    """The places of the bits of a sample that begins at `start`, least significant first, from the bottom of byte 0.

    >>> bits_of(Samples(0, 0, 4, 4, order="big"), 4)
    [0, 1, 2, 3]
    """
    bits = range(start, start + s.size)
    return list(bits) if s.order == "little" else [(b & ~7) + 7 - (b & 7) for b in reversed(bits)]


def run(stream: Stream, buffers: Sequence[Bytes], count: int) -> tuple[int, ...]:
    """The meaning of a stream on so many samples, and its sums: every bit by itself."""
    if count == 0:
        return (0,) * len(stream.sums)
    known: dict[Expr, Any] = {position(): np.arange(count)}
    for k, s in enumerate(stream.inputs):
        bits = np.unpackbits(buffers[s.buffer], bitorder="little").astype(np.int64)
        value = sum(bits[places] << b for b, places in enumerate(_places(s, count)))
        known[sample(k)] = np.where(value > s.facts.hi, value - (1 << s.size), value) if s.signed else value
    known |= {state(k): found for k, found in enumerate(_states(stream, known, count))}
    found = [np.broadcast_to(v, count) for v in evaluate((*stream.values, *stream.sums), known)]
    values, sums = found[: len(stream.values)], found[len(stream.values) :]
    for s, value in zip(stream.outputs, values, strict=True):
        bits = np.unpackbits(buffers[s.buffer], bitorder="little")
        for b, places in enumerate(_places(s, count)):
            bits[places] = value >> b & 1
        buffers[s.buffer][:] = np.packbits(bits, bitorder="little")
    return tuple(int(v.sum()) for v in sums)


def _places(s: Samples, count: int) -> Bytes:
    """For each bit of a sample, where it is in each of so many samples."""
    group, within = np.divmod(np.arange(count), len(s.offsets))
    starts = np.array(s.offsets)[within] + group * s.stride
    if s.order == "little":
        return np.array([starts + b for b in range(s.size)])
    bits = [starts + b for b in reversed(range(s.size))]
    return np.array([(b & ~7) + 7 - (b & 7) for b in bits])


def _states(stream: Stream, known: dict[Expr, Any], count: int) -> list[Bytes]:
    """The states at each position, one position after the other."""
    found = np.empty((len(stream.states), count), np.int64)
    now = [np.int64(s.first) for s in stream.states]
    for i in range(count if stream.states else 0):
        found[:, i] = now
        here = {leaf: values[i] for leaf, values in known.items()}
        here |= {state(k): value for k, value in enumerate(now)}
        now = evaluate([s.then for s in stream.states], here)
    return list(found)
