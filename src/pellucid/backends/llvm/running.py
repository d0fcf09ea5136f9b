"""Compiled streams: how they are called, kept and handed out to threads.

Above `streams`, which writes the text. What a stream is and what writes it make the key under which its code is kept,
so that code that is there already is linked without being planned again.
"""

from __future__ import annotations

import hashlib
import struct
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...base.deep_stack import with_deep_stack
from ...base.errors import InputError
from ...base.fingerprint import fingerprint
from ...ir.expr import buffers as tables
from ...ir.stream import Stream
from ..jit.calling import Library
from ..jit.engine import Machine, machine
from ..jit.loading import loaded
from ..jit.workers import WorkerPool, worker_pool
from ..port import CodeStore, address
from .shuffles import target
from .streams import Function

PART = 1 << 17
"""Minimum bytes of a buffer that a thread takes: fewer are done before another thread has noticed."""
PARTS = 1
"""Maximum parts for each thread that the work is handed out in: each is begun and ended at some cost."""
HEADER = struct.Struct("<q")
"""The header before the code: the samples of a block."""
UINT8 = np.dtype(np.uint8)
Bytes = np.ndarray[Any, Any]


@dataclass(slots=True, eq=False)
class StreamCode:
    """A stream as machine code; `lanes` are the samples of a block."""

    stream: Stream
    lanes: int
    linked: Library = field(repr=False)
    crew: WorkerPool | None = field(default=None, repr=False)
    written: tuple[bool, ...] = field(init=False)
    apart: tuple[tuple[int, int], ...] = field(init=False, repr=False)
    addresses: struct.Struct = field(init=False, repr=False)
    lengths: struct.Struct = field(init=False, repr=False)
    memory: struct.Struct = field(init=False, repr=False)
    _free: list[tuple[array[int], int]] = field(
        init=False, repr=False, default_factory=list["tuple[array[int], int]"]
    )
    _last: tuple[int, int | None, tuple[int, ...], int] = field(
        init=False, repr=False, default=(-1, None, (), 0)
    )

    def __post_init__(self) -> None:
        """Find which buffers are written to, which may not overlap, and how their addresses are packed."""
        many = self.stream.buffers
        outputs = {s.buffer for s in self.stream.outputs}
        self.written = tuple([k in outputs for k in range(many)])
        self.apart = tuple(
            [(j, k) for j in outputs for k in range(many) if k > j or (k < j and k not in outputs)]
        )
        # Addresses, where the sums go, sizes, sums: one piece of memory.
        self.memory = struct.Struct(f"{2 * many + 1 + len(self.stream.sums)}q")
        self.addresses, self.lengths = struct.Struct(f"{many + 1}q"), struct.Struct(f"{many}q")

    def needed(self, count: int) -> tuple[int, ...]:
        """The bytes that each buffer must have for `count` samples."""
        found = [0] * self.stream.buffers
        for s in (*self.stream.outputs, *self.stream.inputs):
            found[s.buffer] = max(found[s.buffer], s.bytes(count))
        return tuple(found)

    def part(self, count: int, threads: int | None, size: int) -> int:
        """The number of samples, of `size` bytes in all, that are taken at a time: whole blocks, or all."""
        if self.crew is None or threads == 1 or self.stream.states:
            return count
        parts = max(1, min(PARTS * (threads or self.crew.size), size // PART))
        return self.lanes * -(-count // (parts * self.lanes))

    def run(self, buffers: Sequence[Bytes], count: int, *, threads: int | None = None) -> tuple[int, ...]:
        """Run on so many samples, by up to so many threads, and return the sums; buffers are arrays of bytes.

        Raises InputError for a buffer that is too short, of another type, not writable, or that an output shares, and
        for a count below 0.
        """
        written, few = self.written, len(self.stream.sums)
        total = len(written)
        if count < 0 or len(buffers) != total:
            raise InputError(
                f"{count} samples of {len(buffers)} buffers", place="stream", fix=f"give it {total} buffers"
            )
        known, many, needed, step = self._last
        if known != count or many != threads:
            needed = self.needed(count)
            step = self.part(count, threads, max(needed))
            self._last = (count, threads, needed, step)
        words: list[int] = []
        sizes: list[int] = []
        for k, each in enumerate(buffers):
            even = each.strides == (1,) or (each.ndim == 1 and each.flags.c_contiguous)
            if not even or (each.dtype is not UINT8 and each.dtype != UINT8):
                raise InputError("is not a contiguous one-dimensional array of bytes", place=f"buffer {k}")
            size = each.size
            if size < needed[k]:
                raise InputError(f"has {size} bytes where {needed[k]} are needed", place=f"buffer {k}")
            if written[k] and not each.flags.writeable:
                raise InputError("cannot be written to", place=f"buffer {k}", fix="pass a writable array")
            words.append(address(each))
            sizes.append(size)
        for j, k in self.apart:
            if words[j] < words[k] + sizes[k] and words[k] < words[j] + sizes[j]:
                raise InputError(
                    f"overlaps buffer {j}, which is written to", place=f"buffer {k}", fix="copy one"
                )
        if not count:
            return (0,) * few
        call, crew = self.linked.calls[0], self.crew
        if not few and (crew is None or step >= count):
            # What is only read may be bytes of Python.
            call(b"", self.addresses.pack(*words, 0), self.lengths.pack(*sizes), 0, count)
            return ()
        memory, place = self._free.pop() if self._free else self._room()
        first = 2 * total + 1
        self.memory.pack_into(memory, 0, *words, place + 8 * first, *sizes, *(0,) * few)
        lengths = place + 8 * (total + 1)
        if crew is None or step >= count:
            call(0, place, lengths, 0, count)
        else:
            crew(call, 0, place, lengths, (0, count, step), threads)
        sums = tuple(memory[first:]) if few else ()
        self._free.append((memory, place))
        return sums

    def _room(self) -> tuple[array[int], int]:
        """Memory for one call, and its address: another call may be under way."""
        memory = array("q", bytes(self.memory.size))
        return memory, memory.buffer_info()[0]


def compile_stream(
    stream: Stream,
    store: CodeStore | None = None,
    cpu: str | None = None,
    features: str | None = None,
    threads: int = 1,
) -> StreamCode:
    """Compile a stream for the host, or for a processor of its family as LLVM calls it; `store` keeps object code.

    >>> from pellucid.ir.stream import Samples, sample
    >>> copy = Stream((Samples(1, 0, 6, 6),), (Samples(0, 0, 8, 8),), (sample(0),))
    >>> letters = np.zeros(4, np.uint8)
    >>> _ = compile_stream(copy).run([letters, np.array([0x41, 0x20, 0x0C], np.uint8)], 4)
    >>> letters
    array([1, 1, 2, 3], dtype=uint8)
    """
    host = machine(cpu, features)
    key = key_of(stream, host)

    def made() -> bytes:
        function, text = write(stream, host)
        return HEADER.pack(function.many) + host.compile(text, hoist=True)

    def linked(kept: bytes) -> tuple[int, Library]:
        (lanes,) = HEADER.unpack_from(kept)
        return lanes, host.link(kept[HEADER.size :])

    lanes, library = loaded(store, key, made, linked)
    crew = worker_pool(threads) if threads > 1 and cpu is None else None
    return StreamCode(stream, lanes, library, crew)


def write(stream: Stream, host: Machine) -> tuple[Function, str]:
    """The text of a stream for a machine, and what wrote it."""

    def written() -> tuple[Function, str]:
        function = Function(stream, target(host))
        return function, function.text()

    return with_deep_stack(written)


def key_of(stream: Stream, host: Machine) -> str:
    """The key of the code of a stream: all that it depends on."""
    thens = [s.then for s in stream.states]
    roots = (*stream.values, *stream.sums, *thens)
    firsts = [s.first for s in stream.states]
    parts: list[Any] = [
        fingerprint(),
        host.identity,
        stream.inputs,
        stream.outputs,
        roots,
        len(stream.values),
        firsts,
    ]
    found = hashlib.sha256(repr(parts).encode())
    for buffer in tables(roots):
        if buffer.data is not None:
            found.update(f"{buffer!r}".encode() + buffer.data.tobytes())
    return found.hexdigest()
