"""Specializing: the tables of 1997 beside C by hand, general against special programs, and what compiling costs.

The protocol is the paper's: 1000 calls in a row, the best of five rounds, ratios to C written by hand for each layout,
with -O1 as in the paper and with all that this compiler can do. Every result is compared.
"""

from __future__ import annotations

import base64
import ctypes
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "examples")]

import language  # noqa: E402
import letters  # noqa: E402
from harness import FLAGS, Race, reference  # noqa: E402
from loops import AUDIO_GROUP, LOOPS, Loop, arguments, bounds, run, special  # noqa: E402

from pellucid.backends.jit.calling import Library, MachineCode  # noqa: E402
from pellucid.backends.jit.engine import machine  # noqa: E402
from pellucid.backends.llvm import LlvmBackend  # noqa: E402
from pellucid.driver.options import Options  # noqa: E402
from pellucid.driver.pipeline import optimize  # noqa: E402
from pellucid.driver.program import NativeProgram, compile_program  # noqa: E402
from pellucid.driver.streams import compile_stream  # noqa: E402
from pellucid.staging import Residual, specialize, unknown  # noqa: E402

ITERATIONS, ROUNDS = 1000, 5
PAPER = ["-O1", "-fPIC", "-shared"]
# A library with fast mathematics takes small real numbers away from the whole process; here all is integers.
BEST = [flag for flag in FLAGS if flag != "-ffast-math"]
Arrays = dict[str, np.ndarray[Any, Any]]


def where(array: np.ndarray[Any, Any] | None) -> ctypes.c_void_p:
    """The address of an array, or none."""
    return ctypes.c_void_p(None if array is None else array.ctypes.data)


def repeated(
    library: ctypes.CDLL, program: NativeProgram, arrays: Arrays, given: dict[str, int], times: int
) -> tuple[float, Any]:
    """Seconds for one of so many calls of machine code, without Python in between, and its result."""
    code = program.code
    assert isinstance(code, MachineCode)
    spent = 0.0

    def recording(call: Any) -> Callable[..., None]:
        pointer = ctypes.cast(call, ctypes.c_void_p)

        def many(params: int, buffers: int, sizes: int, begin: int, end: int) -> None:
            nonlocal spent
            job = (
                ctypes.c_void_p(params),
                ctypes.c_void_p(buffers),
                ctypes.c_void_p(sizes),
                ctypes.c_int64(begin),
                ctypes.c_int64(end),
            )
            start = time.perf_counter()
            library.repeat_machine(pointer, *job, ctypes.c_int64(times))
            spent += time.perf_counter() - start

        return many

    again = replace(code, linked=Library(tuple(map(recording, code.linked.calls)), ()), workers=None)
    result = NativeProgram(program.residual, again)(arrays, threads=1, **given)
    return spent / times, result


def by_hand(library: ctypes.CDLL, name: str, arrays: Arrays, count: int, times: int) -> tuple[float, int]:
    """Likewise for a loop in C."""
    library.repeat_hand.restype = ctypes.c_uint64
    buffers = [where(arrays.get(n)) for n in ("a", "b", "out", "table")]
    function = ctypes.cast(getattr(library, name.replace(" ", "_")), ctypes.c_void_p)
    start = time.perf_counter()
    result = library.repeat_hand(function, *buffers, ctypes.c_int64(count), ctypes.c_int64(times))
    return (time.perf_counter() - start) / times, result


@dataclass
class Row:
    """Seconds a call: specialized, the general program, C by hand as in the paper, and C at its best."""

    specialized: float
    general: float
    by_hand: float
    best: float
    alike: bool


@dataclass
class Unrolled:
    """Seconds a call with so many bytes to a turn: specialized to words, C by words, and C by pointers to char."""

    specialized: float
    by_words: float
    by_chars: float
    alike: bool


def made(loop: Loop, seed: int = 1) -> Arrays:
    """Signals and tables with random samples."""
    random = np.random.default_rng(seed)
    arrays = {n: random.integers(0, 1 << 32, loop.words(n), dtype=np.uint32) for n in loop.signals}
    return arrays | {n: random.integers(0, 1 << 16, 256, dtype=np.uint16) for n in loop.tables}


def general(loop: Loop) -> Residual:
    """A loop of whose layouts nothing is known."""
    program, signals, tables = arguments(loop, lambda name, _: unknown(name))
    free = {
        n: (memory, start, stop, unknown(f"{n}_size"), unknown(f"{n}_stride"))
        for n, (memory, start, stop, *_) in signals.items()
    }
    return specialize(run, program, free, tables)


def within(loop: Loop) -> dict[str, tuple[int, int]]:
    """How far the arguments of the specialized loop may go: so addresses are proved to be in the buffers."""
    return {name: (0, word) for name, word in bounds(loop).items()}


def freely(loop: Loop) -> dict[str, int]:
    """The arguments of the general loop."""
    found = {name: 32 * word for name, word in bounds(loop).items()}
    for n, (size, stride) in loop.signals.items():
        found |= {f"{n}_size": size, f"{n}_stride": stride}
    return found


def tables(iterations: int = ITERATIONS, rounds: int = ROUNDS) -> dict[str, Row]:
    """Both tables of the paper: the best of the rounds for every loop."""
    plain, best = reference("specializing", PAPER), reference("specializing", BEST)
    found: dict[str, Row] = {}
    programs = {
        n: (compile_program(special(x), ranges=within(x)), compile_program(general(x)))
        for n, x in LOOPS.items()
    }
    for _ in range(rounds):
        for name, loop in LOOPS.items():
            arrays = [made(loop) for _ in range(4)]
            fast, slow = programs[name]
            count = loop.count if name in AUDIO_GROUP else loop.words(next(iter(loop.signals)))
            timed = [
                repeated(best, fast, arrays[0], bounds(loop), iterations),
                repeated(best, slow, arrays[1], freely(loop), max(1, iterations // 20)),
                by_hand(plain, name, arrays[2], count, iterations),
                by_hand(best, name, arrays[3], count, iterations),
            ]
            if "out" in loop.signals:
                alike = all(np.array_equal(arrays[0]["out"], other["out"]) for other in arrays[1:])
            else:
                alike = len({int(result) for _, result in timed}) == 1
            seconds = [t for t, _ in timed]
            if name in found:
                row = found[name]
                alike = alike and row.alike
                seconds = [*map(min, seconds, (row.specialized, row.general, row.by_hand, row.best))]
            found[name] = Row(*seconds, alike)
    return found


def print_tables() -> None:
    """The tables: ratios of the specialized program to C, as in the paper, and of the general one to it."""
    print(
        f"\ntables of 1997: {ITERATIONS} calls, the best of {ROUNDS}; ratios to C by hand, smaller is faster"
    )
    print(
        f"  {'':<10} {'ns':>8} {'C -O1':>8} {'ratio':>7} {'C -O3':>8} {'ratio':>7} {'general/special':>16}  output"
    )
    for name, row in tables().items():
        a, g, c, d = (1e9 * t for t in (row.specialized, row.general, row.by_hand, row.best))
        print(
            f"  {name:<10} {a:8.0f} {c:8.0f} {a / c:7.2f} {d:8.0f} {a / d:7.2f} {g / a:16.1f}"
            f"  {'exact' if row.alike else 'WRONG'}"
        )


def words_and_bytes(iterations: int = ITERATIONS, rounds: int = ROUNDS) -> dict[int, Unrolled]:
    """The sum of bytes by words and by pointers to char, with four and with eight bytes to a turn."""
    plain, best = reference("specializing", PAPER), reference("specializing", BEST)
    loop = LOOPS["sum"]
    count, arrays = loop.words("a"), made(loop)
    found: dict[int, Unrolled] = {}
    for bytes_, word in ((4, "sum"), (8, "sum_word_8")):
        ends = bounds(loop, 8 * bytes_)
        program = compile_program(
            special(loop, 8 * bytes_), ranges={name: (0, end) for name, end in ends.items()}
        )
        timed = [
            [
                repeated(best, program, arrays, ends, iterations),
                by_hand(plain, word, arrays, count, iterations),
                by_hand(plain, f"sum_char_{bytes_}", arrays, count, iterations),
            ]
            for _ in range(rounds)
        ]
        seconds = [min(t for t, _ in peer) for peer in zip(*timed, strict=True)]
        alike = len({int(result) for peers in timed for _, result in peers}) == 1
        found[bytes_] = Unrolled(*seconds, alike)
    return found


def print_words_and_bytes() -> None:
    """The left graph of the paper's last figure: above 1, words are faster than bytes, as on the machines of 1997.

    On processors that load several bytes in a cycle they are not: 0.6 for C by words, by gcc -O1 on an EPYC.
    """
    print(f"\nthe sum of {4 * LOOPS['sum'].words('a')} bytes by pointers to char, over the same by words")
    print(f"  {'':<8} {'C -O1':>8} {'specialized':>12}  output")
    for bytes_, row in words_and_bytes().items():
        by_c, ours = row.by_chars / row.by_words, row.by_chars / row.specialized
        print(f"  x{bytes_:<7} {by_c:8.2f} {ours:12.2f}  {'exact' if row.alike else 'WRONG'}")


THESIS = "  the thesis: gcc 200,000; IRIX cc 120,000; SML/NJ 176,000; tcc icode 1,000 to 2,500; vcode 100 to 500; Fabius 6"


def instructions(text: str, *, hoist: bool = False) -> int:
    """How many instructions the machine code of a module has."""
    assembly = machine().assembly(text, hoist=hoist)
    return len(re.findall(r"^\t(?!\.)\S", assembly, re.MULTILINE))


def hertz() -> float:
    """Cycles a second of the processor's clock, as it says itself."""
    found = re.search(r"cpu MHz\s*:\s*([\d.]+)", Path("/proc/cpuinfo").read_text())
    return 1e6 * float(found[1]) if found else 2.5e9


def costs(names: Sequence[str] = ("add 10", "filter 5", "fm 2", "encode", "sum 12")) -> dict[str, float]:
    """Cycles of compiling for each instruction that comes out, in its three parts (thesis, sigma-bar)."""
    found: dict[str, float] = {}
    print("\ncycles to compile, for each instruction emitted; the best of five, without the disk cache")
    print(
        f"  {'':<10} {'instructions':>12} {'specialize':>11} {'optimize':>9} {'machine code':>13} {'sum':>9}"
    )
    all_cycles, all_instructions = 0.0, 0
    for name in names:
        loop = LOOPS[name]
        best = [float("inf")] * 3
        text = ""
        for _ in range(ROUNDS):
            t0 = time.perf_counter()
            residual = special(loop)
            t1 = time.perf_counter()
            nest = optimize(residual.kernel, {}, Options("exact", "f64"), 1)
            text = LlvmBackend().text(nest.kernel, nest.ranges)
            t2 = time.perf_counter()
            machine().compile(text)
            t3 = time.perf_counter()
            best = [*map(min, best, (t1 - t0, t2 - t1, t3 - t2))]
        count = instructions(text)
        cycles = [t * hertz() for t in best]
        all_cycles, all_instructions = all_cycles + sum(cycles), all_instructions + count
        parts = [c / count for c in (*cycles, sum(cycles))]
        found[name] = parts[-1]
        print(
            f"  {name:<10} {count:12d} {parts[0]:11,.0f} {parts[1]:9,.0f} {parts[2]:13,.0f} {parts[3]:9,.0f}"
        )
    print(f"  {'all':<10} {all_instructions:12d} {all_cycles / all_instructions:45,.0f}")
    print(THESIS)
    print("  1996: a budget of 2,000; DCG 300 to 1,000; Fabius 7")
    return found


def little_language(size: int = 1 << 20) -> None:
    """An expression on samples: interpreted by machine code, by passes over buffers, specialized, and by hand."""
    best = reference("specializing", BEST)
    code = language.code(language.PROGRAM)
    words = np.array(code, np.uint32)
    samples = np.random.default_rng(1).integers(0, 256, size, dtype=np.uint8)
    ends = {"source_from": 0, "source_to": size // 4, "target_from": 0, "target_to": size}
    slow, fast = compile_program(language.general()), compile_program(language.special(code))
    wide = compile_stream(language.wide(code))
    outs = {
        n: np.zeros(size, np.uint32) for n in ("C by hand", "interpreted", "specialized", "wide registers")
    }
    source = samples.view(np.uint32)
    peers: dict[str, Callable[[], Any]] = {
        "C by hand": lambda: best.polynomial(
            where(source), None, where(outs["C by hand"]), None, ctypes.c_int64(size)
        ),
        "interpreted": lambda: slow(
            {"code": words, "source": source, "target": outs["interpreted"]},
            threads=1, start=0, end=len(words), **ends,
        ),
        "buffered (NumPy)": lambda: language.buffered(code, samples),
        "specialized": lambda: fast({"source": source, "target": outs["specialized"]}, threads=1, **ends),
        "wide registers": lambda: wide([outs["wide registers"].view(np.uint8), samples], size, threads=1),
    }  # fmt: skip
    race = Race(f"the little language: 3 x + x x + 7 of {size >> 20} Mi samples, 1 thread")
    for name, peer in peers.items():
        result = peer()
        found = outs.get(name, result)
        race.add(name, peer, "exact" if np.array_equal(found, outs["C by hand"]) else "WRONG")
    race.run("C by hand", rounds=5, calls=2)


def base_64(groups: int = 1 << 18) -> None:
    """Base 64: this module of Python, C with a table, specialized to words, and wide registers."""
    best = reference("specializing", BEST)
    message = np.random.default_rng(1).integers(0, 256, 3 * groups, dtype=np.uint8)
    outs = {name: np.zeros(4 * groups, np.uint8) for name in ("C", "specialized", "wide registers")}
    program, wide = compile_program(letters.special(letters.encode)), compile_stream(letters.wide())
    ends = {"source_from": 0, "source_to": 3 * groups // 4, "target_from": 0, "target_to": groups}
    words = message.view(np.uint32)
    peers: dict[str, Callable[[], Any]] = {
        "base64.b64encode": lambda: base64.b64encode(message),
        "C": lambda: best.base64(where(message), where(outs["C"]), ctypes.c_int64(groups)),
        "specialized": lambda: program(
            {"source": words, "target": outs["specialized"].view(np.uint32)}, threads=1, **ends
        ),
        "wide registers": lambda: wide([outs["wide registers"], message], groups, threads=1),
    }
    race = Race(f"base 64: {message.nbytes >> 10} KB, 1 thread")
    expected = base64.b64encode(message)
    for name, peer in peers.items():
        result = peer()
        found = result if name not in outs else outs[name].tobytes()
        race.add(name, peer, "exact" if found == expected else "WRONG")
    race.run("C", rounds=5, calls=4)


def main() -> None:
    """Check, measure, print."""
    print_tables()
    print_words_and_bytes()
    little_language()
    base_64()
    costs()


if __name__ == "__main__":
    main()
