"""Calibration: the timer's table for the processor at hand, each kind of work measured through the LLVM back end.

Every cost is a difference between two loops that differ in that work only, so what they share does not count; each loop
is as long as it takes to be measured, and the fastest of several runs is taken. Costs are nanoseconds for one vector.
The default optimizer goes by the usual table, so that a program is compiled alike everywhere; the measured one is for
`pellucid hops`, and for whoever asks the timer.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..backends.llvm import LlvmBackend
from ..base.atomic import atomic_write
from ..base.errors import FileError
from ..base.opening import contents
from ..ir import nest as N
from ..ir import prim as table
from ..ir import types as T
from ..ir.expr import Buffer, Expr, apply, const, index, load, param
from ..loops.analysis.placement import place
from ..reasoning.machine import CHARGES, CostModel
from ..rewriting.expand import expand
from .threads import available

LENGTH = 2048
"""Elements of an array: three of them stay close to the processor."""
LONG = 1 << 16
"""Elements of an array of which no branch predictor learns the pattern."""
CHAIN = 4
MIN_SECONDS = 1e-3
RUNS = 5
MIN_COST = 0.01
VERSION = 1

COLUMN, ROW, TIMES = index("i"), index("j"), param("times", T.i32)
CHOSEN = param("chosen", T.boolean)
WAKE = 2000.0
"""Nanoseconds that it takes to have other threads work and to hear of their end, roughly: it is not measured."""
_OPERAND = {"F": T.f32, "N": T.f32, "S": T.f32, "T": T.f32, "I": T.i32, "L": T.i32}
Link = Callable[[Expr, int], Expr]


def calibrate(say: Callable[[str], None] = lambda _: None) -> CostModel:
    """The table of this processor; `say` is told what is measured next. It takes a few seconds.

    Raises BackendError where LLVM cannot run.
    """
    bench = _Bench()
    charges = dict.fromkeys(CHARGES, 0.0)
    for kind, measure in bench.charges.items():
        say(kind)
        charges[kind] = measure()
    operators: dict[str, float] = {}
    for row in table.table().values():
        say(row.name)
        operators[row.name] = bench.operator(row)
    charges["operator"] = sorted(operators.values())[len(operators) // 2]
    name = f"measured on {bench.backend.machine.cpu}, nanoseconds"
    return _machine(name, charges, operators, bench.lanes)


def _machine(name: str, charges: dict[str, float], operators: dict[str, float], lanes: int) -> CostModel:
    return CostModel(name, charges, operators, lanes=lanes, threads=available(), wake=WAKE)


class _Bench:
    """Loops over arrays, and how long they take."""

    def __init__(self) -> None:
        self.backend = LlvmBackend()
        self.lanes = max(1, self.backend.vector_bits // 32)
        generator = np.random.default_rng(1)
        self.data: dict[Buffer, Any] = {}
        self.arrays: dict[str, Buffer] = {}
        for name, type_, size in (
            ("out", T.f32, LENGTH),
            ("whole", T.i32, LENGTH),
            ("a", T.f32, LENGTH),
            ("b", T.f32, LENGTH),
            ("c", T.f32, LENGTH),
            ("more_whole", T.i32, LENGTH),
            ("k", T.i32, LENGTH),
            ("order", T.i32, LENGTH),
            ("random", T.f32, LONG),
            ("long", T.f32, LONG),
        ):
            buffer = self.arrays[name] = Buffer(name, type_, size)
            values = generator.uniform(0.5, 1.5, size) if type_.is_float else generator.integers(1, 99, size)
            self.data[buffer] = values.astype(type_.dtype)
        self.additions: dict[T.Type, float] = {}
        self.data[self.arrays["order"]][:] = generator.permutation(LENGTH)

    def at(self, name: str) -> Expr:
        """The element of an array in the inner loop."""
        return load(self.arrays[name], COLUMN)

    def put(self, name: str, value: Expr) -> N.Store:
        """The inner loop's store to an array."""
        return N.Store(self.arrays[name], COLUMN, value)

    # ---- time ----

    def wide(self, *body: N.Statement) -> float:
        """Nanoseconds of one vector of a loop in lanes."""
        return self.time(body, LENGTH, N.lanes(self.lanes)) * self.lanes / LENGTH

    def plain(self, *body: N.Statement, size: int = LENGTH) -> float:
        """Nanoseconds of one iteration of a loop in order."""
        return self.time(body, size, N.SEQ) / size

    def time(self, body: N.Block, size: int, how: N.How) -> float:
        """Nanoseconds of one run of the inner loop."""
        zero = const(0, T.i32)
        inner = N.For(COLUMN, zero, const(size, T.i32), body, how)
        stored = tuple(dict.fromkeys(s.buffer for s in N.walk(body) if isinstance(s, N.Store)))
        nest = N.Kernel("calibration", (TIMES, CHOSEN), stored, (N.For(ROW, zero, TIMES, (inner,)),))
        roots = N.all_roots(nest.body)
        # Exact, so that sums and products stay two operators.
        changed = dict(zip(roots, expand(roots, "exact", order=(ROW.free, COLUMN.free)), strict=True))
        body = N.rewrite(nest.body, lambda rs: tuple(changed[r] for r in rs))
        kernel, _ = place(N.Kernel(nest.name, nest.params, nest.outputs, body))
        code = self.backend.compile(kernel, {})
        times, best = 16, math.inf
        left = RUNS
        while left:
            began = time.perf_counter()
            code.run({"times": times, "chosen": True}, self.data)
            spent = time.perf_counter() - began
            if spent < MIN_SECONDS and times < 1 << 30:
                times *= 2
                continue
            best = min(best, spent / times)
            left -= 1
        return best * 1e9

    # ---- kinds of work ----

    @cached_property
    def charges(self) -> dict[str, Callable[[], float]]:
        """The measured cost of each kind of work besides operators; work that compiled code never does is free."""
        return {
            "assignment": lambda: self.assignment,
            "check": lambda: self.check,
            "loop": self.loop,
            "branch": self.branch,
            "load": lambda: self.load,
            "gather": self.gather,
        }

    @cached_property
    def one_store(self) -> float:
        return self.plain(self.put("whole", COLUMN))

    @cached_property
    def assignment(self) -> float:
        """A second store in a loop."""
        two = self.plain(self.put("whole", COLUMN), self.put("more_whole", COLUMN))
        return max(MIN_COST, two - self.one_store)

    @cached_property
    def check(self) -> float:
        """A loop with one store, less the store."""
        return max(MIN_COST, self.one_store - self.assignment)

    def loop(self) -> float:
        """Short loops, less their iterations."""
        short = self.time((self.put("whole", COLUMN),), 4, N.SEQ)
        return max(MIN_COST, short - 4 * self.assignment - 5 * self.check)

    def branch(self) -> float:
        """A branch that goes the other way once in ten times, unforeseen, against a selection."""
        test = apply("lt", self.at("random"), const(0.6, T.f32))
        one, two = const(1.0, T.f32), const(2.0, T.f32)
        branch = N.If(test, (self.put("long", one),), (self.put("long", two),))
        chosen = self.put("long", apply("choose", test, one, two))
        return max(MIN_COST, self.plain(branch, size=LONG) - self.plain(chosen, size=LONG))

    @cached_property
    def load(self) -> float:
        """Two more arrays in a sum, less the two additions."""
        one, three = (
            self.wide(self.put("out", value))
            for value in (self.at("a"), apply("add", apply("add", self.at("a"), self.at("b")), self.at("c")))
        )
        return max(MIN_COST, (three - one) / 2 - self.add(T.f32))

    def gather(self) -> float:
        """Loads in another order, less the load of that order."""
        there = load(self.arrays["a"], self.at("order"))
        scattered = self.wide(self.put("out", there)) - self.wide(self.put("out", self.at("a")))
        return max(self.load, scattered)

    # ---- operators ----

    def operator(self, row: table.Prim) -> float:
        """Vectors of an operator in a chain: what more links take longer, with an addition between those that fold."""
        if row.result == "@":
            return self.conversion(row)
        type_ = next((_OPERAND[letter] for letter in row.letters if letter in _OPERAND), T.f32)
        values = self.operands(type_)
        others = [self.operands(_OPERAND.get(letter, type_)) for letter in row.letters[1:]]
        folds = row.arity == 1 or row.name == "choose" or row.letters[0] == "L" or bool(row.laws.idempotent)

        def link(x: Expr, k: int) -> Expr:
            y, z = values[k % 3], values[(k + 1) % 3]
            if row.name == "choose":
                return apply("choose", CHOSEN, y, apply("add", x, z))
            made = apply(row.name, x, *(of[(k + j) % 3] for j, of in enumerate(others)))
            if row.result == "B":
                return apply("choose", made, y, apply("add", x, z))
            return apply("add", made, y) if folds else made

        extra = self.add(type_) if folds or row.result == "B" else 0.0
        if row.result == "B":
            # A comparison is nothing without the selection that it decides.
            extra += self.operator(table.row("choose"))
        return max(MIN_COST, self.slope(link, type_, 2 if row.body else CHAIN) - extra)

    def conversion(self, row: table.Prim) -> float:
        """There and back again, from floats to integers."""
        values = self.operands(T.f32)
        there = "to_integer" if row.name == "convert" else row.name
        back = "bitcast" if row.name == "bitcast" else "convert"
        whole = T.i32 if row.targets is None or row.targets(T.f32, T.i32) else T.u32

        def link(x: Expr, k: int) -> Expr:
            made = apply(there, x, *values[1 : row.arity], attr=whole)
            return apply("add", apply(back, made, attr=T.f32), values[k % 3])

        return max(MIN_COST, (self.slope(link, T.f32) - self.add(T.f32)) / 2)

    def operands(self, type_: T.Type) -> tuple[Expr, Expr, Expr]:
        """Values of a type that no compiler knows."""
        a, b, c = (self.at(name) for name in (("a", "b", "c") if type_.is_float else ("k", "order", "whole")))
        return a, b, c

    def add(self, type_: T.Type) -> float:
        """An addition."""
        if type_ not in self.additions:
            values = self.operands(type_)
            self.additions[type_] = max(
                MIN_COST, self.slope(lambda x, k: apply("add", x, values[k % 3]), type_)
            )
        return self.additions[type_]

    def slope(self, link: Link, type_: T.Type, short: int = CHAIN) -> float:
        """Nanoseconds of one vector through one more link of a chain."""
        times: list[float] = []
        for length in (short, 3 * short):
            x = self.operands(type_)[0]
            for k in range(length):
                x = link(x, k + 1)
            times.append(self.wide(self.put("out" if type_.is_float else "more_whole", x)))
        return (times[1] - times[0]) / (2 * short)


# ---- kept for the next time ----


_ELSEWHERE = "name another folder by PELLUCID_CACHE_DIR"


def _folder() -> Path | None:
    from .cache import cache

    return cache().folder


def _file(folder: Path) -> Path:
    identity = LlvmBackend().machine.identity
    return folder / f"timer-{hashlib.sha256(identity.encode()).hexdigest()[:16]}.json"


def keep(machine: CostModel) -> Path | None:
    """Write a table where `measured` finds it; where to, or None if the cache is turned off.

    Raises FileError if it cannot be written.
    """
    folder = _folder()
    if folder is None:
        return None
    path = _file(folder)
    content = {
        "version": VERSION,
        "name": machine.name,
        "charges": machine.charges,
        "operators": machine.operators,
        "lanes": machine.lanes,
    }
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with atomic_write(path, private=True) as file:
            file.write(json.dumps(content, indent=1).encode() + b"\n")
    except OSError as error:
        why = getattr(error, "message", None) or error.strerror or str(error)
        raise FileError(f"the timer's table cannot be kept: {why}", place=str(path), fix=_ELSEWHERE) from None
    return path


def measured() -> CostModel | None:
    """The table that was measured on this processor, or None: a file that is not whole is no table."""
    folder = _folder()
    if folder is None:
        return None
    try:
        content = json.loads(contents(_file(folder)))
        if content["version"] != VERSION:
            return None
        charges, operators = _costs(content["charges"]), _costs(content["operators"])
        return _machine(str(content["name"]), charges, operators, int(content["lanes"]))
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


def _costs(values: Any) -> dict[str, float]:
    """Costs as they were kept. Raises ValueError for what is none."""
    found = {str(word): float(cost) for word, cost in values.items()}
    if not all(math.isfinite(cost) and cost >= 0 for cost in found.values()):
        raise ValueError("a cost is a number")
    return found
