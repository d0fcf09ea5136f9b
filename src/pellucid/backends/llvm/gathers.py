"""Gathers as LLVM text: one element per lane by scalar loads, and what lies together in memory by one wide load.

On many machines a hardware gather is slower than scalar loads. Two neighboring pixels, or the channels of a few pixels,
fit into a word: then each lane loads the word, and shifts take it apart.
"""

from __future__ import annotations

import sys
from abc import ABC
from collections.abc import Generator
from contextlib import contextmanager
from functools import cached_property

from ...ir import types as T
from ...ir.expr import Buffer, Expr, topological
from ...ir.nest import Block, Let, Store, all_roots
from ...reasoning.infer import FactsOf
from ..affine import Sum, as_sum, index_is_whole
from ..jit.spelling import SCALAR, STORED, WIDEST, sequence, stored, typed
from ..port import Layout
from .memory import Memory

WORD = 64
"""The most bits that a lane loads at once."""
TOGETHER = 4
"""How many elements are put together in a turn, if they are small enough for a vector of all lanes to have many.

Twice as many are no faster, and are more to compile.
"""
Window = list[tuple[int, list[Expr]]]
"""Loads from positions within one word: how many elements after the first, and the loads of that element."""


def unwidened(position: Expr) -> Expr:
    """A position, or the narrower unsigned number that it was converted from: the same number, in fewer bits."""
    narrow = position.op == "convert" and position.args[0].type.kind == "unsigned"
    return position.args[0] if narrow and position.args[0].type.bits < position.type.bits else position


class Gathers(Memory, ABC):
    """Writes gathers."""

    def __init__(self, body: Block, facts: FactsOf, plan: Layout, *, cheap_masks: bool) -> None:
        super().__init__(body, facts, plan, cheap_masks=cheap_masks)
        self.beside: dict[Expr, list[Expr]] = {}
        """By what is looked up by turns: all that is looked up by the same turns."""
        self.shapes: dict[Expr, Sum] = {}

    def find_lookups(self, block: Block) -> None:
        """Note what a block in lanes looks up in one table: that is done where the first of it is wanted."""
        if not self.many_by_turns() or not all(isinstance(s, Let | Store) for s in block):
            return
        found: dict[tuple[Buffer, T.Type], list[Expr]] = {}
        # What is looked up at a number that was itself looked up comes later, by itself.
        late: set[Expr] = set()
        for n in topological(all_roots(block)):
            if n in self.names or not self.is_wide(n):
                continue
            if not late.isdisjoint(n.args):
                late.add(n)
            elif self.by_turns(n) and self.looked_up(n) and self.alone(n):
                late.add(n)
                found.setdefault((n.attr, unwidened(n.args[0]).type), []).append(n)
        for nodes in found.values():
            self.beside.update(dict.fromkeys(nodes, nodes))

    def looked_up(self, node: Expr) -> bool:
        """Whether a value is an element per lane from anywhere in a table, and of no other use until now."""
        if node.op != "load" or node in self.names or self.changing(node) or not self.is_wide(node):
            return False
        (position,) = node.args
        found = self.in_lanes(position)
        anywhere = any(self.is_wide(n) and n is not self.lane_index for n, _ in found.terms)
        return anywhere and self.inside(position, node.attr)

    def many_by_turns(self) -> bool:
        """Whether lanes are so many that there are several turns."""
        return self.lanes > 2 * TOGETHER and self.lanes % TOGETHER == 0

    def by_turns(self, node: Expr) -> bool:
        """Whether a node loads elements so small that a few of them are put together."""
        return node.op == "load" and node.attr.type.bits <= 32 and self.many_by_turns()

    def gather_turns(self, node: Expr) -> None:
        """Small elements from positions that are inside, one per lane: a few lanes in each turn of a loop.

        What was noted to be looked up by the same turns has its names then, too.
        """
        nodes = [n for n in self.beside.get(node, ()) if n not in self.names] or [node]
        buffer: Buffer = node.attr
        type_ = unwidened(node.args[0]).type
        word, element, size = SCALAR[type_], STORED[buffer.type], buffer.type.dtype.itemsize
        numbers = [self.wide_value(unwidened(n.args[0])) for n in nodes]
        self.count += 1
        slot, count = f"%slot{self.count}", len(nodes) * self.lanes
        self.enter(f"{slot} = alloca [{count} x {word}], align {WIDEST}")
        self.enter(f"{slot}.to = alloca [{count} x {element}], align {WIDEST}")
        for k, name in enumerate(numbers):
            at = self.let(f"getelementptr {word}, ptr {slot}, i64 {k * self.lanes}") if k else slot
            self.emit(f"store {typed(type_, self.lanes)} {name}, ptr {at}, align {type_.bits // 8}")
        with self.counting(count, TOGETHER) as lane:
            base = self.let(f"getelementptr {word}, ptr {slot}, i64 {lane}")
            some, vector = "poison", f"<{TOGETHER} x {element}>"
            for k in range(TOGETHER):
                where = self.let(f"getelementptr {word}, ptr {base}, i64 {k}") if k else base
                found = self.looked_at(buffer, where, type_)
                some = self.let(f"insertelement {vector} {some}, {element} {found}, i64 {k}")
            into = self.let(f"getelementptr {element}, ptr {slot}.to, i64 {lane}")
            self.emit(f"store {vector} {some}, ptr {into}, align {size}")
        for k, n in enumerate(nodes):
            at = f"{slot}.to"
            if k:
                at = self.let(f"getelementptr {element}, ptr {at}, i64 {k * self.lanes}")
            values = self.let(f"load {stored(buffer.type, self.lanes)}, ptr {at}, align {size}")
            self.define(n, self.from_memory(n.type, values))

    @contextmanager
    def counting(self, count: int, step: int) -> Generator[str]:
        """A loop in order around what is written meanwhile: gives its number, from 0 on by `step` to before `count`."""
        before, head, after = self.label, self.new_label(), self.new_label()
        self.jump(head)
        self.open(head)
        number = self.let(f"phi i64 [ 0, %{before} ], [ %{head}.k, %{head}.latch ]")
        yield number
        self.jump(f"{head}.latch")
        self.open(f"{head}.latch")
        self.emit(f"%{head}.k = add i64 {number}, {step}")
        self.branch(self.let(f"icmp eq i64 %{head}.k, {count}"), after, head)
        self.open(after)

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
        # Apart from its lanes: LLVM 22 takes the first of two or three from the register of two, with its neighbor.
        self.emit(f"store volatile {typed(type_, self.lanes)} {at}, ptr {slot}, align {WIDEST}")
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

    def alone(self, node: Expr) -> bool:
        """Whether no other load is always near to one."""
        shape = self.shape(node.args[0])
        constants = self.neighbors[node.attr, shape.terms]
        return all(k == shape.constant or abs(k - shape.constant) >= WORD // 8 for k in constants)

    def shape(self, position: Expr) -> Sum:
        """A position as a sum of everything that can be taken apart."""
        found = self.shapes.get(position)
        if found is None:
            found = self.shapes[position] = as_sum(position, stop=lambda n: False, whole=index_is_whole)
        return found

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
