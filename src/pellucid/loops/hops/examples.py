"""One small program for each move, on which the move is made whenever somebody asks what it does.

The programs are the files of the folder `samples` beside this one: ``NAME.hops`` or ``NAME.nest`` for the move NAME.
Their first line, ``; NAME at 2 count=4: what it shows.``, says where and how, and why anyone would want to; in a nest
it begins with ``#``.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from ...base.errors import IrError
from ...base.record import record
from ...ir.nest import Kernel
from ...ir.path import Path
from ..core.options import option_of
from ..core.registry import named
from ..core.theorem import Site
from .saving import ProgramText
from .session import MoveCall, Session


@record
class Example:
    """A move made on a small program: what was asked for, and the program before and after."""

    program: ProgramText
    caption: str
    call: MoveCall
    before: Kernel
    after: Kernel
    path: Path
    options: Mapping[str, Any]

    @property
    def site(self) -> Site:
        """The site of the move in the program before it."""
        return Site(self.before, self.path, {}, self.options)


@functools.cache
def example(name: str) -> Example:
    """The example of the move of that name.

    Raises IrError if it has none.

    >>> print(example("spread").call)
    try spread 1 band=8
    """
    move = named(name)
    folder = files("pellucid.loops.hops") / "samples"
    for language in ("hops", "nest"):
        file = folder / f"{name}.{language}"
        if file.is_file():
            text = file.read_text(encoding="utf-8")
            break
    else:
        raise IrError(f"has no example in loops/hops/samples/{name}.hops or .nest", place=name)
    first, _, rest = text.partition("\n")
    asked, _, caption = first.lstrip("#; ").partition(": ")
    words = asked.split()
    if words[:2] != [name, "at"] or len(words) < 3:
        raise IrError("begins with '# NAME at PLACE: what it shows.'", place=f"the example of {name}")
    program = ProgramText(name, rest, language)
    session = Session.of(program.kernel())
    change = session.make(move.name, words[2], **dict(option_of(w) for w in words[3:]))
    (step,) = change.steps
    return Example(program, caption, change.call, step.old, step.new, step.path or (), step.options)
