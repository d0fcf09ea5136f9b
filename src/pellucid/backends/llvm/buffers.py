"""Buffers as LLVM text: their addresses and sizes, and elements between memory and values.

Above `scope`. Addresses and sizes are values of the entry block, written when they are first asked for.
"""

from __future__ import annotations

from ...ir import types as T
from ...ir.expr import Buffer
from ..jit.spelling import SCALAR, SLOT_ALIGNMENT, STORED, stored, typed
from ..port import CallingPlan
from .scope import Scope


class Buffers:
    """The buffers of a kernel."""

    def __init__(self, plan: CallingPlan, scope: Scope) -> None:
        self.out, self.scope = scope.out, scope
        self._numbers = {b: k for k, b in enumerate((*plan.buffers, *plan.private))}
        self._private = {b: plan.least[b] for b in plan.private}

    # ---- in the entry block ----

    def pointer(self, buffer: Buffer) -> str:
        """The address of the first element of a buffer."""
        k = self._numbers[buffer]
        if buffer in self._private:
            size = f"[{self._private[buffer]} x {STORED[buffer.type]}]"
            return self.out.once(f"%buffer{k}", f"%buffer{k} = alloca {size}, align {SLOT_ALIGNMENT}")
        return self.out.once(
            f"%buffer{k}",
            f"%buffer{k}.at = getelementptr ptr, ptr %buffers, i64 {k}",
            f"%buffer{k} = load ptr, ptr %buffer{k}.at, align 8",
        )

    def size(self, buffer: Buffer) -> str:
        """The number of elements of a buffer, as i64."""
        k = self._numbers[buffer]
        if buffer in self._private:
            return str(self._private[buffer])
        return self.out.once(
            f"%size{k}",
            f"%size{k}.at = getelementptr i64, ptr %sizes, i64 {k}",
            f"%size{k} = load i64, ptr %size{k}.at, align 8",
        )

    def reach(self, buffer: Buffer, type_: T.Type) -> str:
        """The number of elements that positions of a type can reach, as i64."""
        size = self.size(buffer)
        if type_ is T.i64:
            return size
        k = self._numbers[buffer]
        return self.out.once(f"%reach{k}", f"%reach{k} = call i64 @llvm.smin.i64(i64 {size}, i64 {1 << 31})")

    def last(self, buffer: Buffer, type_: T.Type, back: int = 1) -> str:
        """The last position that a type can reach (or one before), in that type."""
        name = f"%last{back}.{type_}.{self._numbers[buffer]}"
        if type_ is T.i64:
            return self.out.once(name, f"{name} = sub i64 {self.size(buffer)}, {back}")
        return self.out.once(
            name,
            f"{name}.x = sub i64 {self.reach(buffer, type_)}, {back}",
            f"{name} = trunc i64 {name}.x to {SCALAR[type_]}",
        )

    # ---- elements ----

    def load(self, buffer: Buffer, where: str) -> str:
        """The value of the element at an address."""
        found = self.load_stored(buffer, where)
        return self.out.let(f"icmp ne i8 {found}, 0") if buffer.type is T.boolean else found

    def load_stored(self, buffer: Buffer, where: str) -> str:
        """The element at an address, as it is in memory."""
        return self.out.let(f"load {STORED[buffer.type]}, ptr {where}, align {buffer.type.dtype.itemsize}")

    def spread_stored(self, buffer: Buffer, name: str) -> str:
        """An element as it is in memory, in all lanes."""
        lanes = self.scope.lanes
        word, element = stored(buffer.type, lanes), STORED[buffer.type]
        one = self.out.let(f"insertelement {word} poison, {element} {name}, i64 0")
        return self.out.let(f"shufflevector {word} {one}, {word} poison, <{lanes} x i32> zeroinitializer")

    def from_memory(self, type_: T.Type, name: str) -> str:
        """Elements as they are in memory, as values in lanes."""
        if type_ is T.boolean:
            return self.out.let(f"icmp ne <{self.scope.lanes} x i8> {name}, zeroinitializer")
        return name

    def to_memory(self, type_: T.Type, name: str, lanes: int) -> str:
        """A value as it is in memory."""
        if type_ is not T.boolean:
            return name
        return self.out.let(f"zext {typed(type_, lanes)} {name} to {stored(type_, lanes)}")
