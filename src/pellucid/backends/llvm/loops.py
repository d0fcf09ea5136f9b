"""Loops as LLVM text: in order, with a version in bounds, on a grid, and of unbounded length, polling for interrupts.

Under `statements`; `vector_loops` writes loops by lanes.
"""

from __future__ import annotations

from dataclasses import replace

from ...base.errors import BackendError
from ...ir import types as T
from ...ir.facts import Facts
from ...ir.nest import For, While
from ...reasoning.infer import FactsOf
from ..jit.polling import POLL_INTERVAL
from ..jit.spelling import SCALAR
from ..port import Phase
from .iterations import Memo, Write
from .values import Reads
from .vector_loops import VectorLoops
from .versioning import Versioning


class Loops:
    """Writes the loops of a phase; `poll` is the number of the poll function among the buffers.

    On a machine with a `grid` each iteration of a loop on a grid is a thread, which asks `@thread_x` and `@thread_y`
    for its numbers; elsewhere such loops run in order.
    """

    def __init__(
        self,
        phase: Phase,
        grid: bool,
        poll: int,
        versioning: Versioning,
        vector_loops: VectorLoops,
        memo: Memo,
        reads: Reads,
        write: Write,
    ) -> None:
        self.out, self.scope, self.values = memo.out, memo.scope, memo.values
        self.versioning, self.vector_loops, self.memo, self.reads = versioning, vector_loops, memo, reads
        self.bounds = versioning.bounds
        self._phase, self._poll, self._write = phase, poll, write
        # The inner direction is x, in which neighbors access neighboring memory.
        self._axes = dict(zip(reversed(phase.grid if grid else ()), "xy", strict=False))

    def write(self, s: For) -> None:
        """Write a loop."""
        if self.scope.is_wide(s.lo) or self.scope.is_wide(s.hi):
            raise BackendError(
                "its bounds differ from lane to lane", place=f"for {s.index.attr}", fix="hoist them"
            )
        facts, value = self.scope.facts, self.values.value
        lo, hi = facts(s.lo), facts(s.hi)
        known = dict(facts.known)
        known[s.index] = Facts(lo.lo, max(lo.lo, hi.hi - 1))
        first, end = value(s.lo), value(s.hi)
        # The bounds are read at entry: by the second iteration, what they read is stale.
        self.reads.forget(s.body)
        if s is self._phase.band:
            first, end = self._clipped(s.index.type, first, end)
        self.bounds.proofs.enter(s, facts)
        with self.scope.within(facts=FactsOf(known)), self.memo.around(s.body):
            runs = s is not self._phase.band and self.scope.facts(s.lo).hi < self.scope.facts(s.hi).lo
            if s in self._axes:
                self._by_thread(s, first, end)
            elif s.how.kind == "lanes" and s.how.count > 1:
                self.vector_loops.write(s, first, end, runs=runs)
            else:
                self._in_order(s, first, end, runs=runs)
        self.bounds.proofs.leave(s)
        self.reads.forget(s.body)

    def _clipped(self, type_: T.Type, first: str, end: str) -> tuple[str, str]:
        """The bounds of the loop that is handed out, restricted to a band."""
        let, word, narrow = self.out.let, SCALAR[type_], type_.bits < 64
        low, high = "%begin", "%end"
        if narrow:
            low, high = (let(f"trunc i64 {n} to {word}") for n in (low, high))
        kind = "s" if type_.kind == "signed" else "u"
        return (
            let(f"call {word} @llvm.{kind}max.{word}({word} {first}, {word} {low})"),
            let(f"call {word} @llvm.{kind}min.{word}({word} {end}, {word} {high})"),
        )

    def _by_thread(self, s: For, first: str, end: str) -> None:
        """The one iteration that is this thread's, if there is one."""
        out, scope, let = self.out, self.scope, self.out.let
        word, signed = SCALAR[s.index.type], s.index.type.kind == "signed"
        thread = let(f"call i64 @thread_{self._axes[s]}()")
        if s.index.type.bits < 64:
            # In 64 bits no number of a thread wraps.
            extend = "sext" if signed else "zext"
            first, end = (let(f"{extend} {word} {n} to i64") for n in (first, end))
        at = let(f"add i64 {first}, {thread}")
        body, after = out.new_label(), out.new_label()
        out.branch(let(f"icmp {'slt' if signed else 'ult'} i64 {at}, {end}"), body, after)
        out.start_block(body)
        mark = scope.mark()
        scope.define(s.index, let(f"trunc i64 {at} to {word}") if s.index.type.bits < 64 else at)
        with scope.within(inner=s.index.free):
            self._write(s.body)
        scope.leave(mark)
        out.jump(after)
        out.start_block(after)

    def _in_order(self, s: For, first: str, end: str, *, runs: bool) -> None:
        """One iteration after the other: as far as accesses are in bounds without a test in each."""
        accesses = self.versioning.unproved(s)
        if not accesses:
            self._iterations(s, first, end, runs=runs)
            return
        until = self.versioning.end(s, accesses, first, end)
        with self.bounds.granted(accesses):
            self._iterations(s, first, until, runs=False)
        self.reads.forget(s.body)
        self._iterations(replace(s, body=self.versioning.in_order(s.body)), until, end, runs=False)

    def _iterations(self, s: For, first: str, end: str, *, runs: bool) -> None:
        """Iterations tested at the end; `runs` if there surely is one."""
        out, scope = self.out, self.scope
        word = SCALAR[s.index.type]
        less = "slt" if s.index.type.kind == "signed" else "ult"
        body, latch, after = out.new_label(), out.new_label(), out.new_label()
        if not runs:
            out.branch(out.let(f"icmp {less} {word} {first}, {end}"), body, after)
        else:
            out.jump(body)
        before = out.label
        out.start_block(body)
        name = out.let(f"phi {word} [ {first}, %{before} ], [ %{latch}.i, %{latch} ]")
        mark = scope.mark()
        scope.define(s.index, name)
        with scope.within(inner=s.index.free):
            self._write(s.body)
        scope.leave(mark)
        out.jump(latch)
        out.start_block(latch)
        out.emit(f"%{latch}.i = add {word} {name}, 1")
        out.branch(out.let(f"icmp {less} {word} %{latch}.i, {end}"), body, after)
        out.start_block(after)

    def write_while(self, s: While) -> None:
        """Write a loop that tests its condition before each iteration, and polls now and then."""
        out, scope = self.out, self.scope
        if scope.lanes:
            raise BackendError(
                "iterations that each lane would count for itself", place="while", fix="run the loop in order"
            )
        self.reads.forget(s.body)
        with self.memo.around(s.body):
            head, body, latch, ask, leave, after = (out.new_label() for _ in range(6))
            before = out.label
            out.jump(head)
            out.start_block(head)
            turn = out.let(f"phi i64 [ 0, %{before} ], [ %{latch}.i, %{latch} ], [ %{latch}.i, %{ask} ]")
            mark = scope.mark()
            out.branch(self.values.value(s.condition), body, after)
            out.start_block(body)
            self._write(s.body)
            scope.leave(mark)
            out.jump(latch)
            out.start_block(latch)
            out.emit(f"%{latch}.i = add i64 {turn}, 1")
            few = out.let(f"and i64 %{latch}.i, {POLL_INTERVAL - 1}")
            out.branch(out.let(f"icmp eq i64 {few}, 0"), ask, head)
            out.start_block(ask)
            stop = out.let(f"call i32 {self._poll_function()}() cold")
            out.branch(out.let(f"icmp eq i32 {stop}, 0"), head, leave)
            out.start_block(leave)
            out.emit("ret void")
            out.start_block(after)
        self.reads.forget(s.body)

    def _poll_function(self) -> str:
        """The poll function; its address comes after those of buffers."""
        at = f"%ask.at = getelementptr ptr, ptr %buffers, i64 {self._poll}"
        return self.out.once("%ask", at, "%ask = load ptr, ptr %ask.at, align 8")
