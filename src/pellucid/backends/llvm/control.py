"""Statements as LLVM text: loops in order and by lanes, branches, and iterations, each with its phis.

The top of the function writer. A loop by lanes whose length is no multiple of the lanes lets its last block overlap the
one before, so that there is no second loop for the rest; every lane's index is always within the loop's bounds.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...ir import expr as E
from ...ir import types as T
from ...ir.expr import Expr
from ...ir.facts import Facts
from ...ir.nest import Alloc, Block, For, If, Let, Once, Repeat, Statement, Store, While, all_roots, walk
from ...reasoning.infer import FactsOf
from ..jit.blocks import bounded
from ..jit.engine import Machine
from ..jit.polling import POLL_INTERVAL
from ..jit.spelling import SCALAR, literal, sequence, typed
from ..obligations import stored_buffers
from ..port import Layout, Phase, Ranges
from .prefixes import Prefixes
from .writer import ZERO

MANY = 16
"""From how many loads and stores on bytes are permuted by orders read from memory (see `Shuffles`), and where there are
several loops by lanes: the code generator is left what is short, finds what is a little quicker, and takes its time."""
MOST_KEPT = 8
"""How many constants a loop by lanes keeps in registers."""


class Function(Prefixes):
    """Writes one phase of a kernel; `text` is its function."""

    def __init__(self, plan: Layout, phase: Phase, ranges: Ranges, machine: Machine) -> None:
        facts = FactsOf.handed_on(ranges)
        self.plan, self.phase = plan, phase
        super().__init__(phase.body, facts, plan, cheap_masks=machine.cheap_masks)
        self.permutes = machine.permutes and (self.accesses() > MANY or self.vectors() > 1)

    def text(self, name: str) -> str:
        """A function of (params, buffers, sizes, first, beyond), and before it the constants that it reads."""
        self.name = name
        for k, p in enumerate(self.plan.kernel.params):
            self.parameter(k, p)
        self.block(self.phase.body)
        self.emit("ret void")
        head = (
            f"define void @{name}(ptr %params, ptr %buffers, ptr %sizes, i64 %first, i64 %beyond) nounwind {{"
        )
        lines = "\n".join(self.lines)
        return "".join([f"{line}\n" for line in self.orders.values()]) + bounded(f"{head}\n{lines}\n}}\n")

    def accesses(self) -> int:
        """How many loads and stores the phase has."""
        return len(self.loads) + sum(isinstance(s, Store) for s in walk(self.phase.body))

    def vectors(self) -> int:
        """How many loops by lanes the kernel has."""
        return sum(isinstance(s, For) and s.how.kind == "lanes" for s in walk(self.plan.kernel.body))

    def parameter(self, k: int, p: Expr) -> None:
        """Read a parameter from its slot of 8 bytes."""
        word = "i8" if p.type is T.boolean else SCALAR[p.type]
        name = f"%p{k}"
        self.enter(f"{name}.at = getelementptr i64, ptr %params, i64 {k}")
        if p.type is T.boolean:
            self.enter(f"{name}.x = load i8, ptr {name}.at, align 8\n{name} = icmp ne i8 {name}.x, 0")
        else:
            self.enter(f"{name} = load {word}, ptr {name}.at, align 8")
        self.names[p] = name
        self.places[p] = 0

    # ---- statements ----

    def block(self, block: Block) -> None:
        """Write the statements of a block, in the scope around."""
        if self.lanes:
            self.find_groups(block)
            self.find_lookups(block)
            if all(isinstance(s, Let | Store) for s in block):
                # Most positions are added up as addresses, and what is on the way of bits that are moved is not wanted:
                # what is left of them is computed where it is used.
                block = tuple([s for s in block if not (isinstance(s, Let) and self.idle(s.value))])
        for s in block:
            self.statement(s)

    def idle(self, node: Expr) -> bool:
        """Whether a value need not have a name where it is declared."""
        return node in self.passed or self.position(node)

    def position(self, node: Expr) -> bool:
        """Whether a value is a sum of multiples of indices, some of them in lanes."""
        if not self.is_wide(node) or not node.type.is_integer:
            return False
        found = self.in_lanes(node)
        return all(n is self.lane_index or not self.is_wide(n) for n, _ in found.terms)

    def statement(self, s: Statement) -> None:
        """Write one statement."""
        match s:
            case Let(value):
                self.value(value)
            case Repeat(value, body):
                if value not in self.names:
                    for a in self.operands(value):
                        self.value(a)
                    self.iterate(value, body)
            case Once():
                self.keep(s)
            case Store():
                self.store(s)
                self.forget_buffer(s.buffer)
            case Alloc(_, body):
                self.block(body)
            case For():
                self.loop(s)
            case While():
                self.as_long(s)
            case If(picks=picks):
                if picks:
                    self.decide(s)
                else:
                    self.either(s)
            case _:
                raise self.refuse("nothing can run such a statement", type(s).__name__.lower())

    # ---- loops ----

    def loop(self, s: For) -> None:
        """Write a loop."""
        if self.is_wide(s.lo) or self.is_wide(s.hi):
            raise self.refuse("its bounds differ from lane to lane", f"for {s.index.attr}", "hoist them")
        outer = self.facts
        lo, hi = outer(s.lo), outer(s.hi)
        known = dict(outer.known)
        known[s.index] = Facts(lo.lo, max(lo.lo, hi.hi - 1))
        first, beyond = self.value(s.lo), self.value(s.hi)
        # The bounds are read at entry: what they read is old by the second iteration.
        self.forget_reads(s.body)
        if s is self.phase.band:
            first, beyond = self.clipped(s.index.type, first, beyond)
        self.facts = FactsOf(known)
        self.proofs.enter(s, outer)
        with self.keeping(s.body):
            if s.how.kind == "lanes" and s.how.count > 1:
                self.by_lanes(s, first, beyond)
            else:
                self.in_order(s, first, beyond)
        self.proofs.leave(s)
        self.facts = outer
        self.forget_reads(s.body)

    def clipped(self, type_: T.Type, first: str, beyond: str) -> tuple[str, str]:
        """The bounds of the loop that is handed out, restricted to a band."""
        word, narrow = SCALAR[type_], type_.bits < 64
        low, high = "%first", "%beyond"
        if narrow:
            low, high = (self.let(f"trunc i64 {n} to {word}") for n in (low, high))
        kind = "s" if type_.kind == "signed" else "u"
        return (
            self.let(f"call {word} @llvm.{kind}max.{word}({word} {first}, {word} {low})"),
            self.let(f"call {word} @llvm.{kind}min.{word}({word} {beyond}, {word} {high})"),
        )

    def in_order(self, s: For, first: str, beyond: str) -> None:
        """One iteration after the other; as far as accesses are inside without asking in each."""
        accesses = self.unproved(s)
        if not accesses:
            self.turns(s, first, beyond, some=self.surely_runs(s))
            return
        until = self.prefix(s, accesses, first, beyond)
        with self.granted(accesses):
            self.turns(s, first, until, some=False)
        self.forget_reads(s.body)
        self.turns(s, until, beyond, some=False)

    def turns(self, s: For, first: str, beyond: str, *, some: bool) -> None:
        """Iterations tested at the end; `some` if there surely is one."""
        word = SCALAR[s.index.type]
        less = "slt" if s.index.type.kind == "signed" else "ult"
        body, latch, after = self.new_label(), self.new_label(), self.new_label()
        if not some:
            self.branch(self.let(f"icmp {less} {word} {first}, {beyond}"), body, after)
        else:
            self.jump(body)
        before = self.label
        self.open(body)
        name = self.let(f"phi {word} [ {first}, %{before} ], [ %{latch}.i, %{latch} ]")
        mark = self.mark()
        self.define(s.index, name)
        outer, self.inner = self.inner, s.index.free
        self.block(s.body)
        self.inner = outer
        self.leave(mark)
        self.jump(latch)
        self.open(latch)
        self.emit(f"%{latch}.i = add {word} {name}, 1")
        self.branch(self.let(f"icmp {less} {word} %{latch}.i, {beyond}"), body, after)
        self.open(after)

    def as_long(self, s: While) -> None:
        """Turns as long as a condition holds, which is asked before each; now and then Python is asked, too."""
        if self.lanes:
            raise self.refuse("turns that lanes would make each for itself", "while", "run the loop in order")
        self.forget_reads(s.body)
        with self.keeping(s.body):
            head, body, latch, ask, leave, after = (self.new_label() for _ in range(6))
            before = self.label
            self.jump(head)
            self.open(head)
            turn = self.let(f"phi i64 [ 0, %{before} ], [ %{latch}.i, %{latch} ], [ %{latch}.i, %{ask} ]")
            mark = self.mark()
            self.branch(self.value(s.condition), body, after)
            self.open(body)
            self.block(s.body)
            self.leave(mark)
            self.jump(latch)
            self.open(latch)
            self.emit(f"%{latch}.i = add i64 {turn}, 1")
            few = self.let(f"and i64 %{latch}.i, {POLL_INTERVAL - 1}")
            self.branch(self.let(f"icmp eq i64 {few}, 0"), ask, head)
            self.open(ask)
            stop = self.let(f"call i32 {self.question()}() cold")
            self.branch(self.let(f"icmp eq i32 {stop}, 0"), head, leave)
            self.open(leave)
            self.emit("ret void")
            self.open(after)
        self.forget_reads(s.body)

    def question(self) -> str:
        """The function that is asked whether to go on; its address comes after those of buffers."""
        at = f"%ask.at = getelementptr ptr, ptr %buffers, i64 {len(self.plan.buffers)}"
        return self.once("%ask", at, "%ask = load ptr, ptr %ask.at, align 8")

    def surely_runs(self, s: For) -> bool:
        """Whether the bounds make the loop run at least once."""
        return s is not self.phase.band and self.facts(s.lo).hi < self.facts(s.hi).lo

    def by_lanes(self, s: For, first: str, beyond: str) -> None:
        """Blocks of n iterations side by side."""
        if self.lanes:
            raise self.refuse("a loop by lanes inside of another", f"for {s.index.attr}", "run it in order")
        if any(isinstance(x, Alloc) for x in walk(s.body)):
            raise self.refuse(
                "scratch memory inside of a loop by lanes", f"for {s.index.attr}", "run it in order"
            )
        n, type_ = s.how.count, s.index.type
        word = SCALAR[type_]
        kind = "s" if type_.kind == "signed" else "u"
        start, body, latch, after = (self.new_label() for _ in range(4))
        if self.surely_runs(s):
            self.jump(start)
        else:
            self.branch(self.let(f"icmp {kind}lt {word} {first}, {beyond}"), start, after)
        self.open(start)
        self.loop_line = len(self.lines)
        self.lanes, self.varying, self.lane_index = n, s.index.free, s.index
        iota = sequence(type_, list(range(n)))
        count = s.hi.attr - s.lo.attr if s.lo.op == s.hi.op == "const" and s.lo.attr < s.hi.attr else None
        if count is not None and count < n:
            beyond, count = self.hidden(word, beyond), None
        overlap = not (self.stale and _reads_own_output(s.body))
        last, offsets, lane_count = self.blocks(s, first, beyond, count, iota, overlap=overlap)
        self.keep_constants(s.body)
        self.jump(body)
        before = self.label
        self.open(body)
        i = self.let(f"phi {word} [ {first}, %{before} ], [ %{latch}.i, %{latch} ]")
        base = i
        if last is not None and overlap:
            base = self.let(f"call {word} @llvm.{kind}min.{word}({word} {i}, {word} {last})")
        if not overlap and (count is None or count % n):
            offsets, lane_count = self.rest(type_, i, beyond, iota)
        self.lane_base, self.lane_count = base, lane_count
        self.lane_wide = (
            base
            if type_.bits == 64
            else self.let(f"{'sext' if kind == 's' else 'zext'} {word} {base} to i64")
        )
        mark = self.mark()
        self.lane_line, self.lane_offsets = len(self.lines) - 1, offsets
        self.storing = stored_buffers(s.body)
        self.block(s.body)
        self.storing = set()
        self.leave(mark)
        self.forget(s.index)
        self.jump(latch)
        self.open(latch)
        self.emit(f"%{latch}.i = add {word} {i}, {n}")
        # Counting to the start of the last block, and not to the end, cannot overflow.
        self.branch(self.let(f"icmp eq {word} {i}, %{start}.last"), after, body)
        self.open(after)
        self.lanes, self.varying, self.lane_index, self.live = 0, 0, None, None
        self.lane_base = self.lane_wide = self.lane_count = ""
        self.wides.clear()
        self.parked.clear()

    def keep_constants(self, body: Block) -> None:
        """Keep the floats of a short body in registers; those of a long one are read where they are used."""
        found: set[Expr] = set()
        seen: set[Expr] = set()
        stack = [s.value for s in walk(body) if isinstance(s, Store)]
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            if node.op == "const" and node.type.is_float:
                found.add(node)
                if len(found) > MOST_KEPT:
                    return
            elif node.op != "load":
                stack += node.args
        for node in sorted(found, key=lambda n: n.id):
            self.wides[node] = self.spread_here(node.type, literal(node))

    def blocks(
        self, s: For, first: str, beyond: str, count: int | None, iota: str, *, overlap: bool
    ) -> tuple[str | None, str, str]:
        """Before the loop: where the last block starts at most, the offsets of the lanes, and how many count.

        Sets `live` to the lanes that count where those are not all.
        """
        n, type_ = s.how.count, s.index.type
        word, vector = SCALAR[type_], typed(type_, n)
        start = self.label
        last: str | None = None
        if count is not None:
            lo = s.lo.attr
            self.emit(f"%{start}.last = add {word} 0, {lo + (count - 1) // n * n}")
            if not overlap or count % n == 0:
                return None, iota, str(n)
            return str(lo + count - n), iota, str(n)
        self.emit(
            f"%{start}.span = sub {word} {beyond}, {first}\n"
            f"%{start}.back = sub {word} %{start}.span, 1\n"
            f"%{start}.rest = urem {word} %{start}.back, {n}\n"
            f"%{start}.full = sub {word} %{start}.back, %{start}.rest\n"
            f"%{start}.last = add {word} {first}, %{start}.full"
        )
        if not overlap:
            return None, iota, str(n)
        many = self.let(f"icmp uge {word} %{start}.span, {n}")
        late = self.let(f"sub {word} {beyond}, {n}")
        last = self.let(f"select i1 {many}, {word} {late}, {word} {first}")
        spans, backs = (self.spread_here(type_, f"%{start}.{k}") for k in ("span", "back"))
        self.live = self.let(f"icmp ult {vector} {iota}, {spans}")
        offsets = self.let(f"call {vector} @llvm.umin.v{n}{word}({vector} {iota}, {vector} {backs})")
        few = self.let(f"select i1 {many}, {word} {n}, {word} %{start}.span")
        return last, offsets, few if type_.bits == 64 else self.let(f"zext {word} {few} to i64")

    def hidden(self, word: str, number: str) -> str:
        """A constant that LLVM does not see through.

        LLVM 22 turns a store of truncated lanes under a constant mask of one lane into a store of untruncated width.
        """
        slot = self.fresh()
        self.enter(f"{slot} = alloca {word}, align 8\nstore {word} {number}, ptr {slot}, align 8")
        return self.let(f"load {word}, ptr {slot}, align 8")

    def rest(self, type_: T.Type, i: str, beyond: str, iota: str) -> tuple[str, str]:
        """Inside a loop whose blocks do not overlap: the offsets of the lanes and how many count; sets `live`."""
        n = self.lanes
        word, vector = SCALAR[type_], typed(type_, n)
        left = self.let(f"sub {word} {beyond}, {i}")
        spans = self.spread_here(type_, left)
        backs = self.spread_here(type_, self.let(f"sub {word} {left}, 1"))
        self.live = self.let(f"icmp ult {vector} {iota}, {spans}")
        offsets = self.let(f"call {vector} @llvm.umin.v{n}{word}({vector} {iota}, {vector} {backs})")
        few = self.let(f"call {word} @llvm.umin.{word}({word} {left}, {word} {n})")
        return offsets, few if type_.bits == 64 else self.let(f"zext {word} {few} to i64")

    # ---- branches ----

    def decide(self, s: If) -> None:
        """Choices on one condition, each side computed only if some lane wants it."""
        condition = self.value(s.condition)
        if not self.is_wide(s.condition):
            self.decide_once(s, condition)
            return
        n = self.lanes
        outer = self.care
        then = self.side(s.then, [p.args[1] for p in s.picks], self.both(outer, condition))
        unwanted = self.both(outer, self.opposite(condition))
        orelse = self.side(s.orelse, [p.args[2] for p in s.picks], unwanted)
        for p, a, b in zip(s.picks, then, orelse, strict=True):
            word = typed(p.type, n)
            self.define(p, self.let(f"select <{n} x i1> {condition}, {word} {a}, {word} {b}"))

    def side(self, block: Block, nodes: Sequence[Expr], wanted: str) -> list[str]:
        """One side of a choice for the lanes that want it, skipped if none does; zeros then stand for its values."""
        outer, before, at = self.care, self.label, len(self.lines)
        go, after = self.new_label(), self.new_label()
        self.branch(self.any_lane(wanted), go, after)
        self.open(go)
        begin, mark = len(self.lines), self.mark()
        self.care = wanted
        self.block(block)
        found = [self.wide_value(p) for p in nodes]
        self.leave(mark)
        self.care = outer
        if len(self.lines) == begin:
            # Nothing was left to compute: no branch.
            del self.lines[at:]
            self.label = before
            return found
        end = self.label
        self.jump(after)
        self.open(after)
        return [
            self.let(f"phi {typed(p.type, self.lanes)} [ {name}, %{end} ], [ {ZERO}, %{before} ]")
            for p, name in zip(nodes, found, strict=True)
        ]

    def decide_once(self, s: If, condition: str) -> None:
        """Choices on a condition that is the same in all lanes."""
        before, at = self.label, len(self.lines)
        then, orelse, after = (self.new_label() for _ in range(3))
        self.branch(condition, then, orelse)
        ends: list[str] = []
        values: list[list[str]] = []
        lines = 0
        for label, block, k in ((then, s.then, 1), (orelse, s.orelse, 2)):
            self.open(label)
            begin, mark = len(self.lines), self.mark()
            self.block(block)
            values.append([self.like(p, p.args[k]) for p in s.picks])
            self.leave(mark)
            lines += len(self.lines) - begin
            ends.append(self.label)
            self.jump(after)
        if lines == 0:
            del self.lines[at:]
            self.label = before
            for p, a, b in zip(s.picks, *values, strict=True):
                word = self.type(p)
                self.define(p, self.let(f"select i1 {condition}, {word} {a}, {word} {b}"))
            return
        self.open(after)
        names = [
            self.let(f"phi {self.type(p)} [ {a}, %{ends[0]} ], [ {b}, %{ends[1]} ]")
            for p, a, b in zip(s.picks, *values, strict=True)
        ]
        for p, name in zip(s.picks, names, strict=True):
            self.define(p, name)

    def like(self, pick: Expr, arm: Expr) -> str:
        """An arm of a choice, in lanes if the choice is."""
        return self.wide_value(arm) if self.is_wide(pick) else self.value(arm)

    def either(self, s: If) -> None:
        """White's own if: the stores of one side, or in lanes those of both, each for its lanes."""
        condition = self.value(s.condition)
        outer = self.care
        sides = [(s.then, condition), (s.orelse, condition)]
        for k, (block, _) in enumerate(sides):
            if not block:
                continue
            test: str
            if self.is_wide(s.condition):
                self.care = self.both(outer, condition if k == 0 else self.opposite(condition))
                test = self.any_lane(self.care)
            else:
                test = condition if k == 0 else self.let(f"xor i1 {condition}, true")
            go, after = self.new_label(), self.new_label()
            self.branch(test, go, after)
            self.open(go)
            mark = self.mark()
            self.block(block)
            self.leave(mark)
            self.jump(after)
            self.open(after)
            self.care = outer


def _reads_own_output(body: Block) -> bool:
    written = {s.buffer for s in walk(body) if isinstance(s, Store)}
    return any(n.op == "load" and n.attr in written for n in E.topological(all_roots(body)))
