"""The calling convention of compiled code: C functions of (params, buffers, sizes, begin, end), one per phase.

The back ends that make machine code share it. Params are in slots of 8 bytes. Buffers come in the order of
`port.CallingPlan.buffers`, with their sizes in elements. The address of the poll function (see `polling`) follows
them if the code polls. The arguments begin and end restrict the loop that is handed out to threads.
"""

from __future__ import annotations

import ctypes
import struct
from array import array
from collections.abc import Callable, Sequence
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from ...base.record import record
from ...ir.expr import Buffer
from ..port import MAX_BANDS, Arguments, Array, Calling, Memory, ThreadPool, address
from .polling import NEVER_STOP, Poll

if TYPE_CHECKING:
    from .workers import WorkerPool

SIGNATURE = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64
)
_Room = tuple["array[int]", int, list[np.ndarray[Any, Any]]]
"""What machine code is given in one call, the address of that, and the scratch memory that it names."""
MAX_KEPT = 1 << 16
"""Maximum bytes of scratch memory that a call leaves to the next one."""
MAX_PREPARED = 8
"""Maximum prepared calls of a kernel: for so many numbers of threads."""
FINE_BANDS = 128
"""Maximum parts of a frame where machine code hands them out: small, so that no thread waits long for the last."""


def entry(phase: int) -> str:
    """The name of a phase's function in object code and libraries.

    >>> entry(0), entry(1)
    ('pellucid', 'pellucid_1')
    """
    return f"pellucid_{phase}" if phase else "pellucid"


@record(eq=False, weakref_slot=True)
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


class _Invocation(NamedTuple):
    """How machine code is entered: its functions and threads, and at which bytes it is told what it is given.

    Prepared calls have this, and not the code, which keeps some of them: it ends with its last user.
    """

    calling: Calling
    linked: Library
    thread_pool: ThreadPool
    workers: WorkerPool | None
    pack_into: Callable[..., None]
    pack_all: Callable[..., None] | None
    lengths_at: int
    params_at: int


@record(eq=False)
class MachineCode:
    """A kernel as machine code; `needs` is how many elements buffers must have for its proofs.

    `key` is that of its source; `text` is the source, empty where it was not written again. Code that is `aligned`
    counts on arrays that begin at multiples of their elements' sizes: of others it is given copies.
    """

    calling: Calling
    needs: dict[Buffer, int] = field(repr=False)
    linked: Library = field(repr=False)
    thread_pool: ThreadPool = field(repr=False)
    workers: WorkerPool | None = field(default=None, repr=False)
    key: str = field(default="", repr=False)
    text: str = field(default="", repr=False)
    aligned: bool = False
    slots: Slots = field(init=False, repr=False)
    invocation: _Invocation = field(init=False, repr=False)
    _kept: dict[int | None, Any] = field(init=False, repr=False, default_factory=dict[Any, Any])
    """The last calls of a kernel without parameters, by their threads; small ones only."""

    def __post_init__(self) -> None:
        """Prepare what every call needs: how arguments and the caller's buffers are told, and at which bytes."""
        calling = self.calling
        bound, scratch = len(calling.bound), len(calling.scratch)
        lengths_at = 8 * (bound + scratch + calling.polls)
        object.__setattr__(self, "slots", Slots(calling))
        pack, params_at = struct.Struct(f"={bound}q").pack_into, lengths_at + 8 * (bound + scratch)
        pack_all = struct.Struct(f"={2 * bound}q").pack_into if lengths_at == 8 * bound else None
        made = _Invocation(
            calling, self.linked, self.thread_pool, self.workers, pack, pack_all, lengths_at, params_at
        )
        object.__setattr__(self, "invocation", made)

    def run(self, arguments: Arguments, memory: Memory, *, threads: int | None = None) -> None:
        """Run once; see `port.Code`."""
        calling = self.calling
        call = self._kept.get(threads)
        if call is None:
            call = PreparedCall(self, arguments, threads)
            if not calling.params and call.scratch <= MAX_KEPT and len(self._kept) < MAX_PREPARED:
                self._kept[threads] = call
        arrays, places = calling.located(memory, self.needs)
        if self.aligned and not all(a.flags.aligned for a in arrays):
            given, arrays = arrays, [a if a.flags.aligned else a.copy() for a in arrays]
            try:
                call(list(map(address, arrays)), list(map(len, arrays)))
            finally:
                for a, copied in zip(given[: calling.written], arrays, strict=False):
                    if copied is not a:
                        a[:] = copied
            return
        call(places, list(map(len, arrays)))

    def bound(
        self, arguments: Arguments, memory: Memory, *, threads: int | None = None
    ) -> Callable[[], None]:
        """The code for arguments and memory that stay: a function that runs it, from any thread."""
        arrays, places = self.calling.located(memory, self.needs)
        if self.aligned and not all(a.flags.aligned for a in arrays):
            return partial(self.run, arguments, memory, threads=threads)
        return PreparedCall(self, arguments, threads).bound(arrays, places)


class PreparedCall:
    """A call of machine code with given arguments, for any memory: ``call(places, lengths)``, from any thread.

    What depends on the arguments alone is found once: the slots, the sizes of scratch memory, and the parts of loops
    that are handed out, about `parts` of each at most. Memory of a call that has ended is kept for the next one.
    """

    __slots__ = ("_free", "_invocation", "_sizes", "_slots", "_steps", "_threads", "scratch")

    def __init__(
        self, code: MachineCode, arguments: Arguments, threads: int | None = None, parts: int = FINE_BANDS
    ) -> None:
        """Raises InputError for a missing or unfit argument."""
        calling = code.calling
        self._invocation, self._threads = code.invocation, threads
        self._slots, values = code.slots(arguments)
        self._sizes = calling.sizes(values)
        self.scratch = sum(
            n * b.type.dtype.itemsize for n, b in zip(self._sizes, calling.scratch, strict=True)
        )
        most = parts if code.workers is not None else min(parts, MAX_BANDS)
        # Each phase is called with the range of its loop, if it has one. A loop without iterations is not called.
        self._steps: list[tuple[Any, int, int, int]] = []
        for call, band in zip(code.linked.calls, calling.bands, strict=True):
            begin, end, step = (0, 0, 1) if band is None else calling.span(band, values, threads, most)
            if band is None or begin < end:
                self._steps.append((call, begin, end, step))
        self._free: list[_Room] = []

    def __call__(self, places: Sequence[int], lengths: Sequence[int]) -> None:
        """Run on the caller's buffers, in order: their addresses, and their lengths in elements.

        Neither is checked: the buffers are what `Calling.arrays` asks for, and aligned if the code counts on that.
        """
        code, free = self._invocation, self._free
        try:
            room = free.pop() if free else None
        except IndexError:
            # Another thread took it.
            room = None
        if room is None:
            room = self._room(places, lengths)
            words, place, _ = room
        else:
            words, place, _ = room
            if code.pack_all is not None:
                # Nothing stands between them.
                code.pack_all(words, 0, *places, *lengths)
            else:
                code.pack_into(words, 0, *places)
                code.pack_into(words, code.lengths_at, *lengths)
        poll = Poll() if code.calling.polls else None
        if poll is not None and not any(code.calling.bands):
            # No signal is handled in the threads of a thread pool.
            words[code.lengths_at // 8 - 1] = poll.place
        many, params = place + code.lengths_at, place + code.params_at
        for call, begin, end, step in self._steps:
            if end - begin <= step:
                call(params, place, many, begin, end)
            elif code.workers is not None:
                code.workers(call, params, place, many, (begin, end, step), self._threads)
            else:
                self._hand_out(call, (params, place, many), range(begin, end, step), end)
            if poll is not None:
                poll.check()
        free.append(room)

    def bound(self, arrays: Sequence[Array], places: Sequence[int]) -> Callable[[], None]:
        """The call for these arrays at these places, as a function without arguments.

        Its default argument holds what the addresses are of.
        """
        code, lengths = self._invocation, list(map(len, arrays))
        call, begin, end, step = self._steps[0] if len(self._steps) == 1 else (None, 0, 0, 0)
        if call is None or end - begin > step or self._sizes or code.calling.polls:

            def run_all(held: object = arrays) -> None:
                self(places, lengths)

            return run_all
        words, place, _ = self._room(places, lengths)
        given = place + code.params_at, place, place + code.lengths_at, begin, end

        def run(held: object = (arrays, words)) -> None:
            call(*given)

        return run

    def _room(self, places: Sequence[int], lengths: Sequence[int]) -> _Room:
        """Memory for one call: what machine code is given, its address, and the scratch memory in it."""
        calling = self._invocation.calling
        scratch = [np.empty(n, b.type.dtype) for n, b in zip(self._sizes, calling.scratch, strict=True)]
        # Where buffers are, how long they are, slots: one piece of memory.
        where = [*places, *map(address, scratch)]
        if calling.polls:
            where.append(NEVER_STOP)
        words = array("q", [*where, *lengths, *self._sizes])
        words.frombytes(self._slots)
        return words, words.buffer_info()[0], scratch

    def _hand_out(self, call: Any, job: tuple[int, int, int], starts: range, end: int) -> None:
        code, step = self._invocation, starts.step
        code.thread_pool(
            len(starts), lambda k: call(*job, starts[k], min(starts[k] + step, end)), self._threads
        )
