"""The LLVM back end: placed nests as vector code for the processor at hand, compiled in milliseconds."""

from __future__ import annotations

import hashlib
import threading
import weakref
from dataclasses import dataclass, field

import numpy as np

from ...ir.expr import Buffer
from ...ir.nest import Kernel
from ..port import Arguments, Array, Crew, Layout, Memory, Ranges, Store, address, alone, layout
from .control import Function
from .engine import Library, Machine, machine


@dataclass(frozen=True, slots=True, eq=False)
class LlvmCode:
    """A kernel as machine code; `text` is its LLVM, `needs` how many elements buffers must have for what was proved."""

    plan: Layout
    text: str
    needs: dict[Buffer, int]
    library: Library = field(repr=False)
    crew: Crew = field(repr=False)

    def run(self, arguments: Arguments, memory: Memory, *, threads: int | None = None) -> None:
        """Run once; see `port.Code`."""
        plan = self.plan
        values = plan.values(arguments)
        arrays = plan.arrays(memory, self.needs)
        slots = b"".join(v.tobytes().ljust(8, b"\0") for v in values)
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


class LlvmBackend:
    """Compiles nests by LLVM; `store` keeps object code between runs, `crew` runs bands side by side.

    `cpu` and `features` name another processor of the same family than the host, as LLVM calls them.

    >>> from pellucid.ir.nest import inputs
    >>> from pellucid.ir.parse import parse_nest
    >>> kernel = parse_nest('''
    ... kernel double():
    ...   output out: f32[40]
    ...   input a: f32[40]
    ...   for i in 0 .. 40 by 16 lanes:
    ...     out[i] := a[i] * 2.0
    ... ''')
    >>> out, a = kernel.outputs[0], np.arange(40, dtype=np.float32)
    >>> source = inputs(kernel)[0]
    >>> memory = {out: np.zeros(40, np.float32), source: a}
    >>> LlvmBackend().compile(kernel, {}).run({}, memory)
    >>> bool((memory[out] == 2 * a).all())
    True
    """

    name = "llvm"

    def __init__(
        self,
        store: Store | None = None,
        crew: Crew = alone,
        cpu: str | None = None,
        features: str | None = None,
    ) -> None:
        self.store, self.crew = store, crew
        self._cpu, self._features = cpu, features
        self._linked: weakref.WeakValueDictionary[str, Library] = weakref.WeakValueDictionary()

    @property
    def machine(self) -> Machine:
        """The processor it compiles for."""
        return machine(self._cpu, self._features)

    @property
    def vector_bits(self) -> int:
        """The width of the processor's vector registers."""
        features = self.machine.features
        return 512 if "+avx512f" in features else 256 if "+avx2" in features else 128

    def text(self, kernel: Kernel, ranges: Ranges) -> str:
        """The LLVM text of a kernel."""
        return Function(layout(kernel, ranges), ranges).text()

    def compile(self, kernel: Kernel, ranges: Ranges) -> LlvmCode:
        """The code of a placed nest; see `port.Backend`."""
        plan = layout(kernel, ranges)
        function = Function(plan, ranges)
        text = function.text()
        return LlvmCode(plan, text, dict(function.proved), self._library(text), self.crew)

    def _library(self, text: str) -> Library:
        """The linked code of a module: linked already, kept in the store, or compiled now."""
        machine = self.machine
        key = hashlib.sha256(f"{machine.identity}\n{text}".encode()).hexdigest()
        found = self._linked.get(key)
        if found is None:
            code = self.store.get(key) if self.store else None
            if code is None:
                code = machine.compile(text)
                if self.store:
                    self.store.put(key, code)
            found = self._linked[key] = machine.link(code)
        return found
