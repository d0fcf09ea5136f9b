"""Specialized programs and streams as machine code, by the same optimizer and back ends as pictures.

The callable that `compile_program` makes is called as the residual itself is, and gives the same, only sooner.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..backends.port import Code
from ..base.errors import InputError
from ..ir.facts import Facts
from ..ir.nest import uniform
from ..ir.stream import Stream, moved
from ..staging import Residual
from .cache import cache
from .compiled import of_kernel
from .kernel import lanes_of, make_backend
from .options import Options
from .pipeline import array_script, optimize
from .threads import available

if TYPE_CHECKING:
    from ..backends.llvm.running import StreamCode

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
        memory, results = self.residual.bind({} if arrays is None else arrays)
        self.code.run(arguments, memory, threads=threads)
        return self.residual.returned(results)


def compile_program(
    residual: Residual, *, backend: str = "auto", ranges: Ranges | None = None, arrays: bool = False
) -> NativeProgram:
    """Compile a residual program; `ranges` gives the lowest and the highest value of parameters, checked at each call.

    With `arrays` its loops over whole arrays run in lanes, and borders are taken apart. Raises InputError for an
    unknown back end, IrError for a range of what is no parameter.
    """
    options = Options("exact", "f64", backend)
    facts = {uniform(residual.kernel, name): Facts(low, high) for name, (low, high) in (ranges or {}).items()}
    kernel, back_end = residual.kernel, make_backend(options.backend)
    lanes = lanes_of(back_end, options) if arrays else 1
    stages = array_script(options, lanes, facts) if arrays else None
    code = of_kernel(
        kernel,
        facts,
        options,
        back_end,
        lambda: optimize(kernel, facts, options, lanes, stages),
        f"{arrays=}",
    )
    return NativeProgram(residual, code)


class CompiledStream:
    """A compiled stream: call it with arrays of bytes, outputs first, and a number of samples.

    >>> import numpy as np
    >>> from pellucid.staging import Samples, stream
    >>> brighter = compile_stream(stream(lambda x: x + 1, [Samples(1, 0, 4, 4)], [Samples(0, 0, 8, 8)]))
    >>> out = np.zeros(4, np.uint8)
    >>> _ = brighter([out, np.array([0x21, 0x43], np.uint8)], 4)
    >>> out
    array([2, 3, 4, 5], dtype=uint8)
    >>> _ = brighter([out, np.array([0x21, 0x43], np.uint8)], 3, starts=(0, 4))
    >>> out
    array([3, 4, 5, 5], dtype=uint8)
    """

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.code = self._version((0,) * stream.buffers)
        self._versions = {(0,) * stream.buffers: self.code}

    def __call__(
        self,
        buffers: Sequence[Any],
        count: int,
        *,
        starts: Sequence[int] | None = None,
        threads: int | None = None,
    ) -> tuple[int, ...]:
        """Run it and return its sums; every bit that is not an output's stays.

        `starts` are the bits at which the buffers begin (all 0). Which bits of a byte they are is compiled in: for each
        such choice there is a version, made when it is first met. Raises InputError for an unfit buffer or start, or
        for a buffer that is written to and overlaps another.
        """
        if starts is None:
            return self.code.run(buffers, count, threads=threads)
        if len(starts) != len(buffers) or min(starts, default=0) < 0:
            raise InputError(
                f"starts at bits {tuple(starts)}", place="stream", fix="one for each buffer, from 0 on"
            )
        within = tuple([int(bit) % 8 for bit in starts])
        code = self._versions.get(within)
        if code is None:
            code = self._versions[within] = self._version(within)
        parts = [each[int(bit) // 8 :] for each, bit in zip(buffers, starts, strict=True)]
        return code.run(parts, count, threads=threads)

    def _version(self, bits: tuple[int, ...]) -> StreamCode:
        from ..backends.llvm.running import compile_stream as compiled

        return compiled(moved(self.stream, bits) if any(bits) else self.stream, cache(), threads=available())


def compile_stream(stream: Stream) -> CompiledStream:
    """Compile a stream for the widest registers of the processor at hand."""
    return CompiledStream(stream)
