"""Root programs as they are left by an interpreter's compiler, in each tier, beside C by hand with -O2.

The figures of Draves (1996): nybbles, a filter, atree, even and append. Every result is compared; times are the best of
some calls. After the ratios come the microseconds that each tier takes to make an instruction of the program.
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE)]

from harness import reference  # noqa: E402

from pellucid.backends.flow.running import by_llvm, by_templates  # noqa: E402
from pellucid.backends.jit.executable import is_possible  # noqa: E402
from pellucid.base.errors import StagingError  # noqa: E402
from pellucid.driver.codes import compile_code  # noqa: E402
from pellucid.staging import Memory  # noqa: E402
from pellucid.staging.root.flow import INTEGERS  # noqa: E402
from pellucid.staging.root.graphs import streams  # noqa: E402
from pellucid.staging.root.lowering import lowered  # noqa: E402
from pellucid.staging.root.program import linked  # noqa: E402
from pellucid.staging.root.reading import read_sugar  # noqa: E402
from pellucid.staging.root.sets import DATA  # noqa: E402

ROUNDS = 15
NYBBLES = "\n".join(
    [
        "nybbles(k m i sum) {", "if (zero? i) (car k)(k sum)", "j = (- i 1)", "w = (load m j)", "s0 = (+ sum (& w 15))",
        *[f"s{k} = (+ s{k - 1} (& (>> w {4 * k}) 15))" for k in range(1, 8)], "nybbles(k m j s7)", "}",
    ]
)  # fmt: skip
FILTER = """
filter(k m out n) {
  rotate(k m out n 0 (load m 0) (load m 1))
rotate(k m out n p a b) {
  if (zero? n) (car k)(k 0)
  c = (load m (+ p 2))
  x = (store out p (+ (* 2 c) (+ (* 5 b) (* 2 a))))
  d = (load m (+ p 3))
  y = (store out (+ p 1) (+ (* 2 d) (+ (* 5 c) (* 2 b))))
  e = (load m (+ p 4))
  z = (store out (+ p 2) (+ (* 2 e) (+ (* 5 d) (* 2 c))))
  rotate(k m out (- n 1) (+ p 3) d e)
}"""
ATREE = """
atree(k n) {
  if (zero? n) (car k)(k 1)
  cl = (close left (list k n))
  atree(cl (- n 1))
left(self r) {
  (k n) = (cdr self)
  cl = (close right (list k r))
  atree(cl (- n 1))
right(self q) {
  (k r) = (cdr self)
  (car k)(k (+ r (* 2 q)))
}"""
EVEN = """
even(k n) {
  if (zero? n) (car k)(k 1)
  odd(k (- n 1))
odd(k n) {
  if (zero? n) (car k)(k 0)
  even(k (- n 1))
}"""
APPENDS = """
appends(k n l sum) {
  if (zero? n) (car k)(k sum)
  cl = (close again (list k n l sum))
  append(cl l l)
again(self r) {
  (k n l sum) = (cdr self)
  appends(k (- n 1) l (+ sum (car r)))
append(k l m) {
  if (null? l) (car k)(k m)
  cl = (close cont (list k l))
  append(cl (cdr l) m)
cont(self r) {
  (k l) = (cdr self)
  (car k)(k (cons (car l) r))
}"""


def best(call: Callable[[], object]) -> float:
    """The least microseconds of some calls."""
    found = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        call()
        found = min(found, time.perf_counter() - start)
    return 1e6 * found


@dataclass
class Case:
    """A program: its text, what its arguments are, and C for the same."""

    text: str
    given: tuple[Any, ...]
    args: tuple[Any, ...]
    by_hand: Callable[[], int]
    limit: float


def cases(library: ctypes.CDLL) -> list[Case]:
    """The programs."""
    m, out = Memory("m"), Memory("out")
    words = np.random.default_rng(1).integers(0, 1 << 16, 100_010, dtype=np.uint32)
    stored, n = np.zeros_like(words), 33_000
    for name in ("nybbles", "filter", "atree", "even", "appends"):
        getattr(library, name).restype = ctypes.c_int64
    where, to = ctypes.c_void_p(words.ctypes.data), ctypes.c_void_p(stored.ctypes.data)
    number = ctypes.c_int64
    return [
        Case(
            NYBBLES,
            (m, "integer", "integer"),
            (words, 100_000, 0),
            lambda: library.nybbles(where, number(100_000)),
            1.0,
        ),
        Case(
            FILTER, (m, out, "integer"), (words, stored, n), lambda: library.filter(where, to, number(n)), 1.0
        ),
        Case(ATREE, ("integer",), (16,), lambda: library.atree(number(16)), 2.5),
        Case(EVEN, ("integer",), (1_000_000,), lambda: library.even(number(1_000_000)), 2.5),
        Case(
            APPENDS,
            ("integer", "data", "integer"),
            (5000, linked(*range(1000)), 0),
            lambda: library.appends(number(5000), number(1000)),
            2.5,
        ),
    ]


def main() -> None:
    """Print both tables."""
    library = reference("interpreters", ["-O2", "-fPIC", "-shared"])
    tiers = [t for t in ("quick", "llvm", "nest") if t != "quick" or is_possible()]
    print("program      C us    " + "".join(f"{t:>9} us  ratio" for t in tiers) + "   at most")
    for case in cases(library):
        code = next(iter(read_sugar(case.text).values()))
        hand, meant = best(case.by_hand), case.by_hand()
        row = f"{code.name:8}{hand:9.1f}    "
        for tier in tiers:
            try:
                made = compile_code(code, *case.given, tier=tier)
            except StagingError:
                row += " " * 8 + "-" + " " * 10
                continue
            assert made(*case.args) == meant, (tier, code.name)
            took = best(lambda made=made, case=case: made(*case.args))
            row += f"{took:9.1f} {took / hand:8.2f} "
        print(row + f"{case.limit:8}")
    print("\nmicroseconds to make an instruction: graph, templates, LLVM at level 0 and 2")
    for case in cases(library):
        code = next(iter(read_sugar(case.text).values()))
        sets = [
            {"integer": INTEGERS, "data": DATA}.get(g, g) if isinstance(g, str) else g for g in case.given
        ]
        graph = lowered(code, sets).graph
        count = sum(len(s) for b in graph.blocks for s in streams(b.body))
        steps = [lambda code=code, sets=sets: lowered(code, sets)]
        if is_possible():
            steps.append(lambda graph=graph: by_templates(graph))
        steps += [lambda graph=graph, level=level: by_llvm(graph, level=level) for level in (0, 2)]
        print(
            f"{code.name:8}{count:4} instructions " + "".join(f"{best(step) / count:9.2f}" for step in steps)
        )


if __name__ == "__main__":
    main()
