"""Sums over a stream: in lanes as narrow as they may be for a while, then in wider ones.

Under `streams`. The values are made non-negative: their least value is taken off, and put back at the end. Lanes take
as many blocks as they surely hold, and are then added up pairwise until they are wide. Bytes are added up at once, for
which many processors have an instruction.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...ir.facts import Facts
from .scope import Scope

MIN_BLOCKS = 16
"""Blocks that lanes must hold, or they are made wider before they are added up."""
MAX_BLOCKS = 1 << 20
"""Maximum blocks that are added up before the total is brought up to date."""


@dataclass(frozen=True, slots=True)
class Account:
    """One sum: `least` is taken off, and `lanes` of `width` bits hold `blocks` blocks (0: bytes are added at once)."""

    least: int
    lanes: int
    width: int
    blocks: int


def account(facts: Facts, lanes: int, width: int) -> Account:
    """The account of values of a range that are in lanes of a width.

    >>> account(Facts(0, 4095), 32, 16)
    Account(least=0, lanes=32, width=16, blocks=16)
    """
    least, most = int(facts.lo), max(1, int(facts.hi) - int(facts.lo))
    if width == 8:
        return Account(least, lanes, width, 0)
    while width < 64 and ((1 << width) - 1) // most < MIN_BLOCKS and lanes % 2 == 0:
        lanes, width, most = lanes // 2, 2 * width, 2 * most
    return Account(least, lanes, width, max(1, min(((1 << width) - 1) // most, MAX_BLOCKS)))


class Sums:
    """Keeps the sums of a stream."""

    def __init__(self, scope: Scope, accounts: tuple[Account, ...]) -> None:
        self.out, self.scope, self.accounts = scope.out, scope, accounts

    def pairwise(self, name: str, lanes: int, width: int, goal: int) -> tuple[str, int]:
        """Neighboring lanes added up into lanes of twice the width, until they have the width that is wanted."""
        while width < goal and lanes % 2 == 0:
            lanes, width = lanes // 2, 2 * width
            word = f"<{lanes} x i{width}>"
            both = self.out.let(f"bitcast <{2 * lanes} x i{width // 2}> {name} to {word}")
            low = self.out.let(f"and {word} {both}, splat (i{width} {(1 << width // 2) - 1})")
            high = self.out.let(f"lshr {word} {both}, splat (i{width} {width // 2})")
            name = self.out.let(f"add {word} {low}, {high}")
        if width < goal:
            name = self.out.let(f"zext <{lanes} x i{width}> {name} to <{lanes} x i{goal}>")
        return name, lanes

    def total(self, name: str, lanes: int, width: int) -> str:
        """All lanes of a sum, as one number."""
        wide, lanes = self.pairwise(name, lanes, width, 64)
        return self.out.let(f"call i64 @llvm.vector.reduce.add.v{lanes}i64(<{lanes} x i64> {wide})")

    def at_head(self, before: str, totals: list[str]) -> None:
        """The sums so far, at the head of the loop over blocks, which they enter from a block with some totals."""
        for k, a in enumerate(self.accounts):
            word = f"<{a.lanes} x i{a.width}>"
            if a.blocks:
                self.out.emit(
                    f"%acc{k} = phi {word} [ zeroinitializer, %{before} ], [ %acc{k}.j, %main.latch ]"
                )
            self.out.emit(f"%tot{k} = phi i64 [ {totals[k]}, %{before} ], [ %tot{k}.j, %main.latch ]")
        if any(a.blocks for a in self.accounts):
            self.out.emit(f"%age = phi i64 [ 0, %{before} ], [ %age.j, %main.latch ]")

    def add_block(self, values: list[str], width: int) -> None:
        """Add the values of a block."""
        n = self.scope.lanes
        word = f"<{n} x i{width}>"
        kept = [(k, a) for k, a in enumerate(self.accounts) if a.blocks]
        for k, (a, value) in enumerate(zip(self.accounts, values, strict=True)):
            less = self.out.let(f"sub {word} {value}, splat (i{width} {a.least})") if a.least else value
            if a.blocks:
                wide, _ = self.pairwise(less, n, width, a.width)
                self.out.emit(f"%acc{k}.n = add <{a.lanes} x i{a.width}> %acc{k}, {wide}")
            else:
                wide = self.out.let(f"zext {word} {less} to <{n} x i64>")
                found = self.out.let(f"call i64 @llvm.vector.reduce.add.v{n}i64(<{n} x i64> {wide})")
                self.out.emit(f"%tot{k}.j = add i64 %tot{k}, {found}")
        if not kept:
            return
        limit = min(a.blocks for _, a in kept)
        self.out.emit(f"%age.n = add i64 %age, 1\n%due = icmp eq i64 %age.n, {limit}")
        before = self.out.label
        self.out.branch("%due", "settle", "settled")
        self.out.start_block("settle")
        for k, a in kept:
            self.out.emit(f"%tot{k}.s = add i64 %tot{k}, {self.total(f'%acc{k}.n', a.lanes, a.width)}")
        self.out.jump("settled")
        self.out.start_block("settled")
        for k, a in kept:
            word = f"<{a.lanes} x i{a.width}>"
            self.out.emit(f"%acc{k}.j = phi {word} [ %acc{k}.n, %{before} ], [ zeroinitializer, %settle ]")
            self.out.emit(f"%tot{k}.j = phi i64 [ %tot{k}, %{before} ], [ %tot{k}.s, %settle ]")
        self.out.emit(f"%age.j = phi i64 [ %age.n, %{before} ], [ 0, %settle ]")

    def after_loop(self, count: str) -> None:
        """The totals after so many samples in whole blocks, as `%main.sum`."""
        for k, a in enumerate(self.accounts):
            found = f"%tot{k}.j"
            if a.blocks:
                found = self.out.let(f"add i64 {found}, {self.total(f'%acc{k}.j', a.lanes, a.width)}")
            self.out.emit(f"%main.sum{k} = add i64 {found}, {self.out.let(f'mul i64 {count}, {a.least}')}")

    def add_rest(self, values: list[str], width: int, *, signed: bool) -> None:
        """Add the lanes of a last block, of which `%left` count."""
        n = self.scope.lanes
        if not values:
            return
        word = f"<{n} x i64>"
        index = "<" + ", ".join([f"i64 {k}" for k in range(n)]) + ">"
        first = self.out.let(f"insertelement {word} poison, i64 %left, i64 0")
        count = self.out.let(f"shufflevector {word} {first}, {word} poison, <{n} x i32> zeroinitializer")
        live = self.out.let(f"icmp ult {word} {index}, {count}")
        for k, value in enumerate(values):
            wide = value
            if width < 64:
                extend = "sext" if signed else "zext"
                wide = self.out.let(f"{extend} <{n} x i{width}> {value} to {word}")
            kept = self.out.let(f"select <{n} x i1> {live}, {word} {wide}, {word} zeroinitializer")
            found = self.out.let(f"call i64 @llvm.vector.reduce.add.v{n}i64({word} {kept})")
            self.out.emit(f"%rest.tot{k}.n = add i64 %rest.tot{k}, {found}")
