"""Sums over a stream: in lanes as narrow as they may be for a while, then in wider ones.

Under `streams`. What is added up is made non-negative by taking its least value off, which is put back at the end.
Lanes take as many blocks as they surely hold, and are then added up pairwise until they are wide.
"""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass

from ...ir.facts import Facts
from .values import Values

PATIENCE = 16
"""How many blocks lanes must hold, or they are made wider before they are added up."""
LONGEST = 1 << 20
"""How many blocks are added up at most before the total is brought up to date."""


@dataclass(frozen=True, slots=True)
class Account:
    """How one sum is kept: `least` is taken off, `lanes` of `width` bits hold `blocks` blocks."""

    least: int
    lanes: int
    width: int
    blocks: int


def account(facts: Facts, lanes: int, width: int) -> Account:
    """How to keep the sum of values of a range that are in lanes of a width.

    >>> account(Facts(0, 255), 64, 8)
    Account(least=0, lanes=32, width=16, blocks=128)
    """
    most = max(1, int(facts.hi) - int(facts.lo))
    while width < 64 and ((1 << width) - 1) // most < PATIENCE:
        lanes, width, most = lanes // 2, 2 * width, 2 * most
    return Account(int(facts.lo), lanes, width, min(((1 << width) - 1) // most, LONGEST))


class Sums(Values, ABC):
    """Keeps the sums of a stream."""

    accounts: tuple[Account, ...]

    def pairwise(self, name: str, lanes: int, width: int, goal: int) -> tuple[str, int]:
        """Neighboring lanes added up into lanes of twice the width, until they have the width that is wanted."""
        while width < goal:
            lanes, width = lanes // 2, 2 * width
            word = f"<{lanes} x i{width}>"
            both = self.let(f"bitcast <{2 * lanes} x i{width // 2}> {name} to {word}")
            low = self.let(f"and {word} {both}, splat (i{width} {(1 << width // 2) - 1})")
            high = self.let(f"lshr {word} {both}, splat (i{width} {width // 2})")
            name = self.let(f"add {word} {low}, {high}")
        return name, lanes

    def total(self, name: str, a: Account) -> str:
        """All lanes of a sum, as one number."""
        wide, lanes = self.pairwise(name, a.lanes, a.width, 64)
        if lanes == 1:
            return self.let(f"extractelement <1 x i64> {wide}, i64 0")
        return self.let(f"call i64 @llvm.vector.reduce.add.v{lanes}i64(<{lanes} x i64> {wide})")

    def sums_at_head(self) -> None:
        """The sums so far, at the head of the loop over blocks."""
        for k, a in enumerate(self.accounts):
            word = f"<{a.lanes} x i{a.width}>"
            self.emit(f"%acc{k} = phi {word} [ zeroinitializer, %entry ], [ %acc{k}.j, %latch ]")
            self.emit(f"%tot{k} = phi i64 [ 0, %entry ], [ %tot{k}.j, %latch ]")
        if self.accounts:
            self.emit("%age = phi i64 [ 0, %entry ], [ %age.j, %latch ]")

    def lanes_left(self, width: int) -> None:
        """All bits of the lanes that count, of a block of which `%left` do."""
        n = self.lanes
        word = f"<{n} x i64>"
        index = "<" + ", ".join(f"i64 {k}" for k in range(n)) + ">"
        first = self.let(f"insertelement {word} poison, i64 %left, i64 0")
        count = self.let(f"shufflevector {word} {first}, {word} poison, <{n} x i32> zeroinitializer")
        live = self.let(f"icmp ult {word} {index}, {count}")
        self.emit(f"%some.lanes = sext <{n} x i1> {live} to <{n} x i{width}>")

    def sums_at_body(self, width: int) -> None:
        """The lanes that count: all but in the last block."""
        if self.accounts:
            word = f"<{self.lanes} x i{width}>"
            self.emit(f"%alive = phi {word} [ splat (i{width} -1), %head ], [ %some.lanes, %bounce ]")

    def add_block(self, values: list[str], width: int) -> None:
        """Add the values of a block."""
        if not self.accounts:
            return
        n = self.lanes
        word = f"<{n} x i{width}>"
        for k, (a, value) in enumerate(zip(self.accounts, values, strict=True)):
            less = self.let(f"sub {word} {value}, splat (i{width} {a.least})") if a.least else value
            kept = self.let(f"and {word} {less}, %alive")
            wide, _ = self.pairwise(kept, n, width, a.width)
            self.emit(f"%acc{k}.n = add <{a.lanes} x i{a.width}> %acc{k}, {wide}")
        limit = min(a.blocks for a in self.accounts)
        self.emit(f"%age.n = add i64 %age, 1\n%full = icmp eq i64 %age.n, {limit}\n%due = or i1 %full, %tail")
        before = self.label
        self.branch("%due", "settle", "settled")
        self.open("settle")
        for k, a in enumerate(self.accounts):
            self.emit(f"%tot{k}.s = add i64 %tot{k}, {self.total(f'%acc{k}.n', a)}")
        self.jump("settled")
        self.open("settled")
        for k, a in enumerate(self.accounts):
            word = f"<{a.lanes} x i{a.width}>"
            self.emit(f"%acc{k}.j = phi {word} [ %acc{k}.n, %{before} ], [ zeroinitializer, %settle ]")
            self.emit(f"%tot{k}.j = phi i64 [ %tot{k}, %{before} ], [ %tot{k}.s, %settle ]")
        self.emit(f"%age.j = phi i64 [ %age.n, %{before} ], [ 0, %settle ]")

    def sums_without_rest(self) -> None:
        """The totals where the last block was whole."""
        for k, a in enumerate(self.accounts):
            self.emit(f"%tot{k}.e = add i64 %tot{k}, {self.total(f'%acc{k}', a)}")

    def sums_at_end(self, whole: str, rest: str) -> None:
        """Store the totals, which come from one of two blocks."""
        for k in range(len(self.accounts)):
            self.emit(f"%sum{k} = phi i64 [ %tot{k}.e, %{whole} ], [ %tot{k}.j, %{rest} ]")
        for k, a in enumerate(self.accounts):
            least = self.let(f"mul i64 {self.let('sub i64 %beyond, %first')}, {a.least}")
            where = self.let(f"getelementptr i64, ptr %sizes, i64 {k}")
            self.emit(f"store i64 {self.let(f'add i64 %sum{k}, {least}')}, ptr {where}, align 8")
