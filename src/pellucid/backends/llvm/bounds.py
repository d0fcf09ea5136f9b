"""Bounds as LLVM text: whether positions are inside of buffers, by proof or by test, and clamps for those that are not.

Above `buffers` and `values`.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager

from ...ir import types as T
from ...ir.expr import Buffer, Expr
from ...reasoning.infer import FactsOf
from ..jit.spelling import SCALAR, mangled, typed
from ..obligations import Proofs
from ..port import CallingPlan
from .buffers import Buffers
from .scope import Scope

Access = tuple[Expr, Buffer]
"""A position in a buffer."""


class Bounds:
    """Knows which positions are proved to be in bounds, and tests the others."""

    def __init__(self, plan: CallingPlan, scope: Scope, buffers: Buffers) -> None:
        self.out, self.scope, self.buffers = scope.out, scope, buffers
        self.proofs = Proofs(plan.least, plan.calling.scratch)
        self._granted: set[Access] = set()

    def is_proved(self, position: Expr, buffer: Buffer, facts: FactsOf | None = None) -> bool:
        """Whether a position is proved to be in bounds, by `facts` or by those of the loop that is being written.

        If so, runs check that the buffer is that large.
        """
        known = self.scope.loop.facts if facts is None else facts
        return (position, buffer) in self._granted or self.proofs.inside(position, buffer, known)

    @contextmanager
    def granted(self, accesses: Iterable[Access]) -> Generator[None]:
        """While the loop around makes these accesses only where they are in bounds."""
        self._granted.update(accesses)
        yield
        self._granted.difference_update(accesses)

    def clamp(self, name: str, type_: T.Type, buffer: Buffer, lanes: int, back: int = 1) -> str:
        """A position brought into the buffer."""
        word, suffix = typed(type_, lanes), mangled(type_, lanes)
        last = self.buffers.last(buffer, type_, back)
        if lanes:
            last = self.scope.once_wide(last, type_)
        low = self.out.let(f"call {word} @llvm.smax.{suffix}({word} {name}, {word} zeroinitializer)")
        return self.out.let(f"call {word} @llvm.smin.{suffix}({word} {low}, {word} {last})")

    def lanes_inside(self, buffer: Buffer, at: str, type_: T.Type) -> str:
        """The lanes whose positions are in bounds."""
        # As unsigned numbers, positions below zero are large. The last position fits the type, the size may not.
        last = self.scope.once_wide(self.buffers.last(buffer, type_), type_)
        return self.out.let(f"icmp ule {typed(type_, self.scope.lanes)} {at}, {last}")

    def run_fits(self, buffer: Buffer, base: str, type_: T.Type) -> str:
        """Whether the run of active lanes from a position is in bounds."""
        let = self.out.let
        base = base if type_ is T.i64 else let(f"sext {SCALAR[type_]} {base} to i64")
        end = let(f"add i64 {base}, {self.scope.loop.count}")
        fits = let(f"icmp sle i64 {end}, {self.buffers.reach(buffer, type_)}")
        starts = let(f"icmp sge i64 {base}, 0")
        # base + count cannot overflow where base + count <= size and base >= 0; elsewhere it does not matter.
        sane = let(f"icmp sge i64 {end}, {base}")
        return let(f"and i1 {let(f'and i1 {fits}, {starts}')}, {sane}")
