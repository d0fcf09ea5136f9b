"""Streams: samples of any number of bits in, an expression of each, samples of any number of bits out.

What a loop over packed samples is before anyone decides how its words are read: the operators that a planner of wide
registers starts from. The meaning, `run`, goes bit by bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.errors import IrError
from . import expr as E
from . import types as T
from .expr import Expr
from .facts import Facts
from .interp import evaluate

Bytes = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Samples:
    """Where samples are: in which buffer (by number), from which bit, how large, how far apart; with a sign or without.

    Bit 0 is the least significant bit of byte 0.
    """

    buffer: int
    offset: int
    size: int
    stride: int
    signed: bool = False

    def __post_init__(self) -> None:
        """Check that samples follow one another."""
        if not 1 <= self.size <= 32 or not self.size <= self.stride or self.offset < 0:
            raise IrError(
                f"samples of {self.size} bits, {self.stride} apart, from bit {self.offset}",
                place="stream",
                fix="a size of 1 to 32, a stride of at least the size, an offset of at least 0",
            )

    @property
    def facts(self) -> Facts:
        """The range of a sample."""
        if self.signed:
            return Facts(-(1 << (self.size - 1)), (1 << (self.size - 1)) - 1)
        return Facts(0, (1 << self.size) - 1)

    def bytes(self, count: int) -> int:
        """How many bytes so many samples reach over."""
        return -(-(self.offset + (count - 1) * self.stride + self.size) // 8) if count > 0 else 0


def sample(number: int) -> Expr:
    """The sample of an input, as an integer of 64 bits: the leaf that the values of a stream are written over."""
    return E.index(f"sample{number}", T.i64)


@dataclass(frozen=True, slots=True)
class Stream:
    """For each position: `values`, over the samples of the `inputs`, are stored as the samples of the `outputs`.

    Of a value the low bits are stored. `sums` are added up over all positions. Buffers are numbered, those of the
    outputs first.
    """

    inputs: tuple[Samples, ...]
    outputs: tuple[Samples, ...]
    values: tuple[Expr, ...]
    sums: tuple[Expr, ...] = ()

    def __post_init__(self) -> None:
        """Check that there is a value for each output, and that samples keep out of each other's way."""
        if len(self.outputs) != len(self.values) or not (self.outputs or (self.sums and self.inputs)):
            raise IrError("a stream has as many values as outputs", place="stream")
        strides: dict[int, set[int]] = {}
        for s in (*self.outputs, *self.inputs):
            strides.setdefault(s.buffer, set()).add(s.stride)
        if sorted(strides) != list(range(len(strides))):
            raise IrError("the buffers of a stream are numbered from 0 without gaps", place="stream")
        shared = {s.buffer for s in self.outputs} & {s.buffer for s in self.inputs}
        uneven = {k for k, found in strides.items() if len(found) > 1}
        for buffer in shared | uneven:
            raise IrError(
                f"buffer {buffer} has outputs and inputs, or samples of different strides",
                place="stream",
                fix="give it a number for each use",
            )
        for buffer in {s.buffer for s in self.outputs}:
            mine = sorted((s for s in self.outputs if s.buffer == buffer), key=lambda s: s.offset)
            ends = [s.offset + s.size for s in mine]
            apart = all(a <= s.offset for a, s in zip(ends, mine[1:], strict=False))
            if not apart or ends[-1] - mine[0].offset > mine[0].stride:
                raise IrError(
                    f"the outputs of buffer {buffer} get into each other",
                    place="stream",
                    fix="place them apart",
                )

    @property
    def buffers(self) -> int:
        """How many buffers there are."""
        return 1 + max(s.buffer for s in (*self.outputs, *self.inputs))


def run(stream: Stream, buffers: Sequence[Bytes], count: int) -> tuple[int, ...]:
    """The meaning of a stream on so many samples, and its sums: every bit by itself."""
    if count == 0:
        return (0,) * len(stream.sums)
    position = np.arange(count)
    known: dict[Expr, Any] = {}
    for k, s in enumerate(stream.inputs):
        bits = np.unpackbits(buffers[s.buffer], bitorder="little").astype(np.int64)
        value = sum(bits[s.offset + position * s.stride + b] << b for b in range(s.size))
        known[sample(k)] = np.where(value > s.facts.hi, value - (1 << s.size), value) if s.signed else value
    found = [np.broadcast_to(v, count) for v in evaluate((*stream.values, *stream.sums), known)]
    values, sums = found[: len(stream.values)], found[len(stream.values) :]
    for s, value in zip(stream.outputs, values, strict=True):
        bits = np.unpackbits(buffers[s.buffer], bitorder="little")
        for b in range(s.size):
            bits[s.offset + position * s.stride + b] = value >> b & 1
        buffers[s.buffer][:] = np.packbits(bits, bitorder="little")
    return tuple(int(v.sum()) for v in sums)
