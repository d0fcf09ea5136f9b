"""The table of 1996: general and specialized programs, in root and in C by hand, beside what the paper printed.

The protocol is the paper's: the best of five; nybbles of 4 and 12 bits on 2,500 bytes, which cross words; filters of 3
and 7 on a vector of integers; `atree`, `even` of 100 and `append` of a list of 5 in recur. The general programs in root
call the procedures of a cache, whose size is zero. Every result is compared. A second table tells what it costs to make
an instruction, in cycles, in each tier.
"""

from __future__ import annotations

import ctypes
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from harness import reference  # noqa: E402
from specializing import THESIS, hertz  # noqa: E402
from tests.staging.both_ways import SAMPLES, SUM  # noqa: E402
from tests.staging.figures import FILTER  # noqa: E402

from pellucid.backends.flow.running import by_llvm, by_templates  # noqa: E402
from pellucid.backends.jit.executable import is_possible  # noqa: E402
from pellucid.base.errors import StagingError  # noqa: E402
from pellucid.driver.codes import compile_code  # noqa: E402
from pellucid.driver.program import compile_program  # noqa: E402
from pellucid.staging import Memory  # noqa: E402
from pellucid.staging.cogen import Compiler, cogen, tidy  # noqa: E402
from pellucid.staging.cogen.tidy import size  # noqa: E402
from pellucid.staging.root.flow import INTEGERS  # noqa: E402
from pellucid.staging.root.lowering import lowered  # noqa: E402
from pellucid.staging.root.machine import run  # noqa: E402
from pellucid.staging.root.nests import nest  # noqa: E402
from pellucid.staging.root.program import Const, Jump, Pair, RootCode, RootIf, RootPrim, linked, unlinked  # noqa: E402
from pellucid.staging.root.reading import read_sugar  # noqa: E402
from pellucid.staging.root.recur import interpreter, read_recur  # noqa: E402
from pellucid.staging.root.sets import DATA  # noqa: E402

ROUNDS = 5
RECUR = """
(even (n) (if (zero? n) 1 (odd (- n 1))))
(odd (n) (if (zero? n) 0 (even (- n 1))))
(append (a b) (if (null? a) b (cons (car a) (append (cdr a) b))))
(atree (n) (if (zero? n) 1 (+ (atree (- n 1)) (* 2 (atree (- n 1))))))
"""
PAPER = {
    "atree": ("100", "2.5", "", "", "600", "15", "", ""),
    "even": ("1900", "3.7", "", "", "11000", "13", "", ""),
    "append": ("150", "3.6", "", "", "710", "23", "", ""),
    "nybble 4": ("12000", "160", "380", "140", "64000", "460", "1500", "380"),
    "nybble 12": ("4700", "77", "180", "59", "25000", "210", "680", "170"),
    "filter 3": ("6500", "140", "400", "45", "53000", "620", "650", "230"),
    "filter 7": ("13000", "380", "880", "68", "110000", "760", "1400", "450"),
}
"""Microseconds as printed: nitrous int and spec, manual int and spec, on an R4400 at 150 MHz and a 486DX4/75."""
M, OUT = Memory("m"), Memory("out")
MEMORIES = {"m": M, "out": OUT}
_WORDS = np.random.default_rng(1996).integers(0, 1 << 16, 640, dtype=np.uint32)


@dataclass
class Kernel:
    """One row: the general program and its arguments, the special one and its, and C for both."""

    general: RootCode
    args: tuple[Any, ...]
    compiler: Compiler
    statics: tuple[Any, ...]
    rest: tuple[Any, ...]
    by_hand: tuple[Callable[[int], int], Callable[[int], int]] | None = None


def best(call: Callable[[int], object], aim: float = 0.02) -> float:
    """Microseconds of one of many calls in a row: the best of five."""
    times = 1
    while True:
        start = time.perf_counter()
        call(times)
        took = time.perf_counter() - start
        if took > aim or times > 1 << 20:
            break
        times = max(2 * times, int(times * aim / max(took, 1e-6)))
    found = took
    for _ in range(ROUNDS - 1):
        start = time.perf_counter()
        call(times)
        found = min(found, time.perf_counter() - start)
    return 1e6 * found / times


def repeated(code: RootCode) -> RootCode:
    """A program that calls another one as often as its first argument says, and returns what it returned last."""
    names = [f"a{at}" for at in range(len(code.params) - 1)]
    again, after = RootCode("again", ("k", "n", "r", *names)), RootCode("after", ("self", "r"))
    kept = ["k", "n", *names]
    frame = [RootPrim(f"f{at}", "cons", (name, f"f{at + 1}")) for at, name in enumerate(kept)]
    again.body = (
        RootPrim("t", "zero?", ("n",)), RootIf("t", (RootPrim("go", "car", ("k",)), Jump("go", ("k", "r")))),
        Const(f"f{len(kept)}", None), *reversed(frame), Const("c", after), RootPrim("cl", "close", ("c", "f0")),
        Const("code", code), Jump("code", ("cl", *names)),
    )  # fmt: skip
    taken: list[Any] = [RootPrim("g0", "cdr", ("self",))]
    for at, name in enumerate(kept):
        taken += [RootPrim(name, "car", (f"g{at}",)), RootPrim(f"g{at + 1}", "cdr", (f"g{at}",))]
    after.body = (
        *taken, Const("one", 1), RootPrim("less", "-", ("n", "one")), Const("again", again),
        Jump("again", ("k", "less", "r", *names)),
    )  # fmt: skip
    return again


def kinds(args: Sequence[Any]) -> list[str]:
    """What arguments are for machine code."""
    return ["data" if one is None or isinstance(one, Pair) else "integer" for one in args]


def plain(value: Any) -> Any:
    """A result that compares."""
    return unlinked(value) if isinstance(value, Pair) else value


def timed(code: RootCode, args: tuple[Any, ...], tier: str) -> tuple[float, Any, list[int]] | None:
    """Microseconds of a call in a tier, its result, and what it stored; None where it has no such code."""
    stored = np.zeros_like(_WORDS)
    arrays = {"m": _WORDS, "out": stored}
    if tier == "machine":
        memories = {"m": Memory("m", 32, _WORDS), "out": Memory("out", 32, stored)}

        def call(times: int) -> Any:
            for _ in range(times):
                found = run(code, *args, memories=memories)
            return found
    else:
        try:
            made = compile_code(
                repeated(code), "integer", "integer", *kinds(args), memories=MEMORIES, tier=tier
            )
        except StagingError:
            return None

        def call(times: int) -> Any:
            return made(times, 0, *args, memories=arrays)

    found = plain(call(1))
    return best(call, 0.0 if tier == "machine" else 0.02), found, stored.tolist()


def kernels(library: ctypes.CDLL | None, words: int = 625) -> dict[str, Kernel]:
    """The rows of the table, on so many words; without a library, C is missing."""
    program, call = read_recur(RECUR), interpreter()
    compiler = cogen(call, ["D", "S", "D list", "S"])
    five = linked(1, 2, 3, 4, 5)
    found: dict[str, Kernel] = {}
    for name, args in {"atree": (4,), "even": (100,), "append": (five, five)}.items():
        statics = (name, linked(*args), program)
        found[name] = Kernel(call, statics, compiler, statics, args)
    no_cache = SAMPLES.replace("  if (early= addr ca) (car k)(k ca cw)\n", "")
    general = next(iter(read_sugar(SUM + no_cache).values()))
    special = next(iter(read_sugar(SUM + SAMPLES).values()))
    compiler = cogen(special, ["D", "cyc", "S", "S", "D", "S", "S"], integers=True)
    for bits, count in ((4, words), (12, words // 3 * 3)):
        hand = None
        if library is not None:
            where, many = _where(_WORDS), getattr(library, f"nybbles{bits}_repeated")
            hand = (
                lambda times, bits=bits, count=count, where=where: library.nybbles_repeated(
                    times, where, count * 32 // bits, bits
                ),
                lambda times, many=many, count=count, where=where: many(times, where, count),
            )
        found[f"nybble {bits}"] = Kernel(
            general,
            (32 * count, bits, bits, 0, -1, 0),
            compiler,
            ((32, 0), bits, bits, -1, 0),
            (count, 0),
            hand,
        )
    begin = FILTER.index("lookup(k p rest")
    shifted = FILTER.replace("dot(cl 0 p kern", "dot(cl 0 (+ p 6) kern")
    loading = "lookup(k p rest all cap) {\n  w = (load@m p)\n  (car k)(k w all)\n}\n"
    general = read_sugar(shifted.replace(FILTER[begin:], loading))["fir"]
    for kernel in ((2, 5, 2), (1, 2, 3, 4, 3, 2, 1)):
        taps, hand = len(kernel), None
        count = words // taps * taps
        if library is not None:
            where, many = _where(_WORDS), getattr(library, f"filter{taps}_repeated")
            numbers = (ctypes.c_int64 * taps)(*kernel)
            to = _where(_STORED)
            hand = (
                lambda times, n=count, numbers=numbers, taps=taps, where=where, to=to: (
                    library.filter_repeated(times, where, to, n, numbers, taps)
                ),
                lambda times, n=count, many=many, where=where, to=to: many(times, where, to, n),
            )
        text = shifted.replace("cache cache 3", f"cache cache {taps}")
        compiler = cogen(read_sugar(text)["fir"], ["D", "cyc", "D", "S", "nil"], integers=True)
        found[f"filter {taps}"] = Kernel(
            general,
            (count, 0, linked(*kernel), None),
            compiler,
            ((taps, 0), linked(*kernel)),
            (count // taps, 0),
            hand,
        )
    return found


_STORED = np.zeros_like(_WORDS)


def _where(array: np.ndarray[Any, Any]) -> ctypes.c_void_p:
    """The address of an array."""
    return ctypes.c_void_p(array.ctypes.data)


def table(rows: dict[str, Kernel]) -> None:
    """Print microseconds of general and special programs, checked against each other, and the paper's."""
    tiers = [t for t in ("quick", "llvm") if t != "quick" or is_possible()]
    head = "".join(f"{'spec ' + tier:>12}" for tier in tiers)
    print(
        f"microseconds, the best of {ROUNDS}\n{'':10}{'int':>12}{head}{'C int':>9}{'C spec':>9}{'spec : C':>9}"
    )
    gains: dict[str, float] = {}
    inside_code: set[str] = set()
    for name, row in rows.items():
        inside = timed(row.general, row.args, "llvm")
        general = inside or timed(row.general, row.args, "machine")
        assert general is not None
        residual = tidy(row.compiler(*row.statics))
        last: list[float] = []
        line = f"{name:10}{general[0]:11.2f}{' ' if inside else '*'}"
        for tier in tiers:
            special = timed(residual, row.rest, tier)
            assert special is not None
            assert special[1:] == general[1:], (name, tier)
            line += f"{special[0]:12.3f}"
            last.append(special[0])
        if row.by_hand is not None:
            for hand in row.by_hand:
                _STORED[:] = 0
                result = hand(1)
                assert result == general[1], name
                assert name.startswith("nybble") or _STORED.tolist() == general[2], name
                last.append(best(hand))
                line += f"{last[-1]:9.3f}"
            line += f"{min(last[:-2]) / last[-1]:9.2f}"
        print(line)
        if inside:
            inside_code.add(name)
        gains[name] = general[0] / min(last[: len(tiers)])
    print(
        "* by the machine: the interpreter of recur applies primitives whose names it reads, for which there is no code"
    )
    print("\nas printed in 1996, microseconds: R4400 at 150 MHz, and 486DX4/75")
    print(f"{'':10}" + 2 * f"{'int':>9}{'spec':>9}{'C int':>9}{'C spec':>9}")
    for name, numbers in PAPER.items():
        print(f"{name:10}" + "".join(f"{number or '-':>9}" for number in numbers))
    print("\nhow much sooner a special program ends than the general one: here, and in 1996 on both machines")
    for name, numbers in ((name, PAPER[name]) for name in rows):
        printed = [float(numbers[at]) / float(numbers[at + 1]) for at in (0, 4)]
        for who, gain in zip(("here", "R4400", "486"), (gains[name], *printed), strict=True):
            mark = "*" if who == "here" and name not in inside_code else ""
            bar = "#" * round(4 * math.log2(gain))
            print(f"{name if who == 'here' else '':10}{who + mark:6}{gain:10,.0f} {bar}")


def costs(rows: dict[str, Kernel]) -> dict[str, dict[str, float]]:
    """Cycles to make an instruction of the residual programs, by tier; a row is the sum of all steps to that tier."""
    print("\ncycles for each instruction of the residual program, the best of five")
    print(f"{'':10}{'instructions':>13}" + "".join(f"{step:>11}" for step in _STEPS))
    found: dict[str, dict[str, float]] = {}
    for name, row in rows.items():
        residual = tidy(row.compiler(*row.statics))
        sets = [DATA if kind == "data" else INTEGERS for kind in kinds(row.rest)]
        form = lowered(residual, sets, memories=MEMORIES)
        steps: dict[str, Callable[[], object]] = {
            "cogen": lambda row=row: row.compiler(*row.statics),
            "tidy": lambda row=row: tidy(row.compiler(*row.statics)),
        }
        if is_possible():
            steps["quick"] = lambda r=residual, s=sets: by_templates(lowered(r, s, memories=MEMORIES).graph)
        steps["llvm"] = lambda r=residual, s=sets: by_llvm(lowered(r, s, memories=MEMORIES).graph, level=2)
        try:
            nest(form, residual.params[1:])
            steps["nest"] = lambda r=residual, s=sets: compile_program(
                nest(lowered(r, s, memories=MEMORIES), r.params[1:])
            )
        except StagingError:
            pass
        count = size(residual)
        found[name] = {
            step: best(lambda times, call=call: [call() for _ in range(times)], 0.002)
            * 1e-6
            * hertz()
            / count
            for step, call in steps.items()
        }
        shown = (f"{found[name][step]:11,.0f}" if step in steps else f"{'-':>11}" for step in _STEPS)
        print(f"{name:10}{count:13}" + "".join(shown))
    print(
        "cogen and tidy are the compiler that was generated; quick, llvm and nest go on from the residual program"
    )
    print(THESIS)
    print("1996: a budget of 2,000; DCG 300 to 1,000; Fabius 7")
    return found


_STEPS = ("cogen", "tidy", "quick", "llvm", "nest")


def main() -> None:
    """Print both tables."""
    library = reference("nitrous", ["-O2", "-fPIC", "-shared"])
    for name in ("nybbles", "nybbles4", "nybbles12", "filter", "filter3", "filter7"):
        many = getattr(library, f"{name}_repeated")
        many.restype, pointer, number = ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64
        many.argtypes = {
            "nybbles": [number, pointer, number, number], "filter": [number, pointer, pointer, number, pointer, number],
        }.get(name, [number, pointer, *([pointer] if "filter" in name else []), number])  # fmt: skip
    rows = kernels(library)
    table(rows)
    costs(rows)


if __name__ == "__main__":
    main()
