"""Branches as LLVM text: choices of values, and statements under a condition, on scalars and in lanes.

Under `statements`. In lanes, a side is written for the lanes of its mask, and skipped if there is none; a side that
costs less than a branch is written for all lanes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...ir.expr import Expr
from ...ir.nest import Block, If, Let
from ...reasoning.machine import PROCESSOR
from ...reasoning.work import needed, node_cost
from ..jit.spelling import typed
from .iterations import Write
from .outlining import Outlining

ZERO = "zeroinitializer"
SKIP_THRESHOLD = PROCESSOR.prices["skip"].cost
"""Minimum cost of a side that is skipped where no lane wants it."""


class Branches:
    """Writes ifs."""

    def __init__(self, outlining: Outlining, write: Write) -> None:
        self.outlining, self.values, self._write = outlining, outlining.values, write
        self.out, self.scope = outlining.out, outlining.scope

    def write(self, s: If) -> None:
        """Write an if: it stores, or chooses the values of its selects."""
        if not s.selects:
            self._store(s)
            return
        condition = self.values.value(s.condition)
        if self.scope.is_wide(s.condition):
            self._choose_lanes(s, condition)
        else:
            self._choose(s, condition)

    def _choose_lanes(self, s: If, condition: str) -> None:
        """Selects on one condition, each side that is dear computed only if some lane wants it."""
        scope, wide = self.scope, self.values.wide
        outer = scope.loop.branch
        then, orelse = ([p.args[k] for p in s.selects] for k in (1, 2))
        cheap_then, cheap_else = self._is_cheap(s.then, then), self._is_cheap(s.orelse, orelse)

        def choice(node: Expr, yes: str, no: str) -> str:
            word = typed(node.type, scope.lanes)
            return self.out.let(f"select <{scope.lanes} x i1> {condition}, {word} {yes}, {word} {no}")

        if cheap_then and cheap_else:
            names = [choice(a, wide(a), wide(b)) for a, b in zip(then, orelse, strict=True)]
        elif cheap_else:
            wanted = scope.both(outer, condition)
            names = self._side(s.then, then, wanted, [wide(b) for b in orelse], choice)
        elif cheap_then:
            wanted = scope.both(outer, scope.opposite(condition))
            given = [wide(a) for a in then]
            names = self._side(s.orelse, orelse, wanted, given, lambda node, no, yes: choice(node, yes, no))
        else:
            yes = self._side(s.then, then, scope.both(outer, condition))
            no = self._side(s.orelse, orelse, scope.both(outer, scope.opposite(condition)))
            names = [choice(p, a, b) for p, a, b in zip(s.selects, yes, no, strict=True)]
        for p, name in zip(s.selects, names, strict=True):
            scope.define(p, name)

    def _is_cheap(self, block: Block, nodes: Sequence[Expr]) -> bool:
        """Whether a side may be computed for all lanes, since it reads no memory, and costs less than a branch."""
        if not all(isinstance(s, Let) for s in block):
            return False
        cost = 0.0
        for node in needed(nodes, self.scope.names):
            cost += node_cost(node)
            if node.op in ("load", "iterate") or cost >= SKIP_THRESHOLD:
                return False
        return True

    def _side(
        self,
        block: Block,
        nodes: Sequence[Expr],
        wanted: str,
        others: Sequence[str] = (),
        choice: Callable[[Expr, str, str], str] | None = None,
    ) -> list[str]:
        """One side of a choice for the lanes that want it, skipped if none does.

        Zeros then stand for its values, or those of the other side, if that is known: then both are chosen from here.
        """
        out, scope, n = self.out, self.scope, self.scope.lanes
        before = out.place()
        go, after = out.new_label(), out.new_label()
        out.branch(scope.any_lane(wanted), go, after)
        out.start_block(go)
        begin, mark = len(out.lines), scope.mark()
        with scope.within(branch=wanted):
            found = self.outlining.side(nodes, lambda: self._computed(block, nodes))
            scope.leave(mark)
        idle = len(out.lines) == begin
        if idle:
            # Nothing was left to compute: no branch.
            out.cut(before)
        if choice:
            found = [choice(p, a, b) for p, a, b in zip(nodes, found, others, strict=True)]
        if idle:
            return found
        end = out.label
        out.jump(after)
        out.start_block(after)
        return [
            out.let(f"phi {typed(p.type, n)} [ {name}, %{end} ], [ {other}, %{before.label} ]")
            for p, name, other in zip(nodes, found, others or [ZERO] * len(nodes), strict=True)
        ]

    def _computed(self, block: Block, nodes: Sequence[Expr]) -> list[str]:
        """The names of values in lanes that a block places."""
        self._write(block)
        return [self.values.wide(p) for p in nodes]

    def _choose(self, s: If, condition: str) -> None:
        """Selects on a condition that is the same in all lanes."""
        out, scope = self.out, self.scope
        before = out.place()
        then, orelse, after = (out.new_label() for _ in range(3))
        out.branch(condition, then, orelse)
        ends: list[str] = []
        values: list[list[str]] = []
        lines = 0
        for label, block, k in ((then, s.then, 1), (orelse, s.orelse, 2)):
            out.start_block(label)
            begin, mark = len(out.lines), scope.mark()
            self._write(block)
            values.append([self.values.like(p, p.args[k]) for p in s.selects])
            scope.leave(mark)
            lines += len(out.lines) - begin
            ends.append(out.label)
            out.jump(after)
        if lines == 0:
            out.cut(before)
            for p, a, b in zip(s.selects, *values, strict=True):
                word = scope.type(p)
                scope.define(p, out.let(f"select i1 {condition}, {word} {a}, {word} {b}"))
            return
        out.start_block(after)
        names = [
            out.let(f"phi {scope.type(p)} [ {a}, %{ends[0]} ], [ {b}, %{ends[1]} ]")
            for p, a, b in zip(s.selects, *values, strict=True)
        ]
        for p, name in zip(s.selects, names, strict=True):
            scope.define(p, name)

    def _store(self, s: If) -> None:
        """White's own if: the stores of one side, or in lanes those of both, each for its lanes."""
        out, scope = self.out, self.scope
        condition = self.values.value(s.condition)
        branch = scope.loop.branch
        for k, block in enumerate((s.then, s.orelse)):
            if not block:
                continue
            if scope.is_wide(s.condition):
                inner = scope.both(branch, condition if k == 0 else scope.opposite(condition))
                test = scope.any_lane(inner)
            else:
                inner = branch
                test = condition if k == 0 else out.let(f"xor i1 {condition}, true")
            go, after = out.new_label(), out.new_label()
            out.branch(test, go, after)
            out.start_block(go)
            mark = scope.mark()
            with scope.within(branch=inner):
                self._write(block)
                scope.leave(mark)
            out.jump(after)
            out.start_block(after)
