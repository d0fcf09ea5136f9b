"""The heuristics as a session knows them: by name, each with what it does in a sentence and what it may be told.

The tactics themselves are in `strategies`; here they get one form: a place where they are about a statement, and
options.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, cast

from ...base.errors import InputError, did_you_mean
from ...base.record import record
from ...ir.nest import For, If, Kernel
from ...ir.path import Path, at, enclosing
from ..core.tactic import Tactic
from .strategies import HEURISTICS, simplify_expressions, split_compound_around_if


@record
class Heuristic:
    """A heuristic: its name, what it does in a sentence, its options with their defaults, and how to make its tactic.

    placed  whether it is about one statement, which it is then told.
    """

    name: str
    doc: str
    make: Callable[..., Tactic]
    options: Mapping[str, Any]
    placed: bool = False

    def tactic(self, kernel: Kernel, path: Path | None, **chosen: Any) -> Tactic:
        """The tactic, for a statement of a kernel if it is about one.

        Raises InputError for options that it does not have, and where a place is missing or of no use.
        """
        for name in chosen:
            if name not in self.options:
                fix = f"its options: {', '.join(self.options)}" if self.options else "it takes none"
                raise InputError(f"{self.name} has no option {name!r}", fix=fix)
        if self.placed != (path is not None):
            fix = "give the number of a statement" if self.placed else "leave it out"
            raise InputError(f"{self.name} is {'' if self.placed else 'not '}about one statement", fix=fix)
        fitted = {k: (v,) if k == "live" and isinstance(v, str) else v for k, v in chosen.items()}
        return self.make(kernel, path, **fitted) if self.placed else self.make(**fitted)


def _itself(tactic: Tactic) -> Tactic:
    return tactic


def _around(kernel: Kernel, path: Path, *, index: str | None = None) -> Tactic:
    """Split the loops around a branch, out to the one of that index or the outermost that its condition depends on."""
    test = at(kernel.body, path) if path else None
    if not isinstance(test, If):
        raise InputError("it is about an if", place="SplitCompoundAroundIf", fix="give the number of one")
    loops = [s for s in enclosing(kernel.body, path) if isinstance(s, For)]
    found = [
        s.index
        for s in loops
        if s.index.attr == index or (index is None and s.index.free & test.condition.free)
    ]
    if not found:
        raise InputError("no such loop is around it", place="SplitCompoundAroundIf", fix="see index=")
    return split_compound_around_if(found[0], test)


@functools.cache
def heuristics() -> Mapping[str, Heuristic]:
    """Every heuristic by name.

    >>> heuristics()["ForOptimize"].options
    {'live': None}
    """
    found: dict[str, Heuristic] = {}
    for name, function in {**HEURISTICS, "simplify": simplify_expressions}.items():
        parameters = inspect.signature(function).parameters
        doc = " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].split())
        if list(parameters) == ["state"]:
            found[name] = Heuristic(name, doc, functools.partial(_itself, cast("Tactic", function)), {})
        elif name == "SplitCompoundAroundIf":
            found[name] = Heuristic(name, doc, _around, {"index": None}, placed=True)
        elif all(p.default is not p.empty for p in parameters.values()):
            own = {p.name: p.default for p in parameters.values()}
            found[name] = Heuristic(name, doc, cast("Callable[..., Tactic]", function), own)
    return found


def heuristic(name: str) -> Heuristic:
    """The heuristic of that name.

    Raises InputError if there is none.
    """
    known = heuristics()
    if name not in known:
        raise InputError(
            f"no heuristic is called {name!r}", fix=did_you_mean(name, known) or f"one of {', '.join(known)}"
        )
    return known[name]
