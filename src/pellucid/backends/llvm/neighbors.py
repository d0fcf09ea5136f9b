"""Loads of neighbors as LLVM text: elements that share a word are read by one wide load per lane.

Above `gathers` and `addressing`. Two neighboring pixels, or the channels of a few pixels, fit into a word: each lane
loads the word, and shifts take it apart.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ...ir import types as T
from ...ir.expr import Buffer, Expr
from ..jit.spelling import SCALAR, sequence, stored, typed
from .addressing import Addressing
from .bounds import Bounds
from .gathers import Gathers

MAX_WORD = 64
"""Maximum bits that a lane loads at once."""
Group = list[tuple[int, list[Expr]]]
"""Loads from one word: elements after the first, and the loads of that element."""


class Neighbors:
    """Writes loads that other loads are near to; `loads` are all of the function."""

    def __init__(
        self, loads: Sequence[Expr], addressing: Addressing, bounds: Bounds, gathers: Gathers
    ) -> None:
        self.out, self.scope, self.values = addressing.out, addressing.scope, addressing.values
        self.addressing, self.buffers, self.bounds = addressing, addressing.buffers, bounds
        self.gathers = gathers
        self._loads = loads
        self._near: dict[tuple[Buffer, tuple[tuple[Expr, int], ...]], dict[int, list[Expr]]] = {}

    def near(self, node: Expr) -> dict[int, list[Expr]]:
        """The loads whose positions differ from one load's by a constant, by the constants in the positions."""
        shape = self.addressing.shape
        if not self._near:
            for n in self._loads:
                found = shape(n.args[0])
                same = self._near.setdefault((n.attr, found.terms), {})
                same.setdefault(found.constant, []).append(n)
        return self._near[node.attr, shape(node.args[0]).terms]

    def is_alone(self, node: Expr) -> bool:
        """Whether no other load is always near to one."""
        own = self.addressing.shape(node.args[0]).constant
        return all(k == own or abs(k - own) >= MAX_WORD // 8 for k in self.near(node))

    def load(self, node: Expr) -> bool:
        """Compute a load together with others near to it; False if there are none."""
        buffer: Buffer = node.attr
        if buffer.type.bits not in (8, 16, 32) or sys.byteorder != "little":
            return False
        own = self.addressing.shape(node.args[0]).constant
        near = {
            constant: [n for n in nodes if n.free == node.free]
            for constant, nodes in self.near(node).items()
            if abs(constant - own) < MAX_WORD // 8
        }
        group = self._group(near, own)
        if group is not None:
            return self._load_group(group)
        for first in (own, own - 1):
            pair = near.get(first), near.get(first + 1)
            if pair[0] and pair[1] and self.bounds.proofs.least[buffer] >= 2:
                self._load_pair(pair[0], pair[1])
                return True
        return False

    def _group(self, near: dict[int, list[Expr]], own: int) -> Group | None:
        """The loads in bounds that share a word with the one at constant `own`; None if it is alone."""
        proved = sorted(
            k for k, nodes in near.items() if nodes and self.bounds.is_proved(nodes[0].args[0], nodes[0].attr)
        )
        while proved:
            first = proved[0]
            reach = first + MAX_WORD // near[first][0].attr.type.bits
            together = [k for k in proved if k < reach]
            if own in together:
                return [(k - first, near[k]) for k in together] if len(together) > 1 else None
            proved = [k for k in proved if k >= reach]
        return None

    def _load_group(self, group: Group) -> bool:
        """Several elements by one wide load per lane; False if the buffer is too small for that."""
        first = group[0][1][0]
        buffer: Buffer = first.attr
        position, bits, n, let = first.args[0], buffer.type.bits, self.scope.lanes, self.out.let
        span = group[-1][0] + 1
        count = 1 << (span - 1).bit_length()
        least, type_ = self.bounds.proofs.least[buffer], position.type
        if least < count:
            return False
        self.bounds.proofs.needed[buffer] = least
        at = self.values.value(position)
        start, late = at, False
        if self.scope.facts(position).hi + count > least:
            # The word may end after the buffer: begin earlier, and shift by as much.
            vector, late = typed(type_, n), True
            room = self.scope.once_wide(self.buffers.last(buffer, type_, count), type_)
            start = let(f"call {vector} @llvm.smin.v{n}{SCALAR[type_]}({vector} {at}, {vector} {room})")
        whole = T.integer(bits * count, signed=False)
        words = self._words(buffer, start, type_, whole)
        if late:
            amount = self._bits_between(start, at, type_, whole, bits)
            words = let(f"lshr {typed(whole, n)} {words}, {amount}")
        pieces = self._halves(words, whole, T.u32) if whole.bits == 64 else [words]
        part = min(whole.bits, 32)
        for k, nodes in group:
            name = self._extract(
                pieces[k * bits // part], T.integer(part, signed=False), k * bits % part, buffer.type
            )
            self._define(nodes, name)
        return True

    def _load_pair(self, first: list[Expr], second: list[Expr]) -> None:
        """Two neighbors of which nothing is proved by one wide load per lane."""
        buffer: Buffer = first[0].attr
        low, high = first[0].args[0], second[0].args[0]
        at, above = self.values.value(low), self.values.value(high)
        needed = self.bounds.proofs.needed
        needed[buffer] = max(2, needed.get(buffer, 1))
        start = self.bounds.clamp(at, low.type, buffer, self.scope.lanes, 2)
        bits = buffer.type.bits
        whole, part = T.integer(2 * bits, signed=False), T.integer(bits, signed=False)
        words = self._words(buffer, start, low.type, whole)
        halves = [self._extract(h, part, 0, buffer.type) for h in self._halves(words, whole, part)]
        for nodes, name in zip(
            (first, second), self._mended(buffer, low.type, at, above, halves), strict=True
        ):
            self._define(nodes, name)

    def _define(self, nodes: list[Expr], name: str) -> None:
        for node in nodes:
            if node not in self.scope.names:
                self.scope.define(node, name)

    def _words(self, buffer: Buffer, start: str, type_: T.Type, whole: T.Type) -> str:
        """A word per lane, from positions in bounds."""
        if whole.bits != 64:
            return self.gathers.gather(buffer, start, type_, whole)
        # As doubles, two lanes are joined by one instruction that loads the second.
        words, n = self.gathers.gather(buffer, start, type_, T.f64), self.scope.lanes
        return self.out.let(f"bitcast {typed(T.f64, n)} {words} to {typed(whole, n)}")

    def _bits_between(self, start: str, at: str, type_: T.Type, whole: T.Type, bits: int) -> str:
        """The bits from one position to a later one, by which words are to be shifted."""
        n, let = self.scope.lanes, self.out.let
        vector, word = typed(type_, n), typed(whole, n)
        early = let(f"sub {vector} {at}, {start}")
        amount = let(f"mul {vector} {early}, splat ({SCALAR[type_]} {bits})")
        if whole.bits == type_.bits:
            return amount
        return let(f"{'zext' if whole.bits > type_.bits else 'trunc'} {vector} {amount} to {word}")

    def _halves(self, words: str, whole: T.Type, part: T.Type) -> list[str]:
        """The lower and upper halves of words."""
        n, let = self.scope.lanes, self.out.let
        flat = typed(part, 2 * n)
        name = let(f"bitcast {typed(whole, n)} {words} to {flat}")
        orders = [sequence(T.i32, list(range(k, 2 * n, 2))) for k in (0, 1)]
        return [let(f"shufflevector {flat} {name}, {flat} poison, <{n} x i32> {order}") for order in orders]

    def _extract(self, words: str, part: T.Type, low: int, type_: T.Type) -> str:
        """The bits of words from `low` on as values of a type."""
        n, let = self.scope.lanes, self.out.let
        if low:
            words = let(f"lshr {typed(part, n)} {words}, splat ({SCALAR[part]} {low})")
        if part.bits > type_.bits:
            return let(f"trunc {typed(part, n)} {words} to {typed(type_, n)}")
        return let(f"bitcast {typed(part, n)} {words} to {typed(type_, n)}") if type_.is_float else words

    def _mended(self, buffer: Buffer, type_: T.Type, at: str, above: str, halves: list[str]) -> list[str]:
        """The elements of two clamped positions, from the pair at the first, clamped to leave room for both."""
        lanes, let = self.scope.lanes, self.out.let
        word, values, mask = typed(type_, lanes), stored(buffer.type, lanes), f"<{lanes} x i1>"
        room = self.scope.once_wide(self.buffers.last(buffer, type_, 2), type_)
        past = let(f"icmp sgt {word} {at}, {room}")
        first = let(f"select {mask} {past}, {values} {halves[1]}, {values} {halves[0]}")
        # The next position is zero or less either because this one is below zero or because adding one wrapped.
        under = let(f"icmp sle {word} {above}, zeroinitializer")
        zero = self.buffers.load(buffer, self.addressing.element(buffer, "0", type_))
        everywhere = self.scope.spread_here(buffer.type, zero)
        second = let(f"select {mask} {under}, {values} {everywhere}, {values} {halves[1]}")
        return [first, second]
