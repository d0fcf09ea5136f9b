"""Compiled streams: how they are called, and which version of their code a call takes.

Beside `program`. A stream is lowered to a nest (`staging.stream_nest`), which is compiled as any other. Which bits of a
byte its buffers begin at is compiled in.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..backends.jit.calling import MachineCode, PreparedCall
from ..backends.port import Backend, Code, address
from ..base.errors import InputError
from ..ir.stream import Stream, moved
from ..loops.core.tactic import attempt
from ..staging.stream_nest import StreamNest, stream_nest
from .compiled import of_kernel
from .lending import make_backend
from .options import Options
from .pipeline import Optimized, array_script, expansion, optimize
from .threads import available

MIN_THREAD_BYTES = 1 << 17
"""Minimum bytes of a buffer that a thread takes: fewer are done before another thread has noticed."""
PARTS_PER_THREAD = 4
"""Parts of a call for each thread: each is begun at some cost, and threads are not equally fast."""
UINT8 = np.dtype(np.uint8)
Bytes = np.ndarray[Any, Any]


class CompiledStream:
    """A compiled stream: call it with arrays of bytes, outputs first, and a number of samples.

    >>> import numpy as np
    >>> from pellucid.staging import Samples, stream
    >>> brighter = compile_stream(stream(lambda x: x + 1, [Samples(1, 0, 4, 4)], [Samples(0, 0, 8, 8)]))
    >>> out = np.zeros(4, np.uint8)
    >>> _ = brighter([out, np.array([0x21, 0x43], np.uint8)], 4)
    >>> out
    array([2, 3, 4, 5], dtype=uint8)
    >>> _ = brighter([out, np.array([0x21, 0x43], np.uint8)], 3, starts=(0, 4))
    >>> out
    array([3, 4, 5, 5], dtype=uint8)
    """

    def __init__(self, stream: Stream, backend: Backend) -> None:
        self.stream, self._backend = stream, backend
        self._unmoved = _Version(stream, backend)
        self._versions: dict[tuple[int, ...], _Version] = {(0,) * stream.buffers: self._unmoved}

    def __call__(
        self,
        buffers: Sequence[Any],
        count: int,
        *,
        starts: Sequence[int] | None = None,
        threads: int | None = None,
    ) -> tuple[int, ...]:
        """Run it and return its sums; every bit that is not an output's stays.

        `starts` are the bits at which the buffers begin (all 0). Which bits of a byte they are is compiled in: for each
        such choice there is a version, made when it is first met. Raises InputError for an unfit buffer or start, or
        for a buffer that is written to and overlaps another.
        """
        if starts is None:
            return self._unmoved.run(buffers, count, threads)
        if len(starts) != len(buffers) or min(starts, default=0) < 0:
            raise InputError(
                f"starts at bits {tuple(starts)}", place="stream", fix="one for each buffer, from 0 on"
            )
        within = tuple([int(bit) % 8 for bit in starts])
        version = self._versions.get(within)
        if version is None:
            version = self._versions[within] = _Version(moved(self.stream, within), self._backend)
        parts = [each[int(bit) // 8 :] for each, bit in zip(buffers, starts, strict=True)]
        return version.run(parts, count, threads)

    def needed(self, count: int) -> tuple[int, ...]:
        """The bytes that each buffer must have for a number of samples."""
        return self._unmoved.needed(count)


class _Version:
    """The code of a stream whose buffers begin with whole bytes."""

    def __init__(self, stream: Stream, backend: Backend) -> None:
        self.stream, self.nest = stream, stream_nest(stream)
        self.code = _code(self.nest, backend)
        self.many, self.sums = stream.buffers, len(stream.sums)
        self._outputs = {s.buffer for s in stream.outputs}
        self._apart = [
            (j, k)
            for j in self._outputs
            for k in range(self.many)
            if k > j or (k < j and k not in self._outputs)
        ]
        self._addressed = _AddressedCode.of(self.nest, self.code)
        self._last: _CallPlan | None = None

    def needed(self, count: int) -> tuple[int, ...]:
        """The bytes that each buffer must have for a number of samples."""
        found = [0] * self.many
        for s in (*self.stream.outputs, *self.stream.inputs):
            found[s.buffer] = max(found[s.buffer], s.bytes(count))
        return tuple(found)

    def run(self, buffers: Sequence[Bytes], count: int, threads: int | None) -> tuple[int, ...]:
        """Run on a number of samples; returns the sums."""
        last = self._last
        if last is None or last.count != count or last.asked != threads:
            last = self._last = self._plan(count, threads)
        places, sizes = self._checked(buffers, count, last.needed)
        if not count:
            return (0,) * self.sums
        if last.call is None or self._addressed is None:
            return self._run_on_arrays(buffers, count, last.threads)
        return self._addressed.run(last.call, places, sizes)

    def _plan(self, count: int, threads: int | None) -> _CallPlan:
        """The plan of calls with that many samples and threads."""
        if count < 0:
            raise InputError(f"{count} samples", place="stream", fix="give a number from 0 on")
        needed = self.needed(count)
        found = _CallPlan(count, threads, needed, max(1, max(needed) // MIN_THREAD_BYTES))
        if self._addressed is not None and count:
            found.call = PreparedCall(
                self._addressed.code,
                self.nest.arguments(count),
                found.threads,
                PARTS_PER_THREAD * found.threads,
            )
        return found

    def _run_on_arrays(self, buffers: Sequence[Bytes], count: int, threads: int) -> tuple[int, ...]:
        """Run code that is given arrays, of the elements that the nest has."""
        sums = np.zeros(self.sums, np.int64)
        memory: dict[Any, Bytes] = {} if self.nest.totals is None else {self.nest.totals: sums}
        for where, each in zip(self.nest.buffers, buffers, strict=True):
            part, size = each[where.skip :] if where.skip else each, where.bits // 8
            if size > 1:
                part = part[: len(part) // size * size].view(where.memory.type.dtype)
            memory[where.memory] = part
        self.code.run(self.nest.arguments(count), memory, threads=threads)
        return tuple(sums.tolist())

    def _checked(
        self, buffers: Sequence[Bytes], count: int, needed: Sequence[int]
    ) -> tuple[list[int], list[int]]:
        """The addresses and sizes of buffers that are fit for a number of samples."""
        if len(buffers) != self.many:
            raise InputError(
                f"{count} samples of {len(buffers)} buffers",
                place="stream",
                fix=f"give it {self.many} buffers",
            )
        places: list[int] = []
        sizes: list[int] = []
        for k, each in enumerate(buffers):
            even = each.strides == (1,) or (each.ndim == 1 and each.flags.c_contiguous)
            if not even or (each.dtype is not UINT8 and each.dtype != UINT8):
                raise InputError("is not a contiguous one-dimensional array of bytes", place=f"buffer {k}")
            size = each.size
            if size < needed[k]:
                raise InputError(f"has {size} bytes where {needed[k]} are needed", place=f"buffer {k}")
            if k in self._outputs and not each.flags.writeable:
                raise InputError("cannot be written to", place=f"buffer {k}", fix="pass a writable array")
            places.append(address(each))
            sizes.append(size)
        for j, k in self._apart:
            if places[j] < places[k] + sizes[k] and places[k] < places[j] + sizes[j]:
                raise InputError(
                    f"overlaps buffer {j}, which is written to", place=f"buffer {k}", fix="copy one"
                )
        return places, sizes


class _CallPlan:
    """What is the same in all calls with a number of samples and of threads, which the caller `asked` for."""

    def __init__(self, count: int, asked: int | None, needed: tuple[int, ...], most: int) -> None:
        self.count, self.asked, self.needed = count, asked, needed
        self.threads = min(asked or available(), most)
        self.call: PreparedCall | None = None


class _AddressedCode:
    """Machine code that is given the addresses of buffers: no arrays of elements are made of them at each call."""

    def __init__(self, nest: StreamNest, code: MachineCode) -> None:
        self.code = code
        numbers = {b.memory: k for k, b in enumerate(nest.buffers)}
        bound = code.calling.bound
        # Tables stay where they are while they are held here; places and lengths of buffers are filled in.
        self._tables = [b.data for b in bound]
        self._places = [0 if data is None else address(data) for data in self._tables]
        self._lengths = [0 if data is None else len(data) for data in self._tables]
        self._buffers = [
            (at, numbers[b], nest.buffers[numbers[b]].skip, b.type.bits // 8)
            for at, b in enumerate(bound)
            if b in numbers
        ]
        self._sums = 0 if nest.totals is None else nest.totals.size
        self._sums_at = 0 if nest.totals is None else bound.index(nest.totals)

    @classmethod
    def of(cls, nest: StreamNest, code: Code) -> _AddressedCode | None:
        """The code, if it runs wherever elements begin and however many there are; None for other code."""
        if not isinstance(code, MachineCode) or code.aligned:
            return None
        whole = all(code.needs.get(b.memory, 1) <= 1 for b in nest.buffers)
        return cls(nest, code) if whole else None

    def run(self, call: PreparedCall, at: Sequence[int], sizes: Sequence[int]) -> tuple[int, ...]:
        """Run on buffers at addresses, with sizes in bytes; returns the sums."""
        places, lengths = self._places.copy(), self._lengths.copy()
        for position, k, skip, size in self._buffers:
            places[position] = at[k] + skip
            lengths[position] = (sizes[k] - skip) // size
        if not self._sums:
            call(places, lengths)
            return ()
        sums = array("q", bytes(8 * self._sums))
        places[self._sums_at], lengths[self._sums_at] = sums.buffer_info()
        call(places, lengths)
        return tuple(sums)


def compile_stream(stream: Stream, *, backend: str = "auto") -> CompiledStream:
    """Compile a stream for the processor at hand, by a back end of that name.

    Raises BackendError for values that have no lanes, such as those of parameters or of unknown tables.
    """
    return CompiledStream(stream, make_backend(backend))


def _code(nest: StreamNest, backend: Backend) -> Code:
    """The code of a nest of a stream."""
    options = Options("exact", "f64", backend.name)
    return of_kernel(nest.kernel, nest.ranges, options, backend, lambda: optimized(nest, options), "stream")


def optimized(nest: StreamNest, options: Options) -> Optimized:
    """The nest of a stream, whose lanes and bands are there, with its expressions in final form and their places."""
    simplified, *_ = array_script(options, 1, nest.ranges)
    stages = [simplified, ("expanded", expansion(options)), ("placed", attempt("place"))]
    return optimize(nest.kernel, nest.ranges, options, 1, stages)
