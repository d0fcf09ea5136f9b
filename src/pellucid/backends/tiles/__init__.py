"""The tile machine: an interpreter of intervals and batches, which needs no compilation and skips uniform tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base.errors import BackendError
from ...ir.expr import ITERATIONS
from ...ir.nest import Kernel
from ..port import CodeStore, Ranges, layout

if TYPE_CHECKING:
    from .machine.running import TileCode


class TileBackend:
    """Runs frames as tapes on intervals and batches; `store` keeps kernels between runs."""

    name = "tiles"

    def __init__(self, store: CodeStore | None = None, threads: int = 1) -> None:
        self.store, self.threads = store, threads

    def compile(self, kernel: Kernel, ranges: Ranges) -> TileCode:
        """The tape of a frame; see `port.Backend`.

        Raises BackendError for a kernel that is no frame.
        """
        # Whoever draws by other means loads no machine.
        from ..jit.workers import worker_pool
        from .machine.running import TileCode
        from .supersample.resolve import mean_of
        from .supersample.running import SampledCode
        from .tape.build import build, field_of

        field = field_of(kernel)
        if field is None:
            raise BackendError("is no frame", place=kernel.name, fix="compile it by LLVM")
        workers = worker_pool(self.threads) if self.threads > 1 else None
        plan = layout(kernel, ranges)
        mean = mean_of(field.value) if field.value.holds & ITERATIONS else None
        if mean is not None:
            return SampledCode(plan, field, mean, workers, self.threads, self.store)
        return TileCode(plan, build(field), workers, self.threads, self.store)
