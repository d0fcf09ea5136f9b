"""Stores as LLVM text: one element, a run of neighbors, or lane after lane; out of the buffer nothing is stored."""

from __future__ import annotations

from abc import ABC

from ...ir import types as T
from ...ir.expr import Buffer
from ...ir.nest import Store
from ..jit.spelling import SCALAR, STORED, WIDEST, element_mangled, stored, typed
from .loads import Loads


class Stores(Loads, ABC):
    """Writes stores."""

    def written(self) -> str | None:
        """The lanes that stores write: those that count, on their side of the branches around."""
        return self.live if self.care is None else self.both(self.live, self.care)

    def store(self, s: Store) -> None:
        """Write a store; out of the buffer it stores nothing."""
        position, value = s.position, s.value
        if self.store_grouped(s):
            return
        if not self.is_wide(position) and not self.is_wide(value):
            self.store_one(s)
            return
        what = self.to_memory(value.type, self.wide_value(value), self.lanes)
        mask = self.written()
        if not self.is_run(position):
            self.store_lanes(s.buffer, position.type, self.wide_value(position), what, mask)
            return
        if self.inside(position, s.buffer) and (mask is None or self.cheap_masks):
            self.store_run(s.buffer, self.run_place(s.buffer, position), what, mask)
            return
        base = self.run_start(position)
        if self.cheap_masks:
            at = self.wide_value(position)
            within = self.lanes_inside(s.buffer, at, position.type)
            where = self.place(s.buffer, base, position.type)
            self.store_run(s.buffer, where, what, within if mask is None else self.both(mask, within))
            return
        fast, slow, after = self.new_label(), self.new_label(), self.new_label()
        test = self.run_fits(s.buffer, base, position.type)
        if mask is not None:
            test = self.let(f"and i1 {test}, {self.every_lane(mask)}")
        self.branch(test, fast, slow)
        self.open(fast)
        self.store_run(s.buffer, self.place(s.buffer, base, position.type), what, None)
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
        sure = self.inside(s.position, s.buffer)
        if not sure:
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
        where = self.place_of(s.buffer, s.position) if sure else self.place(s.buffer, at, type_)
        self.emit(f"store {word} {what}, ptr {where}, align {s.buffer.type.dtype.itemsize}")
        if after is not None:
            self.jump(after)
            self.open(after)

    def store_run(self, buffer: Buffer, where: str, what: str, mask: str | None) -> None:
        """A vector to a run that is inside."""
        word, align = stored(buffer.type, self.lanes), buffer.type.dtype.itemsize
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
