"""Streams as LLVM text: wide loads, constant byte shuffles, shifts of each lane by its own constant, wide stores.

The planner of wide registers. A block is as many samples as there are lanes of the narrowest type that holds every
value of the computation; then all positions within a block are constants. Loads and stores touch exactly the bytes
that samples are in; the samples after the last whole block go through a copy of theirs.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.errors import BackendError, InputError
from ...ir import types as T
from ...ir.expr import Expr, const, make, topological
from ...ir.facts import Facts
from ...ir.nest import Block
from ...ir.stream import Samples, Stream, sample
from ...reasoning.infer import FactsOf
from ...rewriting.expand import expand
from ...rewriting.simplify import simplify
from ..calling import Library, entry
from ..port import Crew, Store, address, alone
from .engine import machine
from .shuffles import Shuffles, Windows
from .sums import Sums, account
from .values import Values

WIDTH = 64
"""How many bytes a block's values fill at least."""
LEAST = 256
"""How many blocks a thread takes at least."""
PARTS = 8
"""Into how many parts the work is handed out at most: each costs a call."""


MODULAR = frozenset({"add", "sub", "mul", "neg", "and", "or", "xor", "not", "shift_left"})
"""Rows of whose operands only the low bits matter for the low bits of the result."""


def narrowed(stream: Stream) -> tuple[T.Type, list[Expr]]:
    """The narrowest type of lanes that gives the low bits of all values, and the values written in it.

    Sums and products may overflow, since only low bits are stored; what is shifted right or compared must fit.
    """
    facts = FactsOf({sample(k): s.facts for k, s in enumerate(stream.inputs)})
    roots = (*stream.values, *stream.sums)
    nodes = topological(roots)
    exact = {a for n in nodes if n.op not in MODULAR for a in n.args} | set(stream.sums)
    low, high = (pick([0, *(edge(facts(n)) for n in exact)]) for pick, edge in ((min, _low), (max, _high)))
    least = container(max(s.size for s in (*stream.inputs, *stream.outputs)))
    types = [t for t in (T.UNSIGNED if low >= 0 else T.SIGNED) if t.bits >= least]
    type_ = next((t for t in types if t.low <= low and high <= t.high), T.i64)
    done: dict[Expr, Expr] = {}
    for n in nodes:
        args = tuple(done[a] for a in n.args)
        if n.op in ("load", "iterate", "get", "param", "convert", "bitcast"):
            raise BackendError("does not run in the lanes of a stream", place=n.op)
        if n.type is not T.i64:
            done[n] = make(n.op, args, n.type, n.attr)
        elif n.op == "const":
            done[n] = const(n.attr, type_)
        elif n.op == "index":
            done[n] = _leaf(n, type_)
        else:
            done[n] = make(n.op, args, type_, n.attr)
    return type_, [done[v] for v in roots]


def _low(facts: Facts) -> int:
    return int(facts.lo)


def _high(facts: Facts) -> int:
    return int(facts.hi)


def _leaf(node: Expr, type_: T.Type) -> Expr:
    leaf = make("index", (), type_, node.attr)
    leaf.free = node.free
    return leaf


def container(bits: int) -> int:
    """The width of the narrowest lanes that hold so many bits."""
    return next(w for w in (8, 16, 32, 64) if w >= bits)


class _Function(Shuffles, Sums, Values):
    """Writes one stream."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.loaded: dict[int, Windows] = {}
        self.lane_type, values = narrowed(stream)
        known = {_leaf(sample(k), self.lane_type): s.facts for k, s in enumerate(stream.inputs)}
        proved: dict[Expr, Facts] = {}
        roots = expand(simplify(values, numerics="exact", ranges=known), ranges=known, proved=proved)
        self.values, self.sums = roots[: len(stream.values)], roots[len(stream.values) :]
        super().__init__((), FactsOf({**proved, **known}))
        strides = [s.stride for s in (*stream.inputs, *stream.outputs)]
        cycle = max(8 // math.gcd(s, 8) for s in strides)
        # Nothing but sums: several registers side by side.
        width = WIDTH if stream.outputs else 4 * WIDTH
        self.lanes = max(cycle, width * 8 // self.lane_type.bits)
        for k in range(len(stream.inputs)):
            self.varying |= sample(k).free
        facts = FactsOf({sample(k): s.facts for k, s in enumerate(stream.inputs)})
        self.accounts = tuple(account(facts(e), self.lanes, self.lane_type.bits) for e in stream.sums)

    def load(self, node: Expr) -> None:
        """There are no loads by element in a stream."""
        raise self.refuse("does not run in the lanes of a stream", "load")

    def iterate(self, node: Expr, body: Block) -> None:
        """Nor iterations."""
        raise self.refuse("does not run in the lanes of a stream", "iterate")

    # ---- the whole function ----

    def extents(self) -> list[int]:
        """How many bytes of each buffer a block reaches over."""
        found = [0] * self.stream.buffers
        for s in (*self.stream.outputs, *self.stream.inputs):
            found[s.buffer] = max(found[s.buffer], s.bytes(self.lanes))
        return found

    def text(self) -> str:
        """The module: whole blocks in place, then what is left through copies on the stack."""
        n, extents = self.lanes, self.extents()
        strides = {s.buffer: s.stride for s in (*self.stream.outputs, *self.stream.inputs)}
        for k, extent in enumerate(extents):
            self.enter(f"%b{k}.at = getelementptr ptr, ptr %buffers, i64 {k}\n%b{k} = load ptr, ptr %b{k}.at")
            self.enter(f"%copy{k} = alloca [{extent} x i8], align 64")
        self.jump("head")
        self.open("head")
        self.emit("%i = phi i64 [ %first, %entry ], [ %i.next, %latch ]")
        self.sums_at_head()
        for k in range(len(extents)):
            self.emit(f"%bit{k} = mul i64 %i, {strides[k]}\n%byte{k} = lshr i64 %bit{k}, 3")
            self.emit(f"%in{k} = getelementptr i8, ptr %b{k}, i64 %byte{k}")
        self.emit(f"%i.next = add i64 %i, {n}\n%whole = icmp sle i64 %i.next, %beyond")
        self.branch("%whole", "body", "rest")
        self.open("rest")
        self.emit("%left = sub i64 %beyond, %i\n%some = icmp sgt i64 %left, 0")
        self.branch("%some", "bounce", "empty")
        self.open("empty")
        self.sums_without_rest()
        self.jump("done")
        self.open("bounce")
        self.bounced(extents)
        if self.accounts:
            self.lanes_left(self.lane_type.bits)
        self.jump("body")
        self.open("body")
        self.emit("%tail = phi i1 [ false, %head ], [ true, %bounce ]")
        self.sums_at_body(self.lane_type.bits)
        for k in range(len(extents)):
            self.emit(f"%p{k} = phi ptr [ %in{k}, %head ], [ %copy{k}, %bounce ]")
        self.block_of_samples()
        self.branch("%tail", "back", "latch")
        self.open("latch")
        self.jump("head")
        self.open("back")
        for k in {s.buffer for s in self.stream.outputs}:
            self.copied_back(k)
        last = self.label
        self.jump("done")
        self.open("done")
        self.sums_at_end("empty", last)
        self.emit("ret void")
        head = f"define void @{entry(0)}(ptr %params, ptr %buffers, ptr %sizes, i64 %first, i64 %beyond) nounwind {{"
        return f"{head}\n" + "\n".join(self.lines) + "\n}\n"

    def bits_left(self, k: int) -> str:
        """Over how many bits of a buffer the samples that are left reach."""
        mine = [s for s in (*self.stream.outputs, *self.stream.inputs) if s.buffer == k]
        before = self.let(f"sub i64 {self.let('sub i64 %beyond, %i')}, 1")
        last = max(s.offset + s.size for s in mine)
        return self.let(f"add i64 {self.let(f'mul i64 {before}, {mine[0].stride}')}, {last}")

    def bounced(self, extents: list[int]) -> None:
        """Copy what is left to the stack."""
        for k, extent in enumerate(extents):
            count = self.let(f"lshr i64 {self.let(f'add i64 {self.bits_left(k)}, 7')}, 3")
            self.emit(f"call void @llvm.memset.p0.i64(ptr %copy{k}, i8 0, i64 {extent}, i1 false)")
            self.emit(f"call void @llvm.memcpy.p0.p0.i64(ptr %copy{k}, ptr %in{k}, i64 {count}, i1 false)")

    def copied_back(self, k: int) -> None:
        """The bytes of an output from the stack to their place; of the last one only the bits that are meant."""
        bits = self.bits_left(k)
        whole = self.let(f"lshr i64 {bits}, 3")
        self.emit(f"call void @llvm.memcpy.p0.p0.i64(ptr %in{k}, ptr %copy{k}, i64 {whole}, i1 false)")
        over = self.let(f"and i64 {bits}, 7")
        last, after = self.new_label(), self.new_label()
        self.branch(self.let(f"icmp ne i64 {over}, 0"), last, after)
        self.open(last)
        one = self.let(f"shl i8 1, {self.let(f'trunc i64 {over} to i8')}")
        mask = self.let(f"sub i8 {one}, 1")
        old = self.let(f"getelementptr i8, ptr %in{k}, i64 {whole}")
        new = self.let(f"getelementptr i8, ptr %copy{k}, i64 {whole}")
        kept = self.let(f"and i8 {self.let(f'load i8, ptr {old}')}, {self.let(f'xor i8 {mask}, -1')}")
        mine = self.let(f"and i8 {self.let(f'load i8, ptr {new}')}, {mask}")
        self.emit(f"store i8 {self.let(f'or i8 {kept}, {mine}')}, ptr {old}")
        self.jump(after)
        self.open(after)

    # ---- one block ----

    def block_of_samples(self) -> None:
        """Load, compute, store."""
        for k, s in enumerate(self.stream.inputs):
            self.define(_leaf(sample(k), self.lane_type), self.samples(s))
        found = [self.wide_value(v) for v in self.values]
        for buffer in dict.fromkeys(s.buffer for s in self.stream.outputs):
            mine = [k for k, s in enumerate(self.stream.outputs) if s.buffer == buffer]
            self.store_samples(
                f"%p{buffer}", [(self.stream.outputs[k], self.values[k], found[k]) for k in mine]
            )
        self.add_block([self.wide_value(v) for v in self.sums], self.lane_type.bits)

    def convert(self, name: str, old: int, new: int, *, signed: bool = False) -> str:
        """Lanes of another width."""
        if old == new:
            return name
        word = "trunc" if new < old else "sext" if signed else "zext"
        return self.let(f"{word} <{self.lanes} x i{old}> {name} to <{self.lanes} x i{new}>")

    def window(self, buffer: int) -> Windows:
        """The bytes of a block that inputs from one buffer stand in: loaded once for all of them."""
        if buffer not in self.loaded:
            mine = [s for s in self.stream.inputs if s.buffer == buffer]
            first = min(s.offset for s in mine) >> 3
            size = max(s.bytes(self.lanes) for s in mine) - first
            at = self.let(f"getelementptr i8, ptr %p{buffer}, i64 {first}")
            self.loaded[buffer] = [(first + start, k, name) for start, k, name in self.windows(at, size)]
        return self.loaded[buffer]

    def samples(self, s: Samples) -> str:
        """The samples of a block, in lanes."""
        n, w = self.lanes, self.lane_type.bits
        if s.size == s.stride and s.size in (8, 16, 32) and s.offset % 8 == 0:
            at = self.let(f"getelementptr i8, ptr %p{s.buffer}, i64 {s.offset // 8}")
            name = self.let(f"load <{n} x i{s.size}>, ptr {at}, align 1")
            return self.convert(name, s.size, w, signed=s.signed)
        starts = [s.offset + j * s.stride for j in range(n)]
        shifts = [b & 7 for b in starts]
        wide = container(max(shifts) + s.size)
        last = s.bytes(n) - 1
        # Bytes past a sample's last are masked off: any byte will do.
        wanted = [min((b >> 3) + t, last) for b in starts for t in range(wide // 8)]
        gathered = self.gather(self.window(s.buffer), wanted)
        name = self.let(f"bitcast <{len(wanted)} x i8> {gathered} to <{n} x i{wide}>")
        if s.signed:
            name = self.shifted("shl", name, wide, [wide - s.size - x for x in shifts])
            name = self.shifted("ashr", name, wide, [wide - s.size] * n)
        else:
            name = self.shifted("lshr", name, wide, shifts)
            if s.size < wide:
                name = self.let(f"and <{n} x i{wide}> {name}, splat (i{wide} {(1 << s.size) - 1})")
        return self.convert(name, wide, w, signed=s.signed)

    def shifted(self, op: str, name: str, width: int, by: Sequence[int]) -> str:
        """Each lane shifted by its own constant."""
        if not any(by):
            return name
        word = f"i{width}"
        amounts = "<" + ", ".join(f"{word} {x}" for x in by) + ">"
        return self.let(f"{op} <{self.lanes} x {word}> {name}, {amounts}")

    def store_samples(self, pointer: str, fields: list[tuple[Samples, Expr, str]]) -> None:
        """The samples of all outputs of one buffer, each byte from the registers that have bits of it."""
        n, w = self.lanes, self.lane_type.bits
        total = max(s.bytes(n) for s, _, _ in fields)
        first = min(s.offset for s, _, _ in fields) >> 3
        dirty = [0] * total
        registers: list[str] = []
        sources: list[list[tuple[int, int]]] = [[] for _ in range(total)]
        for s, value, name in fields:
            shifts = [(s.offset + j * s.stride) & 7 for j in range(n)]
            wide = container(max(shifts) + s.size)
            facts = self.facts(value)
            if not (0 <= facts.lo and facts.hi < 1 << s.size) and s.size < w:
                name = self.let(f"and <{n} x i{w}> {name}, splat (i{w} {(1 << s.size) - 1})")  # noqa: PLW2901
            shifted = self.shifted("shl", self.convert(name, w, wide), wide, shifts)
            base = len(registers)
            registers += self.registers(
                self.let(f"bitcast <{n} x i{wide}> {shifted} to <{n * wide // 8} x i8>"), n * wide // 8
            )
            for j in range(n):
                bit = s.offset + j * s.stride
                for t in range((shifts[j] + s.size + 7) // 8):
                    mask = ((1 << s.size) - 1) << shifts[j] >> 8 * t & 255
                    dirty[(bit >> 3) + t] |= mask
                    at = j * wide // 8 + t
                    sources[(bit >> 3) + t].append((base + at // WIDTH, at % WIDTH))
        for start in range(first, total, WIDTH):
            end = max((p + 1 for p in range(start, min(start + WIDTH, total)) if dirty[p]), default=start)
            if end > start:
                value = self.assemble(registers, sources[start:end])
                at = self.let(f"getelementptr i8, ptr {pointer}, i64 {start}")
                self.store_bytes(at, value, dirty[start:end])


@dataclass(frozen=True, slots=True)
class StreamCode:
    """A stream as machine code for the host."""

    stream: Stream
    lanes: int
    text: str
    linked: Library

    def run(
        self,
        buffers: Sequence[np.ndarray[Any, Any]],
        count: int,
        *,
        crew: Crew = alone,
        threads: int | None = None,
    ) -> tuple[int, ...]:
        """Run on so many samples, by up to so many threads of a crew, and return the sums; buffers are arrays of bytes.

        Raises InputError for a buffer that is too short, of another type, not writable, or that an output shares.
        """
        written = {s.buffer for s in self.stream.outputs}
        for k, array in enumerate(buffers):
            place = f"buffer {k}"
            if array.dtype != np.uint8 or array.ndim != 1 or not array.flags.c_contiguous:
                raise InputError("is not a contiguous one-dimensional array of bytes", place=place)
            if k in written and not array.flags.writeable:
                raise InputError("cannot be written to", place=place, fix="pass a writable array")
            needed = max(s.bytes(count) for s in (*self.stream.outputs, *self.stream.inputs) if s.buffer == k)
            if len(array) < needed:
                raise InputError(f"has {len(array)} bytes where {needed} are needed", place=place)
            for j in written - {k}:
                if np.may_share_memory(array, buffers[j]):
                    raise InputError(f"overlaps buffer {j}, which is written to", place=place, fix="copy one")
        where = np.array([address(b) for b in buffers], np.uint64)
        place = address(where)
        (call,) = self.linked.calls
        step = count
        if self.parts_meet_between_bytes and threads != 1 and crew is not alone:
            step = self.lanes * max(LEAST, -(-count // (PARTS * self.lanes)))
        bands = [(k, min(k + step, count)) for k in range(0, count, step)] if count else []
        sums = np.zeros((max(1, len(bands)), max(1, len(self.stream.sums))), np.int64)

        def band(k: int) -> None:
            call(b"", place, address(sums[k]), *bands[k])

        if len(bands) == 1:
            band(0)
        elif bands:
            crew(len(bands), band, threads)
        return tuple(int(n) for n in sums.sum(axis=0)[: len(self.stream.sums)])

    @property
    def parts_meet_between_bytes(self) -> bool:
        """Whether blocks share no byte that is written to, so that threads may take them in any order."""
        written = {s.buffer for s in self.stream.outputs}
        return all(min(s.offset for s in self.stream.outputs if s.buffer == k) % 8 == 0 for k in written)


def compile_stream(
    stream: Stream, store: Store | None = None, cpu: str | None = None, features: str | None = None
) -> StreamCode:
    """Compile a stream for the host, or for a processor of its family as LLVM calls it; `store` keeps object code.

    >>> copy = Stream((Samples(1, 0, 6, 6),), (Samples(0, 0, 8, 8),), (sample(0),))
    >>> letters = np.zeros(4, np.uint8)
    >>> _ = compile_stream(copy).run([letters, np.array([0x41, 0x20, 0x0C], np.uint8)], 4)
    >>> letters
    array([1, 1, 2, 3], dtype=uint8)
    """
    function = _Function(stream)
    text = function.text()
    host = machine(cpu, features)
    key = hashlib.sha256(f"{host.identity}\n{text}".encode()).hexdigest()
    code = store.get(key) if store is not None else None
    if code is None:
        code = host.compile(text)
        if store is not None:
            store.put(key, code)
    return StreamCode(stream, function.lanes, text, host.link(code))
