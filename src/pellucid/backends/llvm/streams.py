"""Streams as LLVM text: wide loads, constant byte shuffles, shifts of each lane by its own constant, wide stores.

The planner of wide registers, composed of the same parts as the functions of nests where it can be. A block has so many
samples that all positions within it are constants. Whole blocks run in place, in registers as the processor has them;
the samples that are left go through `edges`.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from ...base.errors import BackendError
from ...ir.expr import Expr
from ...ir.stream import Stream, moved, position, sample, state
from ...reasoning.infer import FactsOf
from ...rewriting.lane_types import leaf, plan
from ..jit.blocks import bounded
from ..jit.calling import entry
from .covers import Covers
from .edges import Edges
from .emitter import Emitter
from .fields import Fields
from .geometry import Geometry
from .packed_stores import PackedStores
from .register_tables import Constants, RegisterTables
from .scope import Scope
from .shuffles import Shuffles, Target
from .single_lanes import SingleLanes
from .sums import Sums, account
from .values import Leaves, Values

MAX_REACH = 4096
"""Maximum bytes of a buffer that a block reaches over, unless the period of the samples is longer."""
ON_STACK = 1 << 17
"""Maximum bytes of a buffer that are copied to the stack."""
MIN_SAMPLES = 16
"""Samples of the rest that are taken at once."""
Edge = tuple[str, str]
"""A block that control comes from, and the value that it brings."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way to the loop over the rest: the block that control comes from, and the values that it brings."""

    block: str
    first: str
    stop: str
    sums: list[str]
    states: list[str]


class Function:
    """Writes one stream for a processor."""

    def __init__(self, stream: Stream, target: Target) -> None:
        # The bytes before the first sample of a buffer are no part of any block.
        self.skipped = [
            min(at for s in (*stream.outputs, *stream.inputs) if s.buffer == k for at in s.offsets) // 8
            for k in range(stream.buffers)
        ]
        self.stream = moved(stream, [-8 * size for size in self.skipped])
        self.geometry, self.plan = Geometry(self.stream), plan(self.stream)
        type_ = self.plan.type
        self.out = Emitter()
        self.scope = Scope(self.out, FactsOf(self.plan.known))
        # Weakly, as in `function`: values and the whole would keep each other.
        self.values, self.constants = Values(self.scope, cast("Leaves", weakref.proxy(self))), Constants()
        self.covers = Covers(Shuffles(self.out, target))
        self.fields = Fields(self.scope, self.covers, type_.bits)
        self.tables = RegisterTables(self.fields, self.constants)
        states = [leaf(state(k), type_) for k in range(len(self.plan.firsts))]
        self.single_lanes = SingleLanes(self.values, self.tables, self.plan, states)
        self._samples = {leaf(sample(k), type_): s for k, s in enumerate(self.stream.inputs)}
        varying = 0
        for n in (position(), *self._samples, *self.single_lanes.by_leaf, *states):
            varying |= n.free
        self.scope.refine(varying=varying)
        self.many, self.few = self._sizes()
        self.sums = Sums(self.scope, tuple(account(f, self.many, type_.bits) for f in self.plan.ranges))
        self.edges = Edges(self.geometry, self.fields, self.constants, self.many)
        self.stores = PackedStores(self.geometry, self.plan, self.fields, self.single_lanes, self.edges)

    def _sizes(self) -> tuple[int, int]:
        """The samples of a block, in the loop over whole blocks and in that over the rest."""
        cycle, reach = self.stream.cycle, self.geometry.farthest
        few = cycle * -(-MIN_SAMPLES // cycle)
        if reach(few) > ON_STACK:
            few = cycle
        if reach(few) > ON_STACK:
            raise BackendError(
                f"{few} samples reach over {reach(few)} bytes",
                place="stream",
                fix=f"at most {ON_STACK}: give what is far apart buffers of their own, which may be parts of one array",
            )
        if self.single_lanes.single or self.plan.firsts:
            return few, few
        # An iteration costs little beside the work on two registers. Sums alone leave room for more registers, and
        # tables leave room for none.
        width = self.plan.type.bits
        registers = (1 if self.plan.lookups else 2) if self.stream.outputs else 8 if width == 8 else 4
        many = math.lcm(cycle, registers * 512 // width)
        while many > few and many % (2 * cycle) == 0 and self.geometry.longest(many) > MAX_REACH:
            many //= 2
        return max(many, few), few

    # ---- nodes that have no row ----

    def operands(self, node: Expr) -> tuple[Expr, ...]:
        """The nodes that must be in lanes before a node is."""
        if node in self.single_lanes.single:
            return ()
        lookup = self.single_lanes.by_leaf.get(node)
        return (lookup.index,) if lookup is not None else node.args

    def compute(self, node: Expr) -> bool:
        """Compute a node that is computed lane by lane, read from a table or from samples, or a position."""
        lanes = self.single_lanes
        if node in lanes.single:
            lanes.put_together(node)
        elif node in lanes.by_leaf:
            self.tables.read(lanes.by_leaf[node])
        elif node in self._samples:
            s = self._samples[node]
            span = self.geometry.span(s.buffer, self.scope.lanes)
            self.scope.define(node, self.fields.unpacked(s, span))
        elif node.op == "index":
            lanes.positions(node)
        elif node.op in ("load", "iterate"):
            raise BackendError("does not run in the lanes of a stream", place=node.op)
        else:
            return False
        return True

    # ---- the whole function ----

    def text(self) -> str:
        """The module: whole blocks in place, and what is left through copies on the stack."""
        out = self.out
        for k in range(self.stream.buffers):
            out.enter(
                f"%b{k}.at = getelementptr ptr, ptr %buffers, i64 {k}\n%b{k}.0 = load ptr, ptr %b{k}.at"
            )
            out.enter(f"%b{k} = getelementptr i8, ptr %b{k}.0, i64 {self.skipped[k]}")
            out.enter(
                f"%len{k}.at = getelementptr i64, ptr %sizes, i64 {k}\n%len{k}.0 = load i64, ptr %len{k}.at"
            )
            out.enter(f"%len{k} = sub i64 %len{k}.0, {self.skipped[k]}")
        self.scope.refine(lanes=self.many)
        shared = [k for k in self.geometry.written if self.geometry.shares(k, self.many)]
        firsts = [str(n) for n in self.plan.firsts]
        zeros = ["0"] * len(self.sums.accounts)
        ways: list[Way] = []
        if shared:
            # The first bytes of a thread's part may be those of another one's, too: they are left to the edges.
            out.emit(f"%head.few = add i64 %first, {self.few}")
            out.emit("%head.end = call i64 @llvm.smin.i64(i64 %beyond, i64 %head.few)")
            ways.append(Way("entry", "%first", "%head.end", zeros, firsts))
            out.jump("rest")
            tots = [f"%rest.tot{k}" for k in range(len(zeros))]
            names = [f"%rest.state{k}" for k in range(len(firsts))]
            ways += self._main_loop(shared, "%rest.i", tots, names)
        else:
            out.jump("main.before")
            ways += self._main_loop(shared, "%first", zeros, firsts)
        self._rest_loop(ways, "main.before" if shared else "done")
        out.start_block("done")
        if self.sums.accounts:
            out.enter(f"%sums.at = getelementptr ptr, ptr %buffers, i64 {self.stream.buffers}")
            out.enter("%sums = load ptr, ptr %sums.at")
        for k in range(len(self.sums.accounts)):
            at = out.let(f"getelementptr i64, ptr %sums, i64 {k}")
            out.emit(f"{out.fresh()} = atomicrmw add ptr {at}, i64 %rest.tot{k} monotonic")
        out.emit("ret void")
        head = f"define void @{entry(0)}(ptr %params, ptr %buffers, ptr %sizes, i64 %first, i64 %beyond) nounwind {{"
        return "\n".join([*self.constants.lines, head, bounded("\n".join(self.out.lines))]) + "\n}\n"

    def _main_loop(self, shared: list[int], first: str, totals: list[str], states: list[str]) -> list[Way]:
        """Whole blocks in place: as many as there are, as far as registers may be loaded whole."""
        out = self.out
        n, buffers = self.many, range(self.stream.buffers)
        self._begin(n)
        out.start_block("main.before")
        for k in buffers:
            out.emit(f"%from{k} = getelementptr i8, ptr {self.edges.at_position(k, first)}, i64 0")
        bound = len(self.out.lines)
        out.emit("")
        out.emit(f"%main.some = icmp sgt i64 %main.count, 0\n%main.samples = mul i64 %main.count, {n}")
        out.emit(f"%main.stop = add i64 {first}, %main.samples")
        out.branch("%main.some", "main.enter", "rest")
        out.start_block("main.enter")
        for k in shared:
            self.edges.carry_in(k)
        out.jump("main")
        out.start_block("main")
        out.emit(f"%main.i = phi i64 [ {first}, %main.enter ], [ %main.next, %main.latch ]")
        for k in buffers:
            out.emit(f"%at{k} = phi ptr [ %from{k}, %main.enter ], [ %at{k}.next, %main.latch ]")
        for k in shared:
            word = f"<{self.edges.carry_size(k)} x i8>"
            out.emit(f"%carry{k} = phi {word} [ %carry{k}.in, %main.enter ], [ %carry{k}.out, %main.latch ]")
        for k, name in enumerate(states):
            out.emit(f"%main.state{k} = phi i64 [ {name}, %main.enter ], [ %main.state{k}.n, %main.latch ]")
        self.sums.at_head("main.enter", totals)
        names = [f"%main.state{k}" for k in range(len(states))]
        found = self._block("%main.i", {k: f"%at{k}" for k in buffers}, names, shared)
        self.sums.add_block(found, self.plan.type.bits)
        out.jump("main.latch")
        out.start_block("main.latch")
        for k, name in enumerate(self.single_lanes.after):
            out.emit(f"%main.state{k}.n = add i64 {name}, 0")
        out.emit(f"%main.next = add i64 %main.i, {n}")
        for k in buffers:
            out.emit(f"%at{k}.next = getelementptr i8, ptr %at{k}, i64 {self.geometry.step(k, n)}")
        out.branch(out.let("icmp slt i64 %main.next, %main.stop"), "main", "main.after")
        self.out.replace(bound, self._count_of_blocks(first))
        out.start_block("main.after")
        for k in shared:
            self.edges.carry_out(k)
        self.sums.after_loop("%main.samples")
        out.jump("rest")
        sums = [f"%main.sum{k}" for k in range(len(totals))]
        after = [f"%main.state{k}.n" for k in range(len(states))]
        return [
            Way("main.before", first, "%beyond", totals, states),
            Way("main.after", "%main.stop", "%beyond", sums, after),
        ]

    def _count_of_blocks(self, first: str) -> str:
        """The number of blocks from which no register reaches beyond its buffer."""
        n = self.many
        lines = [
            f"%main.left = sub i64 %beyond, {first}",
            f"%main.count.0 = sdiv i64 %main.left, {n}",
        ]
        name = "%main.count.0"
        for k in range(self.stream.buffers):
            if self.covers.ends[k] <= self.geometry.span(k, self.scope.lanes)[1]:
                continue
            # Before the last block must be: the end of the buffer, less what a block reads.
            step = self.geometry.step(k, n)
            c = f"%main.count.{k + 1}"
            lines += [
                f"{c}.b = ptrtoint ptr %b{k} to i64\n{c}.a = ptrtoint ptr %from{k} to i64",
                f"{c}.e = add i64 {c}.b, %len{k}\n{c}.l = sub i64 {c}.e, {c}.a",
                f"{c}.s = add i64 {c}.l, {step - self.covers.ends[k]}",
                f"{c}.d = sdiv i64 {c}.s, {step}",
                f"{c} = call i64 @llvm.smin.i64(i64 {name}, i64 {c}.d)",
            ]
            name = c
        lines.append(f"%main.count = call i64 @llvm.smax.i64(i64 {name}, i64 0)")
        return "\n".join(lines)

    def _rest_loop(self, ways: list[Way], then: str) -> None:
        """The samples that are left, block by small block, through copies."""
        out = self.out
        n = self.few
        self._begin(n)
        out.start_block("rest")

        def phi(name: str, values: list[Edge]) -> None:
            out.emit(f"{name} = phi i64 " + ", ".join(f"[ {v}, %{block} ]" for block, v in values))

        last = "rest.latch"
        phi("%rest.i", [*((w.block, w.first) for w in ways), (last, "%rest.next")])
        phi("%rest.stop", [*((w.block, w.stop) for w in ways), (last, "%rest.stop")])
        for k in range(len(self.sums.accounts)):
            phi(f"%rest.tot{k}", [*((w.block, w.sums[k]) for w in ways), (last, f"%rest.tot{k}.n")])
        for k in range(len(self.plan.firsts)):
            phi(f"%rest.state{k}", [*((w.block, w.states[k]) for w in ways), (last, f"%rest.state{k}.n")])
        out.branch(out.let("icmp slt i64 %rest.i, %rest.stop"), "rest.body", "rest.over")
        out.start_block("rest.over")
        if then == "done":
            out.jump(then)
        else:
            out.branch(out.let("icmp sge i64 %rest.i, %beyond"), "done", then)
        out.start_block("rest.body")
        out.emit("%rest.more = sub i64 %rest.stop, %rest.i")
        out.emit(f"%left = call i64 @llvm.smin.i64(i64 %rest.more, i64 {n})")
        ends = {k: self.geometry.span(k, self.scope.lanes)[1] for k in range(self.stream.buffers)}
        names = [f"%rest.state{k}" for k in range(len(self.plan.firsts))]
        found = self._block("%rest.i", {k: self.edges.copied(k, ends[k]) for k in ends}, names, ())
        self.sums.add_rest(found, self.plan.type.bits, signed=self.plan.type.kind == "signed")
        for k, name in enumerate(self.single_lanes.after):
            out.emit(f"%rest.state{k}.n = add i64 {name}, 0")
        for k in self.geometry.written:
            self.edges.copied_back(k, ends[k])
        out.jump("rest.latch")
        out.start_block("rest.latch")
        out.emit("%rest.next = add i64 %rest.i, %left")
        out.jump("rest")

    # ---- one block ----

    def _begin(self, lanes: int) -> None:
        """Forget the values of another block."""
        self.scope.leave(0)
        self.scope.refine(lanes=lanes)

    def _block(
        self, at: str, pointers: Mapping[int, str], states: Sequence[str], shared: Collection[int]
    ) -> list[str]:
        """Compute the values of a block at a position and store them; returns those to be added up."""
        self.covers.begin(pointers)
        self.fields.begin()
        self.single_lanes.begin(at, states)
        self.single_lanes.compute((*self.plan.values, *self.plan.sums), self.stores.after_lane)
        found = [self.values.wide(v) for v in self.plan.sums]
        for k in self.geometry.written:
            self.stores.store(k, shared=k in shared)
        return found
