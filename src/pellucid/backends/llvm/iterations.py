"""Iterations as LLVM text: loops over the components of a state, on scalars, or in lanes that stop one by one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from ...ir import expr as E
from ...ir import types as T
from ...ir.expr import Expr, parts
from ...ir.nest import Block, Once
from ...reasoning.kept import kept_by, remembered
from ..jit.spelling import SCALAR, literal, typed
from ..obligations import clashing
from .memory import Kept
from .stores import Stores


class Iterations(Stores, ABC):
    """Writes iterates."""

    @abstractmethod
    def block(self, block: Block) -> None:
        """Write the statements of a block, in the scope around."""

    def iterate(self, node: Expr, body: Block) -> None:
        """An iteration: in lanes, until every lane that is cared for has stopped."""
        for inner in clashing(node):
            self.value(inner)
        with self.keeping(body):
            if self.is_wide(node):
                self.iterate_lanes(node, body)
            else:
                self.iterate_once(node, body)

    @contextmanager
    def keeping(self, body: Block) -> Generator[None]:
        """Around a loop: what its body keeps, of which nothing is known where the loop begins.

        Every loop has memory of its own for it: another one that keeps the same values may be by other lanes. The
        values are for the lanes that are cared for here, not for those that first want them.
        """
        outer = self.kept
        self.kept = dict(outer)
        for values in dict.fromkeys(s.values for s in kept_by(body)):
            name = self.fresh()
            flag, slots = f"{name}.known", [f"{name}.kept{k}" for k, _ in enumerate(remembered(values))]
            self.enter(f"{flag} = alloca i1")
            self.emit(f"store i1 false, ptr {flag}")
            self.kept[values] = Kept(flag, slots, self.care, [])
        yield
        self.kept = outer

    def keep(self, s: Once) -> None:
        """Places that are computed the first time, and what they keep."""
        values = remembered(s.values)
        # A component of an iterate may have a name here already; where the values are wanted next it may have none.
        unnamed = [v not in self.names for v in values]
        if not any(unnamed):
            return
        kept = self.kept[s.values]
        if not kept.types:
            kept.types.extend([self.type(v) for v in values])
            for slot, word in zip(kept.slots, kept.types, strict=True):
                self.enter(f"{slot} = alloca {word}")
        go, after = self.new_label(), self.new_label()
        self.branch(self.let(f"load i1, ptr {kept.flag}"), after, go)
        self.open(go)
        mark, outer = self.mark(), self.care
        self.care = kept.care
        self.block(s.body)
        for v, slot, word in zip(values, kept.slots, kept.types, strict=True):
            self.emit(f"store {word} {self.value(v)}, ptr {slot}")
        self.emit(f"store i1 true, ptr {kept.flag}")
        self.leave(mark)
        self.care = outer
        self.jump(after)
        self.open(after)
        for v, slot, word, new in zip(values, kept.slots, kept.types, unnamed, strict=True):
            if new:
                self.define(v, self.let(f"load {word}, ptr {slot}"))
        for v in s.values:
            if v.op == "iterate":
                self.define(v, literal(E.FALSE))

    def iterate_once(self, node: Expr, body: Block) -> None:
        """An iteration on scalars."""
        init, step, stop, limit = parts(node)
        before, head, test, go, after = (self.label, *(self.new_label() for _ in range(4)))
        start = [self.value(a) for a in init]
        most = self.value(limit)
        self.jump(head)
        self.open(head)
        states, names, phis = self.states(node)
        k = self.let(f"phi i32 [ 0, %{before} ], [ %{go}.k, %{go} ]")
        more = self.let(f"icmp slt i32 {k}, {most}")
        self.branch(more, test, after)
        self.open(test)
        mark = self.mark()
        for s, name in zip(states, names, strict=True):
            self.define(s, name)
        self.block(body)
        done = self.value(stop)
        advance = self.new_label()
        self.branch(done, after, advance)
        self.open(advance)
        following = [self.value(a) for a in step]
        self.jump(go)
        self.open(go)
        self.emit(f"%{go}.k = add i32 {k}, 1")
        self.jump(head)
        self.leave(mark)
        for at, s, a, b in zip(phis, states, start, following, strict=True):
            self.lines[at] += f"{SCALAR[s.type]} [ {a}, %{before} ], [ {b}, %{go} ]"
        self.open(after)
        self.finish(node, names)

    def iterate_lanes(self, node: Expr, body: Block) -> None:
        """An iteration in lanes: a lane that has stopped keeps its state."""
        init, step, stop, limit = parts(node)
        n = self.lanes
        mask = f"<{n} x i1>"
        start = [self.wide_value(a) for a in init]
        each = self.is_wide(limit)
        most = self.value(limit)
        head, go, after = self.new_label(), self.new_label(), self.new_label()
        outer, varying = self.care, self.varying
        alive = outer or "splat (i1 true)"
        before = self.label
        self.jump(head)
        self.open(head)
        states, names, phis = self.states(node)
        running = self.let(f"phi {mask} [ {alive}, %{before} ], [ %{go}.on, %{go} ]")
        k = self.let(f"phi i32 [ 0, %{before} ], [ %{go}.k, %{go} ]")
        self.varying |= E.index_bit(f"state {node.attr[0]}")
        mark = self.mark()
        if each:
            ks = self.spread_here(T.i32, k)
            running = self.let(f"and {mask} {running}, {self.let(f'icmp slt <{n} x i32> {ks}, {most}')}")
        else:
            test = self.new_label()
            self.branch(self.let(f"icmp slt i32 {k}, {most}"), test, after)
            self.open(test)
        for s, name in zip(states, names, strict=True):
            self.define(s, name)
        self.care = running
        self.block(body)
        moving = self.both(running, self.opposite(self.wide_value(stop)))
        advance = self.new_label()
        self.branch(self.any_lane(moving), advance, after)
        self.open(advance)
        self.care = moving
        following: list[str] = []
        for s, name, a in zip(states, names, step, strict=True):
            word = typed(s.type, n)
            following.append(self.let(f"select {mask} {moving}, {word} {self.wide_value(a)}, {word} {name}"))
        self.jump(go)
        self.open(go)
        self.emit(f"%{go}.k = add i32 {k}, 1\n%{go}.on = and {mask} {moving}, splat (i1 true)")
        self.jump(head)
        self.leave(mark)
        self.care, self.varying = outer, varying
        for at, s, a, b in zip(phis, states, start, following, strict=True):
            self.lines[at] += f"{typed(s.type, n)} [ {a}, %{before} ], [ {b}, %{go} ]"
        self.open(after)
        self.finish(node, names)

    def states(self, node: Expr) -> tuple[list[Expr], list[str], list[int]]:
        """The bound variables of an iterate, names for their phis, and the lines to be completed."""
        depth, count = node.attr
        found = [E.state(depth, k, node.args[k].type) for k in range(count)]
        names: list[str] = []
        at: list[int] = []
        for _ in found:
            at.append(len(self.lines))
            names.append(self.let("phi "))
        return found, names, at

    def finish(self, node: Expr, names: Sequence[str]) -> None:
        """Name the components of the final state."""
        self.define(node, literal(E.FALSE))
        for k, name in enumerate(names):
            self.define(E.get(node, k), name)
