"""A session saved: as lines that `pellucid hops` reads again, as a Python program that needs no terminal, as a report.

Lines and program begin with the program and make the same changes; each is checked again when it is made.
"""

from __future__ import annotations

import html
import keyword
import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import field
from itertools import chain, count
from typing import Any

from ...base.record import record
from ...ir.expr import Expr, topological
from ...ir.facts import Facts
from ...ir.nest import Kernel
from ...ir.parse import parse_nest
from ..core.ledger import Ledger
from ..core.options import written
from ..report import Report
from .reading import read
from .session import MoveCall, Session


@record
class ProgramText:
    """A program as it was written: its name, its text, the language of that, and what is promised of its parameters."""

    name: str
    text: str
    language: str = "hops"
    ranges: Mapping[Expr, Facts] = field(default_factory=dict[Expr, Facts])

    @classmethod
    def of(cls, name: str, text: str) -> ProgramText:
        r"""A program in the language that its text begins like.

        >>> ProgramText.of("k", "; a comment\n(MakeVariable x)").language
        'hops'
        >>> ProgramText.of("k", "kernel k():\n").language
        'nest'
        """
        return cls(name, text, "nest" if text.lstrip().startswith("kernel ") else "hops")

    def session(self) -> Session:
        """A session that begins with the program.

        Raises TextError, which names the line.
        """
        return Session.of(self.kernel(), self.ranges)

    def kernel(self) -> Kernel:
        """The program, read.

        Raises TextError, which names the line.
        """
        if self.language == "nest":
            return parse_nest(self.text)
        return read(self.text, name=self.name)


def as_lines(session: Session) -> str:
    """The lines that make the same changes again."""
    return "".join(f"{call}\n" for change in session.done for call in change.calls)


def as_markdown(session: Session, program: ProgramText) -> str:
    """The ledger under the name of the program, with the program before and after each step."""
    marks = {ord(c): f"\\{c}" for c in "\\`*_[]#"}
    name = "".join(c if c.isprintable() else " " for c in program.name).translate(marks)
    return f"# {html.escape(name)}\n\n{session.ledger.as_markdown(texts=True)}"


def as_report(session: Session, program: ProgramText) -> Report:
    r"""The report of a session: the program after each step that was made, and the ledger.

    >>> program = ProgramText.of("k", "kernel k():\n  output a: i32[9]\n  for i in 0 .. 9:\n    a[i] := 0\n")
    >>> session = program.session()
    >>> _ = session.make("spread", "i", band=4)
    >>> list(as_report(session, program).stages)
    ['original', 'spread']
    """
    kernels = {"original": session.original.kernel}
    ledger = Ledger()
    for change in session.done:
        name = list(kernels)[-1]
        begin = len(ledger)
        for step in change.steps:
            ledger.steps.append(step)
            if step.applied:
                name = _unused(step.move, kernels)
                kernels[name] = step.new
                ledger.mark(name, begin)
                begin = len(ledger)
        ledger.mark(name, begin)
    return Report(kernels, ledger, session.state.ranges, title=f"{program.name}, explained")


def _unused(name: str, names: Collection[str]) -> str:
    """A name, with a number behind it if it is used already."""
    return next(n for n in chain([name], (f"{name} {k}" for k in count(2))) if n not in names)


def as_python(session: Session, program: ProgramText) -> str:
    """A program in Python that makes the same changes again, checks every one, and prints what came out."""
    calls = [*_promises(session), *(_python(call) for change in session.done for call in change.calls)]
    if program.language == "nest":
        reader, read = "from pellucid.ir.parse import parse_nest", "parse_nest(PROGRAM)"
    else:
        reader, read = "from pellucid.loops.hops import read", f"read(PROGRAM, name={program.name!r})"
    body = "\n".join(f"    {call}" for call in calls) or "    del session"
    return f'''"""What was done to {_quoted(program.name)}: run it to do it again, with every condition checked anew."""

{reader}
from pellucid.ir.text import print_nest
from pellucid.loops.hops.session import Session

PROGRAM = """\\
{_quoted(program.text.rstrip(), lines=True)}
"""


def optimize(session: Session) -> None:
    """Make the changes; raises an error at the first that is not licensed, and leaves out the rest."""
{body}


if __name__ == "__main__":
    session = Session.of({read})
    optimize(session)
    session.recheck()
    print(session.ledger)
    print(print_nest(session.kernel))
'''


def _promises(session: Session) -> Iterator[str]:
    """The promises that were made before any change, of parameters and of products of whole ones."""
    names = {p: str(p.attr) for p in session.original.kernel.params}
    for what, facts in session.original.ranges.items():
        leaves = [n for n in topological([what]) if not n.args]
        if all(n in names for n in leaves) and {n.op for n in topological([what])} <= {
            "param",
            "convert",
            "mul",
        }:
            name = "*".join(names[n] for n in leaves)
            yield _python(MoveCall("assume", name, options={"low": facts.lo, "high": facts.hi}))


def _python(call: MoveCall) -> str:
    arguments = [repr(call.name)]
    if call.where is not None:
        arguments.append(repr(call.where))
    options = {name: _literal(_plain(value)) for name, value in call.options.items()}
    # What is no name in Python is given as Python gives any names.
    arguments += [f"{n}={v}" for n, v in options.items() if _is_name(n)]
    if others := [f"{n!r}: {v}" for n, v in options.items() if not _is_name(n)]:
        arguments.append(f"**{{{', '.join(others)}}}")
    method = {"try": "make", "do": "do", "assume": "assume"}[call.verb]
    return f"session.{method}({', '.join(arguments)})"


def _is_name(word: str) -> bool:
    return word.isidentifier() and word.isascii() and not keyword.iskeyword(word)


def _literal(value: Any) -> str:
    """A value as Python writes it, infinities included."""
    if isinstance(value, tuple):
        items = [_literal(v) for v in value]  # pyright: ignore[reportUnknownVariableType]
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    return f"float({str(value)!r})" if isinstance(value, float) and not math.isfinite(value) else ascii(value)


def _quoted(text: str, *, lines: bool = False) -> str:
    r"""A text as it stands between three double quotes, whatever is in it; on one line unless `lines` may end.

    >>> print(_quoted('a \\ b "c"\t'))
    a \\ b \"c\"\t
    """
    return "".join(
        c
        if (c.isprintable() and c not in '"\\') or (lines and c == "\n")
        else _ESCAPES.get(c) or ascii(c)[1:-1]
        for c in text
    )


_ESCAPES = {'"': '\\"'}


def _plain(value: Any) -> Any:
    """A value whose `repr` is Python: expressions as their text, which `Session.make` reads."""
    if isinstance(value, tuple):
        return tuple(_plain(v) for v in value)  # pyright: ignore[reportUnknownVariableType]
    return written(value) if isinstance(value, Expr) else value
