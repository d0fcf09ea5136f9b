"""Cellular automata: nanoseconds a cell for compiled rules, tables of 2^27 entries, and an interpreter in C.

Each peer's cells are compared with those of the interpreter before it is timed. Times are minima. The last columns are
what making takes: a compiled rule by templates and by LLVM, and a table, with their sizes.
"""

from __future__ import annotations

import ctypes
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "examples"), str(HERE)]  # examples first, for they have an automata too

import automata as A  # noqa: E402
from harness import reference  # noqa: E402

from pellucid.backends.flow.frame import outlines  # noqa: E402
from pellucid.backends.flow.templates import assembled  # noqa: E402
from pellucid.driver.codes import compile_code  # noqa: E402
from pellucid.staging import Memory  # noqa: E402
from pellucid.staging.root.flow import INTEGERS  # noqa: E402
from pellucid.staging.root.lowering import lowered  # noqa: E402

SIDE = 1024
ROUNDS = 9
GIVEN = (Memory("old", 32), Memory("new", 32))
CODES = {
    name: k
    for k, name in enumerate(["cell", "number", "+", "-", "&", "|", "^", "min", "max", "=", "<", "if"])
}


def flat(rule: Any) -> list[int]:
    """An expression as code for the interpreter in C, which has a stack."""
    if rule[0] == "cell":
        return [CODES["cell"], 3 * (rule[1] + 1) + rule[2] + 1]
    if rule[0] == "number":
        return [CODES["number"], rule[1]]
    return [word for one in rule[1:] for word in flat(one)] + [CODES[rule[0]], 0]


def best(call: Callable[[], object]) -> float:
    """The least nanoseconds a cell of some calls."""
    found = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        call()
        found = min(found, time.perf_counter() - start)
    return 1e9 * found / SIDE**2


def took(call: Callable[[], Any]) -> tuple[float, Any]:
    """The milliseconds of a call, and its result."""
    start = time.perf_counter()
    made = call()
    return 1e3 * (time.perf_counter() - start), made


def pointer(array: np.ndarray[Any, Any]) -> ctypes.c_void_p:
    """Where an array is."""
    return ctypes.c_void_p(array.ctypes.data)


def main() -> None:
    """Print a table."""
    library = reference("automata", ["-O2", "-march=native", "-fPIC", "-shared"])
    side, draw = ctypes.c_int64(SIDE), random.Random(4)
    table, packed = np.zeros(1 << 27, np.uint8), np.zeros((3 * 2**27 >> 3) + 1, np.uint8)
    states = np.random.default_rng(1).integers(0, 8, (SIDE, SIDE), dtype=np.uint8)
    names = ["quick", "llvm", "table of bytes", "table of 3 bits", "interpreter"]
    print("parts  " + "  ".join(names) + "   ns a cell    | templates ms, KiB | LLVM ms | table s, MiB")
    rules = [A.CELLS[0], *(rule for rule in (A.grown(draw, 5) for _ in range(9)) if len(A.parts(rule)) > 8)][
        :4
    ]
    found = np.zeros_like(states)
    for rule in rules:
        code = np.array(flat(rule), np.int32)
        given = (pointer(code), ctypes.c_int64(len(code)))
        expected = np.zeros_like(states)
        library.by_interpreter(*given, pointer(states), pointer(expected), side, side)
        program = A.compiler()(rule, True).code
        tiers, times = {}, []
        old = A.packed(states)
        for tier in ("quick", "llvm"):
            ms, tiers[tier] = took(
                lambda t=tier, p=program: compile_code(p, *GIVEN, "integer", "integer", tier=t)
            )
            times.append(ms)
        calls = []
        for tier, run in tiers.items():
            new = np.zeros_like(old)
            calls.append(lambda run=run, old=old, new=new: run(old, new, SIDE // A.COLUMNS, SIDE // A.ROWS))
            calls[-1]()
            assert np.array_equal(A.unpacked(new, SIDE, SIDE), expected), (tier, rule)
        filling, _ = took(lambda given=given: library.fill(*given, pointer(table)))
        packed[:] = 0
        library.pack(pointer(table), pointer(packed))
        for run, made in ((library.by_table, table), (library.by_packed, packed)):
            calls.append(
                lambda run=run, made=made: run(pointer(made), pointer(states), pointer(found), side, side)
            )
            calls[-1]()
            assert np.array_equal(found, expected), rule
        calls.append(
            lambda given=given: library.by_interpreter(*given, pointer(states), pointer(found), side, side)
        )
        graph = lowered(program, [*GIVEN, INTEGERS, INTEGERS]).graph
        shown = "".join(f"{best(call):9.2f}" for call in calls)
        print(
            f"{len(A.parts(rule)):4} {shown}    |{times[0]:8.1f}{len(assembled(graph, outlines(graph))[0]) / 1024:8.1f}"
            f" |{times[1]:8.0f} |{filling / 1e3:6.1f}{len(packed) / 2**20:8.0f}"
        )
    start = time.process_time()
    A.compiler.__wrapped__()
    print(f"\ncogen of the interpreter: {1e3 * (time.process_time() - start):.0f} ms of processor time")


if __name__ == "__main__":
    main()
