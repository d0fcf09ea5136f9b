"""The LLVM back end: placed nests as vector code for the processor at hand, compiled in milliseconds."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.expr import Buffer
from ...ir.nest import Kernel
from ..jit.calling import Library, MachineCode, entry
from ..jit.engine import Machine, machine
from ..jit.linking import Linking
from ..jit.workers import WorkerPool, worker_pool
from ..port import CallingPlan, CodeStore, Ranges, ThreadPool, alone, layout


class LlvmBackend(Linking):
    """Compiles nests by LLVM; `store` keeps object code between runs, `thread_pool` runs bands side by side.

    `cpu` and `features` name another processor of the same family than the host, as LLVM calls them.

    >>> import numpy as np
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
        store: CodeStore | None = None,
        thread_pool: ThreadPool = alone,
        threads: int = 1,
        cpu: str | None = None,
        features: str | None = None,
    ) -> None:
        super().__init__()
        self.store, self.thread_pool, self.threads = store, thread_pool, threads
        self._cpu, self._features = cpu, features

    @property
    def machine(self) -> Machine:
        """The processor it compiles for."""
        return machine(self._cpu, self._features)

    @property
    def vector_bits(self) -> int:
        """The width of the processor's vector registers."""
        features = self.machine.features
        return 512 if "+avx512f" in features else 256 if "+avx2" in features else 128

    @property
    def registers(self) -> int:
        """The registers that each value of a pixel's computation fills best, as bench/lanes.py measures.

        What a pixel takes is long chains of instructions that wait for each other. Two chains side by side take four
        fifths of the time of one with 256 bits, and nine tenths with 512; with 128 bits the registers do not suffice.
        """
        return 2 if self.vector_bits >= 256 else 1

    def text(self, kernel: Kernel, ranges: Ranges) -> str:
        """The LLVM text of a kernel."""
        return self._module(layout(kernel, ranges), ranges)[0]

    def _module(self, plan: CallingPlan, ranges: Ranges) -> tuple[str, dict[Buffer, int]]:
        """A function for each phase, and how many elements buffers must have for what was proved."""
        names = [entry(k) for k, _ in enumerate(plan.phases)]
        texts, needed = written(plan, ranges, self.machine, names)
        return "\n".join(texts), needed

    def compile(self, kernel: Kernel, ranges: Ranges) -> MachineCode:
        """The code of a placed nest; see `port.Backend`."""
        plan = layout(kernel, ranges)
        return self.code(plan, *self._module(plan, ranges))

    @property
    def identity(self) -> str:
        """The processor, and the version of LLVM."""
        return self.machine.identity

    def compiled(self, text: str) -> bytes:
        """The object code of LLVM text."""
        return self.machine.compile(text)

    def link(self, code: bytes, phases: int) -> Library:
        """Object code of so many phases made callable."""
        return self.machine.link(code, phases)

    def workers(self) -> WorkerPool | None:
        """The native pool, if there is a processor for more than one thread."""
        return worker_pool(self.threads) if self.threads > 1 and self._cpu is None else None


def written(
    plan: CallingPlan, ranges: Ranges, machine: Machine, names: Sequence[str]
) -> tuple[list[str], dict[Buffer, int]]:
    """A function for each phase, by the names, and how many elements buffers must have for what was proved."""
    # Whoever finds code in the cache writes none.
    from .function import Function

    texts: list[str] = []
    needed: dict[Buffer, int] = {}
    for phase, name in zip(plan.phases, names, strict=True):
        function = Function(plan, phase, ranges, machine, name)
        texts.append(function.text())
        needed |= function.bounds.proofs.needed
    return texts, needed
