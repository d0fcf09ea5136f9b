"""The compiler generator: what it takes to make compilers, and what their programs take to be made and made to run.

Four figures, each by itself: `cogen` of an interpreter, with the memory of its compiler, which has made the programs
below, or for the examples none; generating, for each instruction that is left, and tidying them, for each that was
given; and from a program that is new to code that runs, step by step. The least of some calls; the time of `cogen` is
processor time of one call, since a second one finds lifters that are made.
"""

from __future__ import annotations

import gc
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "examples")]

import automata  # noqa: E402
import expressions  # noqa: E402
import forests  # noqa: E402
import packets  # noqa: E402
from tests.staging.figures import FILTER, NYBBLES  # noqa: E402
from tests.staging.interpreters import RPN, STEPS, TREES  # noqa: E402

from pellucid.backends.flow.running import by_templates  # noqa: E402
from pellucid.backends.jit.executable import is_possible  # noqa: E402
from pellucid.staging import Memory  # noqa: E402
from pellucid.staging.cogen import cogen, tidy  # noqa: E402
from pellucid.staging.cogen.tidy import size  # noqa: E402
from pellucid.staging.root.flow import INTEGERS  # noqa: E402
from pellucid.staging.root.lowering import lowered  # noqa: E402
from pellucid.staging.root.program import linked  # noqa: E402
from pellucid.staging.root.reading import read_sugar  # noqa: E402
from pellucid.staging.root.recur import interpreter, read_recur  # noqa: E402
from pellucid.staging.root.sets import DATA  # noqa: E402

ROUNDS = 30
RECUR = """
(atree (n) (if (zero? n) 1 (+ (atree (- n 1)) (* 2 (atree (- n 1))))))
(append (a b) (if (null? a) b (cons (car a) (append (cdr a) b))))
(ev (e x) (if (atom? e) (if (= e 'x) x e)
  (if (= (car e) 'add) (+ (ev (car (cdr e)) x) (ev (car (cdr (cdr e))) x))
  (if (= (car e) 'mul) (* (ev (car (cdr e)) x) (ev (car (cdr (cdr e))) x))
  (if (ev (car (cdr e)) x) (ev (car (cdr (cdr e))) x) (ev (car (cdr (cdr (cdr e)))) x))))))
"""
EXPRESSION = linked(*["x", "y", "+", "x", linked(3), "*", "dup", "y", "-", "*", "swap", "?", "y", "max"] * 0, *(
    ["x", "y", "+"] + ["x", linked(3), "*", "+", "y", "-", "x", "max"] * 6))  # fmt: skip
MACHINE = (
    ("load", 0), ("less", 3), ("add", 7), ("store", 0), ("swap", 0), ("times", 0), ("set", 9), ("plus", 0),
    ("less", 2), ("load", 0), ("swap", 0), ("add", 3), ("store", 0), ("loop", -12), ("end", 0),
)  # fmt: skip
TREE = linked("let", "a", linked("+", linked("var", "x"), linked("var", "y")), linked("if", linked("var", "a"), linked(
    "*", linked("var", "a"), linked("const", 3)), linked("let", "b", linked("-", linked("var", "x"), linked(
        "var", "a")), linked("max", linked("var", "b"), linked("var", "y")))))  # fmt: skip
PROGRAM = read_recur(RECUR)

CASES: list[tuple[str, str, str, list[Any], bool, list[tuple[str, tuple[Any, ...]]], float]] = [
    ("nybbles", NYBBLES, "nyb", ["D", "cyc", "S", "S", "S", "S"], False, [
        ("4 bits", ((32, 0), 0, 4, -1, 0)), ("12 bits", ((96, 0), 0, 12, -1, 0))], 1.0),
    ("filter", FILTER, "fir", ["D", "cyc", "D", "S", "nil"], True, [
        ("of 3", ((3, 0), linked(2, 5, 2))), ("of 7", ((7, 0), linked(1, 2, 3, 4, 3, 2, 1)))], 1.0),
    ("expressions", RPN, "expr", ["D", "S", "nil", "D", "D"], False, [("51 words", (EXPRESSION,))], 1.0),
    ("machine", STEPS, "steps", ["D", "S", "S", "D", "D", "D"], False, [("15 steps", (MACHINE, 0))], 1.0),
    ("trees", TREES, "start", ["D", "S", "D", "D"], False, [("a tree", (TREE,))], 3.0),
    ("recur", "", "", ["D", "S", "D list", "S"], False, [
        ("atree", ("atree", linked(None), PROGRAM)), ("append", ("append", linked(None, None), PROGRAM)),
        ("evaluator", ("ev", linked(None, None), PROGRAM))], 3.0),
]  # fmt: skip
"""Interpreters with times, programs for each, and the microseconds that an instruction may take."""


def best(call: Callable[[], object]) -> float:
    """The least microseconds of some calls."""
    found = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        call()
        found = min(found, time.perf_counter() - start)
    return 1e6 * found


def made(text: str, name: str, times: list[Any], integers: bool) -> Any:
    """A compiler."""
    code = read_sugar(text)[name] if text else interpreter()
    return cogen(code, times, integers=integers)


def held(call: Callable[[], Any]) -> float:
    """The kilobytes that what a call gives holds."""
    gc.collect()
    tracemalloc.start()
    kept = call()
    gc.collect()
    found = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    del kept
    return found / 1024


def main() -> None:
    """Print the tables."""
    print("cogen             ms of at most 150    compiler kB    extensions")
    compilers: dict[str, Any] = {}
    for label, text, name, times, integers, programs, _ in CASES:
        start = time.process_time()
        compiler = compilers[label] = made(text, name, times, integers)
        took = 1e3 * (time.process_time() - start)

        def used(case: tuple[Any, ...] = (text, name, times, integers), programs: Any = programs) -> Any:
            again = made(*case)
            for _, statics in programs:
                again(*statics)
            return again

        print(f"{label:12}{took:8.1f}{held(used):24.0f}{len(compiler.extensions):14}")
    for example in (expressions, packets, forests, automata):
        start = time.process_time()
        compiler = example.compiler.__wrapped__()
        took = 1e3 * (time.process_time() - start)
        extensions = sum(" --> " not in one for one in compiler.trace)
        label = f"{example.__name__}.py"
        print(f"{label:15}{took:5.1f}{held(example.compiler.__wrapped__):24.0f}{extensions:14}")
    print("\ngenerating                 instructions    us each of at most    tidying us each    left")
    for label, *_, programs, limit in CASES:
        for what, statics in programs:
            compiler = compilers[label]
            residual = compiler(*statics)
            count, left = size(residual), size(tidy(residual))
            each = best(lambda c=compiler, s=statics: c(*s)) / count
            tidying = best(lambda r=residual: tidy(r)) / count
            print(f"{label:12}{what:12}{count:15}{each:11.2f}{limit:11.1f}{tidying:19.2f}{left:8}")
    print("\nfrom a new program to running code, us: generated, tidied, lowered, templates, all")
    memories = {"m": Memory("m"), "out": Memory("out")}
    for label, *_, programs, _ in CASES:
        for what, statics in programs if is_possible() else ():
            compiler = compilers[label]
            residual = compiler(*statics)
            small = tidy(residual)
            given = [DATA if label == "recur" else INTEGERS] * (len(small.params) - 1)
            graph = lowered(small, given, memories=memories).graph
            steps: list[Callable[[], object]] = [
                lambda c=compiler, s=statics: c(*s),
                lambda r=residual: tidy(r),
                lambda s=small, g=given: lowered(s, g, memories=memories),
                lambda g=graph: by_templates(g),
                lambda c=compiler, s=statics, g=given: by_templates(
                    lowered(tidy(c(*s)), g, memories=memories).graph
                ),
            ]
            print(f"{label:12}{what:12}" + "".join(f"{best(step):9.0f}" for step in steps))


if __name__ == "__main__":
    main()
