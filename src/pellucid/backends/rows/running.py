"""Running: a tape's kernels on pieces of rows, which threads share; the top of `rows`.

One function of machine code goes over rows, over the parts of a row and pieces of a part, and calls kernels by their
addresses. Where an array's element for a row stands is in tables; where results stand is each thread's own.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from ...ir import types as T
from ...ir.flow import Graph
from ..jit.calling import SIGNATURE, Workers
from ..jit.engine import machine
from ..jit.workers import worker_pool
from ..port import Store, address
from .kernels import kernels
from .positions import unfit
from .tape import RowTape, tape

PIECE = 1024
"""Elements of a row that a kernel takes at a time: results stay in the first level of the cache."""
MOST_BYTES = 1 << 19
"""What results may take of a thread's stack."""
BANDS = 16
"""Parts of a frame for each thread."""
Array = np.ndarray[Any, Any]

# Words of what a run is told.
_PARTS, _PART_COUNT, _ACCESSES, _STEPS, _STEP_COUNT, _FIXED, _FIXED_COUNT, _COUNT, _BYTES = range(9)


def _text() -> str:
    """The function that runs a tape on some rows."""
    return _fixed_text() + _row_text()


def _fixed_text() -> str:
    """Its begin: the places of what is the same in all rows."""
    words = "\n".join(
        f"%at.{k} = getelementptr i64, ptr %told, i64 {k}\n%w.{k} = load i64, ptr %at.{k}" for k in range(9)
    )
    pointers = "\n".join(
        f"%{name} = inttoptr i64 %w.{k} to ptr"
        for name, k in (("parts", _PARTS), ("steps", _STEPS), ("fixed", _FIXED))
    )
    return f"""declare i64 @llvm.smin.i64(i64, i64)
define void @rows(ptr %told, ptr %unused, ptr %none, i64 %low, i64 %high) {{
entry:
{words}
{pointers}
%places = alloca i64, i64 %w.{_COUNT}, align 64
%results = alloca i8, i64 %w.{_BYTES}, align 64
%base = ptrtoint ptr %results to i64
br label %fix
fix:
%k = phi i64 [ 0, %entry ], [ %k.next, %fix ]
%pair = shl i64 %k, 1
%fixed.at = getelementptr i64, ptr %fixed, i64 %pair
%offset = load i64, ptr %fixed.at
%own.at = getelementptr i64, ptr %fixed.at, i64 1
%own = load i64, ptr %own.at
%from = and i64 %own, %base
%where = add i64 %offset, %from
%slot = add i64 %w.{_ACCESSES}, %k
%place = getelementptr i64, ptr %places, i64 %slot
store i64 %where, ptr %place
%k.next = add i64 %k, 1
%k.more = icmp slt i64 %k.next, %w.{_FIXED_COUNT}
br i1 %k.more, label %fix, label %row
"""


def _row_text() -> str:
    """The rest of it: rows, parts of a row, pieces of a part, and the kernels of a piece."""
    reads = "\n".join(
        f"%f{k}.at = getelementptr i64, ptr %step, i64 {k}\n%f{k} = load i64, ptr %f{k}.at" for k in range(5)
    )
    operands = "\n".join(
        f"%p{k}.at = getelementptr i8, ptr %places, i64 %f{k}\n%p{k} = load ptr, ptr %p{k}.at"
        for k in range(1, 5)
    )
    return f"""row:
%y = phi i64 [ %low, %fix ], [ %y.next, %row.end ]
br label %part
part:
%q = phi i64 [ 0, %row ], [ %q.next, %part.end ]
%part.words = mul i64 %q, 3
%part.at = getelementptr i64, ptr %parts, i64 %part.words
%first = load i64, ptr %part.at
%beyond.at = getelementptr i64, ptr %part.at, i64 1
%beyond = load i64, ptr %beyond.at
%accesses.at = getelementptr i64, ptr %part.at, i64 2
%accesses = load ptr, ptr %accesses.at
br label %piece
piece:
%x = phi i64 [ %first, %part ], [ %x.next, %piece.end ]
%left = sub i64 %beyond, %x
%n = call i64 @llvm.smin.i64(i64 %left, i64 {PIECE})
br label %access
access:
%m = phi i64 [ 0, %piece ], [ %m.next, %access ]
%m.words = shl i64 %m, 2
%m.at = getelementptr i64, ptr %accesses, i64 %m.words
%memory = load i64, ptr %m.at
%table.at = getelementptr i64, ptr %m.at, i64 1
%table = load ptr, ptr %table.at
%size.at = getelementptr i64, ptr %m.at, i64 2
%size = load i64, ptr %size.at
%stride.at = getelementptr i64, ptr %m.at, i64 3
%stride = load i64, ptr %stride.at
%of.row.at = getelementptr i64, ptr %table, i64 %y
%of.row = load i64, ptr %of.row.at
%across = mul i64 %x, %stride
%element = add i64 %of.row, %across
%bytes = mul i64 %element, %size
%there = add i64 %memory, %bytes
%m.place = getelementptr i64, ptr %places, i64 %m
store i64 %there, ptr %m.place
%m.next = add i64 %m, 1
%m.more = icmp slt i64 %m.next, %w.{_ACCESSES}
br i1 %m.more, label %access, label %steps.begin
steps.begin:
br label %do
do:
%s = phi i64 [ 0, %steps.begin ], [ %s.next, %do ]
%s.words = mul i64 %s, 5
%step = getelementptr i64, ptr %steps, i64 %s.words
{reads}
{operands}
%kernel = inttoptr i64 %f0 to ptr
call void %kernel(ptr %p1, ptr %p2, ptr %p3, ptr %p4, i64 %n)
%s.next = add i64 %s, 1
%s.more = icmp slt i64 %s.next, %w.{_STEP_COUNT}
br i1 %s.more, label %do, label %piece.end
piece.end:
%x.next = add i64 %x, {PIECE}
%x.more = icmp slt i64 %x.next, %beyond
br i1 %x.more, label %piece, label %part.end
part.end:
%q.next = add i64 %q, 1
%q.more = icmp slt i64 %q.next, %w.{_PART_COUNT}
br i1 %q.more, label %part, label %row.end
row.end:
%y.next = add i64 %y, 1
%y.more = icmp slt i64 %y.next, %high
br i1 %y.more, label %row, label %out
out:
ret void
}}"""


@cache
def _runner() -> Any:
    """The function, made once in a process."""
    this = machine()
    return this.linked(this.compile(_text()), ("rows",), SIGNATURE)


class RowCode:
    """A tape with the addresses of its kernels; `run` it with arrays in the order of the graph's memories.

    `needs` are the least lengths of arrays; shorter ones it must not be given. `stored` are the names of arrays that it
    writes to.
    """

    def __init__(self, graph: Graph, store: Store | None, workers: Workers | None, threads: int) -> None:
        self.name, self.tape = graph.name, tape(graph)
        self.memories = list(graph.memories)
        self.needs = self.tape.needs
        self.stored = [self.memories[memory] for memory in self.tape.stored]
        self._workers, self._threads = workers, threads
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
        """Where constants are, and where each thread has results: a slot is free again once nobody reads it anymore."""
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
        if size > MOST_BYTES:
            raise unfit("so many results at a time")
        self._bytes = size
        self._words = array("q", [word for pair in words for word in pair] or [0, 0])
        self._count = max(1, len(words))

    def _tables(self) -> None:
        """Where elements of rows are, for each access in each part."""
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
        for k, (low, beyond) in enumerate(self.tape.columns):
            parts.extend((low, beyond, first + k * width))
        told = array("q", [
            parts.buffer_info()[0], len(self.tape.columns), len(self.tape.accesses), self._steps.buffer_info()[0],
            len(self.tape.steps), self._words.buffer_info()[0], self._count,
            len(self.tape.accesses) + self._count, max(64, self._bytes),
        ])  # fmt: skip
        (call,) = _runner().calls
        place, rows = told.buffer_info()[0], self.tape.rows
        if self._workers is None or threads == 1:
            call(place, place, place, 0, rows)
        else:
            count = BANDS * (self._threads if threads is None else threads)
            self._workers(call, place, place, place, (0, rows, max(1, -(-rows // count))), threads)
        return self.tape.result


def by_rows(graph: Graph, store: Store | None = None, threads: int = 1) -> RowCode:
    """A loop over rows and columns as kernels on pieces of rows.

    Raises BackendError for a graph that is something else.
    """
    return RowCode(graph, store, worker_pool(threads) if threads > 1 else None, threads)
