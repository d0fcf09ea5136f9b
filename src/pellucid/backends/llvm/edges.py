"""The edges of a stream, as LLVM text: samples that are not a whole block, and bytes that two blocks share.

Under `streams`. What is no whole block goes through copies on the stack, of which each bit that is meant, and no other,
goes to its place. A byte that two threads have bits of is changed by operations that no other thread can interrupt.
"""

from __future__ import annotations

from abc import ABC

from ...ir.stream import Samples, Stream, bits_of
from .lookups import Lookups

NOBODY = 0xFFFF
"""The owner of bits that are not an output's."""


class Edges(Lookups, ABC):
    """Writes what happens at the edges."""

    stream: Stream

    def of_buffer(self, k: int) -> list[Samples]:
        """The samples of a buffer."""
        return [s for s in (*self.stream.outputs, *self.stream.inputs) if s.buffer == k]

    def span(self, k: int) -> tuple[int, int]:
        """From which byte to before which the samples of a block of a buffer reach."""
        mine = self.of_buffer(k)
        first = min(s.start(j) for s in mine for j in range(len(s.offsets)))
        return first >> 3, max(s.bytes(self.lanes) for s in mine)

    def step(self, k: int, lanes: int) -> int:
        """How many bytes it is from a block of a buffer to the next."""
        return int(self.of_buffer(k)[0].pace * lanes) // 8

    def at_position(self, k: int, position: str) -> str:
        """Where the block of a position begins in a buffer."""
        cycle = self.stream.cycle
        cycles = self.let(f"udiv i64 {position}, {cycle}")
        byte = self.let(f"mul i64 {cycles}, {self.step(k, cycle)}")
        return self.let(f"getelementptr i8, ptr %b{k}, i64 {byte}")

    def owners(self, k: int, size: int) -> str:
        """The name of a table: to which lane each bit of a block of an output belongs."""
        found = [NOBODY] * (8 * size)
        for s in self.of_buffer(k):
            for j in range(self.lanes):
                for bit in bits_of(s, s.start(j)):
                    found[bit] = j
        return self.table(found, 16)

    def copied(self, k: int, size: int) -> str:
        """A copy on the stack of the bytes of a block, as far as the buffer goes, with zeros after them."""
        room = size + self.target.width
        self.enter(f"%copy{k} = alloca [{room} x i8], align 64")
        at = self.at_position(k, "%rest.i")
        self.emit(f"%place{k} = getelementptr i8, ptr {at}, i64 0")
        end = self.let(f"getelementptr i8, ptr %b{k}, i64 %len{k}")
        left = self.let(
            f"sub i64 {self.let(f'ptrtoint ptr {end} to i64')}, {self.let(f'ptrtoint ptr {at} to i64')}"
        )
        count = self.let(f"call i64 @llvm.smin.i64(i64 {left}, i64 {size})")
        self.emit(f"call void @llvm.memset.p0.i64(ptr %copy{k}, i8 0, i64 {room}, i1 false)")
        self.emit(f"call void @llvm.memcpy.p0.p0.i64(ptr %copy{k}, ptr {at}, i64 {count}, i1 false)")
        return f"%copy{k}"

    def copied_back(self, k: int, size: int) -> None:
        """The bits of a copy that belong to the first `%left` lanes, to their place."""
        owners = self.owners(k, size)
        before, name = self.label, f"back{k}"
        limit = self.let("trunc i64 %left to i16")
        first = self.let(f"insertelement <8 x i16> poison, i16 {limit}, i64 0")
        limits = self.let(f"shufflevector <8 x i16> {first}, <8 x i16> poison, <8 x i32> zeroinitializer")
        self.jump(name)
        self.open(name)
        t, more = f"%{name}.t", f"%{name}.more"
        self.emit(f"{t} = phi i64 [ 0, %{before} ], [ {more}, %{name}.next ]\n{more} = add i64 {t}, 1")
        lanes = self.let(f"load <8 x i16>, ptr {self.let(f'getelementptr <8 x i16>, ptr {owners}, i64 {t}')}")
        mask = self.let(f"bitcast <8 x i1> {self.let(f'icmp ult <8 x i16> {lanes}, {limits}')} to i8")
        new = self.let(f"load i8, ptr {self.let(f'getelementptr i8, ptr %copy{k}, i64 {t}')}")
        where = self.let(f"getelementptr i8, ptr %place{k}, i64 {t}")
        whole, part = f"{name}.whole", f"{name}.part"
        self.emit(f"switch i8 {mask}, label %{part} [ i8 0, label %{name}.next i8 -1, label %{whole} ]")
        self.open(whole)
        self.emit(f"store i8 {new}, ptr {where}")
        self.jump(f"{name}.next")
        self.open(part)
        self.merge(where, new, mask)
        self.jump(f"{name}.next")
        self.open(f"{name}.next")
        done = self.let(f"icmp eq i64 {more}, {size}")
        self.branch(done, f"{name}.done", name)
        self.open(f"{name}.done")

    def merge(self, where: str, value: str, mask: str) -> None:
        """Change the bits of a byte that are in a mask, whatever other threads do to the others."""
        others = self.let(f"xor i8 {mask}, -1")
        mine = self.let(f"and i8 {value}, {mask}")
        self.emit(f"{self.fresh()} = atomicrmw and ptr {where}, i8 {others} monotonic")
        self.emit(f"{self.fresh()} = atomicrmw or ptr {where}, i8 {mine} monotonic")
