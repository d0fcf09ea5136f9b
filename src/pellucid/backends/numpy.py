"""The NumPy back end: the meaning itself, run in bands of rows so that memory stays bounded.

Slow, and right by definition; it needs no compiler. Its peers in this folder are compared with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ..ir import expr as E
from ..ir import interp
from ..ir import nest as N
from .port import Arguments, Crew, Layout, Memory, Ranges, alone, layout


@dataclass(frozen=True, slots=True, eq=False)
class NumpyCode:
    """A kernel to be interpreted."""

    plan: Layout
    crew: Crew = field(repr=False)

    def run(self, arguments: Arguments, memory: Memory, *, threads: int | None = None) -> None:
        """Run once; see `port.Code`."""
        plan = self.plan
        values = plan.values(arguments)
        arrays = dict(zip(plan.bound, plan.arrays(memory), strict=True))
        given = dict(zip((p.attr for p in plan.kernel.params), values, strict=True))
        if plan.band is None:
            interp.run(plan.kernel, given, arrays)
            return
        bands = plan.bands(values, None)
        self.crew(
            len(bands), lambda k: interp.run(restricted(plan.kernel, *bands[k]), given, arrays), threads
        )


def restricted(kernel: N.Kernel, first: int, beyond: int) -> N.Kernel:
    """The kernel with its spread loop from `first` to `beyond` only."""

    def change(s: N.Statement) -> N.Block:
        if isinstance(s, N.For) and s.how.kind == "spread":
            return (replace(s, lo=E.const(first, s.index.type), hi=E.const(beyond, s.index.type)),)
        return (s,)

    return replace(kernel, body=N.transform(kernel.body, change))


class NumpyBackend:
    """Runs nests by the interpreter; `crew` runs bands side by side.

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

    def __init__(self, crew: Crew = alone) -> None:
        self.crew = crew

    def compile(self, kernel: N.Kernel, ranges: Ranges) -> NumpyCode:
        """The kernel, checked; see `port.Backend`."""
        return NumpyCode(layout(kernel, ranges), self.crew)
