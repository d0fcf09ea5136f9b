"""Lower: the structured residual program as a nest.

A name that is set once is its value, written wherever it is used, as long as nothing that the value reads is changed in
between; the nest's expressions are shared and placed later, by the same passes as pictures. The other names become
registers: scratch buffers of one element, which the back ends keep in registers of the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..ir import nest as N
from ..ir import types as T
from ..ir.expr import Buffer, Expr, const, load, rebuild, topological
from . import residual as R
from .folding import node, opposite

ZERO = const(0, T.i64)


def lower(code: R.Code, name: str, label: Callable[[Expr], str], sized: Mapping[Buffer, Buffer]) -> N.Kernel:
    """The nest of a residual program without jumps.

    `label` gives names to registers; `sized` are the buffers to store to in place of those whose size was not known.
    """
    code = _useful(code)
    plan = _Plan()
    plan.read(code)
    registers = plan.registers(label)
    writer = _Writer(registers, plan.definitions, sized)
    body = writer.block(code)
    if registers:
        body = (N.Alloc(dict.fromkeys(registers.values(), const(1, T.i32)), body),)
    stored = dict.fromkeys(s.buffer for s in N.walk(body) if isinstance(s, N.Store))
    outputs = tuple(b for b in stored if b not in registers.values())
    params = {n for r in N.all_roots(body) for n in topological([r]) if n.op == "param"}
    return N.Kernel(name, tuple(sorted(params, key=lambda n: n.attr)), outputs, body)


def _useful(code: R.Code) -> R.Code:
    """The code without names that nothing uses, and without branches and loops that do nothing."""
    used: set[Expr] = set()
    while True:
        found = {n for s in R.walk(code) for r in R.roots(s) for n in topological([r]) if n.op == "param"}
        # A name that only its own next value uses is not used.
        if found == used:
            return code
        used = found
        code = _without(code, used)


def _without(code: R.Code, used: set[Expr]) -> R.Code:
    out: R.Code = []
    for s in code:
        match s:
            case R.Set(name, _) if name not in used:
                continue
            case R.ResidualBranch(condition, then, orelse):
                arms = _without(then, used), _without(orelse, used)
                if any(arms):
                    out.append(R.ResidualBranch(condition, *arms))
            case R.Count(index, lo, hi, body):
                inner = _without(body, used)
                if inner:
                    out.append(R.Count(index, lo, hi, inner))
            case R.ResidualWhile(condition, body):
                out.append(R.ResidualWhile(condition, _without(body, used)))
            case _:
                out.append(s)
    return out


Resource = Buffer | Expr
"""What a value may read and a statement may change: a buffer, or a name that is set more than once."""


@dataclass(slots=True)
class _Plan:
    """When names are set and used and what is changed when, in the order of the text."""

    definitions: dict[Expr, Expr] = field(default_factory=dict[Expr, Expr])
    sets: dict[Expr, list[int]] = field(default_factory=dict[Expr, "list[int]"])
    uses: dict[Expr, list[int]] = field(default_factory=dict[Expr, "list[int]"])
    changes: dict[Resource, list[int]] = field(default_factory=dict["Resource", "list[int]"])
    loops: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    blocks: dict[Expr, tuple[int, int]] = field(default_factory=dict[Expr, tuple[int, int]])
    _clock: int = 0

    def read(self, code: R.Code) -> None:
        """Go through the text once."""
        begin = self._clock
        own: list[Expr] = []
        for s in code:
            self._clock += 1
            for r in R.roots(s):
                for n in topological([r]):
                    if n.op == "param":
                        self.uses.setdefault(n, []).append(self._clock)
            start = self._clock
            for inner in R.blocks(s):
                self.read(inner)
            self._clock += 1
            match s:
                case R.Set(name, value):
                    self.definitions[name] = value
                    self.sets.setdefault(name, []).append(self._clock)
                    self.changes.setdefault(name, []).append(self._clock)
                    own.append(name)
                case R.Put(buffer, _, _):
                    self.changes.setdefault(buffer, []).append(self._clock)
                case R.Count() | R.ResidualWhile():
                    self.loops.append((start, self._clock))
                    if isinstance(s, R.ResidualWhile):
                        # The condition is asked again after every turn.
                        for n in topological([s.condition]):
                            if n.op == "param":
                                self.uses.setdefault(n, []).append(self._clock)
                case _:
                    pass
        for name in own:
            self.blocks[name] = (begin, self._clock)

    def registers(self, label: Callable[[Expr], str]) -> dict[Expr, Buffer]:
        """A scratch buffer for each name that cannot be written as its value."""
        found: dict[Expr, Buffer] = {}
        reads: dict[Expr, frozenset[Resource]] = {}
        for name in sorted(self.sets, key=lambda n: self.sets[n][0]):
            if len(self.sets[name]) == 1:
                read = self._reads(self.definitions[name], reads)
                if self._keeps(name, read):
                    reads[name] = read
                    continue
            reads[name] = frozenset([name])
            found[name] = Buffer(label(name), name.type, 1)
        return found

    def _reads(self, value: Expr, reads: dict[Expr, frozenset[Resource]]) -> frozenset[Resource]:
        found: set[Resource] = set()
        for n in topological([value]):
            if n.op == "load":
                found.add(n.attr)
            elif n.op == "param":
                # A name that is set later in the text is one of a loop around.
                found |= reads.get(n, frozenset([n]) if n in self.sets else frozenset())
        return frozenset(found)

    def _keeps(self, name: Expr, read: frozenset[Resource]) -> bool:
        """Whether a value means the same wherever its name is used."""
        (defined,) = self.sets[name]
        begin, end = self.blocks[name]
        uses = self.uses.get(name, [])
        if any(not begin <= u <= end or u < defined for u in uses):
            return False
        for resource in read:
            for change in self.changes.get(resource, []):
                for use in uses:
                    if defined < change < use:
                        return False
                    around = [(a, b) for a, b in self.loops if a <= use <= b and not a <= defined <= b]
                    if any(a <= change <= b for a, b in around):
                        return False
        return True


_FOLDED = frozenset(
    ["add", "sub", "mul", "floor_div", "mod", "min", "max", "eq", "ne", "lt", "le", "and", "or", "not"]
)
"""The operators of bounds of loops, and of what is asked about them."""


class _Writer:
    """Writes statements with names replaced."""

    def __init__(
        self, registers: dict[Expr, Buffer], definitions: dict[Expr, Expr], sized: Mapping[Buffer, Buffer]
    ) -> None:
        self.registers, self.definitions, self.sized = registers, definitions, sized
        self.known: dict[Expr, Expr] = {n: load(b, ZERO) for n, b in registers.items()}

    def value(self, e: Expr) -> Expr:
        """An expression without names."""
        stack = [e]
        while stack:
            n = stack[-1]
            if n in self.known:
                stack.pop()
                continue
            own = self.definitions.get(n)
            needs = [own] if own is not None else [*n.args]
            missing = [a for a in needs if a not in self.known]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            self.known[n] = self.known[own] if own is not None else self._on(n)
        return self.known[e]

    def _on(self, n: Expr) -> Expr:
        """A node on what its operands are, folded where names turned out to be constants."""
        args = tuple(self.known[a] for a in n.args)
        if n.op == "load" and n.attr in self.sized:
            return load(self.sized[n.attr], *args)
        needed = args[-1:] if n.op in ("add", "sub") else args
        if n.op in _FOLDED and args != n.args and all(a.op == "const" for a in needed):
            return node(n.op, *args)
        return rebuild(n, args)

    def block(self, code: R.Code) -> N.Block:
        """A block."""
        out: list[N.Statement] = []
        for s in code:
            match s:
                case R.Set(name, value):
                    if name in self.registers:
                        out.append(N.Store(self.registers[name], ZERO, self.value(value)))
                case R.Put(buffer, position, value):
                    out.append(
                        N.Store(self.sized.get(buffer, buffer), self.value(position), self.value(value))
                    )
                case R.ResidualBranch(condition, then, orelse) if self.value(condition).op == "const":
                    out.extend(self.block(then if self.value(condition).attr else orelse))
                case R.ResidualBranch(condition, then, orelse):
                    arms = self.block(then), self.block(orelse)
                    if arms[0]:
                        out.append(N.If(self.value(condition), *arms))
                    elif arms[1]:
                        out.append(N.If(self.value(opposite(condition)), arms[1]))
                case R.Count(index, lo, hi, body):
                    out.append(N.For(index, self.value(lo), self.value(hi), self.block(body)))
                case R.ResidualWhile(condition, body):
                    out.append(N.While(self.value(condition), self.block(body)))
                case _:
                    raise AssertionError(s)
        return tuple(out)
