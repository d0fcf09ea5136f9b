"""Interleaved loads as LLVM text: elements K apart from lane to lane are read by wide loads and byte shuffles.

Above `neighbors` and `shuffles`. The loads of a group at ``K * i + c`` share the registers that hold its bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field

import numpy as np

from ...base.record import record
from ...ir.expr import Buffer, Expr
from ...reasoning.infer import FactsOf
from ...reasoning.linear import as_sum, index_is_whole
from ..jit.spelling import moved_on, stored
from .addressing import Addressing
from .bounds import Bounds
from .cycles import Cycles
from .neighbors import Neighbors
from .shuffles import REGISTER, Shuffles, Windows
from .values import Reads

MAX_STRIDE = 64
"""Maximum bytes from lane to lane of a group that is read or written as a whole."""
NEAR = 8
"""Elements within which cyclic positions are read together."""


@record
class Stride:
    """A position as elements from lane to lane, a constant, and terms that are the same in all lanes.

    In a cyclic one, lanes are not all as far apart: `offsets` are their distances from lane 0, and `step` is that from
    block to block.
    """

    step: int
    constant: int
    parts: tuple[tuple[Expr, int], ...]
    offsets: tuple[int, ...] = ()

    @property
    def form(self) -> tuple[object, ...]:
        """The parts that all positions of a group have in common."""
        return self.step, self.parts, self.offsets

    @property
    def reach(self) -> int:
        """The elements within which positions are read together."""
        return NEAR if self.offsets else 2 * self.step

    def places(self, lanes: int) -> Sequence[int]:
        """The distance of each lane from lane 0."""
        return self.offsets or range(0, self.step * lanes, self.step)


class Strides:
    """Finds the strides of positions, and the addresses of groups."""

    def __init__(self, addressing: Addressing, cycles: Cycles) -> None:
        self.out, self.scope, self.addressing = addressing.out, addressing.scope, addressing
        self.cycles = cycles
        self._found: dict[tuple[Expr, int, Expr], Stride | None] = {}
        self._facts: FactsOf = self.scope.facts
        """The facts with which strides were found."""

    def of(self, position: Expr, size: int) -> Stride | None:
        """The stride of a position whose lanes are a constant number of elements of a size apart; None for others."""
        loop = self.scope.loop
        index = loop.index
        if index is None or not position.free & index.free:
            return None
        if self._facts is not loop.facts:
            # In another loop, an index of that name has other bounds.
            self._facts = loop.facts
            self._found.clear()
        key = (position, size, index)
        if key not in self._found:
            self._found[key] = self._measured(position, size, index)
        return self._found[key]

    def _measured(self, position: Expr, size: int, index: Expr) -> Stride | None:
        is_wide = self.scope.is_wide
        # Sums are taken apart even if they are the same in all lanes, for the constants in them.
        found = as_sum(
            position, stop=lambda n: not is_wide(n) and n.op not in ("add", "sub"), whole=index_is_whole
        )
        parts = tuple((n, k) for n, k in found.terms if n is not index)
        step = dict(found.terms).get(index, 0)
        if not 1 < step <= MAX_STRIDE // size or any(is_wide(n) for n, _ in parts):
            return None
        whole = self.addressing.is_whole(found, position.type)
        return Stride(step, found.constant, parts) if whole else None

    def cyclic(self, position: Expr, size: int) -> Stride | None:
        """The stride of a position whose lanes are as far apart in each block; None for others."""
        if not self.scope.is_wide(position):
            return None
        is_wide, total = self.scope.is_wide, None
        found = as_sum(
            position, stop=lambda n: not is_wide(n) and n.op not in ("add", "sub"), whole=index_is_whole
        )
        for n, k in found.terms:
            if is_wide(n):
                blocks = self.cycles.blocks(n)
                if blocks is None:
                    return None
                total = k * blocks.astype(np.int64) + (0 if total is None else total)
        if total is None or not self.addressing.is_whole(found, position.type):
            return None
        firsts = total[:, :1]
        step = int(firsts[1, 0] - firsts[0, 0]) if len(firsts) > 1 else 0
        offsets = total[0] - firsts[0]
        alike = (total == firsts + offsets).all() and (np.diff(firsts, axis=0) == step).all()
        if not alike or step < 0 or int(np.ptp(offsets)) * size >= MAX_STRIDE * self.scope.lanes:
            return None
        parts = tuple((n, k) for n, k in found.terms if not is_wide(n))
        constant = found.constant + int(firsts[0, 0])
        return Stride(step, constant, parts, tuple(int(x) for x in offsets))

    def lane_zero(self, buffer: Buffer, stride: Stride, constant: int) -> str:
        """The address of lane 0 of a group's element."""
        size = buffer.type.dtype.itemsize
        row = self.addressing.row(buffer, list(stride.parts))
        loop = self.scope.loop
        base, step = loop.wide_base, stride.step * size
        if stride.offsets:
            assert loop.whole is not None  # noqa: S101 - it is cyclic
            begun = self.out.let(f"sub i64 {base}, {loop.whole.start}") if loop.whole.start else base
            base = self.out.let(f"sdiv exact i64 {begun}, {loop.lanes}")
        return self.out.let(moved_on(row, "i8", step, f"i64 {base}", constant * size))


@record
class Held:
    """The bytes of a group that are in registers, from element `first` to before `end`, since a mark of the scope."""

    buffer: Buffer
    stride: Stride
    first: int
    windows: Windows
    since: int
    loads: tuple[int, ...]
    """The constants of the loads of the group."""
    where: str
    """The address of its first byte."""
    size: int
    """The number of its bytes."""
    filled: dict[int, tuple[str, int]] = field(default_factory=dict[int, tuple[str, int]])
    """By the first of the loads that share a register: the register, and the mark since when."""
    near: dict[int, tuple[str, int]] = field(default_factory=dict[int, tuple[str, int]])
    """By its first byte: a register of neighboring bytes, and the mark since when."""

    def has(self, buffer: Buffer, stride: Stride, constants: Iterable[int]) -> bool:
        """Whether loads at some constants are of the group."""
        alike = self.buffer is buffer and self.stride.form == stride.form
        return alike and all(c in self.loads for c in constants)


class InterleavedLoads:
    """Writes loads of groups."""

    def __init__(
        self, strides: Strides, bounds: Bounds, neighbors: Neighbors, shuffles: Shuffles, reads: Reads
    ) -> None:
        self.out, self.scope, self.strides = strides.out, strides.scope, strides
        self.addressing, self.buffers, self.bounds = strides.addressing, strides.addressing.buffers, bounds
        self.neighbors, self.shuffles, self.reads = neighbors, shuffles, reads
        self._held: list[Held] = []
        self.scope.watch(self._release)

    def _release(self, mark: int) -> None:
        """Forget the registers filled since a mark."""
        self._held = [h for h in self._held if h.since < mark]
        for h in self._held:
            for names in (h.filled, h.near):
                for first in [first for first, (_, since) in names.items() if since >= mark]:
                    del names[first]

    def load(self, node: Expr) -> bool:
        """Compute a load of a group; False if its position has no stride, or is not proved to be in bounds."""
        buffer: Buffer = node.attr
        size, lanes = buffer.type.dtype.itemsize, self.scope.lanes
        stride = self.stride(node)
        if stride is None:
            return False
        name = self._extract(self.hold(node, stride), stride.constant, size)
        if size > 1:
            name = self.out.let(f"bitcast <{lanes * size} x i8> {name} to {stored(buffer.type, lanes)}")
        self.scope.define(node, self.buffers.from_memory(node.type, name))
        return True

    def stride(self, node: Expr) -> Stride | None:
        """The stride of a load that can be read with its group; None for others."""
        (position,) = node.args
        if self.scope.loop.active is not None or self.reads.is_changing(node):
            return None
        if not self.bounds.is_proved(position, node.attr):
            return None
        size = node.attr.type.dtype.itemsize
        return self.strides.of(position, size) or self.strides.cyclic(position, size)

    def _extract(self, held: Held, constant: int, size: int) -> str:
        """The bytes of one load of a group, which share a register with those of the next loads, if they fit."""
        lanes = self.scope.lanes
        many = lanes * size
        together = max(1, REGISTER // many) if self.shuffles.permutes else 1
        place = held.loads.index(constant)
        first = place - place % together
        part = held.loads[first : first + together]
        found = held.filled.get(first)
        if found is None:
            wanted = [
                (c - held.first + at) * size + b
                for c in part
                for at in held.stride.places(lanes)
                for b in range(size)
            ]
            found = held.filled[first] = self.shuffles.gather(held.windows, wanted), self.scope.mark()
        return self.shuffles.slice(found[0], len(part) * many, (place - first) * many, many)

    def hold(self, node: Expr, stride: Stride, constants: Sequence[int] = ()) -> Held:
        """The registers of a load's group, filled once for all loads near to it, those at some constants among them."""
        buffer: Buffer = node.attr
        for h in self._held:
            if h.has(buffer, stride, (stride.constant, *constants)):
                return h
        own = self.addressing.shape(node.args[0]).constant
        apart = {constant - own: nodes for constant, nodes in self.neighbors.near(node).items()}
        near = [k for k, nodes in apart.items() if abs(k) < stride.reach and self._is_proved(node, nodes)]
        # What is proved of lane 0 of the first and of the last lane of the last holds for all between them.
        loads = tuple(sorted({stride.constant, *(stride.constant + k for k in near)}))
        places = stride.places(self.scope.lanes)
        first, end = loads[0] + min(places), loads[-1] + max(places) + 1
        where = self.strides.lane_zero(buffer, stride, first)
        each = buffer.type.dtype.itemsize
        size = (end - first) * each
        # A load further on proves that a whole register may be read, though nobody asks for all of it.
        beyond = range(
            first + REGISTER // each - max(places) - 1 - stride.constant, REGISTER // each + stride.reach
        )
        whole = size < REGISTER and any(self._is_proved(node, apart.get(k, ())) for k in beyond)
        size = REGISTER if whole else size
        windows = self.shuffles.windows(where, size)
        self._held.append(Held(buffer, stride, first, windows, self.scope.mark(), loads, where, size))
        return self._held[-1]

    def _is_proved(self, node: Expr, others: Iterable[Expr]) -> bool:
        """Whether one of the other loads of the iterations of a node is proved to be in bounds."""
        return any(n.free == node.free and self.bounds.is_proved(n.args[0], node.attr) for n in others)

    def around(self, held: Held, bytes_: Sequence[int]) -> Windows:
        """Registers of a group that have some bytes of it: one of its own if they are near to each other.

        A shuffle of one register is quicker than one of two, and costs but another load.
        """
        many = self.shuffles.near
        if held.size <= many or max(bytes_) - min(bytes_) >= many:
            return held.windows
        first = min(*bytes_, held.size - many)
        if first not in held.near:
            at = self.out.let(f"getelementptr i8, ptr {held.where}, i64 {first}")
            name = self.shuffles.widened(self.out.let(f"load <{many} x i8>, ptr {at}, align 1"), many)
            held.near[first] = name, self.scope.mark()
        return [(first, many, held.near[first][0])]
