"""Compiled streams: how they are called, and which version of their code a call takes.

Beside `program`. A stream is lowered to a nest (`staging.stream_nest`), which is compiled as any other. Which bits of a
byte its buffers begin at is compiled in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..backends.port import Backend, Code, address
from ..base.errors import InputError
from ..ir.stream import Stream, moved
from ..loops.core.tactic import attempt
from ..staging.stream_nest import StreamNest, stream_nest
from .compiled import of_kernel
from .kernel import make_backend
from .options import Options
from .pipeline import Optimized, array_script, expansion, optimize
from .threads import available

MIN_THREAD_BYTES = 1 << 17
"""Minimum bytes of a buffer that a thread takes: fewer are done before another thread has noticed."""
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
        many, self._outputs = stream.buffers, {s.buffer for s in stream.outputs}
        self._apart = [
            (j, k) for j in self._outputs for k in range(many) if k > j or (k < j and k not in self._outputs)
        ]
        self._last: tuple[int, tuple[int, ...]] = (0, (0,) * many)

    def needed(self, count: int) -> tuple[int, ...]:
        """The bytes that each buffer must have for a number of samples."""
        if self._last[0] != count:
            found = [0] * self.stream.buffers
            for s in (*self.stream.outputs, *self.stream.inputs):
                found[s.buffer] = max(found[s.buffer], s.bytes(count))
            self._last = count, tuple(found)
        return self._last[1]

    def run(self, buffers: Sequence[Bytes], count: int, threads: int | None) -> tuple[int, ...]:
        """Run on a number of samples; returns the sums."""
        needed = self._checked(buffers, count)
        totals = self.nest.totals
        sums = np.zeros(totals.size if totals else 0, np.int64)
        if not count:
            return tuple(sums.tolist())
        memory: dict[Any, Bytes] = {} if totals is None else {totals: sums}
        for where, each in zip(self.nest.buffers, buffers, strict=True):
            part, size = each[where.skip :] if where.skip else each, where.bits // 8
            if size > 1:
                part = part[: len(part) // size * size].view(where.memory.type.dtype)
            memory[where.memory] = part
        most = max(1, max(needed) // MIN_THREAD_BYTES)
        self.code.run(self.nest.arguments(count), memory, threads=min(threads or available(), most))
        return tuple(sums.tolist())

    def _checked(self, buffers: Sequence[Bytes], count: int) -> tuple[int, ...]:
        """The bytes that buffers must have, once the buffers are checked."""
        total = self.stream.buffers
        if count < 0 or len(buffers) != total:
            raise InputError(
                f"{count} samples of {len(buffers)} buffers", place="stream", fix=f"give it {total} buffers"
            )
        needed = self.needed(count)
        for k, each in enumerate(buffers):
            even = each.strides == (1,) or (each.ndim == 1 and each.flags.c_contiguous)
            if not even or (each.dtype is not UINT8 and each.dtype != UINT8):
                raise InputError("is not a contiguous one-dimensional array of bytes", place=f"buffer {k}")
            if each.size < needed[k]:
                raise InputError(f"has {each.size} bytes where {needed[k]} are needed", place=f"buffer {k}")
            if k in self._outputs and not each.flags.writeable:
                raise InputError("cannot be written to", place=f"buffer {k}", fix="pass a writable array")
        spans = [(at := address(each), at + each.size) for each in buffers] if self._apart else []
        for j, k in self._apart:
            if spans[j][0] < spans[k][1] and spans[k][0] < spans[j][1]:
                raise InputError(
                    f"overlaps buffer {j}, which is written to", place=f"buffer {k}", fix="copy one"
                )
        return needed


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
