"""Nests as formulas: what a program leaves in memory, for all contents of memory and all sizes at once.

Numbers are the mathematical integers and arrays have no ends, as in White's language. Products of two unknowns, and all
operators that are not sums, comparisons or choices, are unknown functions, so that what is proved holds whatever they
compute. A loop is executed for at most so many iterations; that it has no more is assumed. Threads take the iterations
from the last to the first; lanes all load before any of them stores. A value that has a place is computed there, and
not again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import z3

from pellucid.ir import types as T
from pellucid.ir.expr import Expr
from pellucid.ir.facts import Facts
from pellucid.ir.nest import Alloc, Block, For, If, Kernel, Let, Store

Memory = dict[str, Any]


def unknown(op: str, *args: Any) -> Any:
    """An operator of which nothing is known but that it is a function."""
    return z3.Function(op, *(a.sort() for a in args), z3.IntSort())(*args)


class Execution:
    """One way through a program: the loops that were cut off, and the values of indices."""

    def __init__(self, most: int) -> None:
        self.most, self.limits = most, []

    def value(self, e: Expr, indices: dict[Expr, Any], memory: Memory) -> Any:
        """An expression as a term."""
        if e.op == "const":
            return z3.BoolVal(bool(e.attr)) if e.type is T.boolean else z3.IntVal(int(e.attr))
        if e.op == "param":
            return z3.Int(str(e.attr))
        if e in indices:
            return indices[e]
        args = [self.value(a, indices, memory) for a in e.args]
        match e.op:
            case "load":
                return z3.Select(memory[e.attr.name], args[0])
            case "add":
                return args[0] + args[1]
            case "sub":
                return args[0] - args[1]
            case "neg":
                return -args[0]
            case "mul" if any(z3.is_int_value(a) for a in args):
                return args[0] * args[1]
            case "floor_div" if z3.is_int_value(args[1]) and args[1].as_long() > 0:
                return args[0] / args[1]
            case "min":
                return z3.If(args[0] <= args[1], args[0], args[1])
            case "max":
                return z3.If(args[0] <= args[1], args[1], args[0])
            case "choose":
                return z3.If(*args)
            case "lt":
                return args[0] < args[1]
            case "le":
                return args[0] <= args[1]
            case "eq":
                return args[0] == args[1]
            case "ne":
                return args[0] != args[1]
            case "not":
                return z3.Not(args[0])
            case "and":
                return z3.And(args)
            case "or":
                return z3.Or(args)
            case "convert":
                return args[0]
            case _:
                return unknown(e.op, *args)

    def block(self, block: Block, indices: dict[Expr, Any], memory: Memory, here: Any) -> Memory:
        """The memory after some statements; `here` says when they are reached."""
        for s in block:
            match s:
                case Let(value):
                    indices = {**indices, value: self.value(value, indices, memory)}
                case If(condition, then, orelse, selects) if selects:
                    c = self.value(condition, indices, memory)
                    for arm, chosen in ((then, c), (orelse, z3.Not(c))):
                        self.block(arm, indices, memory, z3.And(here, chosen))
                    indices = {**indices, **{p: self.value(p, indices, memory) for p in selects}}
                case Alloc(sizes, body):
                    own = {b.name: z3.Array(b.name, z3.IntSort(), z3.IntSort()) for b in sizes}
                    after = self.block(body, indices, {**memory, **own}, here)
                    memory = {b: after[b] for b in memory}
                case Store(buffer, position, value):
                    at, new = (self.value(e, indices, memory) for e in (position, value))
                    memory = {**memory, buffer.name: z3.Store(memory[buffer.name], at, new)}
                case If(condition, then, orelse, ()):
                    c = self.value(condition, indices, memory)
                    yes = self.block(then, indices, memory, z3.And(here, c))
                    no = self.block(orelse, indices, memory, z3.And(here, z3.Not(c)))
                    memory = merged(c, yes, no)
                case For(index, lo, hi, body, how):
                    begin, end = (self.value(e, indices, memory) for e in (lo, hi))
                    self.limits.append(z3.Implies(here, end - begin <= self.most))
                    turns = [({**indices, index: begin + k}, begin + k < end) for k in range(self.most)]
                    if how.kind == "lanes":
                        memory = self.lanes(body, turns, memory, here)
                        continue
                    for inside, runs in reversed(turns) if how.kind in ("spread", "grid") else turns:
                        after = self.block(body, inside, memory, z3.And(here, runs))
                        memory = merged(runs, after, memory)
                case _:
                    raise TypeError(f"no program of the proofs has a {type(s).__name__}")
        return memory

    def lanes(
        self, body: Block, turns: list[tuple[dict[Expr, Any], Any]], memory: Memory, here: Any
    ) -> Memory:
        """The memory after some statements, each made in all lanes before the next."""
        for s in body:
            if isinstance(s, Store):
                made = [
                    (runs, *(self.value(e, indices, memory) for e in (s.position, s.value)))
                    for indices, runs in turns
                ]
                array = memory[s.buffer.name]
                for runs, at, new in made:
                    array = z3.If(runs, z3.Store(array, at, new), array)
                memory = {**memory, s.buffer.name: array}
                continue
            for indices, runs in turns:
                memory = merged(runs, self.block((s,), indices, memory, z3.And(here, runs)), memory)
        return memory


def merged(condition: Any, yes: Memory, no: Memory) -> Memory:
    """The memory of a branch."""
    return {b: yes[b] if yes[b] is no[b] else z3.If(condition, yes[b], no[b]) for b in no}


def differ(
    before: Kernel, after: Kernel, most: int, ranges: Mapping[Expr, Facts] | None = None
) -> z3.CheckSatResult:
    """Whether some memory and sizes tell two programs apart (sat), or none do (unsat).

    Only loops of at most so many iterations are looked at, and sizes in their ranges.
    """
    names = {b.name for b in before.outputs} | {b.name for b in after.outputs}
    start = {b: z3.Array(b, z3.IntSort(), z3.IntSort()) for b in names}
    first, second = Execution(most), Execution(most + 2)
    one = first.block(before.body, {}, start, z3.BoolVal(True))
    two = second.block(after.body, {}, start, z3.BoolVal(True))
    solver = z3.Solver()
    solver.set("timeout", 10_000)
    solver.add(*first.limits)
    for size, facts in (ranges or {}).items():
        solver.add(int(facts.lo) <= z3.Int(str(size.attr)), z3.Int(str(size.attr)) <= int(facts.hi))
    solver.add(z3.Or([one[b.name] != two[b.name] for b in before.outputs]))
    return solver.check()
