"""What the driver asks of a back end: compile a placed nest to `Code`, and run the code on arrays.

Back ends stand beside `loops`, under the driver: they know nothing of caches and threads but the two small protocols
here (`Store`, `Crew`), which the driver passes in. What all of them share is here too: the order of buffers, the check
of arguments, and the one loop that may be handed out to threads in bands.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..base.errors import BackendError, InputError
from ..ir import nest as N
from ..ir.expr import Buffer, Expr, buffers
from ..ir.facts import Facts
from ..ir.interp import evaluate
from ..reasoning.infer import of_leaf

Array = np.ndarray[Any, Any]
Arguments = Mapping[str, Any]
Memory = Mapping[Buffer, Array]
Ranges = Mapping[Expr, Facts]


class Code(Protocol):
    """A compiled kernel: runs as often as wanted, from any thread."""

    def run(self, arguments: Arguments, memory: Memory, *, threads: int | None = None) -> None:
        """Run once: `arguments` by parameter name, `memory` by buffer (else the buffer's own data).

        Stores change the arrays in place. `threads` bounds how many threads take part; None leaves it to the crew.
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


class Store(Protocol):
    """Where a back end keeps its products between runs of the program: the driver's cache."""

    def get(self, key: str) -> bytes | None:
        """What was put under the key, or None."""
        ...

    def put(self, key: str, value: bytes) -> None:
        """Keep a product; never fails."""
        ...


BANDS = 32
"""Into how many parts a loop is handed out at most."""

Crew = Callable[[int, Callable[[int], None], "int | None"], None]
"""Calls a task with 0 .. count - 1, in any order, from up to so many threads: ``crew(count, task, threads)``."""


def alone(count: int, task: Callable[[int], None], threads: int | None) -> None:
    """The crew of one: every task in order, in the calling thread."""
    for k in range(count):
        task(k)


@dataclass(frozen=True, slots=True)
class Layout:
    """What a kernel's machine code is given, in order: params, buffers of the caller, scratch buffers; and its bands.

    `band` is the loop whose range is handed out to threads, or None; `ranges` what is assumed of each param.
    """

    kernel: N.Kernel
    bound: tuple[Buffer, ...]
    scratch: tuple[N.Alloc, ...]
    band: N.For | None
    ranges: Mapping[str, Facts]

    @property
    def buffers(self) -> tuple[Buffer, ...]:
        """All buffers, in the order of the machine code."""
        return (*self.bound, *(a.buffer for a in self.scratch))

    def values(self, arguments: Arguments) -> list[np.generic]:
        """The arguments as typed scalars in the order of the params, checked against what was assumed of them."""
        found: list[np.generic] = []
        for p in self.kernel.params:
            name = p.attr
            if name not in arguments:
                raise InputError("is missing", place=f"{self.kernel.name}, parameter {name}", fix="give it")
            with np.errstate(all="ignore"):
                value: Any = np.asarray(arguments[name], dtype=p.type.dtype)[()]
            facts = self.ranges[name]
            if not facts.contains(value.item()):
                number = value.item()
                odd = isinstance(number, float) and not math.isfinite(number)
                rule = "is not finite" if odd else f"is not within {facts.lo} .. {facts.hi}"
                raise InputError(f"{number} {rule}", place=f"{self.kernel.name}, parameter {name}")
            found.append(value)
        return found

    def arrays(self, memory: Memory, proved: Mapping[Buffer, int] | None = None) -> list[Array]:
        """The arrays of the caller's buffers in order, checked.

        `proved` says how many elements an array must have at least because loads were proved to be within them.
        """
        return [self._array(b, memory.get(b, b.data), (proved or {}).get(b, 1)) for b in self.bound]

    def _array(self, buffer: Buffer, array: Array | None, least: int) -> Array:
        place = f"{self.kernel.name}, buffer {buffer.name}"
        if array is None:
            raise InputError("has no memory", place=place, fix="bind an array to it")
        if array.dtype != buffer.type.dtype or array.ndim != 1 or not array.flags.c_contiguous:
            raise InputError(
                f"is not a contiguous one-dimensional array of {buffer.type}", place=place, fix="convert it"
            )
        if len(array) < least:
            raise InputError(f"has {len(array)} elements where {least} are needed", place=place)
        if buffer in self.kernel.outputs and not array.flags.writeable:
            raise InputError("cannot be written to", place=place, fix="pass a writable array")
        return array

    def sizes(self, values: Sequence[Any]) -> list[int]:
        """How many elements each scratch buffer gets for these arguments (at least one)."""
        if not self.scratch:
            return []
        environment = dict(zip(self.kernel.params, values, strict=True))
        return [max(1, int(n.item())) for n in evaluate([a.size for a in self.scratch], environment)]

    def span(self, values: Sequence[Any], threads: int | None, most: int) -> tuple[int, int, int]:
        """The loop that is handed out, as (first, beyond, step): its parts begin a step apart.

        A step is a multiple of the band that the nest asks for; there are about `most` parts at most, since each has
        its price, and only one for one thread. Without such a loop it is (0, 0, 1).
        """
        if self.band is None:
            return 0, 0, 1
        first, beyond = (self._bound(e, values) for e in (self.band.lo, self.band.hi))
        if threads == 1 or beyond <= first:
            return first, beyond, max(1, beyond - first)
        size = self.band.how.count
        return first, beyond, size * max(1, -(-(beyond - first) // (size * most)))

    def bands(self, values: Sequence[Any], threads: int | None) -> list[tuple[int, int]]:
        """The parts of the loop that is handed out, as (first, beyond); one part (0, 0) if there is no such loop."""
        first, beyond, step = self.span(values, threads, BANDS)
        return [(k, min(k + step, beyond)) for k in range(first, beyond, step)] or [(first, beyond)]

    def _bound(self, bound: Expr, values: Sequence[Any]) -> int:
        if bound.op == "const":
            return int(bound.attr)
        if bound.op == "param":
            return int(values[self.kernel.params.index(bound)])
        return int(evaluate([bound], dict(zip(self.kernel.params, values, strict=True)))[0].item())


def layout(kernel: N.Kernel, ranges: Ranges) -> Layout:
    """The layout of a kernel.

    Raises BackendError when scratch memory is asked for inside a loop or a branch, and for an abstract statement.
    """
    abstract = next((s.name for s in N.walk(kernel.body) if isinstance(s, N.Abstract)), None)
    if abstract is not None:
        raise BackendError(
            f"the abstract statement {abstract} cannot be run",
            place=kernel.name,
            fix="write a statement in its place",
        )
    scratch: list[N.Alloc] = []
    level = kernel.body
    flat: list[N.Statement] = []
    while level:
        inner: list[N.Statement] = []
        for s in level:
            if isinstance(s, N.Alloc):
                scratch.append(s)
                inner.extend(s.body)
            else:
                flat.append(s)
                if any(isinstance(x, N.Alloc) for b in N.blocks(s) for x in N.walk(b)):
                    raise BackendError(
                        "scratch memory inside a loop or a branch",
                        place=kernel.name,
                        fix="allocate it around the loops",
                    )
        level = tuple(inner)
    known = {p.attr: ranges.get(p, of_leaf(p)) for p in kernel.params}
    bound = (*kernel.outputs, *N.inputs(kernel))
    return Layout(kernel, bound, tuple(scratch), _band(kernel), known)


def _band(kernel: N.Kernel) -> N.For | None:
    """The one loop that may be handed out: nothing else may store to what the caller sees, or run after it."""
    found: N.For | None = None
    private: set[Buffer] = set()

    def visit(block: N.Block) -> bool:
        nonlocal found
        for s in block:
            if isinstance(s, N.Alloc):
                private.add(s.buffer)
                if not visit(s.body):
                    return False
            elif isinstance(s, N.For) and s.how.kind == "spread":
                if found is not None:
                    return False
                found = s
            else:
                stores = {x.buffer for x in N.walk((s,)) if isinstance(x, N.Store)}
                if (found is not None and stores) or not stores <= private:
                    return False
        return True

    if not visit(kernel.body) or found is None:
        return None
    # Its bounds must be known before the code runs: they are evaluated on the arguments alone.
    if found.lo.free or found.hi.free or buffers([found.lo, found.hi]):
        return None
    return found


def address(array: Array) -> int:
    """Where an array's first element is."""
    return array.__array_interface__["data"][0]
