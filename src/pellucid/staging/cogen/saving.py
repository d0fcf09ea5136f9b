"""Compilers as files: the interpreter's text, its binding times and the options, from which the compiler is made anew.

Nothing of a file is run. It is text of root, which is read and checked as any other, and it begins with its own hash,
so that one that is damaged is refused. Generated Python is not kept: making it takes some tens of milliseconds.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any, NamedTuple

from pellucid.base.atomic import atomic_write
from pellucid.base.errors import FileError, PellucidError, StagingError
from pellucid.base.opening import text_of
from pellucid.staging.cogen.generator import Compiler, cogen
from pellucid.staging.root.program import RootCode
from pellucid.staging.root.reading import read
from pellucid.staging.root.writing import write
from pellucid.staging.times.lattice import Time
from pellucid.staging.times.text import read_time, show, times_of

_MARK = "pellucid compiler 1"
_MAX_BYTES = 1 << 26
"""The largest file that is read: the text of the largest interpreter in the tests has 60 kB."""
_NOUN = "a saved compiler"
_AGAIN = "make the compiler by cogen again, and save it"
_OPTIONS = {"integers": bool, "most": int, "deepest": int}


def save(path: str | os.PathLike[str], compiler: Compiler, more: Any = None) -> None:
    """Write a compiler to a file; `more` is what else its language needs, as JSON.

    Raises StagingError for an interpreter with a constant or a time that has no text, and FileError where the file
    cannot be written.
    """
    times = [show(time) for time in compiler.times]
    for time, text in zip(compiler.times, times, strict=True):
        if read_time(text) != time:
            raise StagingError(
                f"the time {text} cannot be written", place=compiler.code.name, fix="give it as this text"
            )
    head = {"entry": compiler.code.name, "times": times, "options": compiler.options, "more": more}
    content = f"{json.dumps(head)}\n{write(compiler.code)}\n"
    with atomic_write(path) as file:
        file.write(f"{_MARK} {_hash(content)}\n{content}".encode())


class Saved(NamedTuple):
    """The content of a file: an interpreter, binding times, options of `cogen`, and what its language needs besides."""

    code: RootCode
    times: tuple[Time, ...]
    options: dict[str, Any]
    more: Any

    def compiler(self) -> Compiler:
        """The compiler, made anew."""
        return cogen(self.code, self.times, **self.options)


def load(path: str | os.PathLike[str]) -> Saved:
    """Read the content of a file.

    Raises FileError for one that `save` did not write, or that was changed since.
    """
    text = text_of(path, _NOUN, max_bytes=_MAX_BYTES)
    mark, _, content = text.partition("\n")
    shown = os.fsdecode(path)
    if not mark.startswith(_MARK.rpartition(" ")[0]):
        raise FileError(f"is not {_NOUN}", place=shown, fix="give a file that the method save wrote")
    if mark != f"{_MARK} {_hash(content)}":
        raise FileError(f"is damaged, or {_NOUN} of another version", place=shown, fix=_AGAIN)
    first, _, codes = content.partition("\n")
    try:
        head = json.loads(first)
        options = {name: kind(head["options"][name]) for name, kind in _OPTIONS.items()}
        return Saved(read(codes)[head["entry"]], times_of(head["times"]), options, head["more"])
    except (PellucidError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise no_compiler(shown, error) from None


def no_compiler(shown: str, error: Exception) -> FileError:
    """The error of a file that has the right hash, but was not written by `save`."""
    return FileError(f"holds no compiler: {error}", place=shown, fix=_AGAIN)


def _hash(content: str) -> str:
    """The hash by which damage is seen."""
    return hashlib.blake2b(content.encode(), digest_size=16).hexdigest()
