"""Gathers as LLVM text: one element per lane by scalar loads.

Above `buffers`. On many machines a hardware gather is slower than scalar loads.
"""

from __future__ import annotations

from ...ir import types as T
from ...ir.expr import Buffer
from ..jit.spelling import SCALAR, SLOT_ALIGNMENT, STORED, stored, typed
from .buffers import Buffers
from .scope import Scope


class Gathers:
    """Loads one element per lane."""

    def __init__(self, scope: Scope, buffers: Buffers) -> None:
        self.out, self.scope, self.buffers = scope.out, scope, buffers

    def gather(self, buffer: Buffer, at: str, type_: T.Type, wide: T.Type) -> str:
        """One element of type `wide` per lane, from positions (counted in elements of the buffer) in bounds."""
        element, word = STORED[wide], stored(wide, self.scope.lanes)
        step, pointer = STORED[buffer.type], self.buffers.pointer(buffer)
        align = buffer.type.dtype.itemsize
        g = self.out.fresh("g")
        lines: list[str] = []
        before = "poison"
        for k, i in enumerate(self._scalars(at, type_)):
            lines.append(f"{g}.a{k} = getelementptr {step}, ptr {pointer}, {SCALAR[type_]} {i}")
            lines.append(f"{g}.e{k} = load {element}, ptr {g}.a{k}, align {align}")
            lines.append(f"{g}.w{k} = insertelement {word} {before}, {element} {g}.e{k}, i64 {k}")
            before = f"{g}.w{k}"
        self.out.emit("\n".join(lines))
        return before

    def _scalars(self, at: str, type_: T.Type) -> list[str]:
        """The lanes of a vector of positions as scalars, by way of the stack."""
        lanes, word = self.scope.lanes, SCALAR[type_]
        slot = self.out.fresh("slot")
        self.out.enter(f"{slot} = alloca {typed(type_, lanes)}, align {SLOT_ALIGNMENT}")
        # Volatile: LLVM 22 takes the first of two or three lanes from the register of two, with its neighbor.
        self.out.emit(f"store volatile {typed(type_, lanes)} {at}, ptr {slot}, align {SLOT_ALIGNMENT}")
        self.out.emit(
            "\n".join(
                f"{slot}.p{k} = getelementptr {word}, ptr {slot}, i64 {k}\n"
                f"{slot}.i{k} = load {word}, ptr {slot}.p{k}, align {type_.bits // 8}"
                for k in range(lanes)
            )
        )
        return [f"{slot}.i{k}" for k in range(lanes)]
