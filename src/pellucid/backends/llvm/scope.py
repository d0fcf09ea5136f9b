"""Names in scope, and the loop around: which value of which node is where, as a scalar or in all lanes.

Above `emitter`. Names are given in one dictionary with a log, so that leaving a block forgets the names of the block. A
scalar that is needed in all lanes is spread right where it was computed, outside of the loops that use it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import field, replace
from typing import Any

from ...base.record import record
from ...ir import types as T
from ...ir.expr import Buffer, Expr
from ...reasoning.infer import FactsOf
from ..jit.spelling import SCALAR, literal, typed
from .emitter import Emitter

MAX_SPREAD = 16
"""Maximum scalars that are kept spread over lanes throughout a loop. Registers are few: the others wait in memory, from
where an instruction spreads them as it reads them, instead of in whole vectors of their own."""


@record
class LoopContext:
    """The loops and branches around the text that is written: `Scope.within` replaces it for a while.

    Outside of a vector loop, `lanes` is 0. A mask that is None means all lanes.
    """

    facts: FactsOf
    """The facts of values here."""
    inner: int = 0
    """The bit of the innermost loop in order, as in `Expr.free`."""
    lanes: int = 0
    """The width of the vector loop."""
    varying: int = 0
    """The bits of the indices and states that differ from lane to lane."""
    index: Expr | None = None
    """The index of the vector loop."""
    base: str = ""
    """The name of the index of lane 0."""
    wide_base: str = ""
    """The same as i64."""
    offsets: str = ""
    """The distances of the lanes from lane 0."""
    count: str = ""
    """The number of active lanes, as i64."""
    active: str | None = None
    """The active-lane mask: the lanes that are within the bounds of the loop and not done yet."""
    branch: str | None = None
    """The branch mask: the lanes on this side of the branches around."""
    entry: int = 0
    """The line where the preparation of the vector loop begins."""
    line: int = 0
    """The line in the body of the vector loop where its index is known."""
    whole: range | None = None
    """The indices of the vector loop, where they are constants and fill whole blocks."""
    stored: frozenset[Buffer] = field(default_factory=frozenset[Buffer])
    """The buffers that the vector loop stores to."""


class Scope:
    """The names of nodes, and `loop`, the context in which they were given."""

    def __init__(self, out: Emitter, facts: FactsOf) -> None:
        self.out = out
        self.loop = LoopContext(facts)
        self.names: dict[Expr, str] = {}
        self.lines: dict[Expr, int] = {}
        """The line that computes each named node."""
        self._wides: dict[Expr, str] = {}
        self._parked: dict[Expr, str] = {}
        self._log: list[Expr] = []
        self._watchers: list[Callable[[int], None]] = []

    # ---- the loop around ----

    @property
    def lanes(self) -> int:
        """The width of the vector loop around, or 0."""
        return self.loop.lanes

    @property
    def facts(self) -> FactsOf:
        """The facts of values here."""
        return self.loop.facts

    @contextmanager
    def within(self, **changes: Any) -> Generator[LoopContext]:
        """While fields of the context have other values."""
        outer = self.loop
        self.loop = replace(outer, **changes)
        yield outer
        self.loop = outer

    def refine(self, **changes: Any) -> None:
        """Fill in fields of the context until the end of the `within` around: what is known once a loop has begun."""
        self.loop = replace(self.loop, **changes)

    # ---- names ----

    def define(self, node: Expr, name: str) -> None:
        """Give a node the name of a value that the last line computed."""
        self.names[node] = name
        self.lines[node] = len(self.out.lines) - 1
        self._log.append(node)

    def define_outside(self, node: Expr, name: str, line: int) -> None:
        """Give a node a name that `leave` does not forget: of a value that an earlier line computed."""
        self.names[node] = name
        self.lines[node] = line

    def mark(self) -> int:
        """The length of the log, to be given to `leave`."""
        return len(self._log)

    def leave(self, mark: int) -> None:
        """Forget every name given since."""
        for node in self._log[mark:]:
            self.forget(node)
        del self._log[mark:]
        for watcher in self._watchers:
            watcher(mark)

    def watch(self, watcher: Callable[[int], None]) -> None:
        """Call a function with the mark whenever names are forgotten."""
        self._watchers.append(watcher)

    def forget(self, node: Expr) -> None:
        """Forget the name of one node: it will be computed again where it is needed."""
        self.names.pop(node, None)
        self._wides.pop(node, None)
        self._parked.pop(node, None)
        self.lines.pop(node, None)

    def is_wide(self, node: Expr) -> bool:
        """Whether a node has one value per lane."""
        return bool(node.free & self.loop.varying)

    def type(self, node: Expr) -> str:
        """The LLVM type of a node's name."""
        loop = self.loop
        return typed(node.type, loop.lanes if node.free & loop.varying else 0)

    # ---- scalars in all lanes ----

    def wide(self, node: Expr) -> str:
        """The name of a node in all lanes; the node itself has a name already."""
        if node.free & self.loop.varying:
            return self.names[node]
        found = self._wides.get(node)
        if found is None:
            if node.op == "const":
                found = f"splat ({SCALAR[node.type]} {literal(node)})"
            elif (
                len(self._wides) >= MAX_SPREAD
                and self.lines[node] < self.loop.entry
                and node.type is not T.boolean
            ):
                return self._unparked(node)
            else:
                found, text = self.spread(node.type, self.names[node])
                self.out.append(self.lines[node], text)
            self._wides[node] = found
        return found

    def keep_wide(self, node: Expr) -> None:
        """Spread a constant over lanes in the current block, for as long as the vector loop runs."""
        self._wides[node] = self.spread_here(node.type, literal(node))

    def forget_lanes(self) -> None:
        """Forget what was spread over lanes: the vector loop has ended."""
        self._wides.clear()
        self._parked.clear()

    def _unparked(self, node: Expr) -> str:
        """A scalar from before the loop in all lanes, read from its slot on the stack."""
        scalar = SCALAR[node.type]
        slot = self._parked.get(node)
        if slot is None:
            slot = self._parked[node] = f"{self.out.fresh()}.slot"
            self.out.enter(f"{slot} = alloca {scalar}")
            self.out.append(self.lines[node], f"store {scalar} {self.names[node]}, ptr {slot}")
        return self.spread_here(node.type, self.out.let(f"load {scalar}, ptr {slot}"))

    def spread(self, type_: T.Type, name: str) -> tuple[str, str]:
        """The name of a scalar in all lanes, and the lines that make it."""
        new, lanes = self.out.fresh(), self.loop.lanes
        vector, scalar = typed(type_, lanes), SCALAR[type_]
        return new, (
            f"{new}.b = insertelement {vector} poison, {scalar} {name}, i64 0\n"
            f"{new} = shufflevector {vector} {new}.b, {vector} poison, <{lanes} x i32> zeroinitializer"
        )

    def spread_here(self, type_: T.Type, name: str) -> str:
        """A scalar in all lanes, made in the current block."""
        new, text = self.spread(type_, name)
        self.out.emit(text)
        return new

    def once_wide(self, name: str, type_: T.Type) -> str:
        """A scalar of the entry block in all lanes, spread there once."""
        new = f"{name}.x{self.loop.lanes}"
        if self.out.is_new(new):
            spread, text = self.spread(type_, name)
            self.out.enter(text.replace(spread, new))
        return new

    # ---- masks ----

    def any_lane(self, mask: str) -> str:
        """Whether a vector of booleans has a true lane."""
        n = self.loop.lanes
        return self.out.let(f"call i1 @llvm.vector.reduce.or.v{n}i1(<{n} x i1> {mask})")

    def every_lane(self, mask: str) -> str:
        """Whether a vector of booleans is all true."""
        n = self.loop.lanes
        return self.out.let(f"call i1 @llvm.vector.reduce.and.v{n}i1(<{n} x i1> {mask})")

    def both(self, outer: str | None, mask: str) -> str:
        """The conjunction of two masks, of which the first may be None for all lanes."""
        return mask if outer is None else self.out.let(f"and <{self.loop.lanes} x i1> {outer}, {mask}")

    def opposite(self, mask: str) -> str:
        """The lanes that are not in a mask."""
        return self.out.let(f"xor <{self.loop.lanes} x i1> {mask}, splat (i1 true)")
