"""One specialization under way: the block being written, fresh names, known splits, requests to split, cached lines.

Values (`value`), memories (`memory`) and control (`control`) meet here. Without a session the same functions compute
with plain numbers: that is the unstaged meaning of every program.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..base.errors import InputError, StagingError
from ..base.record import record
from ..ir import expr as E
from ..ir import types as T
from ..ir.expr import Buffer, Expr
from ..reasoning.infer import FactsOf
from . import residual as R

if TYPE_CHECKING:
    from .bitcache import Lines
    from .memory import Memory


MAX_WORK = 80_000
"""Steps of specializing one program: staged values made, and leaves of states looked at.

One or two seconds by `bench/refusing.py`; the largest program of the tests takes half. Steps are counted and not
seconds, so that a program is taken or refused alike on every machine.
"""


MAX_RESIDUES = 1024
"""Residues of one value that a program may be specialized for apart: half a second by `bench/refusing.py`."""


@record
class ResidueSplit:
    """The known form of a quotient in a part of the program: ``q = factor * quotient + residue``, by a case analysis.

    With a `divisor` it is ``divisor * q = quotient``, and holds for multiples of the divisor only: who knows a number
    modulo 1280 goes on with knowing it modulo 32.
    """

    factor: int
    quotient: Expr
    residue: int
    divisor: int = 1


@record
class Fault:
    """A refusal that waits for run time: the parts of an InputError."""

    message: str
    place: str
    fix: str

    def error(self) -> InputError:
        """The error that a call of the residual program raises."""
        return InputError(self.message, place=self.place, fix=self.fix)


SplitRequest = tuple[tuple[Expr, int], ...]
"""Values and the factors modulo which their residues should be static, all of them together."""


@dataclass(slots=True)
class SpecializerSession:
    """The state of one specialization.

    `splits` is what the cases around say of dynamic values; `split_requests` what cases would make static; `asked` how
    finely values were known where it mattered, as divisors and the coefficients they divided; `kept` of which the
    program itself set the base; `depths` at which depth of loops a leaf was made; `lines` what the bit cache holds.
    `faults` are the refusals of residual code with their numbers: where one of them is met, its element of `fault`
    becomes 1. `work` counts the steps that were done, and `limit` says how many may be.
    """

    block: R.Code = field(default_factory=list["R.Statement"])
    splits: dict[Expr, ResidueSplit] = field(default_factory=dict[Expr, ResidueSplit])
    split_requests: dict[SplitRequest, None] = field(default_factory=dict["SplitRequest", None])
    depths: dict[Expr, int] = field(default_factory=dict[Expr, int])
    parts: dict[Expr, Expr] = field(default_factory=dict[Expr, Expr])
    asked: dict[Expr, set[tuple[int, int]]] = field(default_factory=dict[Expr, "set[tuple[int, int]]"])
    kept: set[Expr] = field(default_factory=set[Expr])
    lines: Lines = ()
    capacity: int | None = None
    depth: int = 0
    touched: set[int] = field(default_factory=set[int])
    facts: FactsOf = field(default_factory=FactsOf)
    notes: list[str] = field(default_factory=list[str])
    memories: dict[str, Memory] = field(default_factory=dict[str, "Memory"])
    labels: dict[str, int] = field(default_factory=dict[str, int])
    faults: dict[Fault, int] = field(default_factory=dict[Fault, int])
    fault: Buffer = field(default_factory=lambda: Buffer("fault", T.u8, 1))
    nested: int = 0
    work: int = 0
    limit: int = MAX_WORK
    _names: int = 0
    _lines: int = 0

    def fresh(self, name: str, type_: T.Type = T.i64) -> Expr:
        """A new name for a dynamic value: equal only to itself."""
        self._names += 1
        leaf = E.param(f"{name}.{self._names}", type_)
        self.depths[leaf] = self.depth
        return leaf

    def label(self, like: Expr) -> str:
        """A name in the text of the residual program that nothing else has: a value's own, with a number if taken."""
        stem = str(like.attr).partition(".")[0]
        self.labels[stem] = self.labels.get(stem, 0) + 1
        return stem if self.labels[stem] == 1 else f"{stem}_{self.labels[stem]}"

    def use(self, memory: Memory) -> None:
        """Note that the program reads or writes a memory.

        Raises StagingError when another one has its name.
        """
        if self.memories.setdefault(memory.root.name, memory.root) is not memory.root:
            raise StagingError("two memories have this name", place=memory.root.name, fix="rename one")

    def number(self) -> int:
        """A new number for a line of the cache."""
        self._lines += 1
        return self._lines

    def emit(self, statement: R.Statement) -> None:
        """Write a statement where we are."""
        self.block.append(statement)

    def named(self, name: str, value: Expr) -> Expr:
        """A new name for a value that is computed here."""
        leaf = self.fresh(name, value.type)
        facts = self.facts.known[leaf] = self.facts(value)
        if value.type.is_integer and facts.exact:
            value = E.const(facts.lo, value.type)
        self.emit(R.Set(leaf, value))
        return leaf

    def guard(self, refused: Expr, fault: Fault) -> list[R.Statement]:
        """Residual code that notes a fault where a condition holds; none where it is there already."""
        if refused.op == "const" and not refused.attr:
            return []
        number = self.faults.setdefault(fault, len(self.faults))
        note: list[R.Statement] = [R.Put(self.fault, E.const(number, T.i64), E.const(1, T.u8))]
        guard = note if refused.op == "const" else [R.ResidualBranch(refused, note, [])]
        return [s for s in guard if s not in self.block]

    def unless_refused(self, code: list[R.Statement]) -> list[R.Statement]:
        """Residual code for where no fault was noted before: a loop that is not counted might never end elsewhere."""
        zero = E.const(0, T.u8)
        places = [E.load(self.fault, E.const(k, T.i64)) for k in self.faults.values()]
        clear = [E.apply("eq", place, zero) for place in places]
        return (
            [R.ResidualBranch(functools.reduce(lambda a, b: E.apply("and", a, b), clear), code, [])]
            if clear
            else code
        )

    def depth_of(self, node: Expr) -> int:
        """The number of loops around the newest leaf of an expression; parameters are outside of all."""
        return max((self.depths.get(n, 0) for n in E.topological([node]) if not n.args), default=0)

    def age_of(self, node: Expr) -> int:
        """The number of leaves that were made up to the newest one of an expression; parameters are older than all."""
        return max(
            (int(n.attr.partition(".")[2]) for n in E.topological([node]) if n in self.depths), default=0
        )

    def request_split(self, terms: Iterable[tuple[Expr, int]]) -> None:
        """Note that something would be static if the residues of some values modulo some factors were."""
        request = tuple(dict.fromkeys((q, factor) for q, factor in terms if factor > 1))
        if request:
            self.split_requests[request] = None

    def parted(self, q: Expr, factor: int) -> tuple[Expr, Expr]:
        """Names for a value's quotient and residue, from which the cases of a split are told."""
        quotient = self.named("part", E.apply("floor_div", q, E.const(factor, T.i64)))
        self.parts[quotient] = q
        return quotient, self.named("rest", E.apply("mod", q, E.const(factor, T.i64)))

    def residue(self, q: Expr, factor: int) -> int | None:
        """The remainder of a value modulo a factor, if it is the same in every run."""
        facts = self.facts(q)
        return facts.residue % factor if facts.modulus % factor == 0 else None

    def capture(self, action: Callable[[], None]) -> R.Code:
        """The statements that an action writes; the cache and the splits are put back after it."""
        outer, lines, splits = self.block, self.lines, dict(self.splits)
        self.block = []
        self.nested += 1
        try:
            action()
            return self.block
        finally:
            self.nested -= 1
            self.block, self.lines, self.splits = outer, lines, splits


_now: ContextVar[SpecializerSession | None] = ContextVar("session", default=None)


def current() -> SpecializerSession | None:
    """The specialization under way, or None: then programs run as plain Python."""
    return _now.get()


@contextmanager
def staging(session: SpecializerSession) -> Generator[SpecializerSession]:
    """Make a session the current one."""
    token = _now.set(session)
    try:
        yield session
    finally:
        _now.reset(token)
