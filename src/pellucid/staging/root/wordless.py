"""The errors of what has no machine code: constants without a word, named with the place that reads them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

from pellucid.base.errors import StagingError, brief
from pellucid.staging.root.program import Const, Instruction, RootCode, RootPrim

_NUMBER = re.compile(r"_\d+$")
"""The end of a variable's name in a residual program, which the interpreter's own name lacks."""


def wordless(value: Any, place: str) -> StagingError:
    """The error of a constant that has no word."""
    what, fix = "the constant", "make it of numbers, texts, and tuples, lists or dictionaries of these"
    if isinstance(value, dict):
        what, fix = (
            "the dictionary",
            "let all keys be numbers or all be texts, with no sequence where it stands",
        )
    return StagingError(
        f"{what} {brief(cast('object', value))} has no word in machine code",
        place=place,
        fix=f"{fix}, or run the program by the machine",
    )


def at_reader(
    error: StagingError, constant: Const, stream: Sequence[Instruction], code: RootCode
) -> StagingError:
    """The error of a constant at the first place that reads it, with the variables that are read there beside it."""
    reads = (one for one in stream if isinstance(one, RootPrim) and constant.name in one.args)
    reader = next(reads, None)
    if reader is None:
        return StagingError(error.message, place=code.name, fix=error.fix)
    read = read_at(reader, constant.name, "it")
    return StagingError(f"{error.message}, and {read}", place=reader.place or code.name, fix=error.fix)


def read_at(prim: RootPrim, constant: str, what: str) -> str:
    """The words for what a primitive reads, and for the variables that it takes beside that."""
    others = [_NUMBER.sub("", name) for name in prim.args if name != constant]
    return f"{prim.primitive} reads {what}" + (f" at {' and '.join(others)}" if others else "")
