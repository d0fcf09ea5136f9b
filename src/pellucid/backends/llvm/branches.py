"""Branches as LLVM text: choices of values, and statements under a condition, on scalars and in lanes.

Under `statements`. In lanes, a side is written for the lanes of its mask, and skipped if there is none.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.expr import Expr
from ...ir.nest import Block, If
from ..jit.spelling import typed
from .iterations import Write
from .values import Values

ZERO = "zeroinitializer"


class Branches:
    """Writes ifs."""

    def __init__(self, values: Values, write: Write) -> None:
        self.out, self.scope, self.values, self._write = values.out, values.scope, values, write

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
        """Selects on one condition, each side computed only if some lane wants it."""
        scope, n = self.scope, self.scope.lanes
        outer = scope.loop.branch
        then = self._side(s.then, [p.args[1] for p in s.selects], scope.both(outer, condition))
        unwanted = scope.both(outer, scope.opposite(condition))
        orelse = self._side(s.orelse, [p.args[2] for p in s.selects], unwanted)
        for p, a, b in zip(s.selects, then, orelse, strict=True):
            word = typed(p.type, n)
            scope.define(p, self.out.let(f"select <{n} x i1> {condition}, {word} {a}, {word} {b}"))

    def _side(self, block: Block, nodes: Sequence[Expr], wanted: str) -> list[str]:
        """One side of a choice for the lanes that want it, skipped if none does; zeros then stand for its values."""
        out, scope = self.out, self.scope
        before = out.place()
        go, after = out.new_label(), out.new_label()
        out.branch(scope.any_lane(wanted), go, after)
        out.start_block(go)
        begin, mark = len(out.lines), scope.mark()
        with scope.within(branch=wanted):
            self._write(block)
            found = [self.values.wide(p) for p in nodes]
            scope.leave(mark)
        if len(out.lines) == begin:
            # Nothing was left to compute: no branch.
            out.cut(before)
            return found
        end = out.label
        out.jump(after)
        out.start_block(after)
        return [
            out.let(f"phi {typed(p.type, scope.lanes)} [ {name}, %{end} ], [ {ZERO}, %{before.label} ]")
            for p, name in zip(nodes, found, strict=True)
        ]

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
