"""Buffers and positions as LLVM text: where a buffer is, how far it reaches, and whether positions are inside.

Above `values`; `loads` and `stores` stand on it. Holds what they need to know of the vector loop around them.
"""

from __future__ import annotations

from abc import ABC
from typing import NamedTuple

from ...ir import types as T
from ...ir.expr import Buffer, Expr
from ...ir.nest import Block
from ...reasoning.infer import FactsOf
from ..affine import Sum, as_sum, index_is_whole
from ..jit.spelling import SCALAR, STORED, WIDEST, mangled, moved_on, stored, typed
from ..obligations import Proofs
from ..port import Layout
from .values import Values


class Kept(NamedTuple):
    """Where a loop keeps some values (see `Once`): whether they are known, their slots, and the lanes they are for.

    The types of the slots are those of the values where they are first wanted.
    """

    flag: str
    slots: list[str]
    care: str | None
    types: list[str]


class Memory(Values, ABC):
    """Knows the buffers of a kernel, what was proved of positions, and the masks of the loop around."""

    def __init__(
        self,
        body: Block,
        facts: FactsOf,
        plan: Layout,
        *,
        cheap_masks: bool,
    ) -> None:
        super().__init__(body, facts)
        self.cheap_masks = cheap_masks
        self.numbers = {b: k for k, b in enumerate((*plan.buffers, *plan.private))}
        self.private = {b: plan.least[b] for b in plan.private}
        self.proofs = Proofs(plan.least, plan.calling.scratch)
        self.sure: set[tuple[Expr, Buffer]] = set()
        self.declared: set[str] = set()
        # `sure` are accesses that the loop around does not make where they would be outside.
        # Of the vector loop around: the scalar index of lane 0 as i64, how many lanes count (i64), and the lanes that
        # count. `care` are the lanes on whose side of the branches around we are. None is all lanes.
        self.lane_wide = ""
        self.sums: dict[tuple[Expr, int], Sum] = {}
        self.rows: dict[tuple[Buffer, tuple[tuple[str, int], ...]], str] = {}
        self.lane_count = ""
        self.live: str | None = None
        self.care: str | None = None
        # Of the loops around: the values that they keep.
        self.kept: dict[tuple[Expr, ...], Kept] = {}
        # The bit of the innermost loop in order.
        self.inner = 0

    def once(self, name: str, *lines: str) -> str:
        """A value of the entry block, written when it is first asked for."""
        if name not in self.declared:
            self.declared.add(name)
            for line in lines:
                self.enter(line)
        return name

    def once_wide(self, name: str, type_: T.Type) -> str:
        """A scalar of the entry block in all lanes, spread there once."""
        new = f"{name}.x{self.lanes}"
        if new not in self.declared:
            self.declared.add(new)
            spread, text = self.spread(type_, name)
            self.enter(text.replace(spread, new))
        return new

    def pointer(self, buffer: Buffer) -> str:
        """Where a buffer begins."""
        k = self.numbers[buffer]
        if buffer in self.private:
            size = f"[{self.private[buffer]} x {STORED[buffer.type]}]"
            return self.once(f"%buffer{k}", f"%buffer{k} = alloca {size}, align {WIDEST}")
        return self.once(
            f"%buffer{k}",
            f"%buffer{k}.at = getelementptr ptr, ptr %buffers, i64 {k}",
            f"%buffer{k} = load ptr, ptr %buffer{k}.at, align 8",
        )

    def size(self, buffer: Buffer) -> str:
        """How many elements a buffer has, as i64."""
        k = self.numbers[buffer]
        if buffer in self.private:
            return str(self.private[buffer])
        return self.once(
            f"%size{k}",
            f"%size{k}.at = getelementptr i64, ptr %sizes, i64 {k}",
            f"%size{k} = load i64, ptr %size{k}.at, align 8",
        )

    def reach(self, buffer: Buffer, type_: T.Type) -> str:
        """How many elements positions of a type can reach, as i64."""
        size = self.size(buffer)
        if type_ is T.i64:
            return size
        return self.once(
            f"%reach{self.numbers[buffer]}",
            f"%reach{self.numbers[buffer]} = call i64 @llvm.smin.i64(i64 {size}, i64 {1 << 31})",
        )

    def last(self, buffer: Buffer, type_: T.Type, back: int = 1) -> str:
        """The last position that a type can reach (or one before), in that type."""
        name = f"%last{back}.{type_}.{self.numbers[buffer]}"
        lines = [f"{name}.x = sub i64 {self.reach(buffer, type_)}, {back}"]
        if type_ is T.i64:
            lines = [f"{name} = sub i64 {self.size(buffer)}, {back}"]
        else:
            lines.append(f"{name} = trunc i64 {name}.x to {SCALAR[type_]}")
        return self.once(name, *lines)

    def inside(self, position: Expr, buffer: Buffer) -> bool:
        """Whether a position is proved to be inside of the buffer; if so, runs check that the buffer is that large."""
        return (position, buffer) in self.sure or self.proofs.inside(position, buffer, self.facts)

    def clamp(self, name: str, type_: T.Type, buffer: Buffer, lanes: int, back: int = 1) -> str:
        """A position brought into the buffer."""
        word, suffix = typed(type_, lanes), mangled(type_, lanes)
        last = self.last(buffer, type_, back)
        if lanes:
            last = self.once_wide(last, type_)
        low = self.let(f"call {word} @llvm.smax.{suffix}({word} {name}, {word} zeroinitializer)")
        return self.let(f"call {word} @llvm.smin.{suffix}({word} {low}, {word} {last})")

    def place(self, buffer: Buffer, at: str, type_: T.Type) -> str:
        """The address of an element."""
        return self.let(
            f"getelementptr {STORED[buffer.type]}, ptr {self.pointer(buffer)}, {SCALAR[type_]} {at}"
        )

    def place_of(self, buffer: Buffer, position: Expr) -> str:
        """The address of an element that is inside.

        Where the parts of a position add up without a wrap, they are added up as addresses, of which a processor does
        most at once with the access; what does not change in the loop around comes first.
        """
        at, type_ = self.value(position), position.type
        found = as_sum(position, stop=self.fixed, whole=index_is_whole)
        if len(found.terms) + bool(found.constant) < 2 or not self.whole(found, type_):
            return self.place(buffer, at, type_)
        element = STORED[buffer.type]
        where = self.pointer(buffer)
        *first, last = sorted(found.terms, key=lambda term: bool(term[0].free & self.inner))
        for n, count in first:
            where = self.added(element, where, n, count)
        return self.added(element, where, *last, found.constant)

    def added(self, element: str, where: str, node: Expr, count: int, constant: int = 0) -> str:
        """The address that is so many times a number, and a constant, of elements on."""
        lines, found = self.adding(element, where, self.value(node), node.type, count, constant)
        self.lines += lines
        return found

    def adding(
        self, element: str, where: str, name: str, type_: T.Type, count: int, constant: int = 0
    ) -> tuple[list[str], str]:
        """The lines of `added`, and the name of what they give."""
        lines: list[str] = []
        index = f"{SCALAR[type_]} {name}"
        # An index of fewer bits is taken as a signed number, and arrays have no size below zero.
        if type_.bits < 64 and (type_.kind != "signed" or count < 0):
            kind = "sext" if type_.kind == "signed" else "zext"
            wide = self.fresh()
            lines.append(f"{wide} = {kind} {index} to i64")
            index = f"i64 {wide}"
        if count < 0:
            opposite = self.fresh()
            lines.append(f"{opposite} = sub i64 0, {index.removeprefix('i64 ')}")
            index = f"i64 {opposite}"
        found = self.fresh()
        lines.append(f"{found} = {moved_on(where, element, abs(count), index, constant)}")
        return lines, found

    def fixed(self, node: Expr) -> bool:
        """Whether a value stays in the loop around, and is no sum with a constant, which an access adds at no cost."""
        plus = node.op in ("add", "sub") and any(a.op == "const" for a in node.args)
        return not node.free & self.inner and not plus

    def whole(self, found: Sum, type_: T.Type) -> bool:
        """Whether a sum modulo the width of a type is the sum itself."""
        low = high = found.constant
        for n, count in found.terms:
            f = self.facts(n)
            low += int(min(f.lo * count, f.hi * count))
            high += int(max(f.lo * count, f.hi * count))
        return type_.low <= low and high <= type_.high

    def lanes_inside(self, buffer: Buffer, at: str, type_: T.Type) -> str:
        """The lanes whose positions are inside."""
        # As unsigned numbers, positions below zero are large. The last position fits the type, the size may not.
        last = self.once_wide(self.last(buffer, type_), type_)
        return self.let(f"icmp ule {typed(type_, self.lanes)} {at}, {last}")

    def in_lanes(self, position: Expr) -> Sum:
        """A position as a sum of what differs from lane to lane and what does not."""
        key = position, self.varying
        found = self.sums.get(key)
        if found is None:
            found = as_sum(position, stop=lambda n: not self.is_wide(n), whole=index_is_whole)
            self.sums[key] = found
        return found

    def is_run(self, position: Expr) -> bool:
        """Whether the position in lane k is k elements further than in lane 0."""
        index = self.lane_index
        if index is None or not position.free & index.free:
            return False
        found = self.in_lanes(position)
        return all(k == 1 if n is index else not self.is_wide(n) for n, k in found.terms) and any(
            n is index for n, _ in found.terms
        )

    def run_start(self, position: Expr) -> str:
        """The position of lane 0 of a run."""
        index = self.lane_index
        assert index is not None  # noqa: S101 - there is a run
        found = self.in_lanes(position)
        word = SCALAR[position.type]

        def fit(name: str, type_: T.Type) -> str:
            return name if type_ is position.type else self.let(f"sext {SCALAR[type_]} {name} to {word}")

        total = fit(self.lane_base, index.type)
        for n, k in found.terms:
            if n is index:
                continue
            term = fit(self.value(n), n.type)
            if k != 1:
                term = self.let(f"mul {word} {term}, {k}")
            total = self.let(f"add {word} {total}, {term}")
        return self.let(f"add {word} {total}, {found.constant}") if found.constant else total

    def run_place(self, buffer: Buffer, position: Expr) -> str:
        """The address of lane 0 of a run that is inside.

        Where the parts of the position add up without a wrap, what does not change in the loop is added up before it,
        and the constant is left to the access.
        """
        found = self.in_lanes(position)
        if position.type is not T.i32 or self.lane_index is None or not self.whole(found, position.type):
            return self.place(buffer, self.run_start(position), position.type)
        element = STORED[buffer.type]
        where = self.run_row(buffer, [(n, k) for n, k in found.terms if n is not self.lane_index])
        return self.let(moved_on(where, element, 1, f"i64 {self.lane_wide}", found.constant))

    def run_row(self, buffer: Buffer, parts: list[tuple[Expr, int]]) -> str:
        """The address that the uniform parts of a position make, where the last of them was computed."""
        where = self.pointer(buffer)
        if not parts:
            return where
        names = [(self.value(n), n, k) for n, k in parts]
        key = (buffer, tuple((name, k) for name, _, k in names))
        found = self.rows.get(key)
        if found is None:
            lines: list[str] = []
            for name, n, k in names:
                more, where = self.adding(STORED[buffer.type], where, name, n.type, k)
                lines += more
            self.lines[max(self.places[n] for _, n, _ in names)] += "\n" + "\n".join(lines)
            found = self.rows[key] = where
        return found

    def run_fits(self, buffer: Buffer, base: str, type_: T.Type) -> str:
        """Whether the run of counting lanes from a position is inside."""
        base = base if type_ is T.i64 else self.let(f"sext {SCALAR[type_]} {base} to i64")
        end = self.let(f"add i64 {base}, {self.lane_count}")
        fits = self.let(f"icmp sle i64 {end}, {self.reach(buffer, type_)}")
        starts = self.let(f"icmp sge i64 {base}, 0")
        # base + count cannot overflow where base + count <= size and base >= 0; elsewhere it does not matter.
        sane = self.let(f"icmp sge i64 {end}, {base}")
        return self.let(f"and i1 {self.let(f'and i1 {fits}, {starts}')}, {sane}")

    def element(self, buffer: Buffer, where: str) -> str:
        """The element at an address."""
        found = self.stored_element(buffer, where)
        return self.let(f"icmp ne i8 {found}, 0") if buffer.type is T.boolean else found

    def stored_element(self, buffer: Buffer, where: str) -> str:
        """The element at an address, as it is in memory."""
        return self.let(f"load {STORED[buffer.type]}, ptr {where}, align {buffer.type.dtype.itemsize}")

    def spread_stored(self, buffer: Buffer, name: str) -> str:
        """An element as it is in memory, in all lanes."""
        word, element = stored(buffer.type, self.lanes), STORED[buffer.type]
        one = self.let(f"insertelement {word} poison, {element} {name}, i64 0")
        return self.let(f"shufflevector {word} {one}, {word} poison, <{self.lanes} x i32> zeroinitializer")

    def from_memory(self, type_: T.Type, name: str) -> str:
        """Elements as they are in memory, as values in lanes."""
        if type_ is T.boolean:
            return self.let(f"icmp ne <{self.lanes} x i8> {name}, zeroinitializer")
        return name

    def to_memory(self, type_: T.Type, name: str, lanes: int) -> str:
        """A value as it is in memory."""
        if type_ is not T.boolean:
            return name
        return self.let(f"zext {typed(type_, lanes)} {name} to {stored(type_, lanes)}")
