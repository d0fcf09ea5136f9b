"""The NumPy back end: the meaning itself, run in bands of rows so that memory stays bounded.

Slow, and right by definition; it needs no compiler. Its peers in this folder are compared with it.
"""

from __future__ import annotations

from dataclasses import field, replace

import numpy as np

from ...base.record import record
from ...ir import expr as E
from ...ir import interp
from ...ir import nest as N
from ..port import Arguments, CallingPlan, Memory, Phase, Ranges, ThreadPool, alone, layout


@record(eq=False)
class NumpyCode:
    """A kernel to be interpreted."""

    plan: CallingPlan
    thread_pool: ThreadPool = field(repr=False)

    def run(self, arguments: Arguments, memory: Memory, *, threads: int | None = None) -> None:
        """Run once; see `port.Code`."""
        plan, calling = self.plan, self.plan.calling
        values = calling.values(arguments)
        arrays = dict(zip(calling.bound, calling.arrays(memory), strict=True))
        given = dict(zip((p.attr for p in calling.params), values, strict=True))
        for b, n in zip(calling.scratch, calling.sizes(values), strict=True):
            arrays[b] = np.zeros(n, b.type.dtype)
        for phase, band in zip(plan.phases, calling.bands, strict=True):
            bands = calling.parts(band, values, None)

            def part(k: int, phase: Phase = phase, bands: list[tuple[int, int]] = bands) -> None:
                interp.run(replace(plan.kernel, body=restricted(phase, *bands[k])), given, arrays)

            self.thread_pool(len(bands), part, threads)


def restricted(phase: Phase, begin: int, end: int) -> N.Block:
    """A phase with the loop that is handed out from `begin` to `end` only."""
    band = phase.band
    if band is None:
        return phase.body
    bounds = [E.const(k, band.index.type) for k in (begin, end)]
    part = replace(band, lo=bounds[0], hi=bounds[1])
    return tuple(part if s is band else s for s in phase.body)


class NumpyBackend:
    """Runs nests by the interpreter; `thread_pool` runs bands side by side.

    >>> from pellucid.ir.parse import parse_nest
    >>> kernel = parse_nest('''
    ... kernel squares():
    ...   output out: i32[4]
    ...   for i in 0 .. 4:
    ...     out[i] := i * i
    ... ''')
    >>> import numpy as np
    >>> memory = {kernel.outputs[0]: np.zeros(4, np.int32)}
    >>> NumpyBackend().compile(kernel, {}).run({}, memory)
    >>> memory[kernel.outputs[0]]
    array([0, 1, 4, 9], dtype=int32)
    """

    name = "numpy"

    def __init__(self, thread_pool: ThreadPool = alone) -> None:
        self.thread_pool = thread_pool

    def compile(self, kernel: N.Kernel, ranges: Ranges) -> NumpyCode:
        """The kernel, checked; see `port.Backend`."""
        return NumpyCode(layout(kernel, ranges), self.thread_pool)
