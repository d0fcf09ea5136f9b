"""What the driver asks of a back end: compile a placed nest to `Code`, and run the code on arrays.

Back ends stand beside `loops`, under the driver: of caches and threads they know only the two small protocols here
(`CodeStore`, `ThreadPool`), which the driver passes in. All back ends share the order of buffers, the check of
arguments, and the phases of a kernel, whose parallel loops are divided into chunks.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from ..base.errors import BackendError, InputError, brief
from ..base.record import record
from ..ir import nest as N
from ..ir.expr import Buffer, Expr, buffers, topological
from ..ir.facts import Facts
from ..ir.interp import evaluate
from ..reasoning.infer import of_leaf
from ..reasoning.scratch import MAX_PRIVATE, bytes_of

Array = np.ndarray[Any, Any]
Arguments = Mapping[str, Any]
Memory = Mapping[Buffer, Array]
Ranges = Mapping[Expr, Facts]


class DeviceMemory(NamedTuple):
    """Memory of a device in place of an array: its address there, and how many elements of the buffer it has."""

    address: int
    size: int


class Code(Protocol):
    """A compiled kernel: runs as often as wanted, from any thread."""

    def run(self, arguments: Arguments, memory: Memory, *, threads: int | None = None) -> None:
        """Run once: `arguments` by parameter name, `memory` by buffer (else the buffer's own data).

        Stores change the arrays in place. `threads` bounds the threads that take part; None leaves them to the pool.
        Raises InputError for a missing or unfit argument or array.
        """
        ...


class Backend(Protocol):
    """A way of running nests; `name` is what options call it."""

    @property
    def name(self) -> str:
        """One lower-case word."""
        ...

    def compile(self, kernel: N.Kernel, ranges: Ranges) -> Code:
        """The code of a placed nest; `ranges` gives what is known of params (and of other leaves).

        What `ranges` says of a parameter is checked whenever the code runs. Raises BackendError where the back end
        cannot do what the nest asks.
        """
        ...


@runtime_checkable
class Keeping(Backend, Protocol):
    """A back end whose products can be kept for other processes."""

    @property
    def identity(self) -> str:
        """A text of all that its products depend on besides what it compiles."""
        ...

    def entry(self, code: Code, buffers: Sequence[Buffer]) -> bytes:
        """The bytes that `recall` makes the code of, with the buffers that they do not contain."""
        ...

    def recall(self, entry: bytes, buffers: Sequence[Buffer]) -> Code | None:
        """The code that an entry tells of, for buffers of the same names; None if it is not kept any more."""
        ...


class CodeStore(Protocol):
    """The store of a back end's products between runs of the program: the driver's cache."""

    def get(self, key: str) -> bytes | None:
        """The bytes under the key, or None."""
        ...

    def put(self, key: str, value: bytes) -> None:
        """Keep a product; never fails."""
        ...


MAX_BANDS = 32
"""Maximum parts of a loop that is divided among threads."""

ThreadPool = Callable[[int, Callable[[int], None], "int | None"], None]
"""Calls a task with 0 .. count - 1, in any order, from up to so many threads: ``thread_pool(count, task, threads)``."""


def alone(count: int, task: Callable[[int], None], threads: int | None) -> None:
    """The thread pool of one thread: every task in order, in the calling thread."""
    for k in range(count):
        task(k)


@record
class Phase:
    """Statements that are done before those of the next phase begin.

    `band` is the loop among them whose range is handed out to threads, or None if one thread runs them all.
    """

    body: N.Block
    band: N.For | None = None

    @property
    def grid(self) -> tuple[N.For, ...]:
        """The loops whose iterations are threads on a GPU, outermost first: the band, and the loop alone in it."""
        if self.band is None or self.band.how.kind != "grid":
            return ()
        rest = [s for s in self.band.body if not N.is_place(s)]
        inner = rest[0] if len(rest) == 1 else None
        is_second = isinstance(inner, N.For) and inner.how.kind == "grid" and _is_band(inner)
        return (self.band, inner) if is_second and isinstance(inner, N.For) else (self.band,)


class Band(NamedTuple):
    """The bounds of a loop that is handed out, and how many iterations a part of it has at least."""

    lo: Expr
    hi: Expr
    least: int


@record
class Calling:
    """The calling convention of a kernel: params and buffers in order, and loops that are divided among threads.

    `ranges` is what is assumed of each param; the first `written` of the caller's buffers are stored to; there is a
    band, or None, for each phase. Code that `polls` has loops that may never end.
    """

    name: str
    params: tuple[Expr, ...]
    ranges: Mapping[str, Facts]
    bound: tuple[Buffer, ...]
    written: int
    scratch: Mapping[Buffer, Expr]
    bands: tuple[Band | None, ...]
    polls: bool = False

    def values(self, arguments: Arguments) -> list[np.generic]:
        """The arguments as typed scalars in the order of the params, checked against what was assumed of them."""
        found: list[np.generic] = []
        for p in self.params:
            name = p.attr
            if name not in arguments:
                raise InputError("is missing", place=f"{self.name}, parameter {name}", fix="give it")
            with np.errstate(all="ignore"):
                value: Any = np.asarray(arguments[name], dtype=p.type.dtype)[()]
            facts = self.ranges[name]
            if not facts.contains(value.item()):
                number = value.item()
                odd = isinstance(number, float) and not math.isfinite(number)
                rule = "is not finite" if odd else f"is not within {facts.lo} .. {facts.hi}"
                raise InputError(f"{number} {rule}", place=f"{self.name}, parameter {name}")
            found.append(value)
        return found

    def arrays(self, memory: Memory, proved: Mapping[Buffer, int] | None = None) -> list[Array]:
        """The arrays of the caller's buffers in order, checked for what proofs count on.

        An array has at least the elements that its buffer declares, and those that `proved` says code counts on. The
        moves on loops count on both as well.
        """
        return self.located(memory, proved)[0]

    def located(
        self, memory: Memory, proved: Mapping[Buffer, int] | None = None
    ) -> tuple[list[Array], list[int]]:
        """The arrays of the caller's buffers, checked as by `arrays`, and their addresses."""
        least, written = proved or {}, self.written
        found: list[Array] = []
        places: list[int] = []
        spans: list[tuple[int, int]] = []
        for k, b in enumerate(self.bound):
            array, needed = memory.get(b), least.get(b, 1)
            needed = max(needed, b.size)
            if (
                array is None
                or array.__class__ is not np.ndarray
                or array.dtype != b.type.dtype
                or array.ndim != 1
                or array.size < needed
                or not array.flags.carray
            ):
                # The test above is quicker, and answers for nearly all arrays: `carray` can be written to as well.
                array = self._array(b, array, needed, written=k < written)
            at = address(array)
            found.append(array)
            places.append(at)
            spans.append((at, at + array.nbytes))
        self._check_distinct(spans)
        return found, places

    def beside(
        self, memory: Memory, device: Mapping[Buffer, DeviceMemory], proved: Mapping[Buffer, int]
    ) -> dict[Buffer, Array]:
        """The arrays of the buffers that are not on a device, checked as by `arrays`, and the sizes of the others."""
        rest = tuple(b for b in self.bound if b not in device)
        for b, m in device.items():
            least = max(b.size, proved.get(b, 1))
            if m.size < least:
                raise self._unfit(b, f"has {m.size} elements where {least} are needed", "pass a longer one")
        written = sum(b in rest for b in self.bound[: self.written])
        arrays = replace(self, bound=rest, written=written).arrays(memory, proved)
        return dict(zip(rest, arrays, strict=True))

    def _check_distinct(self, spans: Sequence[tuple[int, int]]) -> None:
        """Check the precondition of the proofs: each buffer that the kernel stores to has one name."""
        reached = 0
        for begin, end in sorted(spans):
            if begin < reached:
                break
            reached = end
        else:
            # No two arrays overlap. This is the usual case, and found sooner than by comparing all pairs.
            return
        for k, (low, high) in enumerate(spans[: self.written]):
            for other, (begin, end) in enumerate(spans):
                if low < end and begin < high and other != k and begin < end and low < high:
                    names = f"{self.bound[k].name} and {self.bound[other].name}"
                    raise InputError(f"{names} overlap", place=self.name, fix="pass a copy of one of them")

    def _array(self, buffer: Buffer, array: Array | None, least: int, *, written: bool) -> Array:
        if array is None:
            array = buffer.data
        if array is None:
            raise self._unfit(buffer, "has no memory", "bind an array to it")
        if not isinstance(array, np.ndarray):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may err
            raise self._unfit(buffer, f"{brief(array)} is not an array", f"give one of {buffer.type}")
        flags = array.flags
        if array.dtype != buffer.type.dtype or array.ndim != 1 or not flags.c_contiguous:
            what = f"is not a contiguous one-dimensional array of {buffer.type}"
            raise self._unfit(buffer, what, "convert it")
        if array.size < least:
            what = f"has {len(array)} elements where {least} are needed"
            raise self._unfit(buffer, what, "pass a longer array")
        if written and not flags.writeable:
            raise self._unfit(buffer, "cannot be written to", "pass a writable array")
        return array

    def _unfit(self, buffer: Buffer, what: str, fix: str) -> InputError:
        return InputError(what, place=f"{self.name}, buffer {buffer.name}", fix=fix)

    def sizes(self, values: Sequence[Any]) -> list[int]:
        """The number of elements of each scratch buffer for these arguments (at least one)."""
        if all(n.op == "const" for n in self.scratch.values()):
            # Known without asking the interpreter, which would take as long as a short call.
            return [max(1, int(n.attr)) for n in self.scratch.values()]
        environment = dict(zip(self.params, values, strict=True))
        return [max(1, int(n.item())) for n in evaluate(list(self.scratch.values()), environment)]

    def span(
        self, band: Band | None, values: Sequence[Any], threads: int | None, most: int
    ) -> tuple[int, int, int]:
        """A loop that is handed out, as (begin, end, step): its parts begin a step apart.

        A step is a multiple of the band that the nest asks for; there are about `most` parts at most, since each has
        its price, and only one for one thread. Without such a loop it is (0, 0, 1).
        """
        if band is None:
            return 0, 0, 1
        begin, end = (self._bound(e, values) for e in (band.lo, band.hi))
        if threads == 1 or end <= begin:
            return begin, end, max(1, end - begin)
        return begin, end, band.least * max(1, -(-(end - begin) // (band.least * most)))

    def parts(self, band: Band | None, values: Sequence[Any], threads: int | None) -> list[tuple[int, int]]:
        """The parts of a loop that is handed out, as (begin, end); one part (0, 0) if there is no such loop."""
        begin, end, step = self.span(band, values, threads, MAX_BANDS)
        return [(k, min(k + step, end)) for k in range(begin, end, step)] or [(begin, end)]

    def _bound(self, bound: Expr, values: Sequence[Any]) -> int:
        if bound.op == "const":
            return int(bound.attr)
        if bound.op == "param":
            return int(values[self.params.index(bound)])
        return int(evaluate([bound], dict(zip(self.params, values, strict=True)))[0].item())


@record
class CallingPlan:
    """A kernel as machine code has it: how it is called, and its statements in phases.

    Scratch memory is one for all threads, but for what stands inside of a loop: that is `private`, small, of a fixed
    size, and on the stack of whoever runs the iteration.
    """

    kernel: N.Kernel
    calling: Calling
    phases: tuple[Phase, ...]
    private: Mapping[Buffer, Expr]

    @property
    def buffers(self) -> tuple[Buffer, ...]:
        """All buffers, in the order of the machine code."""
        return (*self.calling.bound, *self.calling.scratch)

    @property
    def least(self) -> dict[Buffer, int]:
        """The sizes that buffers were declared with; scratch memory has a known size only where it is a constant."""
        found = {b: b.size for b in self.calling.bound}
        for b, size in (*self.calling.scratch.items(), *self.private.items()):
            found[b] = max(1, int(size.attr)) if size.op == "const" else 1
        return found


def layout(kernel: N.Kernel, ranges: Ranges) -> CallingPlan:
    """The layout of a kernel.

    Raises BackendError for large scratch memory, or of no fixed size, inside a loop or a branch, for a size that is
    read from memory, and for an abstract statement.
    """
    statements = list(N.walk(kernel.body))
    abstract = next((s.name for s in statements if isinstance(s, N.Abstract)), None)
    if abstract is not None:
        raise BackendError(
            f"the abstract statement {abstract} cannot be run",
            place=kernel.name,
            fix="write a statement in its place",
        )
    scratch: dict[Buffer, Expr] = {}
    private: dict[Buffer, Expr] = {}
    flat: list[N.Statement] = []
    rest = list(reversed(kernel.body))
    # Single elements that no bands share are registers of whoever runs the kernel.
    alone = not any(_is_band(s) for s in statements)
    while rest:
        s = rest.pop()
        if isinstance(s, N.Alloc):
            for b, size in s.sizes.items():
                (private if alone and size.op == "const" and size.attr <= 1 else scratch)[b] = size
            rest.extend(reversed(s.body))
            continue
        flat.append(s)
        for x in N.walk((s,)):
            private |= x.sizes if isinstance(x, N.Alloc) else {}
    sizes = [bytes_of(b, n) for b, n in private.items()]
    if None in sizes or sum(n or 0 for n in sizes) > MAX_PRIVATE:
        raise BackendError(
            f"scratch memory inside a loop or a branch that is not surely at most {MAX_PRIVATE} bytes",
            place=kernel.name,
            fix="allocate it around the loops",
        )
    for b, size in scratch.items():
        # It is made before the kernel runs, which may store to what the size is read from.
        if buffers([size]):
            raise BackendError(
                f"the size of the scratch memory {b.name} is read from memory",
                place=kernel.name,
                fix="give it by a parameter or a constant",
            )
    known = {p.attr: ranges.get(p, of_leaf(p)) for p in kernel.params}
    bound = (*kernel.outputs, *N.inputs(kernel))
    phases = tuple(_phases(kernel, flat))
    loops = [p.band for p in phases]
    bands = tuple(s if s is None else Band(s.lo, s.hi, s.how.count) for s in loops)
    polls = any(isinstance(s, N.While) for s in statements)
    calling = Calling(kernel.name, kernel.params, known, bound, len(kernel.outputs), scratch, bands, polls)
    return CallingPlan(kernel, calling, phases, private)


def _phases(kernel: N.Kernel, flat: Sequence[N.Statement]) -> list[Phase]:
    """The statements of a kernel in phases: each loop that can be handed out, and what stands between such loops."""
    if not any(_is_band(s) for s in flat):
        return [Phase(kernel.body)]
    found: list[Phase] = []
    between: list[N.Statement] = []
    for s in (*flat, None):
        if s is None or _is_band(s):
            if not all(N.is_place(x) for x in between):
                found.append(Phase((*_places(flat, between), *between)))
            between = []
        if isinstance(s, N.For) and _is_band(s):
            found.append(Phase((*_places(flat, [s]), s), s))
        elif s is not None:
            between.append(s)
    return found


def _is_band(s: N.Statement) -> bool:
    """Whether a statement is a loop for threads, with bounds that are known before the code runs, from arguments."""
    return (
        isinstance(s, N.For)
        and s.how.kind in ("spread", "grid")
        and not (s.lo.free or s.hi.free or buffers([s.lo, s.hi]))
    )


def _places(flat: Sequence[N.Statement], statements: Sequence[N.Statement]) -> list[N.Statement]:
    """The places before some statements that they use values of: a value may be computed in several phases."""
    used = set(topological(N.all_roots(tuple(statements))))
    before = flat[: next(k for k, s in enumerate(flat) if s is statements[0])]
    return [
        s
        for s in before
        if N.is_place(s) and any(v in used for v in (s.selects if isinstance(s, N.If) else N.roots(s)))
    ]


def address(array: Array) -> int:
    """The address of an array's first element."""
    try:
        # Several times quicker than asking the array, but only for those that can be written to.
        return _ADDRESS(_FIRST(array))
    except (TypeError, ValueError):
        return array.__array_interface__["data"][0]


_ADDRESS = ctypes.addressof
_FIRST: Any = ctypes.c_char.from_buffer
