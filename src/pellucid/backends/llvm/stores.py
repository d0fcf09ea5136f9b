"""Stores as LLVM text: one element, a run of neighbors, or lane after lane; a store out of bounds writes nothing.

Above `groups`.
"""

from __future__ import annotations

from ...ir import types as T
from ...ir.expr import Buffer
from ...ir.nest import Store
from ..jit.spelling import SCALAR, SLOT_ALIGNMENT, STORED, element_mangled, stored, typed
from .groups import InterleavedStores


class Stores:
    """Writes stores; `masks` says that vector stores under a mask cost no more than without."""

    def __init__(self, groups: InterleavedStores, *, masks: bool) -> None:
        self.groups, self.bounds, self.addressing = groups, groups.bounds, groups.addressing
        self.scope, self.values = groups.scope, groups.values
        self.out, self.buffers = self.scope.out, self.addressing.buffers
        self.masks = masks

    def store(self, s: Store) -> None:
        """Write a store."""
        position, value, buffer = s.position, s.value, s.buffer
        scope, out, addressing = self.scope, self.out, self.addressing
        if self.groups.store(s):
            return
        if not scope.is_wide(position) and not scope.is_wide(value):
            self._store_one(s)
            return
        what = self.buffers.to_memory(value.type, self.values.wide(value), scope.lanes)
        mask = self._stored_lanes()
        if not addressing.is_run(position):
            self._store_lanes(buffer, position.type, self.values.wide(position), what, mask)
            return
        if self.bounds.is_proved(position, buffer) and (mask is None or self.masks):
            self._store_run(buffer, addressing.run(buffer, position), what, mask)
            return
        base = addressing.run_start(position)
        if self.masks:
            at = self.values.wide(position)
            within = self.bounds.lanes_inside(buffer, at, position.type)
            where = addressing.element(buffer, base, position.type)
            self._store_run(buffer, where, what, within if mask is None else scope.both(mask, within))
            return
        fast, slow, after = out.new_label(), out.new_label(), out.new_label()
        test = self.bounds.run_fits(buffer, base, position.type)
        if mask is not None:
            test = out.let(f"and i1 {test}, {scope.every_lane(mask)}")
        out.branch(test, fast, slow)
        out.start_block(fast)
        self._store_run(buffer, addressing.element(buffer, base, position.type), what, None)
        out.jump(after)
        out.start_block(slow)
        mark = scope.mark()
        self._store_lanes(buffer, position.type, self.values.wide(position), what, mask)
        scope.leave(mark)
        out.jump(after)
        out.start_block(after)

    def _stored_lanes(self) -> str | None:
        """The lanes that stores write: the active ones on this side of the branches around."""
        loop = self.scope.loop
        return loop.active if loop.branch is None else self.scope.both(loop.active, loop.branch)

    def _store_one(self, s: Store) -> None:
        """One element, if any lane stores it."""
        out, scope, type_, buffer = self.out, self.scope, s.position.type, s.buffer
        at, what = self.values.value(s.position), self.values.value(s.value)
        guards: list[str] = []
        if scope.loop.branch is not None:
            guards.append(scope.any_lane(scope.both(scope.loop.active, scope.loop.branch)))
        proved = self.bounds.is_proved(s.position, buffer)
        if not proved:
            wide = at if type_ is T.i64 else out.let(f"sext {SCALAR[type_]} {at} to i64")
            guards.append(out.let(f"icmp ult i64 {wide}, {self.buffers.size(buffer)}"))
        what = self.buffers.to_memory(s.value.type, what, 0)
        word = STORED[buffer.type]
        after = None
        if guards:
            test = guards[0] if len(guards) == 1 else out.let(f"and i1 {guards[0]}, {guards[1]}")
            write, after = out.new_label(), out.new_label()
            out.branch(test, write, after)
            out.start_block(write)
        addressing = self.addressing
        where = addressing.element_of(buffer, s.position) if proved else addressing.element(buffer, at, type_)
        out.emit(f"store {word} {what}, ptr {where}, align {buffer.type.dtype.itemsize}")
        if after is not None:
            out.jump(after)
            out.start_block(after)

    def _store_run(self, buffer: Buffer, where: str, what: str, mask: str | None) -> None:
        """A vector to a run that is in bounds."""
        lanes = self.scope.lanes
        word, align = stored(buffer.type, lanes), buffer.type.dtype.itemsize
        if mask is None:
            self.out.emit(f"store {word} {what}, ptr {where}, align {align}")
            return
        self.out.emit(
            f"call void @llvm.masked.store.v{lanes}{element_mangled(buffer.type)}.p0({word} {what}, "
            f"ptr align {align} {where}, <{lanes} x i1> {mask})"
        )

    def _store_lanes(self, buffer: Buffer, type_: T.Type, at: str, what: str, mask: str | None) -> None:
        """Lane after lane, each that is in the mask and in bounds: a small loop over stack slots."""
        out, n, index, element = self.out, self.scope.lanes, SCALAR[type_], STORED[buffer.type]
        vectors = [(typed(type_, n), at, index), (stored(buffer.type, n), what, element)]
        if mask is not None:
            flags = out.let(f"zext <{n} x i1> {mask} to <{n} x i8>")
            vectors.append((f"<{n} x i8>", flags, "i8"))
        slots: list[str] = []
        for vector, name, _ in vectors:
            slots.append(out.fresh("slot"))
            out.enter(f"{slots[-1]} = alloca {vector}, align {SLOT_ALIGNMENT}")
            out.emit(f"store {vector} {name}, ptr {slots[-1]}, align {SLOT_ALIGNMENT}")
        before, head, write, latch, after = (out.label, *(out.new_label() for _ in range(4)))
        out.jump(head)
        out.start_block(head)
        k = out.let(f"phi i64 [ 0, %{before} ], [ %{latch}.k, %{latch} ]")
        items: list[str] = []
        for slot, (_, _, word) in zip(slots, vectors, strict=True):
            where = out.let(f"getelementptr {word}, ptr {slot}, i64 {k}")
            items.append(out.let(f"load {word}, ptr {where}, align 1"))
        wide = items[0] if type_ is T.i64 else out.let(f"sext {index} {items[0]} to i64")
        test = out.let(f"icmp ult i64 {wide}, {self.buffers.size(buffer)}")
        if mask is not None:
            wanted = out.let(f"icmp ne i8 {items[2]}, 0")
            test = out.let(f"and i1 {test}, {wanted}")
        out.branch(test, write, latch)
        out.start_block(write)
        where = out.let(f"getelementptr {element}, ptr {self.buffers.pointer(buffer)}, i64 {wide}")
        out.emit(f"store {element} {items[1]}, ptr {where}, align {buffer.type.dtype.itemsize}")
        out.jump(latch)
        out.start_block(latch)
        out.emit(f"%{latch}.k = add i64 {k}, 1")
        done = out.let(f"icmp eq i64 %{latch}.k, {n}")
        out.branch(done, after, head)
        out.start_block(after)
