"""Streams as LLVM text: wide loads, constant byte shuffles, shifts of each lane by its own constant, wide stores.

The planner of wide registers. A block is so many samples that all positions within it are constants. Whole blocks run
in place, in registers as the processor has them; what is left goes through `edges`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...base.errors import BackendError
from ...ir.expr import Expr
from ...ir.nest import Block
from ...ir.stream import Samples, Stream, bits_of, moved, position, sample, state
from ...reasoning.infer import FactsOf
from ..jit.blocks import bounded
from ..jit.calling import entry
from .edges import Edges
from .narrowing import leaf, plan
from .shuffles import Target
from .sums import Sums, account

LARGEST = 4096
"""How many bytes of a buffer a block reaches over at most, unless the cycle of the samples is longer."""
ON_STACK = 1 << 17
"""How many bytes of a buffer there is a copy of on the stack at most."""
LEAST = 16
"""How many samples of what is left are taken at once."""
Edge = tuple[str, str]
"""Where control comes from, and the value that it brings."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way to the loop over what is left: the block that control comes from, and the values that it brings."""

    block: str
    first: str
    stop: str
    sums: list[str]
    states: list[str]


class Function(Edges, Sums):
    """Writes one stream for a processor."""

    def __init__(self, stream: Stream, target: Target) -> None:
        # What comes before the first sample of a buffer is no part of any block.
        self.skipped = [
            min(at for s in (*stream.outputs, *stream.inputs) if s.buffer == k for at in s.offsets) // 8
            for k in range(stream.buffers)
        ]
        self.stream, self.target = moved(stream, [-8 * size for size in self.skipped]), target
        stream = self.stream
        self.plan = plan(stream)
        self.width = self.plan.type.bits
        super().__init__((), FactsOf(self.plan.known))
        self.by_leaf = {k.leaf: k for k in self.plan.lookups}
        self.globals, self.tables = [], {}
        self.places_of = {leaf(sample(k), self.plan.type): s for k, s in enumerate(stream.inputs)}
        self.states = [(leaf(state(k), self.plan.type), "") for k in range(len(self.plan.firsts))]
        for n in (position(), *self.places_of, *self.by_leaf, *(n for n, _ in self.states)):
            self.varying |= n.free
        self.roots = (*self.plan.values, *self.plan.sums)
        self.find_single((*self.roots, *self.plan.states))
        self.many, self.few = self.sizes()
        self.accounts = tuple(account(f, self.many, self.width) for f in self.plan.ranges)

    def sizes(self) -> tuple[int, int]:
        """How many samples a block has, in the loop over whole blocks and for what is left."""
        cycle = self.stream.cycle
        few = cycle * -(-LEAST // cycle)
        if self.farthest(few) > ON_STACK:
            few = cycle
        if self.farthest(few) > ON_STACK:
            raise BackendError(
                f"{few} samples reach over {self.farthest(few)} bytes",
                place="stream",
                fix=f"at most {ON_STACK}: give what is far apart buffers of their own, which may be parts of one array",
            )
        if self.single or self.states:
            return few, few
        # A turn costs little beside what two registers take; nothing but sums leave room for more, and tables for none.
        registers = (1 if self.by_leaf else 2) if self.stream.outputs else 8 if self.width == 8 else 4
        many = math.lcm(cycle, registers * 512 // self.width)
        while many > few and many % (2 * cycle) == 0 and self.longest(many) > LARGEST:
            many //= 2
        return max(many, few), few

    def farthest(self, lanes: int) -> int:
        """How many bytes from its beginning so many samples of a buffer reach."""
        return max(s.bytes(lanes) for s in (*self.stream.outputs, *self.stream.inputs))

    def longest(self, lanes: int) -> int:
        """How many bytes of a buffer so many samples take."""
        return max(self.step(k, lanes) for k in range(self.stream.buffers))

    # ---- nodes ----

    def load(self, node: Expr) -> None:
        """There are no loads by element in a stream."""
        raise BackendError("does not run in the lanes of a stream", place="load")

    def iterate(self, node: Expr, body: Block) -> None:
        """Nor iterations."""
        raise BackendError("does not run in the lanes of a stream", place="iterate")

    def operands(self, node: Expr) -> tuple[Expr, ...]:
        """What must be in lanes before a node is."""
        if node in self.single:
            return ()
        lookup = self.by_leaf.get(node)
        return (lookup.index,) if lookup is not None else super().operands(node)

    def compute(self, node: Expr) -> None:
        """Write the lines of one node; leaves have their own."""
        if node in self.single:
            self.put_together(node)
        elif node in self.by_leaf:
            self.looked_up(self.by_leaf[node])
        elif node in self.places_of:
            s = self.places_of[node]
            self.define(node, self.unpacked(s, self.span(s.buffer)))
        elif node.op == "index":
            self.positions(node)
        else:
            super().compute(node)

    # ---- the whole function ----

    def text(self) -> str:
        """The module: whole blocks in place, and what is left through copies on the stack."""
        for k in range(self.stream.buffers):
            self.enter(
                f"%b{k}.at = getelementptr ptr, ptr %buffers, i64 {k}\n%b{k}.0 = load ptr, ptr %b{k}.at"
            )
            self.enter(f"%b{k} = getelementptr i8, ptr %b{k}.0, i64 {self.skipped[k]}")
            self.enter(
                f"%len{k}.at = getelementptr i64, ptr %sizes, i64 {k}\n%len{k}.0 = load i64, ptr %len{k}.at"
            )
            self.enter(f"%len{k} = sub i64 %len{k}.0, {self.skipped[k]}")
        self.lanes = self.many
        shared = [k for k in self.written if self.shares(k)]
        firsts = [str(n) for n in self.plan.firsts]
        zeros = ["0"] * len(self.accounts)
        ways: list[Way] = []
        if shared:
            # The first bytes of a thread's part may be those of another one's, too: they are left to the edges.
            self.emit(f"%head.few = add i64 %first, {self.few}")
            self.emit("%head.end = call i64 @llvm.smin.i64(i64 %beyond, i64 %head.few)")
            ways.append(Way("entry", "%first", "%head.end", zeros, firsts))
            self.jump("rest")
            tots = [f"%rest.tot{k}" for k in range(len(zeros))]
            names = [f"%rest.state{k}" for k in range(len(firsts))]
            ways += self.main_loop(shared, "%rest.i", tots, names)
        else:
            self.jump("main.before")
            ways += self.main_loop(shared, "%first", zeros, firsts)
        self.rest_loop(ways, "main.before" if shared else "done")
        self.open("done")
        if self.accounts:
            self.enter(f"%sums.at = getelementptr ptr, ptr %buffers, i64 {self.stream.buffers}")
            self.enter("%sums = load ptr, ptr %sums.at")
        for k in range(len(self.accounts)):
            at = self.let(f"getelementptr i64, ptr %sums, i64 {k}")
            self.emit(f"{self.fresh()} = atomicrmw add ptr {at}, i64 %rest.tot{k} monotonic")
        self.emit("ret void")
        head = f"define void @{entry(0)}(ptr %params, ptr %buffers, ptr %sizes, i64 %first, i64 %beyond) nounwind {{"
        return "\n".join([*self.globals, head, bounded("\n".join(self.lines))]) + "\n}\n"

    @property
    def written(self) -> list[int]:
        """The buffers of outputs."""
        return list(dict.fromkeys(s.buffer for s in self.stream.outputs))

    def shares(self, k: int) -> bool:
        """Whether a block has bits of a byte that the block after it has bits of, too."""
        first, beyond = self.span(k)
        return beyond > first + self.step(k, self.lanes)

    def main_loop(self, shared: list[int], first: str, totals: list[str], states: list[str]) -> list[Way]:
        """Whole blocks in place: as many as there are, as far as registers may be loaded whole."""
        n, buffers = self.many, range(self.stream.buffers)
        self.begin(n)
        self.open("main.before")
        for k in buffers:
            self.emit(f"%from{k} = getelementptr i8, ptr {self.at_position(k, first)}, i64 0")
        bound = len(self.lines)
        self.emit("")
        self.emit(f"%main.some = icmp sgt i64 %main.count, 0\n%main.samples = mul i64 %main.count, {n}")
        self.emit(f"%main.stop = add i64 {first}, %main.samples")
        self.branch("%main.some", "main.enter", "rest")
        self.open("main.enter")
        for k in shared:
            self.carry_in(k)
        self.jump("main")
        self.open("main")
        self.emit(f"%main.i = phi i64 [ {first}, %main.enter ], [ %main.next, %main.latch ]")
        for k in buffers:
            self.emit(f"%at{k} = phi ptr [ %from{k}, %main.enter ], [ %at{k}.next, %main.latch ]")
        for k in shared:
            word = f"<{self.carry_size(k)} x i8>"
            self.emit(f"%carry{k} = phi {word} [ %carry{k}.in, %main.enter ], [ %carry{k}.out, %main.latch ]")
        for k, name in enumerate(states):
            self.emit(f"%main.state{k} = phi i64 [ {name}, %main.enter ], [ %main.state{k}.n, %main.latch ]")
        self.sums_at_head("main.enter", totals)
        self.at, self.pointers = "%main.i", {k: f"%at{k}" for k in buffers}
        self.states = [(n, f"%main.state{k}") for k, (n, _) in enumerate(self.states)]
        found = self.values_of_block()
        for k in self.written:
            self.store(k, shared=k in shared)
        self.add_block(found, self.width)
        self.jump("main.latch")
        self.open("main.latch")
        for k, name in enumerate(self.after):
            self.emit(f"%main.state{k}.n = add i64 {name}, 0")
        self.emit(f"%main.next = add i64 %main.i, {n}")
        for k in buffers:
            self.emit(f"%at{k}.next = getelementptr i8, ptr %at{k}, i64 {self.step(k, n)}")
        self.branch(self.let("icmp slt i64 %main.next, %main.stop"), "main", "main.after")
        self.lines[bound] = self.count_of_blocks(first)
        self.open("main.after")
        for k in shared:
            self.carry_out(k)
        self.sums_after_loop("%main.samples")
        self.jump("rest")
        sums = [f"%main.sum{k}" for k in range(len(totals))]
        after = [f"%main.state{k}.n" for k in range(len(states))]
        return [
            Way("main.before", first, "%beyond", totals, states),
            Way("main.after", "%main.stop", "%beyond", sums, after),
        ]

    def count_of_blocks(self, first: str) -> str:
        """How many blocks there are from which no register reaches beyond its buffer."""
        n = self.many
        lines = [
            f"%main.left = sub i64 %beyond, {first}",
            f"%main.count.0 = sdiv i64 %main.left, {n}",
        ]
        name = "%main.count.0"
        for k in range(self.stream.buffers):
            if self.ends[k] <= self.span(k)[1]:
                continue
            # Before the last block must be: the end of the buffer, less what a block reads.
            step = self.step(k, n)
            c = f"%main.count.{k + 1}"
            lines += [
                f"{c}.b = ptrtoint ptr %b{k} to i64\n{c}.a = ptrtoint ptr %from{k} to i64",
                f"{c}.e = add i64 {c}.b, %len{k}\n{c}.l = sub i64 {c}.e, {c}.a",
                f"{c}.s = add i64 {c}.l, {step - self.ends[k]}",
                f"{c}.d = sdiv i64 {c}.s, {step}",
                f"{c} = call i64 @llvm.smin.i64(i64 {name}, i64 {c}.d)",
            ]
            name = c
        lines.append(f"%main.count = call i64 @llvm.smax.i64(i64 {name}, i64 0)")
        return "\n".join(lines)

    def rest_loop(self, ways: list[Way], then: str) -> None:
        """What is left, block by small block, through copies."""
        n = self.few
        self.begin(n)
        self.open("rest")

        def phi(name: str, values: list[Edge]) -> None:
            self.emit(f"{name} = phi i64 " + ", ".join(f"[ {v}, %{block} ]" for block, v in values))

        last = "rest.latch"
        phi("%rest.i", [*((w.block, w.first) for w in ways), (last, "%rest.next")])
        phi("%rest.stop", [*((w.block, w.stop) for w in ways), (last, "%rest.stop")])
        for k in range(len(self.accounts)):
            phi(f"%rest.tot{k}", [*((w.block, w.sums[k]) for w in ways), (last, f"%rest.tot{k}.n")])
        for k in range(len(self.states)):
            phi(f"%rest.state{k}", [*((w.block, w.states[k]) for w in ways), (last, f"%rest.state{k}.n")])
        self.branch(self.let("icmp slt i64 %rest.i, %rest.stop"), "rest.body", "rest.over")
        self.open("rest.over")
        if then == "done":
            self.jump(then)
        else:
            self.branch(self.let("icmp sge i64 %rest.i, %beyond"), "done", then)
        self.open("rest.body")
        self.emit("%rest.more = sub i64 %rest.stop, %rest.i")
        self.emit(f"%left = call i64 @llvm.smin.i64(i64 %rest.more, i64 {n})")
        ends = {k: self.span(k)[1] for k in range(self.stream.buffers)}
        self.at = "%rest.i"
        self.pointers = {k: self.copied(k, ends[k]) for k in ends}
        self.states = [(n, f"%rest.state{k}") for k, (n, _) in enumerate(self.states)]
        found = self.values_of_block()
        for k in self.written:
            self.store(k, shared=False)
        self.add_rest(found, self.width, signed=self.plan.type.kind == "signed")
        for k, name in enumerate(self.after):
            self.emit(f"%rest.state{k}.n = add i64 {name}, 0")
        for k in self.written:
            self.copied_back(k, ends[k])
        self.jump("rest.latch")
        self.open("rest.latch")
        self.emit("%rest.next = add i64 %rest.i, %left")
        self.jump("rest")

    # ---- one block ----

    def begin(self, lanes: int) -> None:
        """Forget what was computed for another block."""
        self.leave(0)
        self.lanes = lanes
        self.filled = {k: [] for k in range(self.stream.buffers)}
        self.ends = dict.fromkeys(range(self.stream.buffers), 0)
        self.words, self.scalars, self.lines_of, self.after = {}, {}, {}, []

    def values_of_block(self) -> list[str]:
        """Compute the values of a block, and return those to be added up."""
        self.lane_by_lane(self.roots)
        return [self.wide_value(v) for v in self.plan.sums]

    def fits(self, s: Samples, value: Expr) -> bool:
        """Whether a value has no bits beyond those of its samples."""
        facts = self.facts(value)
        return 0 <= facts.lo and facts.hi < 1 << s.size

    def lies_even(self, k: int) -> bool:
        """Whether a buffer has nothing but samples one after the other, from a whole byte on."""
        mine = self.of_buffer(k)
        s = mine[0]
        even = s.size == s.stride and len(s.offsets) == 1 and s.start(0) % 8 == 0 and s.order == "little"
        return len(mine) == 1 and even

    def after_lane(self, j: int) -> None:
        """Store what is a whole number in memory at once: to keep it would take registers."""
        for s, value in zip(self.stream.outputs, self.plan.values, strict=True):
            if value in self.single and self.lies_even(s.buffer) and s.size in (8, 16, 32):
                at = self.span(s.buffer)[0] + j * s.size // 8
                where = self.let(f"getelementptr i8, ptr {self.pointers[s.buffer]}, i64 {at}")
                name = self.lane(value, j)
                if s.size < self.width:
                    name = self.let(f"trunc i{self.width} {name} to i{s.size}")
                self.emit(f"store i{s.size} {name}, ptr {where}, align 1")

    def store(self, k: int, *, shared: bool) -> None:
        """The samples of all outputs of a buffer: whole lanes, common words, or byte by byte."""
        n, w = self.lanes, self.width
        pointer = self.pointers[k]
        mine = [(s, v) for s, v in zip(self.stream.outputs, self.plan.values, strict=True) if s.buffer == k]
        s, value = mine[0]
        first = self.span(k)[0]
        if self.lies_even(k) and s.size in (8, 16, 32):
            if value not in self.single:
                at = self.let(f"getelementptr i8, ptr {pointer}, i64 {first}")
                name = self.cast(self.wide_value(value), n, w, s.size)
                self.emit(f"store <{n} x i{s.size}> {name}, ptr {at}, align 1")
            return
        if self.lies_even(k) and s.size == 1 and n % 8 == 0:
            at = self.let(f"getelementptr i8, ptr {pointer}, i64 {first}")
            truths = self.cast(self.wide_value(value), n, w, 1)
            self.emit(f"store i{n} {self.let(f'bitcast <{n} x i1> {truths} to i{n}')}, ptr {at}, align 1")
            return
        outputs = [(s, self.wide_value(v), self.fits(s, v)) for s, v in mine]
        words = self.into_words(outputs, first)
        if words is not None:
            name, word, meant = words
            size = n * word // 8
            dirty = [meant >> 8 * (t % (word // 8)) & 255 for t in range(size)]
            name = self.seen(name, n, word, 8)
            for start in range(0, size, 64):
                count = min(64, size - start)
                while not dirty[start + count - 1]:
                    count -= 1
                part = self.slice(name, size, start, count)
                at = self.let(f"getelementptr i8, ptr {pointer}, i64 {first + start}")
                self.store_bytes(at, part, dirty[start : start + count])
            return
        self.store_by_bytes(k, outputs, shared=shared)

    def store_by_bytes(self, k: int, outputs: list[tuple[Samples, str, bool]], *, shared: bool) -> None:
        """Outputs of one buffer, each byte from the registers that have bits of it."""
        reach = self.target.reach
        first, beyond = self.span(k)
        found = self.as_bytes(outputs, beyond)
        last = beyond - 1 if shared else beyond
        if shared:
            size = self.carry_size(k)
            found.dirty[first] |= found.dirty[last]
            part = self.assemble(found.registers, [found.sources[last], *([] for _ in range(size - 1))])
            self.emit(f"%carry{k}.out = or <{size} x i8> {part}, zeroinitializer")
        for start in range(first, last, reach):
            end = max(
                (p + 1 for p in range(start, min(start + reach, last)) if found.dirty[p]), default=start
            )
            if shared and start == first:
                end = min(start + reach, last)
            if end == start:
                continue
            value = self.assemble(found.registers, found.sources[start:end])
            if shared and start == first:
                value = self.let(f"or <{end - start} x i8> {value}, %carry{k}")
            at = self.let(f"getelementptr i8, ptr {self.pointers[k]}, i64 {start}")
            self.store_bytes(at, value, found.dirty[start:end])

    # ---- bytes that blocks share ----

    def carry_size(self, k: int) -> int:
        """How many bytes are stored together with the one that is carried."""
        return min(self.target.reach, self.step(k, self.many))

    def shared_bits(self, k: int) -> int:
        """Which bits of the byte that a block shares with the next one are its own."""
        beyond = self.span(k)[1]
        return sum(
            1 << (bit & 7)
            for s in self.of_buffer(k)
            for j in range(self.lanes)
            for bit in bits_of(s, s.start(j))
            if bit >> 3 == beyond - 1
        )

    def carry_in(self, k: int) -> None:
        """What the byte before the first block has already."""
        at = self.let(f"getelementptr i8, ptr %from{k}, i64 {self.span(k)[0]}")
        mine = self.let(f"and i8 {self.let(f'load i8, ptr {at}')}, {self.shared_bits(k)}")
        self.emit(
            f"%carry{k}.in = insertelement <{self.carry_size(k)} x i8> zeroinitializer, i8 {mine}, i64 0"
        )

    def carry_out(self, k: int) -> None:
        """What is carried from the last block goes to its byte, which may be another thread's, too."""
        word = f"<{self.carry_size(k)} x i8>"
        byte = self.let(f"extractelement {word} %carry{k}.out, i64 0")
        where = self.let(f"getelementptr i8, ptr %at{k}.next, i64 {self.span(k)[0]}")
        self.merge(where, byte, str(self.shared_bits(k)))
