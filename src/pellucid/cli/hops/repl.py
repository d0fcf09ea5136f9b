"""The state of the command `hops`: one session, the settings of its page, and the execution of lines.

`say` takes a line and gives what to print, in parts that `colors` may paint. It never prints and never asks, so that
tests and documents talk to it as a terminal does. A line that makes no sense raises an error and changes nothing.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pellucid.base.errors import InputError, did_you_mean
from pellucid.base.record import record
from pellucid.loops.hops.saving import ProgramText
from pellucid.loops.hops.session import Change, Session

WIDTH = 100
"""Characters on a line where no terminal says otherwise."""


@record
class Part:
    """A piece of an answer: its kind (text, title, program, good, bad) and its lines."""

    kind: str
    text: str


Reply = list[Part]
Work = Callable[["ReplState", list[str]], Reply]
Progress = Callable[[str], None]


@record
class Command:
    """A word that may begin a line: how to use it, what it does in a sentence, more about it, and its work.

    wants   what its words are, one by one, for completion: move, place, heuristic, step, file, topic, or a choice.
    """

    name: str
    usage: str
    doc: str
    more: str
    work: Work
    wants: tuple[str, ...] = ()
    group: str = ""


_entered: dict[str, Command] = {}


@functools.cache
def commands() -> dict[str, Command]:
    """Every command by name; the files that hold them enter them when they are imported.

    >>> commands()["undo"].usage
    'undo [COUNT]'
    """
    for name in ("queries", "edits", "teaching"):
        importlib.import_module(f"pellucid.cli.hops.{name}")
    return _entered


def command(name: str, usage: str, *wants: str, group: str) -> Callable[[Work], Work]:
    """Enter a function as a command; the first paragraph of its docstring is what it does, the rest says more."""

    def enter(work: Work) -> Work:
        doc, _, more = inspect.cleandoc(work.__doc__ or "").partition("\n\n")
        _entered[name] = Command(
            name, f"{name} {usage}".rstrip(), " ".join(doc.split()), more, work, wants, group
        )
        return work

    return enter


class LeaveError(Exception):  # not an error of the user's: it ends the loop that reads lines
    """The line was `quit`."""


@dataclass(slots=True)
class ReplState:
    """A session with its program, and how it is shown."""

    program: ProgramText
    session: Session
    width: int = WIDTH
    notation: str = "plain"
    progress: Progress = field(default=lambda text: None)
    saved: tuple[Change, ...] = ()

    @classmethod
    def of(cls, program: ProgramText, *, width: int = WIDTH) -> ReplState:
        """The state for a program.

        Raises TextError if it cannot be read.
        """
        return cls(program, program.session(), width)

    @property
    def unsaved(self) -> bool:
        """Whether something was done that is not written down."""
        done = self.session.done
        return len(done) != len(self.saved) or any(a is not b for a, b in zip(done, self.saved, strict=True))

    def say(self, line: str) -> Reply:
        """Do what a line says, and give what to print; an empty line or a comment says nothing.

        Raises PellucidError, without any change, if it cannot be done.
        """
        words = split(line)
        if not words:
            return []
        found, rest = understood(words)
        return found.work(self, rest)


def split(line: str) -> list[str]:
    """The words of a line; what follows a # is a comment.

    >>> split("try  spread 1 band=4   # four rows at a time")
    ['try', 'spread', '1', 'band=4']
    """
    try:
        return shlex.split(line, comments=True)
    except ValueError:
        raise InputError("a quotation mark has no partner", place=line.strip()) from None


def understood(words: Sequence[str]) -> tuple[Command, list[str]]:
    """The command that words begin with, and the words after it; the name of a move alone means to try it.

    Raises InputError for a first word that is neither.
    """
    from pellucid.loops.core.registry import moves
    from pellucid.loops.scripts.heuristics import heuristics

    first, rest = words[0], list(words[1:])
    known = commands()
    if first in known:
        return known[first], rest
    if first in moves():
        return known["try"], [first, *rest]
    if first in heuristics():
        return known["do"], [first, *rest]
    begun = [name for name in known if name.startswith(first)]
    if len(begun) == 1:
        return known[begun[0]], rest
    if begun:
        raise InputError(f"{first!r} may mean {' or '.join(begun)}", fix="write more of it")
    hint = did_you_mean(first, [*known, *moves(), *heuristics()])
    raise InputError(f"no command is called {first!r}", fix=f"{hint} or see help" if hint else "see help")


def usage(name: str) -> InputError:
    """The error for a command with the wrong words."""
    return InputError(f"it is used like this: {commands()[name].usage}", place=name, fix=f"see help {name}")
