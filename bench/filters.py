"""Packet filters: nanoseconds a packet for each tier, C by hand and a C interpreter; then new filter to running code.

Verdicts on 100,000 packets are compared for more than 50 filters before anything is timed. Times are minima.
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
sys.path[:0] = [str(HERE), str(HERE.parent / "examples"), str(HERE.parent / "tests/staging")]

import packet_filters as F  # noqa: E402
import packets as P  # noqa: E402
from harness import reference  # noqa: E402

from pellucid.backends.flow.running import by_llvm, by_templates  # noqa: E402
from pellucid.driver.codes import compile_code  # noqa: E402
from pellucid.staging import Memory  # noqa: E402
from pellucid.staging.root.flow import INTEGERS  # noqa: E402
from pellucid.staging.root.lowering import lowered  # noqa: E402
from pellucid.staging.root.ranges import unchecked  # noqa: E402

COUNT = 100_000
ROUNDS = 15
GIVEN = (Memory("packets", 8), Memory("records", 32))
HAND = {"arp": F.ARP, "web": F.WEB, "net": F.NET, "ports": F.PORTS}


def best(call: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The least seconds of some calls."""
    found = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        found = min(found, time.perf_counter() - start)
    return found


def rows_of(text: str) -> np.ndarray[Any, Any]:
    """A filter as C holds it."""
    rows = [tuple(int(one, 0) for one in line.strip("{}, ").split(",")) for line in text.splitlines()]
    return np.array(rows, np.dtype([("code", "u2"), ("jt", "u1"), ("jf", "u1"), ("k", "u4")]))


def pointer(array: np.ndarray[Any, Any]) -> ctypes.c_void_p:
    """Where an array is."""
    return ctypes.c_void_p(array.ctypes.data)


def check(library: ctypes.CDLL, memory: Any, records: Any) -> None:
    """Compare all filters with the C interpreter."""
    draw = random.Random(4)
    texts = [*F.realistic().values(), *(F.random_filter(draw) for _ in range(30))]
    for text in texts:
        expected, found = records.copy(), records.copy()
        library.by_interpreter(
            pointer(rows_of(text)), pointer(memory), pointer(expected), ctypes.c_int64(records.size)
        )
        code = P.Filter(text).compiled.code
        for tier in ("quick", "llvm"):
            compile_code(code, *GIVEN, "integer", tier=tier)(memory, found.reshape(-1), found.size)
            assert np.array_equal(found, expected), (tier, text)
    print(
        f"{len(texts)} filters decide alike on {len(records)} packets, by both tiers and the C interpreter\n"
    )


def main() -> None:
    """Print both tables."""
    library = reference("filters", ["-O2", "-march=native", "-fPIC", "-shared"])
    memory, records = P.records_of(F.random_packets(random.Random(3), COUNT))
    check(library, memory, records)
    print("ns a packet   quick    llvm  by hand  C interpreter   llvm / by hand")
    size = ctypes.c_int64(records.size)
    for name, text in HAND.items():
        code = P.Filter(text).compiled.code
        flat = records.reshape(-1)
        quick, llvm = (compile_code(code, *GIVEN, "integer", tier=tier) for tier in ("quick", "llvm"))
        by_hand = getattr(library, f"{name}_by_hand")
        rows, expected = rows_of(text), records.copy()
        library.by_interpreter(pointer(rows), pointer(memory), pointer(expected), size)
        by_hand(pointer(memory), pointer(records), size)
        assert np.array_equal(records, expected), name
        calls = (
            lambda quick=quick, flat=flat: quick(memory, flat, flat.size),
            lambda llvm=llvm, flat=flat: llvm(memory, flat, flat.size),
            lambda by_hand=by_hand: by_hand(pointer(memory), pointer(records), size),
            lambda rows=rows: library.by_interpreter(pointer(rows), pointer(memory), pointer(records), size),
        )
        times = [float("inf")] * len(calls)
        for _ in range(3):  # in turn, since others use the machine too
            times = [min(one, 1e9 * best(call) / COUNT) for one, call in zip(times, calls, strict=True)]
        a, b, c, d = times
        print(f"{name:10}{a:9.1f}{b:8.2f}{c:9.2f}{d:15.1f}{b / c:17.2f}")
    print(
        "\nnew filter to running code, ms: reading, compiling, graph, templates, their sum; ranges and LLVM"
    )
    kinds = [*GIVEN, INTEGERS]
    for name, text in HAND.items():
        program = P.read_filter(text)
        code = P.compiler()(program)
        graph = lowered(code.code, kinds).graph
        steps = [
            best(lambda text=text: P.read_filter(text), 60),
            best(lambda program=program: P.compiler()(program), 60),
            best(lambda code=code: lowered(code.code, kinds), 60),
            best(lambda graph=graph: by_templates(graph), 60),
        ]
        llvm = best(lambda graph=graph: by_llvm(unchecked(graph)), 5)
        shown = "".join(f"{1e3 * step:8.3f}" for step in [*steps, sum(steps)])
        print(f"{name:10}{len(program):3} instructions {shown}{1e3 * llvm:10.1f}")
    start = time.process_time()
    P.compiler.__wrapped__()
    print(f"\ncogen of the interpreter: {1e3 * (time.process_time() - start):.0f} ms of processor time")


if __name__ == "__main__":
    main()
