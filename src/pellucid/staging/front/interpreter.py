"""The door: an interpreter as a Python function, its compiler, and the programs that this makes."""

from __future__ import annotations

import ast
import functools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, ParamSpec, TypeVar, cast

import numpy as np

from pellucid.base.errors import InputError, StagingError, brief, did_you_mean
from pellucid.base.kinds import FUNCTION, takes, whole
from pellucid.staging.cogen.generator import Compiler, cogen
from pellucid.staging.cogen.saving import save
from pellucid.staging.front.givens import check_form, refuse, refuse_part
from pellucid.staging.front.inference import RESULT, SIZE, Inference
from pellucid.staging.front.kinds import Kind, reached, several, written
from pellucid.staging.front.placing import placed, placed_input, placed_loaded
from pellucid.staging.front.sequences import STRUCTURES
from pellucid.staging.front.source import Source
from pellucid.staging.front.statements import program_of
from pellucid.staging.front.vectors import dynamic_data, result, static_data
from pellucid.staging.memory import Memory
from pellucid.staging.root.program import Pair, RootCode
from pellucid.staging.times.lattice import CYCLIC, DYNAMIC, STATIC, Constant, Time
from pellucid.staging.times.text import read_time

P = ParamSpec("P")
R = TypeVar("R")
_WHOLE = whole()
_MAX_WORD = 4
"""Bytes of a word of a memory."""


class Interpreter(Generic[P, R]):
    """A Python function that `cogen` makes a compiler of; called, it is the function itself."""

    def __init__(self, function: Callable[P, R]) -> None:
        self.function = function
        functools.update_wrapper(self, function)
        self.source = Source(function)

    def __repr__(self) -> str:
        """Its name."""
        return f"interpreter {self.source.name}"

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """The result of the function."""
        return self.function(*args, **kwargs)

    def compiler(
        self, times: Iterable[Time | str], named: Mapping[str, Time | str], **options: Any
    ) -> InterpreterCompiler:
        """The compiler for binding times, in the order of the parameters or by their names."""
        source = self.source
        place = f"{source.file}:{source.tree.lineno}"
        found = dict(zip(source.params, times, strict=False)) | dict(named)
        for name in found:
            if name not in source.params:
                raise StagingError(
                    f"{source.name} has no parameter {name}",
                    place=place,
                    fix=did_you_mean(name, source.params) or f"name {', '.join(source.params)}",
                )
        missing = [name for name in source.params if name not in found]
        if missing:
            raise StagingError(
                f"the parameter {missing[0]} has no binding time",
                place=place,
                fix=f"give {missing[0]}=STATIC or {missing[0]}=DYNAMIC",
            )
        read = {name: _time(name, found[name], place) for name in source.params}
        code, inference = program_of(source, [name for name, time in read.items() if time is STATIC])
        kind = inference.kinds.variable(source.function, RESULT).root
        _check_result(source, kind)
        origin = Origin(source.name, source.file, source.tree.lineno)
        return InterpreterCompiler(
            lambda: cogen(code, [DYNAMIC, *read.values(), *(DYNAMIC for _ in inference.sizes)], **options),
            read,
            origin,
            kind,
            Translation(source, inference, options),
        )


@takes(function=FUNCTION)
def interpreter(function: Callable[P, R]) -> Interpreter[P, R]:
    """Mark a Python function as an interpreter, of which `cogen` makes a compiler.

    It may use numbers, texts, tuples, lists, `while`, `if`, `for` over ranges and sequences, calls of other functions,
    recursion, `raise`, and `Memory`. A parameter that is static may hold tuples, lists and dictionaries of static data.
    Called, it is the plain function.

    >>> from pellucid.staging import DYNAMIC, STATIC, cogen
    >>> @interpreter
    ... def run(program, x):
    ...     for name, number in program:
    ...         if name == "add":
    ...             x = x + number
    ...         else:
    ...             x = x * number
    ...     return x
    >>> compiler = cogen(run, program=STATIC, x=DYNAMIC)
    >>> f = compiler((("add", 1), ("times", 3)))
    >>> f(4), run((("add", 1), ("times", 3)), 4)
    (15, 15)
    """
    return Interpreter(function)


def _time(name: str, given: Time | str, place: str) -> Time:
    """A binding time of a parameter."""
    if isinstance(given, Time):
        return given
    if not isinstance(given, str):  # pyright: ignore[reportUnnecessaryIsInstance] - from outside
        fix = "give STATIC or DYNAMIC"
        if isinstance(given, Memory):
            fix = f"give DYNAMIC, and say in the function what it is: {name}: Memory"
        raise StagingError(f"{brief(given)} is no binding time of {name}", place=place, fix=fix)
    try:
        return read_time(given)
    except StagingError as error:
        raise StagingError(f"{name}: {error.message}", place=place, fix=error.fix) from None


class Origin(NamedTuple):
    """The origin of an interpreter: its name, file and first line."""

    name: str
    file: str
    line: int


class Translation(NamedTuple):
    """An interpreter as it was read: its source, what was inferred of it, and the options of `cogen`."""

    source: Source
    inference: Inference
    options: Mapping[str, Any]


class InterpreterCompiler:
    """The compiler of an interpreter in Python: called on its static values, it makes a program.

    `seconds` is the time that `cogen` took.
    """

    def __init__(
        self,
        compiler: Callable[[], Compiler],
        times: Mapping[str, Time],
        origin: Origin,
        kind: Kind,
        translation: Translation | None = None,
    ) -> None:
        self._times = times
        self._origin = origin
        self._result = kind
        self.translation = translation
        """The function that it was made of; None for one that was loaded."""
        self.times = times
        """The binding time of each parameter."""
        try:
            self._compiler = compiler()
        except StagingError as error:
            raise self._placed(error) from None
        self.code = self._compiler.code
        """The interpreter in root."""
        self.seconds = self._compiler.seconds

    @property
    def source(self) -> str:
        """Its Python text."""
        return self._compiler.source

    @property
    def trace(self) -> list[str]:
        """The extensions and lifts in order."""
        return self._compiler.trace

    def __repr__(self) -> str:
        """The interpreter, with its binding times."""
        return f"compiler of {self._origin.name}({', '.join(f'{n}={t}' for n, t in self._times.items())})"

    def __call__(self, *statics: Any, **named: Any) -> CompiledProgram:
        """The program for static values, in the order of the parameters or by their names.

        Raises StagingError for an error that the interpreter raises for that program whatever it is given, and where
        compiling does not end.
        """
        wanted = [
            name
            for name, time in self._times.items()
            if time is not DYNAMIC and not isinstance(time, Constant)
        ]
        place = f"{self._origin.file}:{self._origin.line}"
        for name in named:
            if name not in wanted[len(statics) :]:
                asked = ", ".join(wanted) or "no values"
                is_known = "is given twice" if name in wanted else "is no static parameter"
                raise StagingError(f"{name} {is_known}", place=place, fix=f"give {asked}")
        found = [*statics, *(named[name] for name in wanted[len(statics) :] if name in named)]
        if len(found) != len(wanted):
            raise StagingError(
                f"{len(found)} static values, where {len(wanted)} are asked for",
                place=place,
                fix=f"give {', '.join(wanted) or 'none'}",
            )
        given = [
            _given(self._times[name], one, f"{place}: {name}")
            for name, one in zip(wanted, found, strict=True)
        ]
        try:
            code = self._compiler(*given)
        except StagingError as error:
            raise self._placed(error) from None
        return CompiledProgram(code, self._origin.name, self._result, self.translation)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file, which `load_compiler` makes it of again, also in another process.

        Raises StagingError for an interpreter with a constant that has no text, such as a `Memory`.
        """
        more = {"params": list(self._times), "origin": self._origin, "result": written(self._result)}
        save(path, self._compiler, more)

    def _placed(self, error: StagingError) -> StagingError:
        """An error of the generator with the line that it is about."""
        if self.translation is not None:
            return placed(error, self.translation.source, self.translation.inference)
        return placed_loaded(error, self._origin.file, self._origin.line)


class CompiledProgram:
    """A program that a compiler made: call it with the dynamic values.

    A `Memory` is given as such, or as an array of its words. `code` is the program in root; `tier` says how the last
    call ran, and `problem` why there is no machine code, if there is none.
    """

    def __init__(self, code: RootCode, name: str, kind: Kind, translation: Translation | None = None) -> None:
        self.code = code
        self._name = name
        self._kind = kind
        self._translation = translation
        self._compiled: dict[tuple[Any, ...], Any] = {}
        self.tier = ""
        self.problem = ""

    def __repr__(self) -> str:
        """The interpreter and the parameters."""
        shown = [one for one in self.code.params[1:] if not one.startswith(SIZE)]
        return f"program of {self._name}({', '.join(shown)})"

    def __call__(self, *args: Any) -> Any:
        """The result, as the interpreter returns it for the program."""
        # Residual parameters have numbers behind the names of the interpreter's.
        params = [one.rpartition("_")[0] or one for one in self.code.params[1:]]
        names = [one for one in params if not one.startswith(SIZE)]
        place = self._name
        if len(args) != len(names):
            raise InputError(
                f"{len(args)} arguments for {len(names)} parameters",
                place=place,
                fix=f"give {', '.join(names) or 'none'}",
            )
        translation = self._translation
        inference = None if translation is None else translation.inference
        kinds = tuple(_kind(one, name, place, inference) for one, name in zip(args, names, strict=True))
        if inference is not None:
            for name, one in zip(names, args, strict=True):
                check_form(inference, name, one)
        sizes = [_size(one, names, args, place) for one in params[len(names) :]]
        key = tuple(one if isinstance(one, str) else (one.name, one.buffer.type, one.word) for one in kinds)
        compiled = self._compiled.get(key)
        if compiled is None:
            import pellucid  # the floor above runs what this one makes

            counted = ("integer" for _ in sizes)
            compiled = self._compiled[key] = pellucid.compile_code(self.code, *kinds, *counted)
        self.tier, self.problem = compiled.tier, compiled.problem
        values = [*map(_argument, args), *sizes]
        try:
            made = compiled(*values)
        except (InputError, StagingError) as error:
            if isinstance(error, InputError) and error.place == self.code.name:
                for name, one in zip(names, args, strict=True):
                    refuse_part(inference, place, name, one)
            if translation is None:
                raise
            if isinstance(error, InputError):
                raise placed_input(error, translation.inference) from None
            raise placed(error, translation.source, translation.inference) from None
        return result(made, self._kind)


def _check_result(source: Source, kind: Kind) -> None:
    """Refuse results that the program cannot tell apart: the empty sequence is None there, and all are pairs."""
    for one in reached(kind):
        what = "the result" if one is kind else "a part of the result"
        made = sorted(one.forms & STRUCTURES)
        message = fix = ""
        if len(made) > 1:
            message = f"{what} is {several(made)}"
            fix = "return one of them: `list(x)` and `tuple(x)` copy"
        elif "none" in one.forms and one.may_be_empty:
            message = (
                f"{what} may be None and may be an empty {made[0]}, and the program cannot tell them apart"
            )
            fix = "return a flag beside it, or a number or a text for none"
        if message:
            returns = [node for node in ast.walk(source.tree) if isinstance(node, ast.Return)]
            raise source.error(returns[-1], message, fix)


def _given(time: Time, value: Any, place: str) -> Any:
    """A static value of a compiler; a cyclic integer is a pair of numbers, and others are structures."""
    if time is STATIC:
        return static_data(value, place)
    return value if time is CYCLIC else dynamic_data(value, place)


def _argument(value: Any) -> Any:
    """An argument as compiled code takes it."""
    if isinstance(value, Memory):
        return value.data
    return cast("Any", value) if isinstance(value, np.ndarray) else dynamic_data(value, "arguments")


def _size(param: str, names: Sequence[str], args: Sequence[Any], place: str) -> int:
    """The length that a parameter is of: the number of words of a memory."""
    name = param.removeprefix(SIZE)
    memory = args[names.index(name)]
    if isinstance(memory, Memory | np.ndarray):
        return len(cast("Memory | np.ndarray[Any, Any]", memory))
    raise InputError(
        f"{brief(memory)} has no words for {name}",
        place=place,
        fix="give an array of uint8, uint16 or uint32",
    )


def _kind(value: Any, name: str, place: str, inference: Inference | None = None) -> str | Memory:
    """The kind of an argument; an array is a memory of its words."""
    if isinstance(value, Memory):
        return Memory(name, value.word)
    if isinstance(value, np.ndarray):
        kind = cast("np.ndarray[Any, Any]", value).dtype
        if kind.kind != "u" or kind.itemsize > _MAX_WORD:
            raise InputError(
                f"an array of {kind} is no memory for {name}",
                place=place,
                fix="give an array of uint8, uint16 or uint32, such as x.view(np.uint32)",
            )
        return Memory(name, kind.itemsize * 8)
    if isinstance(value, bool | np.bool_):
        return "boolean"
    if _WHOLE.test(value):
        return "integer"
    if isinstance(value, float | np.floating):
        return "real"
    if value is None or isinstance(value, tuple | Pair):
        return "data"
    return refuse(inference, place, name, value)
