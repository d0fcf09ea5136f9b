"""Sums over a stream: in lanes as narrow as they may be for a while, then in wider ones.

Under `streams`. What is added up is made non-negative by taking its least value off, which is put back at the end.
Lanes take as many blocks as they surely hold, and are then added up pairwise until they are wide. Bytes are added up at
once, which many processors have an instruction for.
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
    """How one sum is kept: `least` is taken off, `lanes` of `width` bits hold `blocks` blocks; 0: of bytes, at once."""

    least: int
    lanes: int
    width: int
    blocks: int


def account(facts: Facts, lanes: int, width: int) -> Account:
    """How to keep the sum of values of a range that are in lanes of a width.

    >>> account(Facts(0, 4095), 32, 16)
    Account(least=0, lanes=32, width=16, blocks=16)
    """
    least, most = int(facts.lo), max(1, int(facts.hi) - int(facts.lo))
    if width == 8:
        return Account(least, lanes, width, 0)
    while width < 64 and ((1 << width) - 1) // most < PATIENCE and lanes % 2 == 0:
        lanes, width, most = lanes // 2, 2 * width, 2 * most
    return Account(least, lanes, width, max(1, min(((1 << width) - 1) // most, LONGEST)))


class Sums(Values, ABC):
    """Keeps the sums of a stream."""

    accounts: tuple[Account, ...]

    def pairwise(self, name: str, lanes: int, width: int, goal: int) -> tuple[str, int]:
        """Neighboring lanes added up into lanes of twice the width, until they have the width that is wanted."""
        while width < goal and lanes % 2 == 0:
            lanes, width = lanes // 2, 2 * width
            word = f"<{lanes} x i{width}>"
            both = self.let(f"bitcast <{2 * lanes} x i{width // 2}> {name} to {word}")
            low = self.let(f"and {word} {both}, splat (i{width} {(1 << width // 2) - 1})")
            high = self.let(f"lshr {word} {both}, splat (i{width} {width // 2})")
            name = self.let(f"add {word} {low}, {high}")
        if width < goal:
            name = self.let(f"zext <{lanes} x i{width}> {name} to <{lanes} x i{goal}>")
        return name, lanes

    def total(self, name: str, lanes: int, width: int) -> str:
        """All lanes of a sum, as one number."""
        wide, lanes = self.pairwise(name, lanes, width, 64)
        return self.let(f"call i64 @llvm.vector.reduce.add.v{lanes}i64(<{lanes} x i64> {wide})")

    def sums_at_head(self, before: str, totals: list[str]) -> None:
        """The sums so far, at the head of the loop over blocks, which they enter from a block with some totals."""
        for k, a in enumerate(self.accounts):
            word = f"<{a.lanes} x i{a.width}>"
            if a.blocks:
                self.emit(f"%acc{k} = phi {word} [ zeroinitializer, %{before} ], [ %acc{k}.j, %main.latch ]")
            self.emit(f"%tot{k} = phi i64 [ {totals[k]}, %{before} ], [ %tot{k}.j, %main.latch ]")
        if any(a.blocks for a in self.accounts):
            self.emit(f"%age = phi i64 [ 0, %{before} ], [ %age.j, %main.latch ]")

    def add_block(self, values: list[str], width: int) -> None:
        """Add the values of a block."""
        n = self.lanes
        word = f"<{n} x i{width}>"
        kept = [(k, a) for k, a in enumerate(self.accounts) if a.blocks]
        for k, (a, value) in enumerate(zip(self.accounts, values, strict=True)):
            less = self.let(f"sub {word} {value}, splat (i{width} {a.least})") if a.least else value
            if a.blocks:
                wide, _ = self.pairwise(less, n, width, a.width)
                self.emit(f"%acc{k}.n = add <{a.lanes} x i{a.width}> %acc{k}, {wide}")
            else:
                wide = self.let(f"zext {word} {less} to <{n} x i64>")
                found = self.let(f"call i64 @llvm.vector.reduce.add.v{n}i64(<{n} x i64> {wide})")
                self.emit(f"%tot{k}.j = add i64 %tot{k}, {found}")
        if not kept:
            return
        limit = min(a.blocks for _, a in kept)
        self.emit(f"%age.n = add i64 %age, 1\n%due = icmp eq i64 %age.n, {limit}")
        before = self.label
        self.branch("%due", "settle", "settled")
        self.open("settle")
        for k, a in kept:
            self.emit(f"%tot{k}.s = add i64 %tot{k}, {self.total(f'%acc{k}.n', a.lanes, a.width)}")
        self.jump("settled")
        self.open("settled")
        for k, a in kept:
            word = f"<{a.lanes} x i{a.width}>"
            self.emit(f"%acc{k}.j = phi {word} [ %acc{k}.n, %{before} ], [ zeroinitializer, %settle ]")
            self.emit(f"%tot{k}.j = phi i64 [ %tot{k}, %{before} ], [ %tot{k}.s, %settle ]")
        self.emit(f"%age.j = phi i64 [ %age.n, %{before} ], [ 0, %settle ]")

    def sums_after_loop(self, count: str) -> None:
        """The totals after so many samples in whole blocks, as `%main.sum`."""
        for k, a in enumerate(self.accounts):
            found = f"%tot{k}.j"
            if a.blocks:
                found = self.let(f"add i64 {found}, {self.total(f'%acc{k}.j', a.lanes, a.width)}")
            self.emit(f"%main.sum{k} = add i64 {found}, {self.let(f'mul i64 {count}, {a.least}')}")

    def add_rest(self, values: list[str], width: int, *, signed: bool) -> None:
        """Add the lanes of a last block, of which `%left` count."""
        n = self.lanes
        if not values:
            return
        word = f"<{n} x i64>"
        index = "<" + ", ".join([f"i64 {k}" for k in range(n)]) + ">"
        first = self.let(f"insertelement {word} poison, i64 %left, i64 0")
        count = self.let(f"shufflevector {word} {first}, {word} poison, <{n} x i32> zeroinitializer")
        live = self.let(f"icmp ult {word} {index}, {count}")
        for k, value in enumerate(values):
            wide = value
            if width < 64:
                extend = "sext" if signed else "zext"
                wide = self.let(f"{extend} <{n} x i{width}> {value} to {word}")
            kept = self.let(f"select <{n} x i1> {live}, {word} {wide}, {word} zeroinitializer")
            found = self.let(f"call i64 @llvm.vector.reduce.add.v{n}i64({word} {kept})")
            self.emit(f"%rest.tot{k}.n = add i64 %rest.tot{k}, {found}")
