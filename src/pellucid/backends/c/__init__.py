"""The C back end: placed nests as standalone C99, to be run here through the machine's compiler or taken elsewhere."""

from __future__ import annotations

from ...ir.nest import Kernel
from ..jit.calling import Library, MachineCode
from ..jit.linking import Linking
from ..port import CodeStore, Ranges, ThreadPool, alone, layout
from .compiler import CCompiler, find_compiler, load
from .module import callable_source, export

__all__ = ["CBackend", "export"]


class CBackend(Linking):
    """Compiles nests by the C compiler; `store` keeps libraries between runs, `thread_pool` runs bands side by side.

    Raises BackendError when something is to be compiled and there is no C compiler.
    """

    name = "c"
    aligned = True
    """In C, an access at any other address is undefined."""

    def __init__(self, store: CodeStore | None = None, thread_pool: ThreadPool = alone) -> None:
        super().__init__()
        self.store, self.thread_pool = store, thread_pool

    @property
    def compiler(self) -> CCompiler:
        """The compiler that it runs."""
        return find_compiler()

    def text(self, kernel: Kernel, ranges: Ranges) -> str:
        """The C source of a kernel, as it is compiled here."""
        return callable_source(layout(kernel, ranges), ranges)[0]

    def compile(self, kernel: Kernel, ranges: Ranges) -> MachineCode:
        """The code of a placed nest; see `port.Backend`."""
        plan = layout(kernel, ranges)
        return self.code(plan, *callable_source(plan, ranges))

    @property
    def identity(self) -> str:
        """The compiler and the processor."""
        return self.compiler.identity

    def compiled(self, text: str) -> bytes:
        """The library of a C source."""
        return self.compiler.compile(text)

    def link(self, code: bytes, phases: int) -> Library:
        """A library of so many phases, loaded."""
        return load(code, phases)
