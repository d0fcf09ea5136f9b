"""How compiled code is called: one C function of (params, buffers, sizes, first, beyond), in bands, with scratch.

Both back ends that make machine code use it. Params are in slots of 8 bytes; buffers come in the order of
`port.Layout.buffers` with their sizes in elements; first and beyond restrict the loop that is handed out to threads.
"""

from __future__ import annotations

import ctypes
import threading
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..ir.expr import Buffer
from .port import Arguments, Array, Crew, Layout, Memory, address

SIGNATURE = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64
)
ENTRY = "pellucid"
"""The name of the function in object code and libraries."""


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Library:
    """Linked code: `call` runs it; the memory of the code lives as long as this object."""

    call: Any
    owners: tuple[Any, ...] = field(repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class MachineCode:
    """A kernel as machine code; `text` is its source, `needs` how many elements buffers must have for its proofs."""

    plan: Layout
    text: str = field(repr=False)
    needs: dict[Buffer, int] = field(repr=False)
    library: Library = field(repr=False)
    crew: Crew = field(repr=False)

    def run(self, arguments: Arguments, memory: Memory, *, threads: int | None = None) -> None:
        """Run once; see `port.Code`."""
        plan = self.plan
        values = plan.values(arguments)
        arrays = plan.arrays(memory, self.needs)
        slots = b"".join([v.tobytes().ljust(8, b"\0") for v in values])
        sizes = plan.sizes(values)
        bands = plan.bands(values, threads)
        call = self.library.call
        lengths = np.array([*(len(a) for a in arrays), *sizes], np.int64)
        outside = [address(a) for a in arrays]

        def addresses() -> tuple[list[Array], Array]:
            scratch = [np.empty(n, a.buffer.type.dtype) for n, a in zip(sizes, plan.scratch, strict=True)]
            return scratch, np.array([*outside, *map(address, scratch)], np.uint64)

        own = threading.local()

        def band(k: int) -> None:
            # Every thread has scratch memory of its own.
            if not hasattr(own, "where"):
                own.scratch, own.where = addresses()
            call(slots, address(own.where), address(lengths), *bands[k])

        if len(bands) == 1:
            _, where = kept = addresses()
            call(slots, address(where), address(lengths), *bands[0])
            del kept
        else:
            self.crew(len(bands), band, threads)
