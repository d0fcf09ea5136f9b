"""Counts what a run of a nest does: loops begun and checked, conditions decided, values stored, operators applied.

The dynamic side of the timer: what that predicts, this counts, one iteration after the other. Values are those of the
interpreter; whole numbers, of which nests are full, are computed by Python, a hundred times as fast.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

import numpy as np

from ..base.errors import IrError
from ..base.record import record
from ..ir import types as T
from ..ir.expr import ITERATIONS, LEAVES, Buffer, Expr, const, topological
from ..ir.interp import evaluate, fold
from ..ir.nest import Abstract, Alloc, Block, For, If, Kernel, Statement, Store, While, roots, walk
from .work import needed

Values = dict[Expr, Any]
Compute = Callable[[Values], Any]


@record
class Counts:
    """The counts of a run.

    work        how often each kind of work of `machine.CHARGES` was done, and each operator, by the name of its row.
    loops       how often each loop was begun, by its index; one without an index is called "while".
    checks      how often each loop compared its index with its bound.
    iterations  how often each loop's body ran.
    statements  how often each abstract statement was reached; nothing else is known of it.
    """

    work: Counter[str] = field(default_factory=Counter[str])
    loops: Counter[str] = field(default_factory=Counter[str])
    checks: Counter[str] = field(default_factory=Counter[str])
    iterations: Counter[str] = field(default_factory=Counter[str])
    statements: Counter[str] = field(default_factory=Counter[str])


def count(kernel: Kernel, arguments: Mapping[str, Any], memory: Mapping[Buffer, Any]) -> Counts:
    r"""Run a nest without places as `interp.run` does, and count; loops in lanes or bands run in order.

    Of an iteration within a value, the steps are not counted. Raises IrError for places.

    >>> from pellucid.ir.parse import parse_nest
    >>> kernel = parse_nest("kernel k():\n  output a: i32[4]\n  for i in 0 .. 4:\n    a[i] := i + i\n")
    >>> counted = count(kernel, {}, {kernel.outputs[0]: np.zeros(4, np.int32)})
    >>> counted.checks["i"], counted.work["assignment"], counted.work["add"]
    (5, 4, 4)
    """
    run = _Run({b: np.asarray(a).tolist() for b, a in memory.items()})
    values: Values = {p: np.asarray(arguments[p.attr], dtype=p.type.dtype).item() for p in kernel.params}
    body = run.block(kernel.body)
    with np.errstate(all="ignore"):
        body(values)
    for buffer, array in memory.items():
        array[:] = run.memory[buffer]
    return run.counts(kernel.body)


class _Run:
    """Makes a nest into closures that count how often each statement is reached."""

    def __init__(self, memory: dict[Buffer, list[Any]]) -> None:
        self.memory = memory
        self.reached: Counter[Statement] = Counter()
        self.compounds = 0
        self.rounds: Counter[Statement] = Counter()

    def counts(self, body: Block) -> Counts:
        """The counts of a run, from the number of times that each statement was reached."""
        found = Counts(Counter(compound=self.compounds))
        for s in walk(body):
            times = self.reached[s]
            asked = times + self.rounds[s] if isinstance(s, While) else times
            found.work.update({kind: (times if kind == "loop" else asked) * n for kind, n in _own(s).items()})
            if isinstance(s, For | While):
                name = str(s.index.attr) if isinstance(s, For) else "while"
                found.loops[name] += times
                found.iterations[name] += self.rounds[s]
                found.checks[name] += self.rounds[s] + times
                found.work["check"] += self.rounds[s] + times
            elif isinstance(s, Abstract):
                found.statements[s.name] += times
        for kind in [kind for kind, n in found.work.items() if not n]:
            del found.work[kind]
        return found

    # ---- statements ----

    def block(self, block: Block) -> Callable[[Values], None]:
        parts = [self.statement(s) for s in block]
        compound = len(parts) > 1

        def run(values: Values) -> None:
            self.compounds += compound
            for part in parts:
                part(values)

        return run

    def statement(self, s: Statement) -> Callable[[Values], None]:
        reached = self.reached
        match s:
            case Store(buffer, position, value):
                place, what = self.value(position), self.value(value)

                def store(values: Values) -> None:
                    reached[s] += 1
                    p, v, data = place(values), what(values), self.memory[buffer]
                    if 0 <= p < len(data):
                        data[p] = v

                return store
            case If(condition, then, orelse, ()):
                test, yes, no = self.value(condition), self.block(then), self.block(orelse)

                def branch(values: Values) -> None:
                    reached[s] += 1
                    (yes if test(values) else no)(values)

                return branch
            case For(index, lo, hi, body, _):
                begin, end, inner = self.value(lo), self.value(hi), self.block(body)

                def loop(values: Values) -> None:
                    reached[s] += 1
                    bounds = range(begin(values), end(values))
                    self.rounds[s] += len(bounds)
                    for k in bounds:
                        inner({**values, index: k})

                return loop
            case While(condition, body):
                test, turn = self.value(condition), self.block(body)

                def turns(values: Values) -> None:
                    reached[s] += 1
                    while test(values):
                        self.rounds[s] += 1
                        turn(values)

                return turns
            case Alloc(sizes, body):
                lengths = {b: self.value(size) for b, size in sizes.items()}
                inside = self.block(body)

                def allocate(values: Values) -> None:
                    reached[s] += 1
                    outer = {b: self.memory[b] for b in lengths if b in self.memory}
                    found = {b: max(1, length(values)) for b, length in lengths.items()}
                    self.memory.update({b: [b.type.dtype.type(0).item()] * n for b, n in found.items()})
                    inside(values)
                    self.memory.update(outer)

                return allocate
            case Abstract():

                def note(values: Values) -> None:
                    reached[s] += 1

                return note
            case _:
                raise IrError(
                    "places are not counted", place=type(s).__name__.lower(), fix="erase them first"
                )

    # ---- values ----

    def value(self, root: Expr) -> Compute:
        """A closure that computes an expression."""
        if root.holds & ITERATIONS:
            return lambda values: self.interpreted(root, values)
        steps = [(n, self.node(n)) for n in topological([root]) if n.op not in ("param", "index")]
        if not steps:
            return lambda values: values[root]

        def compute(values: Values) -> Any:
            known = dict(values)
            for n, make in steps:
                known[n] = make(known)
            return known[root]

        return compute

    def interpreted(self, root: Expr, values: Values) -> Any:
        """The value by the interpreter."""
        arrays = {b: np.array(data, b.type.dtype) for b, data in self.memory.items()}
        return evaluate([root], values, arrays)[0].item()

    def node(self, n: Expr) -> Compute:
        """A closure that computes one node from its operands."""
        if n.op == "const":
            constant = n.attr
            return lambda known: constant
        if n.op == "load":
            buffer, (position,) = n.attr, n.args
            if buffer not in self.memory and buffer.data is not None:
                self.memory[buffer] = buffer.data.tolist()

            def load(known: Values) -> Any:
                data = self.memory.get(buffer)
                if data is None:
                    raise IrError("has no memory here", place=f"load {buffer.name}", fix="bind it")
                return data[min(max(known[position], 0), len(data) - 1)]

            return load
        if n.op in _EXACT and all(a.type.is_integer or a.type is T.boolean for a in n.args):
            function, (a, b) = _EXACT[n.op], n.args
            if not n.type.is_integer:
                return lambda known: function(known[a], known[b])
            low, mask = int(n.type.low), (1 << n.type.bits) - 1
            return lambda known: ((function(known[a], known[b]) - low) & mask) + low
        if n.op == "choose":
            c, x, y = n.args
            return lambda known: known[x] if known[c] else known[y]
        return lambda known: fold(n.op, [const(known[a], a.type) for a in n.args], n.type, n.attr)


_EXACT: Mapping[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "min": min,
    "max": max,
    "lt": operator.lt,
    "le": operator.le,
    "eq": operator.eq,
    "ne": operator.ne,
}


def _own(s: Statement) -> Counter[str]:
    """The work of one statement, its blocks aside."""
    found: Counter[str] = Counter()
    start = (
        [s.value] if isinstance(s, Store) and s.buffer.size == 1 and s.position.op == "const" else roots(s)
    )
    for n in needed(start):
        if n.op == "const":
            found["constant"] += 1
        elif n.op in LEAVES:
            found["variable"] += 1
        elif n.op not in ("get", "iterate"):
            found[n.op] += 1
    match s:
        case Store():
            found["assignment"] += 1
        case If():
            found["branch"] += 1
        case For() | While():
            found["loop"] += 1
        case _:
            pass
    return found
