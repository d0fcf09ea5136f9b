"""How the benchmarks measure: peers in one process, visited in turn, each time after the machine has come to rest.

A benchmark states a ratio of minima and of medians against its C reference, after checking every peer's output. Not a
benchmark itself.
"""

from __future__ import annotations

import ctypes
import gc
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
WARM = 0.02
"""Seconds of calls before those that are timed: what has rested is slow at first, and short calls would be all of that."""
FLAGS = ["-O3", "-march=native", "-mprefer-vector-width=512", "-ffast-math", "-fopenmp", "-fPIC", "-shared"]


def reference(name: str, flags: Sequence[str] = FLAGS) -> ctypes.CDLL:
    """The C reference of that name, compiled for this machine."""
    return compiled(HERE / "reference" / f"{name}.c", flags)


def compiled(source: Path, flags: Sequence[str] = FLAGS) -> ctypes.CDLL:
    """A C program as a library, compiled for this machine."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise SystemExit("a benchmark needs a C compiler; install gcc")
    library = Path(tempfile.mkdtemp(prefix="bench")) / f"{source.stem}.so"
    subprocess.run([compiler, *flags, str(source), "-o", str(library), "-lm"], check=True)
    return ctypes.CDLL(str(library))


def _busy() -> int:
    """Jiffies that any program has used."""
    try:
        numbers = [int(x) for x in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    except OSError:
        return 0
    return numbers[0] + numbers[1] + numbers[2] + sum(numbers[5:8])


def rest(longest: float = 1.0) -> None:
    """Wait until nothing else runs, at most so many seconds."""
    start = time.perf_counter()
    while time.perf_counter() - start < longest:
        before = _busy()
        time.sleep(0.03)
        if _busy() - before <= 0:
            return


def wake() -> None:
    """Be busy for a moment: a processor that has rested is slow at first."""
    start = time.perf_counter()
    while time.perf_counter() - start < WARM:
        pass


@dataclass
class Race:
    """Several ways to compute one thing; `run` prints a table with ratios to the reference."""

    title: str
    peers: dict[str, Callable[[], object]] = field(default_factory=dict)
    checks: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, call: Callable[[], object], check: str = "") -> None:
        """Enter a peer, with what a check of its output has shown."""
        self.peers[name] = call
        self.checks[name] = check

    def run(self, against: str, rounds: int = 15, calls: int = 8) -> dict[str, tuple[float, float]]:
        """Time all peers and print; returns minimum and median in milliseconds by name."""
        samples: dict[str, list[float]] = {name: [] for name in self.peers}
        for call in self.peers.values():
            call()
        gc.disable()
        for _ in range(rounds):
            for name, call in self.peers.items():
                rest()
                began = time.perf_counter()
                call()
                while time.perf_counter() - began < WARM:
                    call()
                for _ in range(calls):
                    start = time.perf_counter()
                    call()
                    samples[name].append(1e3 * (time.perf_counter() - start))
        gc.enable()
        found = {name: (min(v), statistics.median(v)) for name, v in samples.items()}
        low, middle = found[against]
        print(f"\n{self.title}   (ratios to {against})")
        print(f"  {'':<28} {'min ms':>9} {'median':>9} {'ratio min':>10} {'median':>8}   output")
        for name, (a, b) in found.items():
            print(f"  {name:<28} {a:9.3f} {b:9.3f} {a / low:10.2f} {b / middle:8.2f}   {self.checks[name]}")
        return found
