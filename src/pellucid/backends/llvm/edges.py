"""Peeled ends of a stream, as LLVM text: samples that are not a whole block, and bytes that two blocks share.

Under `streams`. Samples that are no whole block go through copies on the stack: their bits, and no others, are stored.
A byte that two threads have bits of is changed by operations that no other thread can interrupt.
"""

from __future__ import annotations

from .fields import Fields
from .geometry import Geometry
from .register_tables import Constants


class Edges:
    """Writes the copies and shared bytes; `many` are the samples of a whole block."""

    def __init__(self, geometry: Geometry, fields: Fields, constants: Constants, many: int) -> None:
        self.out, self.scope, self.shuffles = fields.out, fields.scope, fields.shuffles
        self.geometry, self.constants, self._many = geometry, constants, many

    def at_position(self, k: int, position: str) -> str:
        """The address where the block of a position begins in a buffer."""
        cycle = self.geometry.stream.cycle
        cycles = self.out.let(f"udiv i64 {position}, {cycle}")
        byte = self.out.let(f"mul i64 {cycles}, {self.geometry.step(k, cycle)}")
        return self.out.let(f"getelementptr i8, ptr %b{k}, i64 {byte}")

    def copied(self, k: int, size: int) -> str:
        """A copy on the stack of the bytes of a block, as far as the buffer goes, with zeros after them."""
        room = size + self.shuffles.target.width
        self.out.enter(f"%copy{k} = alloca [{room} x i8], align 64")
        at = self.at_position(k, "%rest.i")
        self.out.emit(f"%place{k} = getelementptr i8, ptr {at}, i64 0")
        end = self.out.let(f"getelementptr i8, ptr %b{k}, i64 %len{k}")
        left = self.out.let(
            f"sub i64 {self.out.let(f'ptrtoint ptr {end} to i64')}, {self.out.let(f'ptrtoint ptr {at} to i64')}"
        )
        count = self.out.let(f"call i64 @llvm.smin.i64(i64 {left}, i64 {size})")
        self.out.emit(f"call void @llvm.memset.p0.i64(ptr %copy{k}, i8 0, i64 {room}, i1 false)")
        self.out.emit(f"call void @llvm.memcpy.p0.p0.i64(ptr %copy{k}, ptr {at}, i64 {count}, i1 false)")
        return f"%copy{k}"

    def copied_back(self, k: int, size: int) -> None:
        """Store the bits of a copy that belong to the first `%left` lanes."""
        owners = self.constants.table(self.geometry.owners(k, size, self.scope.lanes), 16)
        before, name = self.out.label, f"back{k}"
        limit = self.out.let("trunc i64 %left to i16")
        first = self.out.let(f"insertelement <8 x i16> poison, i16 {limit}, i64 0")
        limits = self.out.let(f"shufflevector <8 x i16> {first}, <8 x i16> poison, <8 x i32> zeroinitializer")
        self.out.jump(name)
        self.out.start_block(name)
        t, more = f"%{name}.t", f"%{name}.more"
        self.out.emit(f"{t} = phi i64 [ 0, %{before} ], [ {more}, %{name}.next ]\n{more} = add i64 {t}, 1")
        lanes = self.out.let(
            f"load <8 x i16>, ptr {self.out.let(f'getelementptr <8 x i16>, ptr {owners}, i64 {t}')}"
        )
        mask = self.out.let(f"bitcast <8 x i1> {self.out.let(f'icmp ult <8 x i16> {lanes}, {limits}')} to i8")
        new = self.out.let(f"load i8, ptr {self.out.let(f'getelementptr i8, ptr %copy{k}, i64 {t}')}")
        where = self.out.let(f"getelementptr i8, ptr %place{k}, i64 {t}")
        whole, part = f"{name}.whole", f"{name}.part"
        self.out.emit(f"switch i8 {mask}, label %{part} [ i8 0, label %{name}.next i8 -1, label %{whole} ]")
        self.out.start_block(whole)
        self.out.emit(f"store i8 {new}, ptr {where}")
        self.out.jump(f"{name}.next")
        self.out.start_block(part)
        self._merge(where, new, mask)
        self.out.jump(f"{name}.next")
        self.out.start_block(f"{name}.next")
        done = self.out.let(f"icmp eq i64 {more}, {size}")
        self.out.branch(done, f"{name}.done", name)
        self.out.start_block(f"{name}.done")

    def _merge(self, where: str, value: str, mask: str) -> None:
        """Change the bits of a byte that are in a mask, whatever other threads do to the others."""
        others = self.out.let(f"xor i8 {mask}, -1")
        mine = self.out.let(f"and i8 {value}, {mask}")
        self.out.emit(f"{self.out.fresh()} = atomicrmw and ptr {where}, i8 {others} monotonic")
        self.out.emit(f"{self.out.fresh()} = atomicrmw or ptr {where}, i8 {mine} monotonic")

    # ---- bytes that blocks share ----

    def carry_size(self, k: int) -> int:
        """The number of bytes that are stored together with the carried one."""
        return min(self.shuffles.target.reach, self.geometry.step(k, self._many))

    def carry_in(self, k: int) -> None:
        """The bits that the byte before the first block has already."""
        at = self.out.let(f"getelementptr i8, ptr %from{k}, i64 {self.geometry.span(k, self.scope.lanes)[0]}")
        mine = self.out.let(
            f"and i8 {self.out.let(f'load i8, ptr {at}')}, {self.geometry.shared_bits(k, self.scope.lanes)}"
        )
        self.out.emit(
            f"%carry{k}.in = insertelement <{self.carry_size(k)} x i8> zeroinitializer, i8 {mine}, i64 0"
        )

    def carry_out(self, k: int) -> None:
        """Store the bits that the last block carries: another thread may have bits of that byte, too."""
        word = f"<{self.carry_size(k)} x i8>"
        byte = self.out.let(f"extractelement {word} %carry{k}.out, i64 0")
        where = self.out.let(
            f"getelementptr i8, ptr %at{k}.next, i64 {self.geometry.span(k, self.scope.lanes)[0]}"
        )
        self._merge(where, byte, str(self.geometry.shared_bits(k, self.scope.lanes)))
