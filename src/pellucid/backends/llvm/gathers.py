"""Gathers as LLVM text: one element per lane by scalar loads, and what lies together in memory by one wide load.

On many machines a hardware gather is slower than scalar loads. Two neighboring pixels, or the channels of a few pixels,
fit into a word: then each lane loads the word, and shifts take it apart.
"""

from __future__ import annotations

import sys
from abc import ABC
from functools import cached_property

from ...ir import types as T
from ...ir.expr import Buffer, Expr
from ..affine import Sum, as_sum, index_is_whole
from .memory import Memory
from .spelling import SCALAR, STORED, WIDEST, sequence, stored, typed

WORD = 64
"""The most bits that a lane loads at once."""
TOGETHER = 8
"""How many elements are put together in a turn, if they are small enough for a vector of all lanes to have many."""
Window = list[tuple[int, list[Expr]]]
"""Loads from positions within one word: how many elements after the first, and the loads of that element."""


def unwidened(position: Expr) -> Expr:
    """A position, or the narrower unsigned number that it was converted from: the same number, in fewer bits."""
    narrow = position.op == "convert" and position.args[0].type.kind == "unsigned"
    return position.args[0] if narrow and position.args[0].type.bits < position.type.bits else position


class Gathers(Memory, ABC):
    """Writes gathers."""

    def gather_turns(self, buffer: Buffer, at: str, type_: T.Type) -> str:
        """One small element per lane, from positions that are inside: a few lanes in each turn of a loop."""
        element, size = STORED[buffer.type], buffer.type.dtype.itemsize
        slot = self.parted(at, type_)
        self.enter(f"{slot}.to = alloca {stored(buffer.type, self.lanes)}, align {WIDEST}")
        before, head, after = self.label, self.new_label(), self.new_label()
        self.jump(head)
        self.open(head)
        lane = self.let(f"phi i64 [ 0, %{before} ], [ %{head}.k, %{head} ]")
        base = self.let(f"getelementptr {SCALAR[type_]}, ptr {slot}, i64 {lane}")
        some, vector = "poison", f"<{TOGETHER} x {element}>"
        for k in range(TOGETHER):
            where = self.let(f"getelementptr {SCALAR[type_]}, ptr {base}, i64 {k}") if k else base
            found = self.looked_at(buffer, where, type_)
            some = self.let(f"insertelement {vector} {some}, {element} {found}, i64 {k}")
        into = self.let(f"getelementptr {element}, ptr {slot}.to, i64 {lane}")
        self.emit(f"store {vector} {some}, ptr {into}, align {size}")
        self.emit(f"%{head}.k = add i64 {lane}, {TOGETHER}")
        self.branch(self.let(f"icmp eq i64 %{head}.k, {self.lanes}"), after, head)
        self.open(after)
        return self.let(f"load {stored(buffer.type, self.lanes)}, ptr {slot}.to, align {WIDEST}")

    def looked_at(self, buffer: Buffer, where: str, type_: T.Type) -> str:
        """The element at a position that is itself in memory, at an address."""
        word, element = SCALAR[type_], STORED[buffer.type]
        number = self.let(f"load {word}, ptr {where}, align {type_.bits // 8}")
        extended = "zext" if type_.kind == "unsigned" else "sext"
        wide = number if type_.bits == 64 else self.let(f"{extended} {word} {number} to i64")
        found = self.let(f"getelementptr {element}, ptr {self.pointer(buffer)}, i64 {wide}")
        return self.let(f"load {element}, ptr {found}, align {buffer.type.dtype.itemsize}")

    def gather_each(self, buffer: Buffer, at: str, type_: T.Type, wide: T.Type) -> str:
        """One element of type `wide` per lane, from positions (counted in elements of the buffer) that are inside."""
        element, word = STORED[wide], stored(wide, self.lanes)
        step, pointer = STORED[buffer.type], self.pointer(buffer)
        align = buffer.type.dtype.itemsize
        self.count += 1
        g = f"%g{self.count}"
        lines: list[str] = []
        before = "poison"
        for k, i in enumerate(self.indices(at, type_)):
            lines.append(f"{g}.a{k} = getelementptr {step}, ptr {pointer}, {SCALAR[type_]} {i}")
            lines.append(f"{g}.e{k} = load {element}, ptr {g}.a{k}, align {align}")
            lines.append(f"{g}.w{k} = insertelement {word} {before}, {element} {g}.e{k}, i64 {k}")
            before = f"{g}.w{k}"
        self.emit("\n".join(lines))
        return before

    def indices(self, at: str, type_: T.Type) -> list[str]:
        """The lanes of a vector of positions as scalars, by way of the stack."""
        slot = self.parted(at, type_)
        self.emit("\n".join(self.part(slot, type_, k) for k in range(self.lanes)))
        return [f"{slot}.i{k}" for k in range(self.lanes)]

    def parted(self, at: str, type_: T.Type) -> str:
        """A vector on the stack, from where `part` takes its lanes."""
        self.count += 1
        slot = f"%slot{self.count}"
        self.enter(f"{slot} = alloca {typed(type_, self.lanes)}, align {WIDEST}")
        self.emit(f"store {typed(type_, self.lanes)} {at}, ptr {slot}, align {WIDEST}")
        return slot

    def part(self, slot: str, type_: T.Type, k: int) -> str:
        """The lines that give lane k of a vector on the stack the name of the slot with ``.i`` and k."""
        word = SCALAR[type_]
        return (
            f"{slot}.p{k} = getelementptr {word}, ptr {slot}, i64 {k}\n"
            f"{slot}.i{k} = load {word}, ptr {slot}.p{k}, align {type_.bits // 8}"
        )

    # ---- what lies together ----

    @cached_property
    def neighbors(self) -> dict[tuple[Buffer, tuple[tuple[Expr, int], ...]], dict[int, list[Expr]]]:
        """All loads by buffer and shape of position, and then by the constant in it."""
        found: dict[tuple[Buffer, tuple[tuple[Expr, int], ...]], dict[int, list[Expr]]] = {}
        for n in self.loads:
            shape = self.shape(n.args[0])
            found.setdefault((n.attr, shape.terms), {}).setdefault(shape.constant, []).append(n)
        return found

    def shape(self, position: Expr) -> Sum:
        """A position as a sum of everything that can be taken apart."""
        return as_sum(position, stop=lambda n: False, whole=index_is_whole)

    def load_neighbors(self, node: Expr) -> bool:
        """Compute a load together with others near to it; False if there are none."""
        buffer: Buffer = node.attr
        if buffer.type.bits not in (8, 16, 32) or sys.byteorder != "little":
            return False
        shape = self.shape(node.args[0])
        near = {
            constant: [n for n in nodes if n.free == node.free]
            for constant, nodes in self.neighbors[buffer, shape.terms].items()
            if abs(constant - shape.constant) < WORD // 8
        }
        window = self.window(near, shape.constant)
        if window is not None:
            return self.load_window(window)
        for first in (shape.constant, shape.constant - 1):
            pair = near.get(first), near.get(first + 1)
            if pair[0] and pair[1] and self.proofs.least[buffer] >= 2:
                self.load_pair(pair[0], pair[1])
                return True
        return False

    def window(self, near: dict[int, list[Expr]], own: int) -> Window | None:
        """The loads that share a word with the one at constant `own`, all proved to be inside; None if it is alone."""
        proved = sorted(
            k for k, nodes in near.items() if nodes and self.inside(nodes[0].args[0], nodes[0].attr)
        )
        while proved:
            first = proved[0]
            reach = first + WORD // near[first][0].attr.type.bits
            together = [k for k in proved if k < reach]
            if own in together:
                return [(k - first, near[k]) for k in together] if len(together) > 1 else None
            proved = [k for k in proved if k >= reach]
        return None

    def load_window(self, window: Window) -> bool:
        """Several elements by one wide load per lane; False if the buffer is too small for that."""
        first = window[0][1][0]
        buffer: Buffer = first.attr
        position, bits, n = first.args[0], buffer.type.bits, self.lanes
        span = window[-1][0] + 1
        count = 1 << (span - 1).bit_length()
        least, type_ = self.proofs.least[buffer], position.type
        if least < count:
            return False
        self.proofs.needed[buffer] = least
        at = self.value(position)
        start, late = at, False
        if self.facts(position).hi + count > least:
            # The word may end after the buffer: begin earlier, and shift by as much.
            vector, late = typed(type_, n), True
            room = self.once_wide(self.last(buffer, type_, count), type_)
            start = self.let(f"call {vector} @llvm.smin.v{n}{SCALAR[type_]}({vector} {at}, {vector} {room})")
        whole = T.integer(bits * count, signed=False)
        word = typed(whole, n)
        # As doubles, two lanes are joined by one instruction that loads the second.
        words = self.gather_each(buffer, start, type_, T.f64 if whole.bits == 64 else whole)
        if whole.bits == 64:
            words = self.let(f"bitcast {typed(T.f64, n)} {words} to {word}")
        if late:
            words = self.let(f"lshr {word} {words}, {self.shift(at, start, type_, whole, bits)}")
        pieces = self.halves(words, whole, T.u32) if whole.bits == 64 else [words]
        part = min(whole.bits, 32)
        for k, nodes in window:
            name = self.piece(
                pieces[k * bits // part], T.integer(part, signed=False), k * bits % part, buffer.type
            )
            for node in nodes:
                if node not in self.names:
                    self.define(node, name)
        return True

    def shift(self, at: str, start: str, type_: T.Type, whole: T.Type, bits: int) -> str:
        """By how many bits words that begin early are to be shifted."""
        n = self.lanes
        vector, word = typed(type_, n), typed(whole, n)
        early = self.let(f"sub {vector} {at}, {start}")
        amount = self.let(f"mul {vector} {early}, splat ({SCALAR[type_]} {bits})")
        if whole.bits == type_.bits:
            return amount
        return self.let(f"{'zext' if whole.bits > type_.bits else 'trunc'} {vector} {amount} to {word}")

    def halves(self, words: str, whole: T.Type, part: T.Type) -> list[str]:
        """The lower and upper halves of words."""
        n = self.lanes
        flat = typed(part, 2 * n)
        name = self.let(f"bitcast {typed(whole, n)} {words} to {flat}")
        return [
            self.let(
                f"shufflevector {flat} {name}, {flat} poison, <{n} x i32> {sequence(T.i32, list(range(k, 2 * n, 2)))}"
            )
            for k in (0, 1)
        ]

    def piece(self, words: str, part: T.Type, low: int, type_: T.Type) -> str:
        """The bits of words from `low` on as values of a type."""
        n = self.lanes
        if low:
            words = self.let(f"lshr {typed(part, n)} {words}, splat ({SCALAR[part]} {low})")
        if part.bits > type_.bits:
            return self.let(f"trunc {typed(part, n)} {words} to {typed(type_, n)}")
        return self.let(f"bitcast {typed(part, n)} {words} to {typed(type_, n)}") if type_.is_float else words

    def load_pair(self, first: list[Expr], second: list[Expr]) -> None:
        """Two neighbors of which nothing is proved by one wide load per lane."""
        buffer: Buffer = first[0].attr
        low, high = first[0].args[0], second[0].args[0]
        at, above = self.value(low), self.value(high)
        self.proofs.needed[buffer] = max(2, self.proofs.needed.get(buffer, 1))
        start = self.clamp(at, low.type, buffer, self.lanes, 2)
        bits = buffer.type.bits
        whole, part = T.integer(2 * bits, signed=False), T.integer(bits, signed=False)
        words = self.gather_each(buffer, start, low.type, T.f64 if whole.bits == 64 else whole)
        if whole.bits == 64:
            words = self.let(f"bitcast {typed(T.f64, self.lanes)} {words} to {typed(whole, self.lanes)}")
        halves = [self.piece(h, part, 0, buffer.type) for h in self.halves(words, whole, part)]
        for nodes, name in zip((first, second), self.mend(buffer, low.type, at, above, halves), strict=True):
            for node in nodes:
                if node not in self.names:
                    self.define(node, name)

    def mend(self, buffer: Buffer, type_: T.Type, at: str, above: str, halves: list[str]) -> list[str]:
        """The elements of two clamped positions, from the pair at the first, clamped to leave room for both."""
        word, values = typed(type_, self.lanes), stored(buffer.type, self.lanes)
        mask = f"<{self.lanes} x i1>"
        room = self.once_wide(self.last(buffer, type_, 2), type_)
        past = self.let(f"icmp sgt {word} {at}, {room}")
        first = self.let(f"select {mask} {past}, {values} {halves[1]}, {values} {halves[0]}")
        # The next position is zero or less either because this one is below zero or because adding one wrapped.
        under = self.let(f"icmp sle {word} {above}, zeroinitializer")
        zero = self.element(buffer, self.place(buffer, "0", type_))
        second = self.let(
            f"select {mask} {under}, {values} {self.spread_here(buffer.type, zero)}, {values} {halves[1]}"
        )
        return [first, second]
