"""A session saved: as lines that `pellucid hops` reads again, and as a Python program that needs no terminal.

Both begin with the program and make the same changes; each is checked again when it is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..ir.expr import Expr, topological
from ..ir.facts import Facts
from ..ir.nest import Kernel
from ..ir.parse import parse_nest
from .options import written
from .session import Call, Session


@dataclass(frozen=True, slots=True)
class Program:
    """A program as it was written: its name, its text, the language of that, and what is promised of its parameters."""

    name: str
    text: str
    language: str = "hops"
    ranges: Mapping[Expr, Facts] = field(default_factory=dict[Expr, Facts])

    @classmethod
    def of(cls, name: str, text: str) -> Program:
        r"""A program in the language that its text begins like.

        >>> Program.of("k", "; a comment\n(MakeVariable x)").language
        'hops'
        >>> Program.of("k", "kernel k():\n").language
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
        from .hops import read

        return read(self.text, name=self.name)


def as_lines(session: Session) -> str:
    """What to type to make the same changes again, one line each."""
    return "".join(f"{call}\n" for change in session.done for call in change.calls)


def as_python(session: Session, program: Program) -> str:
    """A program in Python that makes the same changes again, checks every one, and prints what came out."""
    calls = [*_promises(session), *(_python(call) for change in session.done for call in change.calls)]
    if program.language == "nest":
        reader, read = "from pellucid.ir.parse import parse_nest", "parse_nest(PROGRAM)"
    else:
        reader, read = "from pellucid.loops.hops import read", f"read(PROGRAM, name={program.name!r})"
    quoted = program.text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    body = "\n".join(f"    {call}" for call in calls) or "    del session"
    return f'''"""What was done to {program.name}: run it to do it again, with every condition checked anew."""

{reader}
from pellucid.ir.text import print_nest
from pellucid.loops.session import Session

PROGRAM = """\\
{quoted.rstrip()}
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
    """What was promised before anything was done, of parameters and of products of whole ones."""
    names = {p: str(p.attr) for p in session.original.kernel.params}
    for what, facts in session.original.ranges.items():
        leaves = [n for n in topological([what]) if not n.args]
        if all(n in names for n in leaves) and {n.op for n in topological([what])} <= {
            "param",
            "convert",
            "mul",
        }:
            name = "*".join(names[n] for n in leaves)
            yield _python(Call("assume", name, options={"low": facts.lo, "high": facts.hi}))


def _python(call: Call) -> str:
    arguments = [repr(call.name)]
    if call.where is not None:
        arguments.append(repr(call.where))
    arguments += [f"{name}={_plain(value)!r}" for name, value in call.options.items()]
    method = {"try": "make", "do": "do", "assume": "assume"}[call.verb]
    return f"session.{method}({', '.join(arguments)})"


def _plain(value: Any) -> Any:
    """A value whose `repr` is Python: expressions as their text, which `Session.make` reads."""
    if isinstance(value, tuple):
        return tuple(_plain(v) for v in value)  # pyright: ignore[reportUnknownVariableType]
    return written(value) if isinstance(value, Expr) else value
