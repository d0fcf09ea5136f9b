"""Saved compilers, of interpreters in root and in Python: the way back from a file.

What a Python interpreter was is not needed any more: its text in root, the names of its parameters, the place that
messages name, and the kind of its results are in the file.
"""

from __future__ import annotations

import os
from typing import Any, cast

from pellucid.base.errors import PellucidError
from pellucid.base.kinds import instance, takes
from pellucid.staging.cogen.generator import Compiler
from pellucid.staging.cogen.saving import load, no_compiler
from pellucid.staging.front.interpreter import InterpreterCompiler, Origin
from pellucid.staging.front.kinds import read_kind
from pellucid.staging.front.vectors import static_data
from pellucid.staging.root.program import Const, Instruction, RootIf
from pellucid.staging.root.writing import reached


@takes(path=instance("a path", str, os.PathLike))
def load_compiler(path: str | os.PathLike[str]) -> Compiler | InterpreterCompiler:
    r"""The compiler of a file that the `save` of one wrote, made anew of the text of its interpreter.

    Nothing of the file is run. Raises FileError for any other file, and for one that was changed since.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from pellucid.staging import cogen
    >>> from pellucid.staging.root.machine import run
    >>> from pellucid.staging.root.reading import read_sugar
    >>> add = read_sugar("add(k n x) {\n(car k)(k (+ n x))\n}")["add"]
    >>> path = Path(tempfile.mkdtemp()) / "add.compiler"
    >>> cogen(add, "DSD").save(path)
    >>> run(load_compiler(path)(3), 4)
    7
    """
    saved = load(path)
    if saved.more is None:
        return saved.compiler()
    shown = os.fsdecode(path)
    try:
        kind = read_kind(saved.more["result"])
        params = saved.more["params"]
        times = dict(zip(params, saved.times[1 : len(params) + 1], strict=True))
        name, file, line = saved.more["origin"]
        origin = Origin(str(name), str(file), int(line))
        for one in reached(saved.code):
            one.body = _with_vectors(one.body, shown)
    except (PellucidError, LookupError, TypeError, ValueError) as error:
        raise no_compiler(shown, error) from None
    return InterpreterCompiler(saved.compiler, times, origin, kind)


def _with_vectors(stream: tuple[Instruction, ...], place: str) -> tuple[Instruction, ...]:
    """A stream whose constants are sequences as the interpreter's primitives want them."""
    made: list[Instruction] = []
    for one in stream:
        match one:
            case RootIf(test, inner):
                made.append(RootIf(test, _with_vectors(inner, place)))
            case Const(name, value) if isinstance(value, tuple | dict):
                made.append(Const(name, static_data(cast("Any", value), place)))
            case _:
                made.append(one)
    return tuple(made)
