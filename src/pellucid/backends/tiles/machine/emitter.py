"""Vector emitter: the body of a kernel as LLVM text, on vectors of 16 elements, with truths as a word of bits.

Every element takes a lane of the tape's width, so that vectors of all types have the same length in bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....ir import prim as table
from ....ir import types as T
from ....ir.expr import Expr
from ...jit.lanes import LANES, LaneEmitter
from ...jit.spelling import SCALAR, form, typed
from .branches import ColdBranch, cold_branches


class VectorEmitter(LaneEmitter):
    """Emits the body of a kernel: lines of text, and the names of the values that they define."""

    def __init__(self, half: int, declared: dict[str, None], prefix: str = "v") -> None:
        super().__init__(declared, prefix)
        self.half, self.label = half, "entry"

    def at(self, pointer: str, offset: str | int) -> str:
        """An address so many bytes further."""
        return pointer if offset == 0 else self.let(f"getelementptr i8, ptr {pointer}, i64 {offset}")

    def vector(self, type_: T.Type, pointer: str, offset: str | int = 0) -> str:
        """The 16 elements at a place, each in a lane of full width; truths are a word of 16 bits."""
        where = self.at(pointer, offset)
        if type_ is T.boolean:
            return self.let(f"bitcast i16 {self.let(f'load i16, ptr {where}, align 2')} to <{LANES} x i1>")
        word = self._word(type_)
        found = self.let(f"load <{LANES} x {word}>, ptr {where}, align {self.half}")
        return found if word == SCALAR[type_] else self._narrowed(type_, f"<{LANES} x {word}>", found, LANES)

    def uniform(self, type_: T.Type, pointer: str) -> str:
        """The one element at a place, in all lanes."""
        if type_ is T.boolean:
            return self.vector(type_, pointer)
        word = self._word(type_)
        found = self.let(f"load {word}, ptr {pointer}")
        return self.splat(type_, found if word == SCALAR[type_] else self._narrowed(type_, word, found, 0))

    def _word(self, type_: T.Type) -> str:
        """The LLVM type of a lane: the type itself where it is as wide, else an integer."""
        bits = 8 * self.half // LANES
        return SCALAR[type_] if type_.bits == bits else f"i{bits}"

    def _narrowed(self, type_: T.Type, wide: str, name: str, lanes: int) -> str:
        bits = f"<{LANES} x i{type_.bits}>" if lanes else f"i{type_.bits}"
        cut = self.let(f"trunc {wide} {name} to {bits}")
        return self.let(f"bitcast {bits} {cut} to {typed(type_, lanes)}") if type_.is_float else cut

    def store(self, type_: T.Type, name: str, pointer: str, offset: str | int = 0) -> None:
        """Write 16 elements to a place."""
        where = self.at(pointer, offset)
        if type_ is T.boolean:
            self.lines.append(f"store i16 {self.mask(name)}, ptr {where}, align 2")
            return
        word = self._word(type_)
        if word != SCALAR[type_]:
            bits = f"<{LANES} x i{type_.bits}>"
            name = self.let(f"bitcast {typed(type_, LANES)} {name} to {bits}") if type_.is_float else name
            name = self.let(f"zext {bits} {name} to <{LANES} x {word}>")
        self.lines.append(f"store <{LANES} x {word}> {name}, ptr {where}, align {self.half}")

    def values(self, roots: Sequence[Expr], names: dict[Expr, str]) -> list[str]:
        """The names of expressions in all lanes, given those of their leaves."""
        found = dict(names)
        cold = cold_branches(roots)
        stack = [*reversed(roots)]
        while stack:
            node = stack[-1]
            branch = cold.get(node)
            missing = [a for a in (branch.needed if branch else node.args) if a not in found]
            if node in found or not missing:
                stack.pop()
            if node in found:
                continue
            if missing:
                stack += reversed(missing)
            elif branch is not None:
                self._cold(branch, found)
            else:
                self.row(node, found)
        return [found[r] for r in roots]

    def _cold(self, branch: ColdBranch, found: dict[Expr, str]) -> None:
        """Emit a branch around nodes that no lane selects, and the choices that select between arms."""
        truths = f"<{LANES} x i1>"
        condition = found[branch.condition]
        wanted = condition if branch.arm == 1 else self.let(f"xor {truths} {condition}, splat (i1 true)")
        self.declare(f"i1 @llvm.vector.reduce.or.v{LANES}i1({truths})")
        some = self.let(f"call i1 @llvm.vector.reduce.or.v{LANES}i1({truths} {wanted})")
        before, inside, after = self.label, self.fresh()[1:], self.fresh()[1:]
        self.lines.extend([f"br i1 {some}, label %{inside}, label %{after}", f"{inside}:"])
        for node in branch.spared:
            self.row(node, found)
        self.lines.extend([f"br label %{after}", f"{after}:"])
        self.label = after
        joined = [
            self.let(
                f"phi {typed(c.type, LANES)} [ {found[c.args[branch.arm]]}, %{inside} ], [ poison, %{before} ]"
            )
            for c in branch.choices
        ]
        for choice, name in zip(branch.choices, joined, strict=True):
            arms = [name, found[choice.args[3 - branch.arm]]]
            then, orelse = arms if branch.arm == 1 else reversed(arms)
            line = form(table.row("choose"), T.boolean, choice.type, LANES)
            found[choice] = self.fresh()
            self.lines.append(line(found[choice], condition, then, orelse))
