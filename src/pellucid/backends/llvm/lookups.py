"""Tables and carried states in the lanes of a stream, as LLVM text.

Under `streams`. A small table is kept in registers, and each byte of all lanes is one shuffle by a vector of indices.
A larger one is read lane by lane, as are states and all that depends on them: those values are scalars, one for each
lane; of what depends on the position alone each lane differs from the first by a constant.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from ...ir import prim as table_of_rows
from ...ir.expr import Expr
from ...ir.stream import position
from ..jit.spelling import form, literal
from .fields import Fields
from .narrowing import SMALL, Lookup, Plan, container


class Lookups(Fields, ABC):
    """Computes what is not one operation on all lanes."""

    plan: Plan
    by_leaf: dict[Expr, Lookup]
    globals: list[str]
    tables: dict[tuple[tuple[int, ...], int], str]
    scalars: dict[Expr, list[str]]
    """By node, its value in each lane."""
    single: set[Expr]
    """The nodes that are computed lane by lane."""

    # ---- tables ----

    def table(self, values: Sequence[int], width: int) -> str:
        """The name of a constant table."""
        key = (tuple(values), width)
        if key not in self.tables:
            name = self.tables[key] = f"@table{len(self.tables)}"
            data = ", ".join([f"i{width} {v & ((1 << width) - 1)}" for v in values])
            self.globals.append(f"{name} = private constant [{len(values)} x i{width}] [{data}], align 64")
        return self.tables[key]

    def in_registers(self, lookup: Lookup) -> bool:
        """Whether a table is small enough to be shuffled."""
        most = SMALL if self.target.reach == 64 else SMALL // 4
        return len(lookup.table) <= most and self.bytes_of(lookup) <= 2

    def bytes_of(self, lookup: Lookup) -> int:
        """How many bytes of each entry matter."""
        low, high = min(lookup.table), max(lookup.table)
        if low < 0:
            return self.width // 8
        return container(max(1, high.bit_length())) // 8

    def looked_up(self, lookup: Lookup) -> None:
        """Read a small table in all lanes at once."""
        n, w = self.lanes, self.width
        at = self.cast(self.wide(lookup.index), n, w, 8)
        total: str | None = None
        for k in range(self.bytes_of(lookup)):
            part = [v >> 8 * k & 255 for v in lookup.table]
            found = self.cast(self.permuted(part, at), n, 8, w)
            found = self.moved("shl", found, n, w, [8 * k] * n)
            total = found if total is None else self.let(f"or <{n} x i{w}> {total}, {found}")
        self.define(lookup.leaf, total or "zeroinitializer")

    def permuted(self, entries: list[int], at: str) -> str:
        """The bytes of a table at some indices, one of which is in each lane."""
        n, reach = self.lanes, self.target.reach
        # One register, or two or four or more of them, chosen among by the next bits of the index.
        count = -(-len(entries) // reach)
        padded = entries + [0] * (reach * (1 << (count - 1).bit_length()) - len(entries))
        name = self.table(padded, 8)
        parts = [self.fresh() for _ in range(len(padded) // reach)]
        for p, part in enumerate(parts):
            # Before all loops, so that it stays in its register.
            self.enter(f"{part}.at = getelementptr i8, ptr {name}, i64 {p * reach}")
            self.enter(f"{part} = load <{reach} x i8>, ptr {part}.at, align 16")
        wide = max(reach, min(2 * reach, self.target.width))
        spans = [(start, min(wide, n - start)) for start in range(0, n, wide)]
        pieces = [(self.slice(at, n, start, count), count) for start, count in spans]
        lows = [self.op("and", piece, count, 8, reach - 1) for piece, count in pieces]
        found: list[tuple[str, int]] = []
        for (piece, count), low in zip(pieces, lows, strict=True):
            self.cut_here()
            found.append((self.chosen(parts, piece, low, count), count))
        self.cut_here()
        return self.row_of(found)

    def cut_here(self) -> None:
        """Begin a block: the code generator sees one shuffle only where nothing around mixes with its lanes."""
        after = self.new_label()
        self.jump(after)
        self.open(after)

    def chosen(self, parts: list[str], at: str, low: str, n: int) -> str:
        """The bytes of some registers at so many indices into all of them; `low` are those within each register."""
        reach = self.target.reach
        lines: list[str] = []
        before = ["poison"] * len(parts)
        g = self.fresh()
        # Written lane by lane, which the code generator knows for one shuffle of all lanes.
        for j in range(n):
            lines.append(f"{g}.i{j} = extractelement <{n} x i8> {low}, i32 {j}")
            for p, part in enumerate(parts):
                e, r = f"{g}.e{p}.{j}", f"{g}.r{p}.{j}"
                lines.append(f"{e} = extractelement <{reach} x i8> {part}, i8 {g}.i{j}")
                lines.append(f"{r} = insertelement <{n} x i8> {before[p]}, i8 {e}, i32 {j}")
                before[p] = r
        self.emit("\n".join(lines))
        bit = reach
        while len(before) > 1:
            test = self.op("and", at, n, 8, bit)
            upper = self.let(f"icmp ne <{n} x i8> {test}, zeroinitializer")
            before = [
                self.let(f"select <{n} x i1> {upper}, <{n} x i8> {b}, <{n} x i8> {a}")
                for a, b in zip(before[::2], before[1::2], strict=True)
            ]
            bit *= 2
        return before[0]

    # ---- lane by lane ----

    def find_single(self, roots: Sequence[Expr]) -> None:
        """Tell which nodes are computed lane by lane: large tables, states, and what depends on them."""
        states = 0
        for leaf, _ in self.states:
            states |= leaf.free
        done: set[Expr] = set()

        def visit(n: Expr) -> None:
            if n in done:
                return
            done.add(n)
            lookup = self.by_leaf.get(n)
            before = self.before(n)
            for a in before:
                visit(a)
            large = lookup is not None and not self.in_registers(lookup)
            if large or n.free & states or any(a in self.single for a in before):
                self.single.add(n)

        self.single = set()
        for r in roots:
            visit(r)

    states: list[tuple[Expr, str]]
    """The leaves of states, and the names of their values in the first lane."""

    def lane_by_lane(self, roots: Sequence[Expr]) -> None:
        """Compute all single nodes that the roots and the states need, one lane after the other."""
        order = self.ordered([r for r in (*roots, *self.plan.states) if r in self.single])
        if not order:
            return
        mine = set(order)
        for n in order:
            for a in self.before(n):
                if a not in mine and a.op != "const" and self.linear(a) is None:
                    self.taken_apart(a)
        now = [name for _, name in self.states]
        for j in range(self.lanes):
            for (leaf, _), name in zip(self.states, now, strict=True):
                self.scalars.setdefault(leaf, []).append(name)
            for n in order:
                if n.op != "index" or n in self.by_leaf:
                    self.scalars.setdefault(n, []).append(self.one(n, j))
            now = [self.lane(then, j) for then in self.plan.states]
            self.after_lane(j)
        self.after = now

    after: list[str]
    """The states after the block."""

    @abstractmethod
    def after_lane(self, j: int) -> None:
        """Do what can be done when all single nodes of a lane are known."""

    def before(self, n: Expr) -> tuple[Expr, ...]:
        """What a node is computed from: the index of a table is an operand."""
        return (self.by_leaf[n].index,) if n in self.by_leaf else n.args

    def ordered(self, roots: Sequence[Expr]) -> list[Expr]:
        """The nodes under some roots to be computed lane by lane, operands first.

        They are the single ones, and what those need of the position, which is quicker than to take lanes apart.
        """
        done: dict[Expr, None] = {}
        counted = position().free

        def visit(n: Expr) -> None:
            here = n in self.single or (n.free == counted and n.op != "index" and self.linear(n) is None)
            if n in done or not here:
                return
            for a in self.before(n):
                visit(a)
            done[n] = None

        for r in roots:
            visit(r)
        return list(done)

    def one(self, n: Expr, j: int) -> str:
        """A single node in one lane."""
        lookup = self.by_leaf.get(n)
        if lookup is not None:
            w = self.width
            width = 8 * self.bytes_of(lookup)
            signed = min(lookup.table) < 0
            at = (
                self.let(f"zext i{w} {self.lane(lookup.index, j)} to i64")
                if w < 64
                else self.lane(lookup.index, j)
            )
            where = self.let(f"getelementptr i{width}, ptr {self.table(lookup.table, width)}, i64 {at}")
            found = self.let(f"load i{width}, ptr {where}")
            if width == w:
                return found
            return self.let(f"{'sext' if signed else 'zext'} i{width} {found} to i{w}")
        name = self.fresh()
        line = form(table_of_rows.row(n.op), n.args[0].type, n.type, 0)
        self.emit(line(name, *[self.lane(a, j) for a in n.args]))
        return name

    def lane(self, n: Expr, j: int) -> str:
        """The value of a node in one lane."""
        if n.op == "const":
            return literal(n)
        if n in self.scalars:
            return self.scalars[n][j]
        factor, base = self.linear(n) or (0, "")
        offset = factor * j & ((1 << self.width) - 1)
        return self.let(f"add i{self.width} {base}, {offset}") if offset else base

    def taken_apart(self, n: Expr) -> None:
        """The lanes of a vector as scalars, by way of the stack."""
        if n in self.scalars:
            return
        w = 1 if n.type.bits == 1 else self.width
        vector = self.wide_value(n)
        if w == 1:
            self.scalars[n] = [
                self.let(f"extractelement <{self.lanes} x i1> {vector}, i32 {j}") for j in range(self.lanes)
            ]
            return
        slot = self.fresh()
        self.enter(f"{slot} = alloca <{self.lanes} x i{w}>, align 64")
        self.emit(f"store <{self.lanes} x i{w}> {vector}, ptr {slot}, align 64")
        found: list[str] = []
        for j in range(self.lanes):
            at = self.let(f"getelementptr i{w}, ptr {slot}, i64 {j}")
            found.append(self.let(f"load i{w}, ptr {at}, align {w // 8}"))
        self.scalars[n] = found

    def put_together(self, n: Expr) -> None:
        """The scalars of a node as a vector."""
        word = "i1" if n.type.bits == 1 else f"i{self.width}"
        name = "poison"
        for j in range(self.lanes):
            vector = f"<{self.lanes} x {word}>"
            name = self.let(f"insertelement {vector} {name}, {word} {self.lane(n, j)}, i32 {j}")
        self.define(n, name)

    # ---- positions ----

    lines_of: dict[Expr, tuple[int, str] | None]

    def linear(self, n: Expr) -> tuple[int, str] | None:
        """By how much a node grows from lane to lane, and its value in the first lane, if it is so simple."""
        if n not in self.lines_of:
            found = self.affine(n)
            if found is None:
                self.lines_of[n] = None
            else:
                factor, offset = found
                w = self.width
                base = self.let(f"mul i{w} {self.first_position()}, {factor}")
                self.lines_of[n] = (factor, self.let(f"add i{w} {base}, {offset}"))
        return self.lines_of[n]

    def first_position(self) -> str:
        """The position of the first lane, in the type of the lanes."""
        if self.width == 64:
            return self.at
        return self.let(f"trunc i64 {self.at} to i{self.width}")

    at: str
    """The position of the first lane."""

    def affine(self, n: Expr) -> tuple[int, int] | None:
        """A node as so many times the position, plus a constant, in the arithmetic of the lanes."""
        mask = (1 << self.width) - 1
        if n.op == "const":
            return 0, int(n.attr) & mask
        if n.op == "index":
            return (1, 0) if n.attr == "position" else None
        if n.op not in ("add", "sub", "mul", "neg", "shift_left_in"):
            return None
        parts = [self.affine(a) for a in n.args]
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
        n, w = self.lanes, self.width
        first = self.spread_here(leaf.type, self.first_position())
        steps = "<" + ", ".join([f"i{w} {j & ((1 << w) - 1)}" for j in range(n)]) + ">"
        self.define(leaf, self.let(f"add <{n} x i{w}> {first}, {steps}"))
