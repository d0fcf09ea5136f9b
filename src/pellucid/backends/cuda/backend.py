"""The back end "cuda": nests on NVIDIA's GPUs, by the writer that the driver lends and the machine's own driver."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence

from ...base.errors import BackendError
from ...ir.expr import Buffer
from ...ir.nest import Kernel
from ..jit.engine import Machine
from ..port import CallingPlan, CodeStore, Ranges, layout
from ..registry import Lent
from .code import CudaCode, checked_arguments
from .driver import Driver, driver
from .target import BODY, compiled, machine

EVERYWHERE = False
EXACT = True
Writer = Callable[[CallingPlan, Ranges, Machine, Sequence[str]], tuple[list[str], Mapping[Buffer, int]]]


class CudaBackend:
    """Compiles nests to PTX, which the driver compiles for its GPU; `store` keeps PTX between runs."""

    name = "cuda"

    def __init__(self, driver: Driver, write: Writer, store: CodeStore | None = None) -> None:
        self._driver, self._write, self._store = driver, write, store

    def compile(self, kernel: Kernel, ranges: Ranges) -> CudaCode:
        """The code of a placed nest; see `port.Backend`.

        Raises BackendError for loops of unknown length, and for more arguments than a launch has.
        """
        plan = layout(kernel, ranges)
        if plan.calling.polls:
            raise BackendError(
                "iterations of unknown number cannot be interrupted on a GPU",
                place=kernel.name,
                fix="use llvm",
            )
        checked_arguments(plan)
        bodies, needs = self._write(
            plan, ranges, machine(), [f"{BODY}{k}" for k, _ in enumerate(plan.phases)]
        )
        names = [f"phase{k}" for k, _ in enumerate(plan.phases)]
        module = self._driver.module(self._ptx(bodies, plan, names))
        return CudaCode(self._driver, module, plan, names, needs)

    def _ptx(self, bodies: Sequence[str], plan: CallingPlan, names: Sequence[str]) -> str:
        counts = f"{len(plan.calling.bound)} {plan.calling.written}"
        told = "\n".join((machine().identity, counts, *bodies))
        key = hashlib.sha256(told.encode()).hexdigest()
        found = self._store.get(key) if self._store is not None else None
        if found is not None:
            return found.decode()
        text = compiled(bodies, plan, names)
        if self._store is not None:
            self._store.put(key, text.encode())
        return text


def make(lent: Lent) -> CudaBackend:
    """The back end on the first GPU; raises BackendError where there is none."""
    return CudaBackend(driver(), lent.write, lent.store)
