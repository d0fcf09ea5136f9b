"""Values of a stream that are computed lane by lane, as LLVM text: large tables, carried states, and their dependents.

Above `register_tables`. Those values are scalars, one for each lane. The lanes of a value that depends on the position
alone differ from the first by a constant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ...ir import prim as table_of_rows
from ...ir.expr import Expr
from ...ir.stream import position
from ...rewriting.lane_types import Plan
from ..jit.spelling import form, literal
from .register_tables import RegisterTables
from .values import Values


class SingleLanes:
    """Computes nodes lane by lane; `leaves` are those of the states of the plan."""

    def __init__(self, values: Values, tables: RegisterTables, plan: Plan, leaves: Sequence[Expr]) -> None:
        self.out, self.scope, self.values, self.tables = values.out, values.scope, values, tables
        self.plan, self.leaves = plan, leaves
        self.constants, self._width = tables.constants, tables.fields.width
        self.by_leaf = {k.leaf: k for k in plan.lookups}
        """The reads of tables, by the leaves that stand for them."""
        self.single: set[Expr] = set()
        """The nodes that are computed lane by lane."""
        self.after: list[str] = []
        """The states after the block."""
        self._scalars: dict[Expr, list[str]] = {}
        """By node, its value in each lane."""
        self._linear: dict[Expr, tuple[int, str] | None] = {}
        self._at = ""
        """The position of the first lane."""
        self._states: Sequence[str] = ()
        """The states before the block."""
        self._find((*plan.values, *plan.sums, *plan.states))

    def begin(self, at: str, states: Sequence[str]) -> None:
        """Begin a block at a position, with some states."""
        self._at, self._states = at, states
        self._scalars, self._linear, self.after = {}, {}, []

    def _find(self, roots: Iterable[Expr]) -> None:
        """Find the nodes that are computed lane by lane: reads of large tables, states, and their dependents."""
        states = 0
        for leaf in self.leaves:
            states |= leaf.free
        done: set[Expr] = set()

        def visit(n: Expr) -> None:
            if n in done:
                return
            done.add(n)
            lookup = self.by_leaf.get(n)
            before = self._before(n)
            for a in before:
                visit(a)
            large = lookup is not None and not self.tables.in_registers(lookup)
            if large or n.free & states or any(a in self.single for a in before):
                self.single.add(n)

        for r in roots:
            visit(r)

    def compute(self, roots: Sequence[Expr], after_lane: Callable[[int], None]) -> None:
        """Compute all single nodes that the roots and the states need, and call `after_lane` after each lane."""
        order = self._ordered([r for r in (*roots, *self.plan.states) if r in self.single])
        if not order:
            return
        mine = set(order)
        for n in order:
            for a in self._before(n):
                if a not in mine and a.op != "const" and self.linear(a) is None:
                    self._take_apart(a)
        now = list(self._states)
        for j in range(self.scope.lanes):
            for leaf, name in zip(self.leaves, now, strict=True):
                self._scalars.setdefault(leaf, []).append(name)
            for n in order:
                if n.op != "index" or n in self.by_leaf:
                    self._scalars.setdefault(n, []).append(self._one(n, j))
            now = [self.lane(then, j) for then in self.plan.states]
            after_lane(j)
        self.after = now

    def _before(self, n: Expr) -> tuple[Expr, ...]:
        """The operands of a node: the index of a table is one."""
        return (self.by_leaf[n].index,) if n in self.by_leaf else n.args

    def _ordered(self, roots: Sequence[Expr]) -> list[Expr]:
        """The nodes under some roots to be computed lane by lane, operands first.

        They are the single ones, and what those need of the position, which is quicker than to take lanes apart.
        """
        done: dict[Expr, None] = {}
        counted = position().free

        def visit(n: Expr) -> None:
            here = n in self.single or (n.free == counted and n.op != "index" and self.linear(n) is None)
            if n in done or not here:
                return
            for a in self._before(n):
                visit(a)
            done[n] = None

        for r in roots:
            visit(r)
        return list(done)

    def _one(self, n: Expr, j: int) -> str:
        """A single node in one lane."""
        lookup = self.by_leaf.get(n)
        if lookup is not None:
            w = self._width
            width = 8 * self.tables.bytes_of(lookup)
            signed = min(lookup.table) < 0
            at = (
                self.out.let(f"zext i{w} {self.lane(lookup.index, j)} to i64")
                if w < 64
                else self.lane(lookup.index, j)
            )
            where = self.out.let(
                f"getelementptr i{width}, ptr {self.constants.table(lookup.table, width)}, i64 {at}"
            )
            found = self.out.let(f"load i{width}, ptr {where}")
            if width == w:
                return found
            return self.out.let(f"{'sext' if signed else 'zext'} i{width} {found} to i{w}")
        name = self.out.fresh()
        line = form(table_of_rows.row(n.op), n.args[0].type, n.type, 0)
        self.out.emit(line(name, *[self.lane(a, j) for a in n.args]))
        return name

    def lane(self, n: Expr, j: int) -> str:
        """The value of a node in one lane."""
        if n.op == "const":
            return literal(n)
        if n in self._scalars:
            return self._scalars[n][j]
        factor, base = self.linear(n) or (0, "")
        offset = factor * j & ((1 << self._width) - 1)
        return self.out.let(f"add i{self._width} {base}, {offset}") if offset else base

    def _take_apart(self, n: Expr) -> None:
        """The lanes of a vector as scalars, by way of the stack."""
        if n in self._scalars:
            return
        w = 1 if n.type.bits == 1 else self._width
        vector = self.values.wide(n)
        if w == 1:
            self._scalars[n] = [
                self.out.let(f"extractelement <{self.scope.lanes} x i1> {vector}, i32 {j}")
                for j in range(self.scope.lanes)
            ]
            return
        slot = self.out.fresh()
        self.out.enter(f"{slot} = alloca <{self.scope.lanes} x i{w}>, align 64")
        self.out.emit(f"store <{self.scope.lanes} x i{w}> {vector}, ptr {slot}, align 64")
        found: list[str] = []
        for j in range(self.scope.lanes):
            at = self.out.let(f"getelementptr i{w}, ptr {slot}, i64 {j}")
            found.append(self.out.let(f"load i{w}, ptr {at}, align {w // 8}"))
        self._scalars[n] = found

    def put_together(self, n: Expr) -> None:
        """The scalars of a node as a vector."""
        word = "i1" if n.type.bits == 1 else f"i{self._width}"
        name = "poison"
        for j in range(self.scope.lanes):
            vector = f"<{self.scope.lanes} x {word}>"
            name = self.out.let(f"insertelement {vector} {name}, {word} {self.lane(n, j)}, i32 {j}")
        self.scope.define(n, name)

    # ---- positions ----

    def linear(self, n: Expr) -> tuple[int, str] | None:
        """The difference of a node from lane to lane, and its value in the first lane; None if it is not linear."""
        if n not in self._linear:
            found = self._affine(n)
            if found is None:
                self._linear[n] = None
            else:
                factor, offset = found
                w = self._width
                base = self.out.let(f"mul i{w} {self._first_position()}, {factor}")
                self._linear[n] = (factor, self.out.let(f"add i{w} {base}, {offset}"))
        return self._linear[n]

    def _first_position(self) -> str:
        """The position of the first lane, in the type of the lanes."""
        if self._width == 64:
            return self._at
        return self.out.let(f"trunc i64 {self._at} to i{self._width}")

    def _affine(self, n: Expr) -> tuple[int, int] | None:
        """A node as a multiple of the position plus a constant, in the arithmetic of the lanes; None if it is none."""
        mask = (1 << self._width) - 1
        if n.op == "const":
            return 0, int(n.attr) & mask
        if n.op == "index":
            return (1, 0) if n.attr == "position" else None
        if n.op not in ("add", "sub", "mul", "neg", "shift_left_in"):
            return None
        parts = [self._affine(a) for a in n.args]
        if any(p is None for p in parts):
            return None
        known = [p for p in parts if p is not None]
        (a, b), (c, d) = known[0], known[-1]
        match n.op:
            case "add":
                return (a + c) & mask, (b + d) & mask
            case "sub":
                return (a - c) & mask, (b - d) & mask
            case "neg":
                return -a & mask, -b & mask
            case "shift_left_in":
                return None if c else ((a << d) & mask, (b << d) & mask)
            case _:
                return None if a and c else ((a * d + c * b) & mask, b * d & mask)

    def positions(self, leaf: Expr) -> None:
        """The positions of all lanes."""
        n, w = self.scope.lanes, self._width
        first = self.scope.spread_here(leaf.type, self._first_position())
        steps = "<" + ", ".join([f"i{w} {j & ((1 << w) - 1)}" for j in range(n)]) + ">"
        self.scope.define(leaf, self.out.let(f"add <{n} x i{w}> {first}, {steps}"))
