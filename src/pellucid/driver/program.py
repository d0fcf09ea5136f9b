"""Specialized programs as machine code, by the same optimizer and back ends as pictures.

The callable that `compile_program` makes is called as the residual itself is, and gives the same, only sooner.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..backends.port import Backend, Code
from ..base.deep_stack import with_deep_stack
from ..base.errors import InputError
from ..ir.expr import Expr
from ..ir.facts import Facts
from ..ir.nest import uniform
from ..loops.report import Report
from ..staging import Residual
from .compiled import of_kernel
from .lanes import lanes_of
from .lending import make_backend
from .options import Options
from .pipeline import Optimized, array_script, optimize

Ranges = Mapping[str, tuple[int, int]]


class NativeProgram:
    """A compiled residual program: call it with arrays of words by the names of memories, and its parameters.

    >>> import numpy as np
    >>> from pellucid import signals as sg
    >>> from pellucid.staging import Memory, cyclic, specialize
    >>> def total(memory, start, stop):
    ...     return sg.reduce(sg.memory(memory, start, stop, 8, 8), 0, lambda r, sample: r + sample)
    >>> residual = specialize(total, Memory("m"), cyclic(32, "start"), cyclic(32, "stop"))
    >>> compile_program(residual)({"m": np.array([0x04030201], np.uint32)}, start=0, stop=1)
    10
    """

    def __init__(self, residual: Residual, code: Code) -> None:
        self.residual, self.code = residual, code

    def __call__(
        self, arrays: Mapping[str, Any] | None = None, *, threads: int | None = None, **arguments: int
    ) -> Any:
        """Run it; returns what the program returns.

        Raises InputError for a missing or unfit argument or array, for an array that is written to and overlaps
        another, and where the program itself refuses or would never end.
        """
        given: Mapping[str, Any] = {} if arrays is None else arrays
        residual = self.residual
        memory, results = residual.bind(given, check=False)
        try:
            self.code.run(arguments, memory, threads=threads)
        except InputError:
            # Code has checked the arrays, and calls them as its buffers: the memories' names tell more.
            residual.bind(given)
            raise
        return residual.returned(results)


def compile_program(
    residual: Residual, *, backend: str = "auto", ranges: Ranges | None = None, arrays: bool = False
) -> NativeProgram:
    """Compile a residual program; `ranges` gives the lowest and the highest value of parameters, checked at each call.

    With `arrays` its loops over whole arrays run in lanes, and borders are taken apart. Raises InputError for an
    unknown back end, IrError for a range of what is no parameter.
    """
    asked = _asked(residual, backend, ranges, arrays=arrays)
    code = of_kernel(
        residual.kernel, asked.facts, asked.options, asked.backend, asked.optimized, f"{arrays=}"
    )
    return NativeProgram(residual, code)


def explain_program(
    residual: Residual, *, backend: str = "auto", ranges: Ranges | None = None, arrays: bool = False
) -> Report:
    """The report of the compilation that `compile_program` does with the same arguments; nothing is run.

    >>> from pellucid.staging import Memory, specialize, unknown
    >>> residual = specialize(lambda n: n * 1 + 0, unknown("n"))
    >>> list(explain_program(residual).stages)[0]
    'inlined'
    """
    asked = _asked(residual, backend, ranges, arrays=arrays)

    def work() -> Report:
        best = asked.optimized()
        return Report(best.stages, best.ledger, best.ranges, title=f"{residual.kernel.name}, explained")

    return with_deep_stack(work)


class _Asked(NamedTuple):
    """The request of a compilation: options, facts, back end, and the function that optimizes."""

    options: Options
    facts: dict[Expr, Facts]
    backend: Backend
    optimized: Callable[[], Optimized]


def _asked(residual: Residual, backend: str, ranges: Ranges | None, *, arrays: bool) -> _Asked:
    options = Options("exact", "f64", backend)
    facts = {uniform(residual.kernel, name): Facts(low, high) for name, (low, high) in (ranges or {}).items()}
    back_end = make_backend(options.backend)
    lanes = lanes_of(back_end, options) if arrays else 1
    stages = array_script(options, lanes, facts) if arrays else None
    return _Asked(options, facts, back_end, lambda: optimize(residual.kernel, facts, options, lanes, stages))
