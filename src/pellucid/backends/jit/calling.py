"""The calling convention of compiled code: C functions of (params, buffers, sizes, first, beyond), one per phase.

The back ends that make machine code share it. Params are in slots of 8 bytes. Buffers come in the order of
`port.CallingPlan.buffers`, with their sizes in elements. The address of the poll function (see `polling`) follows
them if the code polls. The arguments first and beyond restrict the loop that is handed out to threads.
"""

from __future__ import annotations

import ctypes
import struct
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...ir.expr import Buffer
from ..port import Arguments, Calling, Crew, Memory, address
from .polling import NEVER_STOP, Poll

if TYPE_CHECKING:
    from .workers import WorkerPool

SIGNATURE = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64
)
FINE_BANDS = 128
"""Maximum parts of a frame where machine code hands them out: small, so that no thread waits long for the last."""


def entry(phase: int) -> str:
    """The name of a phase's function in object code and libraries.

    >>> entry(0), entry(1)
    ('pellucid', 'pellucid_1')
    """
    return f"pellucid_{phase}" if phase else "pellucid"


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Library:
    """Linked code: `calls` run its phases; the memory of the code lives as long as this object."""

    calls: tuple[Any, ...]
    owners: tuple[Any, ...] = field(repr=False)


class Slots:
    """Packs arguments into slots of 8 bytes, in the order of the params: a frame takes microseconds to call, not more.

    Arguments that do not pass the quick test of their ranges take the way that finds the words for what is wrong.
    """

    FORMATS: ClassVar = {
        "bool": "?7x", "i8": "b7x", "i16": "h6x", "i32": "i4x", "i64": "q",
        "u8": "B7x", "u16": "H6x", "u32": "I4x", "u64": "Q", "f32": "f4x", "f64": "d",
    }  # fmt: skip

    def __init__(self, calling: Calling) -> None:
        params = calling.params
        facts = [calling.ranges[p.attr] for p in params]
        self.calling = calling
        self.names: list[str] = [p.attr for p in params]
        self.ranges = [(f.lo, f.hi) for f in facts]
        self.format = struct.Struct("=" + "".join(self.FORMATS[p.type.name] for p in params))
        # A residue, or a zero that must not be negative, takes more than two comparisons.
        self.simple = all(
            f.modulus == 1 and (f.minus_zero or not p.type.is_float or not f.lo <= 0 <= f.hi)
            for f, p in zip(facts, params, strict=True)
        )

    def __call__(self, arguments: Arguments) -> tuple[bytes, list[Any]]:
        """The slots, and the values in order."""
        try:
            values = [arguments[name] for name in self.names]
            fit = self.simple
            for v, (lo, hi) in zip(values, self.ranges, strict=True):
                fit = fit and lo <= v <= hi
            if fit:
                return self.format.pack(*values), values
        except (KeyError, TypeError, ValueError, OverflowError, struct.error):
            pass
        checked = self.calling.values(arguments)
        return b"".join([v.tobytes().ljust(8, b"\0") for v in checked]), list(checked)


@dataclass(frozen=True, slots=True, eq=False)
class MachineCode:
    """A kernel as machine code; `needs` is how many elements buffers must have for its proofs.

    `key` is that of its source; `text` is the source, empty where it was not written again. Code that is `aligned`
    counts on arrays that begin at multiples of their elements' sizes: of others it is given copies.
    """

    calling: Calling
    needs: dict[Buffer, int] = field(repr=False)
    linked: Library = field(repr=False)
    crew: Crew = field(repr=False)
    workers: WorkerPool | None = field(default=None, repr=False)
    key: str = field(default="", repr=False)
    text: str = field(default="", repr=False)
    aligned: bool = False
    slots: Slots = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Prepare what every call needs."""
        object.__setattr__(self, "slots", Slots(self.calling))

    def run(self, arguments: Arguments, memory: Memory, *, threads: int | None = None) -> None:
        """Run once; see `port.Code`."""
        calling = self.calling
        slots, values = self.slots(arguments)
        arrays = calling.arrays(memory, self.needs)
        if self.aligned and not all(a.flags.aligned for a in arrays):
            given, arrays = arrays, [a if a.flags.aligned else a.copy() for a in arrays]
            try:
                self._call(slots, values, arrays, threads)
            finally:
                for a, copied in zip(given[: calling.written], arrays, strict=False):
                    if copied is not a:
                        a[:] = copied
            return
        self._call(slots, values, arrays, threads)

    def _call(
        self, slots: bytes, values: list[Any], arrays: Sequence[np.ndarray[Any, Any]], threads: int | None
    ) -> None:
        calling = self.calling
        sizes = calling.sizes(values)
        scratch = [np.empty(n, b.type.dtype) for n, b in zip(sizes, calling.scratch, strict=True)]
        # Where buffers are, how long they are, slots: one piece of memory.
        where = [*map(address, arrays), *map(address, scratch)]
        poll = Poll() if calling.polls else None
        if poll is not None:
            # No signal is handled in the threads of a crew.
            where.append(poll.place if not any(calling.bands) else NEVER_STOP)
        words = array("q", [*where, *map(len, arrays), *sizes])
        count = len(words)
        words.frombytes(slots)
        place = words.buffer_info()[0]
        many, params = place + 8 * len(where), place + 8 * count
        for band, call in zip(calling.bands, self.linked.calls, strict=True):
            if band is None:
                call(params, place, many, 0, 0)
            elif self.workers is not None:
                span = calling.span(band, values, threads, FINE_BANDS)
                self.workers(call, params, place, many, span, threads)
            else:
                self._hand_out(call, (params, place, many), calling.parts(band, values, threads), threads)
            if poll is not None:
                poll.check()

    def _hand_out(
        self, call: Any, job: tuple[int, int, int], bands: list[tuple[int, int]], threads: int | None
    ) -> None:
        if len(bands) == 1:
            call(*job, *bands[0])
        else:
            self.crew(len(bands), lambda k: call(*job, *bands[k]), threads)
