"""Loads and stores as LLVM text: clamped or proved, one element, a run of neighbors, or one element per lane.

Gathers are written as scalar loads: on many machines a hardware gather is slower, and two gathers from neighboring
elements become one load of both. Above `values`, below `control`.
"""

from __future__ import annotations

from abc import ABC

from ...ir import types as T
from ...ir.expr import Buffer, Expr
from ...ir.nest import Alloc, Block, Store
from ...reasoning.infer import FactsOf
from ..affine import Sum, as_sum, index_is_whole
from ..obligations import Proofs, least_sizes
from .spelling import SCALAR, STORED, element_mangled, mangled, sequence, stored, typed
from .values import Values

WIDEST = 64  # bytes that a stack slot is aligned to


class Memory(Values, ABC):
    """Knows the buffers of a kernel, what was proved of positions, and the masks of the loop around."""

    def __init__(
        self,
        body: Block,
        facts: FactsOf,
        buffers: tuple[Buffer, ...],
        scratch: tuple[Alloc, ...],
        *,
        cheap_masks: bool,
    ) -> None:
        super().__init__(body, facts)
        self.cheap_masks = cheap_masks
        self.numbers = {b: k for k, b in enumerate(buffers)}
        self.proofs = Proofs(least_sizes(buffers, scratch), scratch)
        self.declared: set[str] = set()
        self.neighbors: dict[tuple[Buffer, Sum], list[Expr]] = {}
        # Of the vector loop around: its index, the scalar index of lane 0, how many lanes count (i64), and the lanes
        # that count. `care` are the lanes on whose side of the branches around we are. None is all lanes.
        self.lane_index: Expr | None = None
        self.lane_base = ""
        self.lane_count = ""
        self.live: str | None = None
        self.care: str | None = None

    # ---- buffers ----

    def once(self, name: str, *lines: str) -> str:
        """A value of the entry block, written when it is first asked for."""
        if name not in self.declared:
            self.declared.add(name)
            for line in lines:
                self.enter(line)
        return name

    def pointer(self, buffer: Buffer) -> str:
        """Where a buffer begins."""
        k = self.numbers[buffer]
        return self.once(
            f"%buffer{k}",
            f"%buffer{k}.at = getelementptr ptr, ptr %buffers, i64 {k}",
            f"%buffer{k} = load ptr, ptr %buffer{k}.at, align 8",
        )

    def size(self, buffer: Buffer) -> str:
        """How many elements a buffer has, as i64."""
        k = self.numbers[buffer]
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
        return self.proofs.inside(position, buffer, self.facts)

    def clamp(self, name: str, type_: T.Type, buffer: Buffer, lanes: int, back: int = 1) -> str:
        """A position brought into the buffer."""
        word, suffix = typed(type_, lanes), mangled(type_, lanes)
        last = self.last(buffer, type_, back)
        if lanes:
            last = self.once_wide(last, type_)
        low = self.let(f"call {word} @llvm.smax.{suffix}({word} {name}, {word} zeroinitializer)")
        return self.let(f"call {word} @llvm.smin.{suffix}({word} {low}, {word} {last})")

    def once_wide(self, name: str, type_: T.Type) -> str:
        """A scalar of the entry block in all lanes, spread there once."""
        new = f"{name}.x{self.lanes}"
        if new not in self.declared:
            self.declared.add(new)
            spread, text = self.spread(type_, name)
            self.enter(text.replace(spread, new))
        return new

    # ---- loads ----

    def load(self, node: Expr) -> None:
        """Compute a load; a vector load brings its neighbors along."""
        (position,) = node.args
        buffer: Buffer = node.attr
        if not self.is_wide(node):
            at = self.names[position]
            if not self.inside(position, buffer):
                at = self.clamp(at, position.type, buffer, 0)
            self.define(node, self.element(buffer, at, position.type))
            return
        base = self.run_start(position)
        if base is not None:
            self.define(node, self.load_run(node, base))
            return
        partners = self.partners(node)
        if partners is not None:
            self.load_pair(partners)
            return
        at = self.names[position]
        if not self.inside(position, buffer):
            at = self.clamp(at, position.type, buffer, self.lanes)
        self.define(node, self.from_memory(node.type, self.gather(buffer, at, position.type, buffer.type)))

    def element(self, buffer: Buffer, at: str, type_: T.Type) -> str:
        """The element at a position that is inside."""
        found = self.stored_element(buffer, at, type_)
        return self.let(f"icmp ne i8 {found}, 0") if buffer.type is T.boolean else found

    def stored_element(self, buffer: Buffer, at: str, type_: T.Type) -> str:
        """The element at a position that is inside, as it is in memory."""
        where = self.place(buffer, at, type_)
        return self.let(f"load {STORED[buffer.type]}, ptr {where}, align {buffer.type.dtype.itemsize}")

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

    def run_start(self, position: Expr) -> str | None:
        """The position of lane 0 if lane k is k elements further, else None."""
        index = self.lane_index
        if index is None or not position.free & index.free:
            return None
        found = as_sum(position, stop=lambda n: not self.is_wide(n), whole=index_is_whole)
        uniform = [(n, k) for n, k in found.terms if n is not index]
        if len(uniform) + 1 != len(found.terms) or any(self.is_wide(n) for n, _ in uniform):
            return None
        if dict(found.terms)[index] != 1:
            return None
        word = SCALAR[position.type]

        def fit(name: str, type_: T.Type) -> str:
            return name if type_ is position.type else self.let(f"sext {SCALAR[type_]} {name} to {word}")

        total = fit(self.lane_base, index.type)
        for n, k in uniform:
            term = fit(self.value(n), n.type)
            if k != 1:
                term = self.let(f"mul {word} {term}, {k}")
            total = self.let(f"add {word} {total}, {term}")
        return self.let(f"add {word} {total}, {found.constant}") if found.constant else total

    def run_fits(self, buffer: Buffer, base: str, type_: T.Type) -> str:
        """Whether the run of counting lanes from a position is inside."""
        base = base if type_ is T.i64 else self.let(f"sext {SCALAR[type_]} {base} to i64")
        end = self.let(f"add i64 {base}, {self.lane_count}")
        fits = self.let(f"icmp sle i64 {end}, {self.reach(buffer, type_)}")
        starts = self.let(f"icmp sge i64 {base}, 0")
        # base + count cannot overflow where base + count <= size and base >= 0; elsewhere it does not matter.
        sane = self.let(f"icmp sge i64 {end}, {base}")
        return self.let(f"and i1 {self.let(f'and i1 {fits}, {starts}')}, {sane}")

    def load_run(self, node: Expr, base: str) -> str:
        """Neighbors in memory by one vector load; where the run may leave the buffer, clamped."""
        (position,) = node.args
        buffer: Buffer = node.attr
        if self.inside(position, buffer):
            return self.from_memory(node.type, self.run(buffer, base, position.type))
        if self.cheap_masks:
            return self.from_memory(node.type, self.run_under_mask(buffer, base, position))
        fast, slow, after = self.new_label(), self.new_label(), self.new_label()
        self.branch(self.run_fits(buffer, base, position.type), fast, slow)
        self.open(fast)
        quick = self.run(buffer, base, position.type)
        self.jump(after)
        self.open(slow)
        at = self.clamp(self.names[position], position.type, buffer, self.lanes)
        gathered = self.gather(buffer, at, position.type, buffer.type)
        self.jump(after)
        self.open(after)
        word = stored(buffer.type, self.lanes)
        return self.from_memory(
            node.type, self.let(f"phi {word} [ {quick}, %{fast} ], [ {gathered}, %{slow} ]")
        )

    def run(self, buffer: Buffer, base: str, type_: T.Type) -> str:
        """One vector load from a run that is inside as far as lanes count; the others repeat lane 0."""
        where = self.place(buffer, base, type_)
        word = stored(buffer.type, self.lanes)
        if self.live is None:
            return self.let(f"load {word}, ptr {where}, align {buffer.type.dtype.itemsize}")
        first = self.let(f"load {STORED[buffer.type]}, ptr {where}, align {buffer.type.dtype.itemsize}")
        return self.masked_load(buffer, where, self.live, self.spread_stored(buffer, first))

    def run_under_mask(self, buffer: Buffer, base: str, position: Expr) -> str:
        """One vector load of the lanes that are inside; the others get the first element or the last."""
        type_, mask = position.type, f"<{self.lanes} x i1>"
        at, vector = self.names[position], typed(position.type, self.lanes)
        low = self.let(f"icmp slt {vector} {at}, zeroinitializer")
        ends = [
            self.spread_stored(buffer, self.stored_element(buffer, k, type_))
            for k in ("0", self.last(buffer, type_))
        ]
        word = stored(buffer.type, self.lanes)
        clamped = self.let(f"select {mask} {low}, {word} {ends[0]}, {word} {ends[1]}")
        within = self.both(self.live, self.lanes_inside(buffer, at, type_))
        return self.masked_load(buffer, self.place(buffer, base, type_), within, clamped)

    def lanes_inside(self, buffer: Buffer, at: str, type_: T.Type) -> str:
        """The lanes whose positions are inside."""
        # As unsigned numbers, positions below zero are large. The last position fits the type, the size may not.
        last = self.once_wide(self.last(buffer, type_), type_)
        return self.let(f"icmp ule {typed(type_, self.lanes)} {at}, {last}")

    def place(self, buffer: Buffer, at: str, type_: T.Type) -> str:
        """The address of an element."""
        return self.let(
            f"getelementptr {STORED[buffer.type]}, ptr {self.pointer(buffer)}, {SCALAR[type_]} {at}"
        )

    def masked_load(self, buffer: Buffer, where: str, mask: str, rest: str) -> str:
        """A vector load of the lanes in a mask; the others are taken from `rest`."""
        word = stored(buffer.type, self.lanes)
        return self.let(
            f"call {word} @llvm.masked.load.v{self.lanes}{element_mangled(buffer.type)}.p0("
            f"ptr align {buffer.type.dtype.itemsize} {where}, <{self.lanes} x i1> {mask}, {word} {rest})"
        )

    def spread_stored(self, buffer: Buffer, name: str) -> str:
        """An element as it is in memory, in all lanes."""
        word, element = stored(buffer.type, self.lanes), STORED[buffer.type]
        one = self.let(f"insertelement {word} poison, {element} {name}, i64 0")
        return self.let(f"shufflevector {word} {one}, {word} poison, <{self.lanes} x i32> zeroinitializer")

    # ---- one element per lane ----

    def indices(self, at: str, type_: T.Type) -> list[str]:
        """The lanes of a vector of positions as scalars, by way of the stack."""
        word = SCALAR[type_]
        self.count += 1
        slot = f"%slot{self.count}"
        self.enter(f"{slot} = alloca {typed(type_, self.lanes)}, align {WIDEST}")
        self.emit(f"store {typed(type_, self.lanes)} {at}, ptr {slot}, align {WIDEST}")
        found: list[str] = []
        lines: list[str] = []
        for k in range(self.lanes):
            lines.append(f"{slot}.p{k} = getelementptr {word}, ptr {slot}, i64 {k}")
            lines.append(f"{slot}.i{k} = load {word}, ptr {slot}.p{k}, align {type_.bits // 8}")
            found.append(f"{slot}.i{k}")
        self.emit("\n".join(lines))
        return found

    def gather(self, buffer: Buffer, at: str, type_: T.Type, wide: T.Type) -> str:
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

    def shape(self, position: Expr) -> Sum:
        """A position as a sum of everything that can be taken apart."""
        return as_sum(position, stop=lambda n: False, whole=index_is_whole)

    def partners(self, node: Expr) -> tuple[list[Expr], list[Expr]] | None:
        """The loads of this element and of the next, if both are wanted and one wide load can bring both."""
        buffer: Buffer = node.attr
        if buffer.type.bits not in (8, 16, 32) or self.proofs.least[buffer] < 2:
            return None
        if not self.neighbors:
            for n in self.loads:
                self.neighbors.setdefault((n.attr, self.shape(n.args[0])), []).append(n)
        shape = self.shape(node.args[0])
        here, after, before = (self.alike(node, shape.shifted(by)) for by in (0, 1, -1))
        if after:
            return here, after
        return (before, here) if before else None

    def alike(self, node: Expr, shape: Sum) -> list[Expr]:
        """The loads from a node's buffer at positions of a shape that can be computed where the node can."""
        return [n for n in self.neighbors.get((node.attr, shape), ()) if n.free == node.free]

    def load_pair(self, partners: tuple[list[Expr], list[Expr]]) -> None:
        """Two neighbors by one wide load per lane."""
        first, second = partners
        buffer: Buffer = first[0].attr
        low, high = first[0].args[0], second[0].args[0]
        at, above = self.value(low), self.value(high)
        type_, n = low.type, self.lanes
        proved = self.inside(low, buffer) and self.inside(high, buffer)
        start = at if proved else self.clamp(at, type_, buffer, n, 2)
        self.proofs.needed[buffer] = max(2, self.proofs.needed.get(buffer, 1))
        # As doubles, two lanes are joined by one instruction that loads the second.
        both = T.f64 if buffer.type.bits == 32 else T.integer(2 * buffer.type.bits, signed=False)
        pairs = self.gather(buffer, start, type_, both)
        part = T.integer(buffer.type.bits, signed=False)
        word = stored(part, 2 * n)
        flat = self.let(f"bitcast {stored(both, n)} {pairs} to {word}")
        halves: list[str] = []
        for k in (0, 1):
            picks = sequence(T.i32, list(range(k, 2 * n, 2)))
            half = self.let(f"shufflevector {word} {flat}, {word} poison, <{n} x i32> {picks}")
            if buffer.type.is_float:
                half = self.let(f"bitcast {stored(part, n)} {half} to {stored(buffer.type, n)}")
            halves.append(half)
        if not proved:
            halves = self.mend(buffer, type_, at, above, halves)
        for nodes, half in zip(partners, halves, strict=True):
            for node in nodes:
                if node not in self.names:
                    self.define(node, half)

    def mend(self, buffer: Buffer, type_: T.Type, at: str, above: str, halves: list[str]) -> list[str]:
        """The two elements of clamped positions, from the pair at the first position clamped to leave room for both."""
        word, values = typed(type_, self.lanes), stored(buffer.type, self.lanes)
        mask = f"<{self.lanes} x i1>"
        room = self.once_wide(self.last(buffer, type_, 2), type_)
        past = self.let(f"icmp sgt {word} {at}, {room}")
        first = self.let(f"select {mask} {past}, {values} {halves[1]}, {values} {halves[0]}")
        # The next position is zero or less either because this one is below zero or because adding one wrapped.
        under = self.let(f"icmp sle {word} {above}, zeroinitializer")
        zero = self.element(buffer, "0", type_)
        second = self.let(
            f"select {mask} {under}, {values} {self.spread_here(buffer.type, zero)}, {values} {halves[1]}"
        )
        return [first, second]

    # ---- stores ----

    def written(self) -> str | None:
        """The lanes that stores write: those that count, on their side of the branches around."""
        return self.live if self.care is None else self.both(self.live, self.care)

    def store(self, s: Store) -> None:
        """Write a store; out of the buffer it stores nothing."""
        position, value = s.position, s.value
        if not self.is_wide(position) and not self.is_wide(value):
            self.store_one(s)
            return
        what = self.to_memory(value.type, self.wide_value(value), self.lanes)
        mask = self.written()
        base = self.run_start(position)
        if base is None:
            self.store_lanes(s.buffer, position.type, self.wide_value(position), what, mask)
            return
        if self.inside(position, s.buffer) and (mask is None or self.cheap_masks):
            self.store_run(s.buffer, base, position.type, what, mask)
            return
        if self.cheap_masks:
            at = self.wide_value(position)
            within = self.lanes_inside(s.buffer, at, position.type)
            self.store_run(
                s.buffer, base, position.type, what, within if mask is None else self.both(mask, within)
            )
            return
        fast, slow, after = self.new_label(), self.new_label(), self.new_label()
        test = self.run_fits(s.buffer, base, position.type)
        if mask is not None:
            test = self.let(f"and i1 {test}, {self.every_lane(mask)}")
        self.branch(test, fast, slow)
        self.open(fast)
        self.store_run(s.buffer, base, position.type, what, None)
        self.jump(after)
        self.open(slow)
        mark = self.mark()
        self.store_lanes(s.buffer, position.type, self.wide_value(position), what, mask)
        self.leave(mark)
        self.jump(after)
        self.open(after)

    def store_one(self, s: Store) -> None:
        """One element, where any lane cares."""
        type_ = s.position.type
        at, what = self.value(s.position), self.value(s.value)
        guards: list[str] = []
        if self.care is not None:
            guards.append(self.any_lane(self.both(self.live, self.care)))
        if not self.inside(s.position, s.buffer):
            wide = at if type_ is T.i64 else self.let(f"sext {SCALAR[type_]} {at} to i64")
            guards.append(self.let(f"icmp ult i64 {wide}, {self.size(s.buffer)}"))
        what = self.to_memory(s.value.type, what, 0)
        word = STORED[s.buffer.type]
        after = None
        if guards:
            test = guards[0] if len(guards) == 1 else self.let(f"and i1 {guards[0]}, {guards[1]}")
            write, after = self.new_label(), self.new_label()
            self.branch(test, write, after)
            self.open(write)
        where = self.let(f"getelementptr {word}, ptr {self.pointer(s.buffer)}, {SCALAR[type_]} {at}")
        self.emit(f"store {word} {what}, ptr {where}, align {s.buffer.type.dtype.itemsize}")
        if after is not None:
            self.jump(after)
            self.open(after)

    def store_run(self, buffer: Buffer, base: str, type_: T.Type, what: str, mask: str | None) -> None:
        """A vector to a run that is inside."""
        word, align = stored(buffer.type, self.lanes), buffer.type.dtype.itemsize
        where = self.place(buffer, base, type_)
        if mask is None:
            self.emit(f"store {word} {what}, ptr {where}, align {align}")
            return
        self.emit(
            f"call void @llvm.masked.store.v{self.lanes}{element_mangled(buffer.type)}.p0({word} {what}, "
            f"ptr align {align} {where}, <{self.lanes} x i1> {mask})"
        )

    def store_lanes(self, buffer: Buffer, type_: T.Type, at: str, what: str, mask: str | None) -> None:
        """Lane after lane, each that cares and is inside: a small loop over stack slots."""
        n, index, element = self.lanes, SCALAR[type_], STORED[buffer.type]
        vectors = [(typed(type_, n), at, index), (stored(buffer.type, n), what, element)]
        if mask is not None:
            flags = self.let(f"zext <{n} x i1> {mask} to <{n} x i8>")
            vectors.append((f"<{n} x i8>", flags, "i8"))
        slots: list[str] = []
        for vector, name, _ in vectors:
            self.count += 1
            slots.append(f"%slot{self.count}")
            self.enter(f"{slots[-1]} = alloca {vector}, align {WIDEST}")
            self.emit(f"store {vector} {name}, ptr {slots[-1]}, align {WIDEST}")
        before, head, write, latch, after = (self.label, *(self.new_label() for _ in range(4)))
        self.jump(head)
        self.open(head)
        k = self.let(f"phi i64 [ 0, %{before} ], [ %{latch}.k, %{latch} ]")
        items: list[str] = []
        for slot, (_, _, word) in zip(slots, vectors, strict=True):
            where = self.let(f"getelementptr {word}, ptr {slot}, i64 {k}")
            items.append(self.let(f"load {word}, ptr {where}, align 1"))
        wide = items[0] if type_ is T.i64 else self.let(f"sext {index} {items[0]} to i64")
        test = self.let(f"icmp ult i64 {wide}, {self.size(buffer)}")
        if mask is not None:
            cares = self.let(f"icmp ne i8 {items[2]}, 0")
            test = self.let(f"and i1 {test}, {cares}")
        self.branch(test, write, latch)
        self.open(write)
        where = self.let(f"getelementptr {element}, ptr {self.pointer(buffer)}, i64 {wide}")
        self.emit(f"store {element} {items[1]}, ptr {where}, align {buffer.type.dtype.itemsize}")
        self.jump(latch)
        self.open(latch)
        self.emit(f"%{latch}.k = add i64 {k}, 1")
        done = self.let(f"icmp eq i64 %{latch}.k, {n}")
        self.branch(done, after, head)
        self.open(after)
