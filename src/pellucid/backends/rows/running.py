"""Running: a tape's kernels on pieces of rows, which threads share; the top of `rows`.

One function of machine code goes over rows, over the parts of a row and pieces of a part, and calls kernels by their
addresses. Where an array's element for a row stands is in tables; where results stand is each thread's own.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...ir import types as T
from ...ir.flow import Graph
from ..jit.assembly import POINTER, Assembly
from ..jit.calling import SIGNATURE
from ..jit.engine import machine
from ..jit.workers import WorkerPool, worker_pool
from ..port import CodeStore, address
from .kernels import kernels
from .positions import unfit
from .tape import RowTape, tape

PIECE = 1024
"""Elements of a row that a kernel takes at a time: results stay in the first level of the cache."""
MAX_BYTES = 1 << 19
"""Maximum bytes of results on a thread's stack."""
BANDS = 16
"""Parts of a frame for each thread."""
Array = np.ndarray[Any, Any]


def _text() -> str:
    """The function that runs a tape on some rows; `told` is laid out as `RowCode.run` writes it."""
    asm = Assembly()
    pointers = {"told": POINTER, "unused": POINTER, "none": POINTER}
    with asm.function("rows", **pointers, low="i64", high="i64") as f:
        parts, steps, fixed = (f.load(POINTER, f.told, 8 * k) for k in range(3))
        part_count, accesses, step_count, fixed_count, count, size = (
            f.load("i64", f.told, 8 * k) for k in range(3, 9)
        )
        places = f.let(f"alloca i64, i64 {count.name}, align 64", POINTER)
        results = f.let(f"alloca i8, i64 {size.name}, align 64", POINTER).number()
        # The places of what is the same in all rows: constants, and results, which are each thread's own.
        with f.count(fixed_count) as k:
            pair = fixed + (k << 4)
            where = f.load("i64", pair) + (f.load("i64", pair, 8) & results)
            f.store(where, places + (accesses + k << 3))
        with f.count(f.high, f.low) as y, f.count(part_count) as k:
            part = parts + k * 24
            begin, end, found = f.load("i64", part), f.load("i64", part, 8), f.load(POINTER, part, 16)
            with f.count(end, begin, PIECE) as x:
                n = (end - x).least(PIECE)
                with f.count(accesses) as m:
                    access = found + (m << 5)
                    memory, row = f.load("i64", access), f.load("i64", f.load(POINTER, access, 8) + (y << 3))
                    bytes_, stride = f.load("i64", access, 16), f.load("i64", access, 24)
                    f.store(memory + (row + x * stride) * bytes_, places + (m << 3))
                with f.count(step_count) as m:
                    step = steps + m * 40
                    given = [f.load(POINTER, places + f.load("i64", step, 8 * k)) for k in range(1, 5)]
                    f.call(f.load(POINTER, step).name, *given, n)
    return asm.text()


_runners: list[Any] = []
"""The function, once there is one."""


def _runner(store: CodeStore | None) -> Any:
    """The function, made once in a process."""
    if not _runners:
        this = machine()
        _runners.append(this.kept("rows", _text, store, lambda code: this.linked(code, ("rows",), SIGNATURE)))
    return _runners[0].calls[0]


class RowCode:
    """A tape with the addresses of its kernels; `run` it with arrays in the order of the graph's memories.

    `needs` are the least lengths of arrays; shorter ones it must not be given. `stored` are the names of arrays that it
    writes to.
    """

    def __init__(
        self, graph: Graph, store: CodeStore | None, workers: WorkerPool | None, threads: int
    ) -> None:
        self.name, self.tape = graph.name, tape(graph)
        self.memories = list(graph.memories)
        self.needs = self.tape.needs
        self.stored = [self.memories[memory] for memory in self.tape.stored]
        self._workers, self._threads = workers, threads
        self._call = _runner(store)
        found = kernels([key for key, _, _ in self.tape.steps], store)
        self._fixed(self.tape)
        width = len(self.tape.accesses)
        self._steps = array("q")
        for key, made, given in self.tape.steps:
            self._steps.append(found[key])
            for place in (made, *given, *[made] * (3 - len(given))):
                number, kind = divmod(place, 3)
                number = number if kind == 1 else width + self._numbers[place]
                self._steps.append(8 * number)
        self._tables()

    def _fixed(self, tape: RowTape) -> None:
        """The places of constants, and of each thread's results: a slot is free again after its last reader."""
        self._constants = [np.full(PIECE, value, type_.dtype) for type_, value in tape.constants]
        words = [(address(each), 0) for each in self._constants]
        self._numbers = {3 * k: k for k in range(len(words))}
        last = {place: k for k, (_, _, given) in enumerate(tape.steps) for place in given}
        free: dict[int, list[int]] = {}
        size = 0
        for k, (key, made, given) in enumerate(tape.steps):
            if made % 3 == 2:
                # Truths are bits; whole vectors of them are written.
                bytes_ = PIECE // 8 if key.result is T.boolean else PIECE * key.result.bits // 8
                slots = free.setdefault(bytes_, [])
                if slots:
                    slot = slots.pop()
                else:
                    slot, size = len(words), size + bytes_ + 64
                    words.append((size - bytes_ - 64, -1))
                self._numbers[made] = slot
                if made not in last:
                    slots.append(slot)
            for place in set(given):
                if place % 3 == 2 and last[place] == k:
                    type_ = tape.results[place // 3]
                    bytes_ = PIECE // 8 if type_ is T.boolean else PIECE * type_.bits // 8
                    free[bytes_].append(self._numbers[place])
        if size > MAX_BYTES:
            raise unfit("so many results at a time")
        self._bytes = size
        self._words = array("q", [word for pair in words for word in pair] or [0, 0])
        self._count = max(1, len(words))

    def _tables(self) -> None:
        """The places of elements of rows, for each access in each part."""
        tape = self.tape
        numbers = [a for a in tape.accesses if a.memory < 0]
        low, high = 0, 1
        for access in numbers:
            for found, columns in zip(access.positions, tape.columns, strict=True):
                least, most = np.min(found.part), np.max(found.part)
                low = min(low, int(least) + found.step * columns[0])
                high = max(high, int(most) + found.step * (columns[1] - 1) + 1)
        self._integers = np.arange(low, high, dtype=np.int64)
        self._low = low
        self._rows: list[Array] = []
        words: list[int] = []
        self._based: list[int] = []
        for part in range(len(tape.columns)):
            for access in tape.accesses:
                found = access.positions[part]
                rows = np.ascontiguousarray(np.broadcast_to(np.asarray(found.part, np.int64), (tape.rows,)))
                self._rows.append(rows)
                size = access.type.dtype.itemsize
                base = address(self._integers) - 8 * low if access.memory < 0 else 0
                self._based.append(access.memory)
                words += (base, address(rows), size, found.step)
        self._accesses = array("q", words)

    def fits(self, arrays: Sequence[Array]) -> bool:
        """Whether arrays are long enough."""
        return all(len(arrays[memory]) >= least for memory, least in self.needs.items())

    def run(self, arrays: Sequence[Array], threads: int | None = None) -> tuple[int, int]:
        """Run once with arrays that fit and do not overlap; the word and the tag of the result."""
        accesses = self._accesses[:]
        for k, memory in enumerate(self._based):
            if memory >= 0:
                accesses[4 * k] = address(arrays[memory])
        first, width = accesses.buffer_info()[0], 32 * len(self.tape.accesses)
        parts = array("q")
        for k, (low, end) in enumerate(self.tape.columns):
            parts.extend((low, end, first + k * width))
        told = array("q", [
            parts.buffer_info()[0], self._steps.buffer_info()[0], self._words.buffer_info()[0],
            len(self.tape.columns), len(self.tape.accesses), len(self.tape.steps), self._count,
            len(self.tape.accesses) + self._count, max(64, self._bytes),
        ])  # fmt: skip
        call = self._call
        place, rows = told.buffer_info()[0], self.tape.rows
        if self._workers is None or threads == 1:
            call(place, place, place, 0, rows)
        else:
            count = BANDS * (self._threads if threads is None else threads)
            self._workers(call, place, place, place, (0, rows, max(1, -(-rows // count))), threads)
        return self.tape.result


def by_rows(graph: Graph, store: CodeStore | None = None, threads: int = 1) -> RowCode:
    """A loop over rows and columns as kernels on pieces of rows.

    Raises BackendError for a graph that is something else.
    """
    return RowCode(graph, store, worker_pool(threads) if threads > 1 else None, threads)
