"""A compiled program of the image algebra: arrays in, arrays out; and the functions that make and run one.

The top of `algebra`. `compile` writes the naive nest, has the script of `script` make it fast, and hands it to a back
end; what was done, and why it may be, is in `explain`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

import numpy as np

from ..backends.jit.calling import MachineCode
from ..backends.port import Backend, Code
from ..base.deep_stack import with_deep_stack
from ..base.errors import InputError, brief, did_you_mean
from ..base.kinds import TRUTH, takes
from ..driver.lending import make_backend
from ..driver.options import Options
from ..driver.pipeline import Optimized
from ..ir.expr import Buffer
from ..ir.nest import Kernel, inputs
from ..loops.report import Report
from .array import Array, checked_number
from .naive import Lowering
from .operation import Input, Scalar, reached
from .script import optimized

Numbers = np.ndarray[Any, Any]
Outputs = Array | Sequence[Array] | Mapping[str, Array]


class Program:
    """A compiled program: call it with its arrays and scalars by name.

    `inputs` and `scalars` tell their shapes and types; `kernel` is the naive nest, `optimized` what runs.

    >>> from .array import array
    >>> a = array("a", 4)
    >>> double = compile(2 * a)
    >>> double(a=np.arange(4, dtype=np.float32))
    array([0., 2., 4., 6.], dtype=float32)
    """

    def __init__(self, outputs: dict[str, Array], options: Options, *, optimize: bool, single: bool) -> None:
        self.outputs, self.options, self.is_single = outputs, options, single
        nodes = reached([o.node for o in outputs.values()])
        self.inputs = {n.name: Array(n) for n in nodes if isinstance(n, Input)}
        self.scalars = {n.name: Array(n) for n in nodes if isinstance(n, Scalar)}
        names = [*self.inputs, *self.scalars, *outputs]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise InputError(
                f"{twice[0]!r} is the name of two things", place="compile", fix="give each its own name"
            )
        self.kernel: Kernel = Lowering(names).kernel(
            "algebra", [(name, o.node) for name, o in outputs.items()]
        )
        self._backend: Backend = make_backend(options.backend)
        self.stages: Optimized = optimized(self.kernel, options, self._backend, optimize=optimize)
        self._code: Code = self._backend.compile(self.stages.kernel, self.stages.ranges)
        self._buffers: dict[str, Buffer] = {b.name: b for b in inputs(self.kernel) if b.name in self.inputs}
        self._names = {*self.inputs, *self.scalars}
        self._made = [(o.shape, o.type.dtype) for o in outputs.values()]

    @property
    def optimized(self) -> Kernel:
        """The nest that runs."""
        return self.stages.kernel

    def explain(self) -> Report:
        """The program after each stage, and the ledger: every step with its proof."""
        return Report(self.stages.stages, self.stages.ledger, title="A program of arrays, explained")

    def __call__(self, *, threads: int | None = None, out: Any = None, **given: Any) -> Any:
        """The outputs for some arrays and scalars, by name: one array for one output, else a dict of them by name.

        `threads` bounds how many take part; `out` is an array, or a dict of arrays, to store the outputs in. Raises
        InputError for what is missing, unknown, or of another shape or type than was declared.
        """
        arguments, memory, results = self._bound(given, out)
        self._code.run(arguments, memory, threads=threads)
        return self._returned(results)

    def bind(self, *, threads: int | None = None, out: Any = None, **given: Any) -> Callable[[], Any]:
        """The program for these arrays and scalars, as a function without arguments, and without their cost.

        Each call computes with what is in the arrays by then, and stores in the same arrays for the outputs, new ones
        or `out`, and returns them. Raises InputError as a call does, and for an array that would have to be copied.

        >>> from .array import array
        >>> numbers = np.arange(4, dtype=np.float32)
        >>> double = compile(2 * array("a", 4)).bind(a=numbers)
        >>> numbers += 1
        >>> double()
        array([2., 4., 6., 8.], dtype=float32)
        """
        arguments, memory, results = self._bound(given, out)
        for name, buffer in self._buffers.items():
            if not np.may_share_memory(memory[buffer], given[name]):
                fix = "give a contiguous, aligned array, as NumPy makes it"
                raise InputError("would be a copy, without later changes", place=f"program, {name}", fix=fix)
        returned = self._returned(results)
        if isinstance(self._code, MachineCode):
            run = self._code.bound(arguments, memory, threads=threads)
        else:
            run = partial(self._code.run, arguments, memory, threads=threads)

        def again() -> Any:
            run()
            return returned

        return again

    def _bound(
        self, given: dict[str, Any], out: Any
    ) -> tuple[dict[str, Any], dict[Buffer, Numbers], list[Numbers]]:
        """The arguments of a call, its memory, and the arrays for the outputs."""
        if given.keys() != self._names:
            check_names({**self.inputs, **self.scalars}, given)
        memory: dict[Buffer, Numbers] = {}
        for name, buffer in self._buffers.items():
            memory[buffer] = _checked(name, given[name], self.inputs[name])
        results = self._results(out)
        for buffer, array in memory.items() if out is not None else ():
            if any(np.may_share_memory(array, r) for r in results):
                raise InputError(
                    f"shares memory with {buffer.name!r}",
                    place="program, out",
                    fix="give an array of its own",
                )
        for buffer, array in zip(self.kernel.outputs, results, strict=True):
            memory[buffer] = array if array.ndim == 1 else array.reshape(-1)
        arguments = {
            name: checked_number(given[name], s.type, f"program, {name}") for name, s in self.scalars.items()
        }
        return arguments, memory, results

    def _returned(self, results: list[Numbers]) -> Any:
        return results[0] if self.is_single else dict(zip(self.outputs, results, strict=True))

    def _results(self, out: Any) -> list[Numbers]:
        """The arrays for the outputs: those of the caller, or new ones."""
        if out is None:
            return [np.empty(shape, dtype) for shape, dtype in self._made]
        targets = cast("dict[str, Any]", {"out": out} if self.is_single else out)
        if set(targets if isinstance(out, dict) or self.is_single else ()) != set(self.outputs):
            raise InputError(
                "is not an array for each output", place="program, out", fix="give a dict by name"
            )
        for name, declared in self.outputs.items():
            array = targets[name]
            _check_kind(name, array, declared)
            if not (array.flags.c_contiguous and array.flags.aligned and array.flags.writeable):
                raise InputError(
                    f"{name} cannot be stored to",
                    place="program, out",
                    fix="give a contiguous, aligned, writable array, as NumPy makes it",
                )
        return [targets[name] for name in self.outputs]


@takes(optimize=TRUTH)
def compile(
    outputs: Outputs, *, numerics: str = "relaxed", backend: str = "auto", optimize: bool = True
) -> Program:
    """Compile one array, several, or several by name, to a callable program.

    `optimize=False` compiles the naive nest as it is: every operation its own loops, every result its own array.
    `numerics="exact"` allows only what keeps every bit; "relaxed" also splits kernels and reassociates sums.

    Raises InputError for what is no array of the algebra, for names that are given twice, or for unknown options.
    """
    options = Options(numerics, "f32", backend)
    named, single = _named(outputs)
    return with_deep_stack(lambda: Program(named, options, optimize=optimize, single=single))


def run(outputs: Outputs, **given: Any) -> Any:
    """The outputs for some arrays and scalars, compiled for this one use.

    >>> from .array import array
    >>> run(array("a", 3) + 1, a=np.float32([1, 2, 3]))
    array([2., 3., 4.], dtype=float32)
    """
    return compile(outputs)(**given)


def _named(outputs: Outputs) -> tuple[dict[str, Array], bool]:
    if isinstance(outputs, Array):
        return {"out": outputs}, True
    if isinstance(outputs, Mapping):
        found = dict(outputs)
    elif isinstance(outputs, (tuple, list)):
        found = {f"out{k}": o for k, o in enumerate(outputs)}
    else:
        found = {}
    values: list[tuple[object, object]] = list(found.items())
    for name, value in values:
        if not (isinstance(name, str) and name.isidentifier()):
            raise InputError(f"{brief(name)} is no name", place="compile", fix="give a Python identifier")
        if not isinstance(value, Array):
            raise InputError(f"{brief(value)} is no array of the algebra", place=f"compile, {name}")
    if not found:
        raise InputError(
            f"{brief(outputs)} is no output", place="compile", fix="give an array, several, or a dict of them"
        )
    return found, False


def check_names(known: Mapping[str, Array], given: Mapping[str, Any]) -> None:
    """Nothing, if exactly what a program takes is given.

    Raises InputError for what is missing or unknown.
    """
    for name in given:
        if name not in known:
            hint = did_you_mean(name, known) or f"it takes {', '.join(known) or 'nothing'}"
            raise InputError(f"takes no {name!r}", place="program", fix=hint)
    for name in known:
        if name not in given:
            raise InputError(f"{name!r} is missing", place="program", fix="give it by name")


def _checked(name: str, value: Any, declared: Array) -> Numbers:
    """The numbers of an input one after another: where they are, or copied if they have gaps or are not aligned."""
    array = _check_kind(name, value, declared)
    flags = array.flags
    if not (flags.c_contiguous and flags.aligned):
        array = array.copy()
    return array if array.ndim == 1 else array.reshape(-1)


def _check_kind(name: str, value: Any, declared: Array) -> Numbers:
    """An array, if it has the shape and the type that are declared.

    Raises InputError for anything else.
    """
    if not isinstance(value, np.ndarray):
        found, fix = f"{brief(value)} is no NumPy array", "give one of"
    else:
        array = cast("Numbers", value)
        if array.shape == declared.shape and array.dtype == declared.type.dtype:
            return array
        found, fix = f"is {array.dtype} and shape {array.shape}", "give"
    raise InputError(found, place=f"program, {name}", fix=f"{fix} {declared.type} and shape {declared.shape}")
