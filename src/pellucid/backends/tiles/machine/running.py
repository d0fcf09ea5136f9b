"""Running a tape: memory for the machine, the words of a frame, and the two calls that draw it.

The interpreter works out the pool once for each choice of arguments. Then squares of the top level are evaluated, and
their children are handed out to threads.
"""

from __future__ import annotations

import ctypes
import itertools
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ....base.errors import BackendError
from ....ir import types as T
from ....ir.expr import LOADS, Buffer, Expr, held
from ....ir.expr import params as params_of
from ....ir.interp import evaluate
from ...jit.calling import SIGNATURE, Slots
from ...jit.engine import machine
from ...jit.workers import WorkerPool
from ...port import Arguments, CallingPlan, CodeStore, Memory, address
from ..abi import (
    HEADER,
    INPUTS,
    INVARIANT,
    LEAF,
    MAX_OWN_SLOTS,
    STEP,
    TABULATED,
    TRACED,
    FrameWord,
    TapeRecord,
    WorkspaceWord,
)
from ..sizes import LANES
from ..tape.build import INSTRUCTION, Tape
from ..tape.key import Key
from ..tape.simplify import FORM_BYTES
from .kernels import Kernels
from .layout import SubprogramLayout
from .pool import WorkspaceBlock
from .rows import is_streamed
from .tiles import text

AT_ONCE = 16
"""Squares of the top level that are evaluated together before their children are drawn."""
MAX_CALLS = 32
"""Maximum calls of machine code that one thread makes for the squares that it draws together."""
MAX_SLOTS = 1 << 16
"""Maximum slots of a leaf's tape: an instruction has 16 bits for one."""
PAGE = 4096
_stamps = itertools.count(1)


@cache
def kernels(width: int, store: CodeStore | None) -> Kernels:
    """The kernels of this process for elements of so many bytes."""
    return Kernels(width, store)


class _Entries(NamedTuple):
    prepare: Any
    tiles: Any
    bands: Any
    arrange: Any
    allocate: Any


@cache
def _entries(write: Callable[..., str], width: int, traced: bool, store: CodeStore | None) -> _Entries:
    """The functions of a machine, whose text `write` makes."""
    this = machine()
    tag = f"{write.__module__} {width} {traced}"
    kind = (None, *SIGNATURE._argtypes_)
    place = ctypes.c_void_p
    counting = ctypes.c_int64
    others = {
        "arrange": (counting, place, counting),
        "allocate": (counting, place, place, place, counting),
    }
    drawing = dict.fromkeys(("prepare", "tiles", "bands"), kind)
    signatures = {**drawing, **others}
    functions = this.kept(
        tag, lambda: write(width, traced=traced), store, lambda code: this.functions(code, signatures)
    )
    return _Entries(**functions)


class TileCounts(NamedTuple):
    """The work of a frame: leaves and their instructions, squares and theirs, pixels filled, and samples.

    Samples are those of supersampled frames, of the pixels that were not filled.
    """

    leaves: int = 0
    leaf_steps: int = 0
    squares: int = 0
    interval_steps: int = 0
    filled: int = 0
    samples: int = 0


class Tolerance(NamedTuple):
    """The tolerance of a supersampled frame.

    slack   maximum difference of the bytes of a part that is filled with the bytes in the middle.
    wanted  a byte for each pixel: zero if the pixel may stay as it is, unless it is filled; or None.
    """

    slack: int = 0
    wanted: np.ndarray[Any, Any] | None = None


EXACT = Tolerance()


class TileCode:
    """A tape that can be run; `port.Code`. One frame at a time.

    It evaluates intervals if it is `tiled`; else every leaf runs the whole tape, and the bits are the same.
    """

    machine = staticmethod(text)
    tiled = True

    def __init__(
        self, plan: CallingPlan, tape: Tape, workers: WorkerPool | None, threads: int, store: CodeStore | None
    ) -> None:
        self.plan, self.tape = plan, tape
        self._workers, self._threads = workers, threads
        self._slots = Slots(plan.calling)
        self._lock = threading.Lock()
        self._kernels = kernels(tape.width, store)
        self._store = store
        self._entries = entries = _entries(self.machine, tape.width, False, store)
        word = T.u64 if tape.width == 8 else T.u32
        own = {
            FrameWord.SPLAT: Key("splat", (word,), word),
            FrameWord.COLUMNS: Key("columns", (word,), word),
            FrameWord.ROWS: Key("rows", (word,), word),
            FrameWord.ROWS_TRUTH: Key("rows", (T.boolean,), T.boolean),
        }
        self.opcodes = opcodes = self._kernels.opcodes([*tape.keys, *tape.inner, *own.values()])
        words = {which: opcodes[key] for which, key in own.items()}
        self.memory = TapeMemory(tape, opcodes, words, self._kernels, entries.allocate)

    def run(
        self, arguments: Arguments, memory: Memory, *, threads: int | None = None, within: Tolerance = EXACT
    ) -> None:
        """Run once; see `port.Code`."""
        self._run(self._entries, arguments, memory, threads, within)

    def trace(
        self, arguments: Arguments, memory: Memory, *, threads: int | None = None, within: Tolerance = EXACT
    ) -> np.ndarray[Any, Any]:
        """Run once and record the tiles: columns, rows, sides, and lengths of tapes (0 if filled)."""
        most = len(memory[self.tape.field.buffer])
        found = np.zeros((most + 1, TRACED // 4), np.int32)
        self.memory.frame[FrameWord.TRACE] = address(found)
        entries = _entries(self.machine, self.tape.width, True, self._store)
        self._run(entries, arguments, memory, threads, within)
        return found[1 : 1 + int(found[0].view(np.int64)[0])]

    def _run(
        self, entries: _Entries, arguments: Arguments, memory: Memory, threads: int | None, within: Tolerance
    ) -> None:
        plan, field = self.plan, self.tape.field
        _, values = self._slots(arguments)
        arrays = dict(zip(plan.calling.bound, plan.calling.arrays(memory), strict=True))
        params = plan.kernel.params
        width, height = (whole(x, params, values) for x in (field.width, field.height))
        with self._lock:
            self.memory.fill(tuple(values), params, arrays)
            self.prepare(params, values, within)
            self._draw(entries, arrays[field.buffer], width, height, threads)

    def prepare(self, params: Sequence[Expr], values: Sequence[Any], within: Tolerance) -> None:
        """Set the words of the frame that depend on the arguments."""

    def _draw(self, entries: _Entries, out: Any, width: int, height: int, threads: int | None) -> None:
        if len(out) < width * height:
            raise BackendError(f"has {len(out)} elements where {width * height} are needed", place="out")
        most = self._threads if threads is None else threads
        self.memory.ready(most)
        frame = self.memory.frame
        place = address(out)
        frame[FrameWord.OUT], frame[FrameWord.WIDTH], frame[FrameWord.HEIGHT] = place, width, height
        frame[FrameWord.STREAMED] = is_streamed(place, width, height)
        frame[FrameWord.FAILED] = 0
        if self.tiled:
            self._draw_tiles(entries, width, height, most)
        else:
            self._distribute(entries.bands, -(-height // (1 << LEAF)), most)
        if frame[FrameWord.FAILED]:
            raise BackendError("a tape needs more slots than there are", place=self.plan.kernel.name)

    def _draw_tiles(self, entries: _Entries, width: int, height: int, threads: int) -> None:
        spaces, frame = self.memory, self.memory.frame
        shift = _shift(max(width, height))
        side = 1 << (shift + STEP)
        across, down = -(-width // side), -(-height // side)
        frame[FrameWord.SHIFT], frame[FrameWord.ACROSS] = shift, across
        for first in range(0, across * down, AT_ONCE):
            count = min(AT_ONCE, across * down - first)
            spaces.nodes(count)
            frame[FrameWord.FIRST_NODE] = first
            self._distribute(entries.prepare, count, threads)
            self._distribute(entries.tiles, entries.arrange(address(frame), count), threads)

    def _distribute(self, code: Any, count: int, threads: int) -> None:
        place = address(self.memory.frame)
        if self._workers is None or threads == 1:
            # Ctrl-C is raised between two calls.
            step = max(1, -(-count // MAX_CALLS))
            for low in range(0, count, step):
                code(0, place, place, low, min(low + step, count))
        elif count:
            self._workers(code, 0, place, place, (0, count, 1), threads)

    @property
    def counts(self) -> TileCounts:
        """The work of all frames so far."""
        return self.memory.counts()


def whole(side: Expr, params: Sequence[Expr], values: Sequence[Any]) -> int:
    """A side of the frame in pixels."""
    if side in params:
        return int(values[params.index(side)])
    return int(evaluate([side], dict(zip(params, values, strict=True)))[0].item())


def _shift(side: int) -> int:
    """The logarithm of a task's side: the least that gives a frame a few dozen tasks at most."""
    shift = LEAF
    while shift < 8 and side > 1 << (shift + STEP):
        shift += STEP
    return shift


class TapeMemory:
    """The memory of one tape: its instructions, the pool, the words of a frame, and a workspace for each thread."""

    def __init__(
        self,
        tape: Tape,
        opcodes: Mapping[Key, int],
        own: Mapping[FrameWord, int],
        kernels: Kernels,
        allocate: Callable[[int, int, int, int], int],
    ) -> None:
        length, pooled = len(tape), len(tape.pool)
        self.unit = 2 * kernels.half
        band = np.zeros(length, INSTRUCTION)
        operands = tape.operands
        # Masks of the operands that are uniform.
        masks = np.packbits(operands < 0, axis=1, bitorder="little")[:, 0]
        bases = np.array([opcodes[k] for k in tape.keys])[tape.codes]
        band["opcode"] = bases + masks
        band["flags"], band["operands"] = tape.flags, operands
        invariants, tabulated, instructions = _sorted(band, pooled)
        begin = INPUTS + length
        # Points go below the uniforms, tapes of children into the arena: there is room for a few levels of each.
        most = pooled + 8 * length + 64
        arena = FORM_BYTES * LANES * (2 * length + 2) + 4096
        sizes = {
            FrameWord.BASE: HEADER + most * self.unit,
            FrameWord.LIVE: begin * self.unit + 2 * most,
            FrameWord.CHOICE_TRACE: 2 * begin + 2 * LANES,
            FrameWord.MAP: 8 * begin + 4 * most,
            FrameWord.PLACES: 4 * begin + 4 * LANES + 4 * most,
            FrameWord.BATCHED: 4 * begin + 4 * LANES + most,
            FrameWord.LIST: begin + LANES,
            FrameWord.POINTS: 4 * begin + 4 * LANES,
            FrameWord.FORWARDS: 4 * begin + 4 * LANES,
            FrameWord.ARENA: 4 * begin + 4 * LANES,
        }
        self.frame = np.zeros(len(FrameWord), np.int64)
        frame = self.frame
        offset = 0
        for which, size in sizes.items():
            offset = _rounded(offset + size, self.unit)
            frame[which] = offset
        end = _rounded(offset + arena, self.unit)
        self._bytes = _rounded(end, PAGE)
        self._tapes = instructions, band
        frame[FrameWord.INVARIANTS_AT] = (end - frame[FrameWord.BASE]) // self.unit
        # Each slot has two units for an invariant, and eight for a batch.
        end += 2 * (begin + 2) * self.unit
        frame[FrameWord.SLOTS_AT] = (end - frame[FrameWord.BASE]) // self.unit
        # References of inputs and of the pool stand for themselves in every tape; inputs have the first slots.
        references = np.arange(-pooled, INPUTS, dtype=np.int32)
        places = references.copy()
        places[pooled:] = int(frame[FrameWord.SLOTS_AT]) + 8 * references[pooled:]
        self._fixed = [
            (int(frame[which]) - 4 * pooled, x.view(np.uint8))
            for which, x in ((FrameWord.MAP, references), (FrameWord.PLACES, places))
        ]
        for which, code in own.items():
            frame[which] = code
        frame[FrameWord.BATCH_KERNELS] = address(kernels.batches)
        frame[FrameWord.INTERVAL_KERNELS] = address(kernels.intervals)
        parts = {FrameWord.TOP: (invariants, tabulated), FrameWord.BAND: (0, 0)}
        self._records, slots = self._allocated(allocate, parts)
        frame[FrameWord.MAX_SLOTS] = slots
        pool: dict[type, list[tuple[int, Any]]] = {}
        for entry in enumerate(tape.pool):
            pool.setdefault(type(entry[1]), []).append(entry)
        values, self._buffers = pool.pop(Expr, []), pool.pop(Buffer, [])
        rest = [entry for entries in pool.values() for entry in entries]
        after = int(frame[FrameWord.SLOTS_AT]) + 8 * slots
        self._subprograms = SubprogramLayout(rest, after, opcodes, kernels)
        self._bytes = _rounded(end + (8 * slots + self._subprograms.units) * self.unit, PAGE)
        self._pool = np.zeros((pooled + 1, self.unit), np.uint8)
        for k, words in self._subprograms.entries(self.unit):
            self._pool[pooled - 1 - k, : len(words)] = words
        frame[FrameWord.POOL], frame[FrameWord.POOLED] = address(self._pool), pooled
        frame[FrameWord.ARENA_BYTES], frame[FrameWord.MAX_POOL] = arena, most
        frame[FrameWord.WORKSPACE_BYTES] = self._bytes
        self._spaces: WorkspaceBlock | None = None
        self._nodes: WorkspaceBlock | None = None
        self._order = np.zeros(AT_ONCE * LANES, np.int64)
        frame[FrameWord.ORDER] = address(self._order)
        self._given: tuple[Any, ...] | None = None
        by_op: dict[str, list[tuple[int, Expr]]] = {}
        for entry in values:
            by_op.setdefault(entry[1].op, []).append(entry)
        # An edited program may have a parameter for each of its thousands of numbers.
        constants, self._params = by_op.pop("const", []), by_op.pop("param", [])
        self._uniforms = [entry for entries in by_op.values() for entry in entries]
        below = [x for _, x in self._uniforms]
        self._wanted = params_of(below)
        self._read = bool(held(below) & LOADS)
        self._set_all([(k, x.type, x.attr) for k, x in constants])
        frame[FrameWord.STAMP] = next(_stamps)

    def reserve(self, bytes_: int) -> int:
        """Reserve memory in each workspace, before any is made; gives its offset."""
        begin = self._bytes
        self._bytes = _rounded(begin + bytes_, PAGE)
        self.frame[FrameWord.WORKSPACE_BYTES] = self._bytes
        return begin

    def _allocated(
        self, allocate: Callable[[int, int, int, int], int], parts: Mapping[FrameWord, tuple[int, int]]
    ) -> tuple[Any, int]:
        """Make the whole tape's leaf forms, with invariants and without, in a workspace without slots.

        Gives the memory that they need to stay alive, and the slots that leaves may need. Raises BackendError for more
        than `MAX_SLOTS`.
        """
        frame, space = self.frame, self._made(1)
        records = np.zeros((len(parts), len(TapeRecord)), np.int64)
        kept: list[Any] = [records]
        used = 0
        for (which, lengths), record, tape in zip(parts.items(), records, self._tapes, strict=True):
            (count, tabulated), length = lengths, len(tape)
            form = np.zeros(length + count, INSTRUCTION)
            kept.append(form)
            root = INPUTS + length - 1
            words = address(tape), length, root, count, tabulated, address(form)
            record[: TapeRecord.LEAF_BATCHES] = words
            used = max(used, allocate(address(frame), address(space.rows), address(record), length))
            frame[which] = address(record)
        # Shorter tapes need no more, except one batch for a uniform root.
        if used + 4 > MAX_SLOTS:
            raise BackendError(
                f"needs more than {MAX_SLOTS} values at once", place="a tape", fix="compile it by LLVM"
            )
        return kept, max(used + 4, min(len(self._tapes[0]), MAX_OWN_SLOTS) + INPUTS + 1)

    def ready(self, threads: int) -> None:
        """Make a workspace for each thread."""
        if self._spaces is None or len(self._spaces.rows) < threads:
            self._spaces = self._made(threads)
            self.frame[FrameWord.WORKSPACES] = address(self._spaces.rows)
        self.frame[FrameWord.WORKSPACE_COUNT] = threads

    def nodes(self, count: int) -> None:
        """Make a workspace for each square of the top level."""
        if self._nodes is None or len(self._nodes.rows) < count:
            self._nodes = self._made(count)
            self.frame[FrameWord.NODES] = address(self._nodes.rows)

    def _made(self, count: int) -> WorkspaceBlock:
        block = WorkspaceBlock(count, self._bytes)
        for row in block.rows:
            row[:HEADER] = 0
            for place, words in self._fixed:
                row[place : place + len(words)] = words
        return block

    def _set_all(self, entries: Sequence[tuple[int, T.Type, Any]]) -> None:
        """Set entries of the pool, in all lanes of both endpoints; by type, because there may be thousands."""
        last = len(self._pool) - 2
        by_type: dict[T.Type, tuple[list[int], list[Any]]] = {}
        for k, type_, value in entries:
            places, values = by_type.setdefault(type_, ([], []))
            places.append(last - k)
            values.append(value)
        for type_, (places, values) in by_type.items():
            if type_ is T.boolean:
                # Lanes of truths are bits.
                halves = self._pool.view(np.uint16).reshape(len(self._pool), 2, -1)
                halves[places, :, 0] = np.where(np.array(values), 0xFFFF, 0)[:, None]
                continue
            word = np.uint32 if self.unit == 8 * LANES else np.uint64
            bits = np.array(values, type_.dtype).view(f"u{type_.dtype.itemsize}").astype(word)
            self._pool.view(word)[places] = bits[:, None]

    def fill(self, values: tuple[Any, ...], params: Sequence[Expr], arrays: Mapping[Buffer, Any]) -> None:
        """Set the entries of the pool that depend on arguments and buffers, if these have changed."""
        if self._read or values != self._given:
            given = dict(zip(params, values, strict=True))
            found = evaluate([x for _, x in self._uniforms], {p: given[p] for p in self._wanted}, arrays)
            new = [given[x] for _, x in self._params] + [np.asarray(value).reshape(()) for value in found]
            entries = zip([*self._params, *self._uniforms], new, strict=True)
            self._set_all([(k, x.type, value) for (k, x), value in entries])
            self.frame[FrameWord.STAMP] = next(_stamps)
        self._given = values
        for k, x in self._buffers:
            array = arrays[x]
            words = np.array([address(array), len(array) - 1], np.int64).view(np.uint8)
            entry = self._pool[len(self._pool) - 2 - k]
            if not np.array_equal(entry[:16], words):
                entry[:16] = words
                self.frame[FrameWord.STAMP] = next(_stamps)

    def counts(self) -> TileCounts:
        """The sums over all workspaces."""
        found = np.zeros(len(TileCounts._fields), np.int64)
        for block in (self._spaces, self._nodes):
            for row in () if block is None else block.rows:
                found += row[:HEADER].view(np.int64)[WorkspaceWord.LEAVES : WorkspaceWord.SAMPLED + 1]
        return TileCounts(*(int(x) for x in found))


_RANKS = np.array(
    [0 if x & INVARIANT and not x & TABULATED else 2 if x & TABULATED else 1 for x in range(2 * TABULATED)],
    np.uint8,
)
"""The rank of an instruction in a tape, by its flags."""


def _sorted(tape: np.ndarray[Any, Any], pooled: int) -> tuple[int, int, np.ndarray[Any, Any]]:
    """A tape with invariants first and tabulated results last; how many there are of either."""
    kinds = tape["flags"] & (INVARIANT | TABULATED)
    invariants, tabulated = (int(np.count_nonzero(kinds & flag)) for flag in (INVARIANT, TABULATED))
    if not invariants + tabulated:
        return 0, 0, tape.copy()
    order = _RANKS[kinds].argsort(kind="stable")
    # References below zero index the table from its end.
    places = np.arange(INPUTS + len(tape) + pooled, dtype=np.int32)
    places[INPUTS + len(tape) :] -= len(places)
    places[INPUTS + order] = np.arange(INPUTS, INPUTS + len(tape))
    found = tape[order]
    found["operands"] = places[found["operands"]]
    return invariants, tabulated, found


def _rounded(size: int, unit: int) -> int:
    return -(-size // unit) * unit
