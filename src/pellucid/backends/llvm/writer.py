"""The text of one LLVM function while it is written: lines, names in scope, blocks, and constants spread over lanes.

Names are given in one dictionary with a log, so that leaving a block forgets what the block named. A scalar that is
needed in all lanes is spread right where it was computed, outside of the loops inside of which it is used.
"""

from __future__ import annotations

from ...base.errors import BackendError
from ...ir import types as T
from ...ir.expr import Expr
from ..jit.spelling import SCALAR, literal, typed

ZERO = "zeroinitializer"
MOST_SPREAD = 16
"""How many scalars are kept spread over lanes throughout a loop. Registers are few: the others wait in memory, from
where an instruction spreads them as it reads them, instead of in whole vectors of their own."""


class Writer:
    """Lines and names; `lanes` is the width of the vector loop around (0: none), `varying` its bits in `free`."""

    def __init__(self) -> None:
        # The first line collects the entry block: arguments, addresses of buffers, stack slots.
        self.lines: list[str] = ["entry:"]
        self.label = "entry"
        self.count: int = 0
        self.names: dict[Expr, str] = {}
        self.wides: dict[Expr, str] = {}
        self.parked: dict[Expr, str] = {}
        self.loop_line = 0
        self.places: dict[Expr, int] = {}
        self.log: list[Expr] = []
        self.lanes = 0
        self.varying = 0

    # ---- lines and blocks ----

    def fresh(self) -> str:
        """A new name for a value."""
        self.count += 1
        return f"%v{self.count}"

    def emit(self, line: str) -> None:
        """Add a line to the current block."""
        self.lines.append(line)

    def let(self, right: str) -> str:
        """A new name for the right-hand side."""
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"{name} = {right}")
        return name

    def enter(self, line: str) -> None:
        """Add a line to the entry block."""
        self.lines[0] += "\n" + line

    def new_label(self) -> str:
        """A new label, to be opened with `open`."""
        self.count += 1
        return f"L{self.count}"

    def open(self, label: str) -> None:
        """Begin a block."""
        self.lines.append(f"{label}:")
        self.label = label

    def jump(self, label: str) -> None:
        """End the block by a jump."""
        self.lines.append(f"br label %{label}")

    def branch(self, condition: str, then: str, orelse: str) -> None:
        """End the block by a branch."""
        self.lines.append(f"br i1 {condition}, label %{then}, label %{orelse}")

    # ---- names ----

    def define(self, node: Expr, name: str) -> None:
        """Give a node the name of a value that the last line computed."""
        self.names[node] = name
        self.places[node] = len(self.lines) - 1
        self.log.append(node)

    def mark(self) -> int:
        """Where the log is: to be given to `leave`."""
        return len(self.log)

    def leave(self, mark: int) -> None:
        """Forget every name given since."""
        for node in self.log[mark:]:
            self.forget(node)
        del self.log[mark:]

    def forget(self, node: Expr) -> None:
        """Forget the name of one node: it will be computed again where it is needed."""
        self.names.pop(node, None)
        self.wides.pop(node, None)
        self.parked.pop(node, None)
        self.places.pop(node, None)

    def is_wide(self, node: Expr) -> bool:
        """Whether a node has one value per lane."""
        return bool(node.free & self.varying)

    def type(self, node: Expr) -> str:
        """The LLVM type of a node's name."""
        return typed(node.type, self.lanes if node.free & self.varying else 0)

    def wide(self, node: Expr) -> str:
        """The name of a node in all lanes; the node itself has a name already."""
        if node.free & self.varying:
            return self.names[node]
        found = self.wides.get(node)
        if found is None:
            if node.op == "const":
                found = f"splat ({SCALAR[node.type]} {literal(node)})"
            elif (
                len(self.wides) >= MOST_SPREAD
                and self.places[node] < self.loop_line
                and node.type is not T.boolean
            ):
                return self.unpark(node)
            else:
                found, text = self.spread(node.type, self.names[node])
                self.lines[self.places[node]] += "\n" + text
            self.wides[node] = found
        return found

    def unpark(self, node: Expr) -> str:
        """A scalar from before the loop in all lanes, read from its slot on the stack."""
        scalar = SCALAR[node.type]
        slot = self.parked.get(node)
        if slot is None:
            slot = self.parked[node] = f"{self.fresh()}.slot"
            self.enter(f"{slot} = alloca {scalar}")
            self.lines[self.places[node]] += f"\nstore {scalar} {self.names[node]}, ptr {slot}"
        return self.spread_here(node.type, self.let(f"load {scalar}, ptr {slot}"))

    def spread(self, type_: T.Type, name: str) -> tuple[str, str]:
        """The name of a scalar in all lanes, and the lines that make it."""
        new = self.fresh()
        vector, scalar = typed(type_, self.lanes), SCALAR[type_]
        return new, (
            f"{new}.b = insertelement {vector} poison, {scalar} {name}, i64 0\n"
            f"{new} = shufflevector {vector} {new}.b, {vector} poison, <{self.lanes} x i32> zeroinitializer"
        )

    def spread_here(self, type_: T.Type, name: str) -> str:
        """A scalar in all lanes, made in the current block."""
        new, text = self.spread(type_, name)
        self.lines.append(text)
        return new

    def any_lane(self, mask: str) -> str:
        """Whether a vector of booleans has a true lane."""
        n = self.lanes
        return self.let(f"call i1 @llvm.vector.reduce.or.v{n}i1(<{n} x i1> {mask})")

    def every_lane(self, mask: str) -> str:
        """Whether a vector of booleans is all true."""
        n = self.lanes
        return self.let(f"call i1 @llvm.vector.reduce.and.v{n}i1(<{n} x i1> {mask})")

    def both(self, outer: str | None, mask: str) -> str:
        """The conjunction of two masks, of which the first may be None for all lanes."""
        return mask if outer is None else self.let(f"and <{self.lanes} x i1> {outer}, {mask}")

    def opposite(self, mask: str) -> str:
        """The lanes that are not in a mask."""
        return self.let(f"xor <{self.lanes} x i1> {mask}, splat (i1 true)")

    def refuse(self, message: str, place: str, fix: str | None = None) -> BackendError:
        """An error of this back end."""
        return BackendError(message, place=place, fix=fix)
