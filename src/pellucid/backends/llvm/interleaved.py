"""Interleaved groups as LLVM text: what lies K apart from lane to lane is read by wide loads and byte shuffles.

Between `gathers` and `groups`. The loads of a group at ``K * i + c`` share the registers that its bytes are in.
"""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass, field

from ...ir.expr import Buffer, Expr
from ...ir.nest import Block
from ...reasoning.infer import FactsOf
from ..affine import as_sum, index_is_whole
from ..jit.spelling import moved_on, stored
from ..port import Layout
from .gathers import Gathers
from .shuffles import REGISTER, Shuffles, Windows

FARTHEST = 64
"""Up to how many bytes from lane to lane a group is read or written as a whole."""


@dataclass(frozen=True, slots=True)
class Strided:
    """A position as elements from lane to lane, a constant, and what is the same in all lanes."""

    step: int
    constant: int
    parts: tuple[tuple[Expr, int], ...]


@dataclass(frozen=True, slots=True)
class Held:
    """The bytes of a group that are in registers: from which element to before which, and since when."""

    buffer: Buffer
    step: int
    parts: tuple[tuple[Expr, int], ...]
    first: int
    beyond: int
    windows: Windows
    since: int
    loads: tuple[int, ...]
    """Where the loads of the group are, as `Strided.constant`."""
    filled: dict[int, tuple[str, int]] = field(default_factory=dict[int, tuple[str, int]])
    """By the first of the loads that share a register: the register, and since when."""


class Interleaved(Gathers, Shuffles, ABC):
    """Writes loads of groups."""

    def __init__(self, body: Block, facts: FactsOf, plan: Layout, *, cheap_masks: bool) -> None:
        super().__init__(body, facts, plan, cheap_masks=cheap_masks)
        self.held: list[Held] = []
        self.strides: dict[tuple[Expr, int, Expr], Strided | None] = {}
        self.measured = facts
        """With which facts strides were found."""
        self.orders = {}

    def leave(self, mark: int) -> None:
        """Forget every name given since, and the registers filled since."""
        super().leave(mark)
        self.held = [h for h in self.held if h.since < mark]
        for h in self.held:
            for first in [first for first, (_, since) in h.filled.items() if since >= mark]:
                del h.filled[first]

    def strided(self, position: Expr, size: int) -> Strided | None:
        """A position that is a constant number of elements of some bytes on from lane to lane; None for any other."""
        index = self.lane_index
        if index is None or not position.free & index.free:
            return None
        if self.measured is not self.facts:
            # In another loop, an index of that name has other bounds.
            self.measured = self.facts
            self.strides.clear()
        key = (position, size, index)
        if key not in self.strides:
            self.strides[key] = self.stride(position, size, index)
        return self.strides[key]

    def stride(self, position: Expr, size: int, index: Expr) -> Strided | None:
        """As `strided`, which remembers it, for a position that changes with the index of the lanes."""
        # Sums are taken apart even if they are the same in all lanes, for the constants in them.
        found = as_sum(
            position,
            stop=lambda n: not self.is_wide(n) and n.op not in ("add", "sub"),
            whole=index_is_whole,
        )
        parts = tuple((n, k) for n, k in found.terms if n is not index)
        step = dict(found.terms).get(index, 0)
        if not 1 < step <= FARTHEST // size or any(self.is_wide(n) for n, _ in parts):
            return None
        return Strided(step, found.constant, parts) if self.whole(found, position.type) else None

    def lane_zero(self, buffer: Buffer, shape: Strided, constant: int) -> str:
        """The address of lane 0 of a group's element."""
        size = buffer.type.dtype.itemsize
        row = self.run_row(buffer, list(shape.parts))
        return self.let(moved_on(row, "i8", shape.step * size, f"i64 {self.lane_wide}", constant * size))

    def load_strided(self, node: Expr) -> bool:
        """Compute a load that is some elements on from lane to lane; False if it is not, or not proved to be inside."""
        (position,) = node.args
        buffer: Buffer = node.attr
        size = buffer.type.dtype.itemsize
        if self.live is not None or self.changing(node) or not self.inside(position, buffer):
            return False
        shape = self.strided(position, size)
        if shape is None:
            return False
        name = self.among(self.holding(node, shape), shape.constant, size)
        if size > 1:
            name = self.let(f"bitcast <{self.lanes * size} x i8> {name} to {stored(buffer.type, self.lanes)}")
        self.define(node, self.from_memory(node.type, name))
        return True

    def among(self, held: Held, constant: int, size: int) -> str:
        """The bytes of one load of a group, which share a register with those of the next loads, if they fit."""
        many = self.lanes * size
        together = max(1, REGISTER // many) if self.permutes else 1
        place = held.loads.index(constant)
        first = place - place % together
        part = held.loads[first : first + together]
        found = held.filled.get(first)
        if found is None:
            wanted = [
                (c - held.first + k * held.step) * size + b
                for c in part
                for k in range(self.lanes)
                for b in range(size)
            ]
            found = held.filled[first] = self.gather(held.windows, wanted), len(self.log)
        return self.slice(found[0], len(part) * many, (place - first) * many, many)

    def holding(self, node: Expr, shape: Strided) -> Held:
        """The registers that a load's bytes are in, with those of the loads near to it: filled once for all of them."""
        buffer: Buffer = node.attr
        for h in self.held:
            same = h.buffer is buffer and (h.step, h.parts) == (shape.step, shape.parts)
            if same and shape.constant in h.loads:
                return h
        terms = self.shape(node.args[0])
        near = [shape.constant]
        for constant, nodes in self.neighbors[buffer, terms.terms].items():
            apart = constant - terms.constant
            proved = abs(apart) < 2 * shape.step and any(
                n.free == node.free and self.inside(n.args[0], buffer) for n in nodes
            )
            if proved:
                near.append(shape.constant + apart)
        # What is proved of lane 0 of the first and of the last lane of the last is so of all between them.
        loads = tuple(sorted(set(near)))
        first, beyond = loads[0], loads[-1] + 1
        size = buffer.type.dtype.itemsize
        where = self.lane_zero(buffer, shape, first)
        windows = self.windows(where, (shape.step * (self.lanes - 1) + beyond - first) * size)
        self.held.append(Held(buffer, shape.step, shape.parts, first, beyond, windows, len(self.log), loads))
        return self.held[-1]
