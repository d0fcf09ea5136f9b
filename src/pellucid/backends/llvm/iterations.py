"""Iterations as LLVM text: loops over the components of a state, on scalars, or in lanes that stop one by one.

Under `statements`. `Memo` holds what loops keep from one iteration to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from ...ir import expr as E
from ...ir import types as T
from ...ir.bits import state_bits
from ...ir.expr import Expr, parts
from ...ir.nest import Block, Once
from ...reasoning.kept import kept_by, remembered
from ..jit.spelling import literal, typed
from ..obligations import clashing
from .values import Values

Write = Callable[[Block], None]
"""Writes the statements of a block, in the scope around."""


class Kept(NamedTuple):
    """The memory in which a loop keeps some values (see `Once`): a flag that they are known, their slots, and lanes.

    The types of the slots are those of the values where they are first wanted.
    """

    flag: str
    slots: list[str]
    branch: str | None
    types: list[str]


class Memo:
    """The values that the loops around keep."""

    def __init__(self, values: Values, write: Write) -> None:
        self.out, self.scope, self.values, self._write = values.out, values.scope, values, write
        self._kept: dict[tuple[Expr, ...], Kept] = {}

    @contextmanager
    def around(self, body: Block) -> Generator[None]:
        """While a loop is written: where it begins, nothing is known of what its body keeps.

        Every loop has memory of its own for it: another one that keeps the same values may be by other lanes. The
        values are for the lanes of the branches around the loop, not for those that first want them.
        """
        outer = self._kept
        self._kept = dict(outer)
        for values in dict.fromkeys(s.values for s in kept_by(body)):
            name = self.out.fresh()
            flag, slots = f"{name}.known", [f"{name}.kept{k}" for k, _ in enumerate(remembered(values))]
            self.out.enter(f"{flag} = alloca i1")
            self.out.emit(f"store i1 false, ptr {flag}")
            self._kept[values] = Kept(flag, slots, self.scope.loop.branch, [])
        yield
        self._kept = outer

    def once(self, s: Once) -> None:
        """Write places that are computed the first time, and the values that they keep."""
        out, scope = self.out, self.scope
        values = remembered(s.values)
        # A component of an iterate may have a name here already; where the values are wanted next it may have none.
        unnamed = [v not in scope.names for v in values]
        if not any(unnamed):
            return
        kept = self._kept[s.values]
        if not kept.types:
            kept.types.extend([scope.type(v) for v in values])
            for slot, word in zip(kept.slots, kept.types, strict=True):
                out.enter(f"{slot} = alloca {word}")
        go, after = out.new_label(), out.new_label()
        out.branch(out.let(f"load i1, ptr {kept.flag}"), after, go)
        out.start_block(go)
        mark = scope.mark()
        with scope.within(branch=kept.branch):
            self._write(s.body)
            for v, slot, word in zip(values, kept.slots, kept.types, strict=True):
                out.emit(f"store {word} {self.values.value(v)}, ptr {slot}")
            out.emit(f"store i1 true, ptr {kept.flag}")
            scope.leave(mark)
        out.jump(after)
        out.start_block(after)
        for v, slot, word, new in zip(values, kept.slots, kept.types, unnamed, strict=True):
            if new:
                scope.define(v, out.let(f"load {word}, ptr {slot}"))
        for v in s.values:
            if v.op == "iterate":
                scope.define(v, literal(E.FALSE))


class Iterations:
    """Writes iterates."""

    def __init__(self, values: Values, memo: Memo, write: Write) -> None:
        self.out, self.scope, self.values = values.out, values.scope, values
        self.memo, self._write = memo, write

    def iterate(self, node: Expr, body: Block) -> None:
        """Write an iteration: together where all lanes make as many steps, else until every lane has stopped.

        The lanes are those on this side of the branches.
        """
        for inner in clashing(node):
            self.values.value(inner)
        with self.memo.around(body):
            apart = self._varying(node)
            _, _, stop, limit = parts(node)
            if (stop.free | limit.free) & apart:
                self._in_lanes(node, body)
            else:
                self._together(node, body, apart)

    def _varying(self, node: Expr) -> int:
        """The bits of what differs from lane to lane in an iteration, of whose state these are only some components."""
        init, step, _, _ = parts(node)
        states = self._states(node)
        found = self.scope.loop.varying
        for s, a in zip(states, init, strict=True):
            if self.scope.is_wide(a):
                found |= s.free
        while True:
            more = found
            for s, a in zip(states, step, strict=True):
                if a.free & more:
                    more |= s.free
            if more == found:
                return found
            found = more

    def _together(self, node: Expr, body: Block, varying: int) -> None:
        """An iteration that ends for all lanes at once: components that no lane differs in are scalars."""
        out, scope, value = self.out, self.scope, self.values.value
        init, step, stop, limit = parts(node)
        states = self._states(node)

        def component(s: Expr, a: Expr) -> str:
            return self.values.wide(a) if s.free & varying else value(a)

        before, head, test, go, after = (out.label, *(out.new_label() for _ in range(4)))
        start = [component(s, a) for s, a in zip(states, init, strict=True)]
        most = value(limit)
        out.jump(head)
        out.start_block(head)
        names, phis = self._phis(states)
        k = out.let(f"phi i32 [ 0, %{before} ], [ %{go}.k, %{go} ]")
        more = out.let(f"icmp slt i32 {k}, {most}")
        out.branch(more, test, after)
        out.start_block(test)
        with scope.within(varying=varying):
            mark = scope.mark()
            for s, name in zip(states, names, strict=True):
                scope.define(s, name)
            self._write(body)
            done = value(stop)
            advance = out.new_label()
            out.branch(done, after, advance)
            out.start_block(advance)
            following = [component(s, a) for s, a in zip(states, step, strict=True)]
            out.jump(go)
            out.start_block(go)
            out.emit(f"%{go}.k = add i32 {k}, 1")
            out.jump(head)
            scope.leave(mark)
            kinds = [scope.type(s) for s in states]
        for at, kind, a, b in zip(phis, kinds, start, following, strict=True):
            out.complete(at, f"{kind} [ {a}, %{before} ], [ {b}, %{go} ]")
        out.start_block(after)
        self._finish(
            node, [self._at_end(node, s, name, varying) for s, name in zip(states, names, strict=True)]
        )

    def _at_end(self, node: Expr, state: Expr, name: str, varying: int) -> str:
        """The final value of a component: in all lanes where the iteration's results are, as its `free` tells."""
        if state.free & varying or not self.scope.is_wide(node):
            return name
        return self.scope.spread_here(state.type, name)

    def _in_lanes(self, node: Expr, body: Block) -> None:
        """An iteration in lanes: a lane that has stopped keeps its state."""
        out, scope, wide = self.out, self.scope, self.values.wide
        init, step, stop, limit = parts(node)
        states = self._states(node)
        n, loop = scope.lanes, scope.loop
        mask = f"<{n} x i1>"
        start = [wide(a) for a in init]
        each = scope.is_wide(limit)
        most = self.values.value(limit)
        head, go, after = out.new_label(), out.new_label(), out.new_label()
        alive = loop.branch or "splat (i1 true)"
        before = out.label
        out.jump(head)
        out.start_block(head)
        names, phis = self._phis(states)
        running = out.let(f"phi {mask} [ {alive}, %{before} ], [ %{go}.on, %{go} ]")
        k = out.let(f"phi i32 [ 0, %{before} ], [ %{go}.k, %{go} ]")
        following: list[str] = []
        with scope.within(varying=loop.varying | state_bits(node.attr[0])):
            mark = scope.mark()
            if each:
                ks = scope.spread_here(T.i32, k)
                running = out.let(f"and {mask} {running}, {out.let(f'icmp slt <{n} x i32> {ks}, {most}')}")
            else:
                test = out.new_label()
                out.branch(out.let(f"icmp slt i32 {k}, {most}"), test, after)
                out.start_block(test)
            for s, name in zip(states, names, strict=True):
                scope.define(s, name)
            scope.refine(branch=running)
            self._write(body)
            moving = scope.both(running, scope.opposite(wide(stop)))
            advance = out.new_label()
            out.branch(scope.any_lane(moving), advance, after)
            out.start_block(advance)
            scope.refine(branch=moving)
            for s, name, a in zip(states, names, step, strict=True):
                word = typed(s.type, n)
                following.append(out.let(f"select {mask} {moving}, {word} {wide(a)}, {word} {name}"))
            out.jump(go)
            out.start_block(go)
            out.emit(f"%{go}.k = add i32 {k}, 1\n%{go}.on = and {mask} {moving}, splat (i1 true)")
            out.jump(head)
            scope.leave(mark)
        for at, s, a, b in zip(phis, states, start, following, strict=True):
            out.complete(at, f"{typed(s.type, n)} [ {a}, %{before} ], [ {b}, %{go} ]")
        out.start_block(after)
        self._finish(node, names)

    def _states(self, node: Expr) -> list[Expr]:
        """The bound variables of an iterate."""
        depth, count = node.attr
        return [E.state(depth, k, node.args[k].type) for k in range(count)]

    def _phis(self, states: Sequence[Expr]) -> tuple[list[str], list[int]]:
        """Names for the phis of components, and the lines to be completed."""
        names: list[str] = []
        at: list[int] = []
        for _ in states:
            at.append(len(self.out.lines))
            names.append(self.out.let("phi "))
        return names, at

    def _finish(self, node: Expr, names: Sequence[str]) -> None:
        """Name the components of the final state."""
        self.scope.define(node, literal(E.FALSE))
        for k, name in enumerate(names):
            self.scope.define(E.get(node, k), name)
