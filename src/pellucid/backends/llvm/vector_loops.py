"""Loops by lanes, as LLVM text: blocks of n iterations side by side.

Under `statements`. A loop whose length is no multiple of the lanes lets its last block overlap the one before, so that
there is no second loop for the rest. Every lane's index is always within the loop's bounds.
"""

from __future__ import annotations

from ...base.errors import BackendError
from ...ir import expr as E
from ...ir import types as T
from ...ir.expr import Expr
from ...ir.nest import Alloc, Block, For, Store, all_roots, walk
from ..jit.spelling import SCALAR, sequence, typed
from ..obligations import stored_buffers
from .iterations import Write
from .values import Reads, Values

MAX_CONSTANTS = 8
"""Maximum constants that a vector loop keeps in registers."""


class VectorLoops:
    """Writes loops by lanes."""

    def __init__(self, values: Values, reads: Reads, write: Write) -> None:
        self.out, self.scope, self.values = values.out, values.scope, values
        self.reads, self._write = reads, write

    def write(self, s: For, first: str, end: str, *, runs: bool) -> None:
        """Write a loop; `runs` if it surely has an iteration."""
        out, scope = self.out, self.scope
        place = f"for {s.index.attr}"
        if scope.lanes:
            raise BackendError("a loop by lanes inside of another", place=place, fix="run it in order")
        if any(isinstance(x, Alloc) for x in walk(s.body)):
            raise BackendError("scratch memory inside of a loop by lanes", place=place, fix="run it in order")
        word = SCALAR[s.index.type]
        kind = "s" if s.index.type.kind == "signed" else "u"
        start, body, latch, after = (out.new_label() for _ in range(4))
        if runs:
            out.jump(start)
        else:
            out.branch(out.let(f"icmp {kind}lt {word} {first}, {end}"), start, after)
        out.start_block(start)
        vector = {"lanes": s.how.count, "varying": s.index.free, "index": s.index, "whole": None}
        with scope.within(entry=len(out.lines), **vector):
            self._blocks(s, first, end, (body, latch, after))
        out.start_block(after)
        scope.forget_lanes()

    def _blocks(self, s: For, first: str, end: str, labels: tuple[str, str, str]) -> None:
        """The loop over blocks, in a context that has its lanes."""
        out, scope, n, type_ = self.out, self.scope, s.how.count, s.index.type
        word, start = SCALAR[type_], out.label
        kind = "s" if type_.kind == "signed" else "u"
        body, latch, after = labels
        iota = sequence(type_, list(range(n)))
        count = s.hi.attr - s.lo.attr if s.lo.op == s.hi.op == "const" and s.lo.attr < s.hi.attr else None
        if count is not None and count < n:
            end, count = self._hidden(word, end), None
        if count is not None and count % n == 0:
            scope.refine(whole=range(s.lo.attr, s.hi.attr))
        overlap = not (self.reads.stale and _reads_own_output(s.body))
        last, offsets, active = self._prepared(s, first, end, count, iota, overlap=overlap)
        self._keep_constants(s.body)
        out.jump(body)
        before = out.label
        out.start_block(body)
        once = count == n
        i = first if once else out.let(f"phi {word} [ {first}, %{before} ], [ %{latch}.i, %{latch} ]")
        base = i
        if last is not None and overlap:
            base = out.let(f"call {word} @llvm.{kind}min.{word}({word} {i}, {word} {last})")
        if not overlap and (count is None or count % n):
            offsets, active = self._rest(type_, i, end, iota)
        extend = "sext" if kind == "s" else "zext"
        wide = base if type_.bits == 64 else out.let(f"{extend} {word} {base} to i64")
        mark = scope.mark()
        scope.refine(
            base=base,
            wide_base=wide,
            offsets=offsets,
            count=active,
            line=len(out.lines) - 1,
            stored=frozenset(stored_buffers(s.body)),
        )
        self._write(s.body)
        scope.leave(mark)
        scope.forget(s.index)
        if once:
            out.jump(after)
            return
        out.jump(latch)
        out.start_block(latch)
        out.emit(f"%{latch}.i = add {word} {i}, {n}")
        # Counting to the start of the last block, and not to the end, cannot overflow.
        out.branch(out.let(f"icmp eq {word} {i}, %{start}.last"), after, body)

    def index(self, index: Expr) -> None:
        """Name the index in all lanes, where the loop begins: most accesses only need that of lane 0."""
        loop = self.scope.loop
        spread, text = self.scope.spread(index.type, loop.base)
        name = self.out.fresh()
        text += f"\n{name} = add {typed(index.type, loop.lanes)} {spread}, {loop.offsets}"
        self.out.append(loop.line, text)
        self.scope.define_outside(index, name, loop.line)

    def shift(self, node: Expr) -> Expr | None:
        """What is added to the index, if a node is a sum of the index and of a value that all lanes have in common.

        None where one addition makes it of what is in lanes anyway: of the index if it has a name, and of constants.
        """
        index = self.scope.loop.index
        if node.op != "add" or index is None or index in self.scope.names:
            return None
        first, second = node.args
        other = second if first is index else first if second is index else None
        return None if other is None or other.op == "const" or self.scope.is_wide(other) else other

    def shifted(self, node: Expr, other: Expr) -> None:
        """Name the sum of the index and of a scalar: the sum of lane 0 is spread, instead of both."""
        let, loop = self.out.let, self.scope.loop
        scalar = let(f"add {SCALAR[node.type]} {loop.base}, {self.scope.names[other]}")
        spread = self.scope.spread_here(node.type, scalar)
        self.scope.define(node, let(f"add {typed(node.type, loop.lanes)} {spread}, {loop.offsets}"))

    def _keep_constants(self, body: Block) -> None:
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
                if len(found) > MAX_CONSTANTS:
                    return
            elif node.op != "load":
                stack += node.args
        for node in sorted(found, key=lambda n: n.id):
            self.scope.keep_wide(node)

    def _prepared(
        self, s: For, first: str, end: str, count: int | None, iota: str, *, overlap: bool
    ) -> tuple[str | None, str, str]:
        """Before the loop: the latest start of the last block, the offsets of the lanes, and how many are active.

        Sets the mask of active lanes where those are not all.
        """
        let, scope, n, type_ = self.out.let, self.scope, s.how.count, s.index.type
        word, vector = SCALAR[type_], typed(type_, n)
        start = self.out.label
        if count is not None:
            lo = s.lo.attr
            self.out.emit(f"%{start}.last = add {word} 0, {lo + (count - 1) // n * n}")
            if not overlap or count % n == 0:
                return None, iota, str(n)
            return str(lo + count - n), iota, str(n)
        self.out.emit(
            f"%{start}.span = sub {word} {end}, {first}\n"
            f"%{start}.back = sub {word} %{start}.span, 1\n"
            f"%{start}.rest = urem {word} %{start}.back, {n}\n"
            f"%{start}.full = sub {word} %{start}.back, %{start}.rest\n"
            f"%{start}.last = add {word} {first}, %{start}.full"
        )
        if not overlap:
            return None, iota, str(n)
        many = let(f"icmp uge {word} %{start}.span, {n}")
        late = let(f"sub {word} {end}, {n}")
        last = let(f"select i1 {many}, {word} {late}, {word} {first}")
        spans, backs = (scope.spread_here(type_, f"%{start}.{k}") for k in ("span", "back"))
        scope.refine(active=let(f"icmp ult {vector} {iota}, {spans}"))
        offsets = let(f"call {vector} @llvm.umin.v{n}{word}({vector} {iota}, {vector} {backs})")
        few = let(f"select i1 {many}, {word} {n}, {word} %{start}.span")
        return last, offsets, few if type_.bits == 64 else let(f"zext {word} {few} to i64")

    def _rest(self, type_: T.Type, i: str, end: str, iota: str) -> tuple[str, str]:
        """Inside a loop whose blocks do not overlap: the offsets of the lanes and how many are active.

        Sets the mask of active lanes.
        """
        let, scope, n = self.out.let, self.scope, self.scope.lanes
        word, vector = SCALAR[type_], typed(type_, n)
        left = let(f"sub {word} {end}, {i}")
        spans = scope.spread_here(type_, left)
        backs = scope.spread_here(type_, let(f"sub {word} {left}, 1"))
        scope.refine(active=let(f"icmp ult {vector} {iota}, {spans}"))
        offsets = let(f"call {vector} @llvm.umin.v{n}{word}({vector} {iota}, {vector} {backs})")
        few = let(f"call {word} @llvm.umin.{word}({word} {left}, {word} {n})")
        return offsets, few if type_.bits == 64 else let(f"zext {word} {few} to i64")

    def _hidden(self, word: str, number: str) -> str:
        """A constant that LLVM does not see through.

        LLVM 22 turns a store of truncated lanes under a constant mask of one lane into a store of untruncated width.
        """
        slot = self.out.fresh()
        self.out.enter(f"{slot} = alloca {word}, align 8\nstore {word} {number}, ptr {slot}, align 8")
        return self.out.let(f"load {word}, ptr {slot}, align 8")


def _reads_own_output(body: Block) -> bool:
    written = {s.buffer for s in walk(body) if isinstance(s, Store)}
    return any(n.op == "load" and n.attr in written for n in E.topological(all_roots(body)))
