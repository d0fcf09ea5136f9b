"""The words of the command line: which command they are, what is wrong with them, and what does the work.

Called by `main`. The commands and their options are in `commands`; the parser of one is made, or, for help, of all.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from pellucid import __version__
from pellucid.base.errors import InputError, did_you_mean
from pellucid.cli import examples
from pellucid.cli.commands import COMMANDS


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line and name the help to read."""

    def error(self, message: str) -> NoReturn:
        raise InputError(message[:1].lower() + message[1:], fix=f"see {self.prog} --help")


#: Options whose value may begin with a minus sign.
_SIGNED = {
    "--center",
    "--time",
    "--start",
    "--zoom",
    "--size",
    "--param",
    "--seconds",
    "--fps",
    "--rate",
    "--channels",
}


def parsed(words: Sequence[str]) -> int:
    """Do what the words say and give the exit status.

    Raises `InputError` for words that make no sense.

    >>> parsed(["rendr"])
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: unknown command 'rendr'; did you mean 'render'? See pellucid --help
    """
    parser, commands = _parser(words), [command[0] for command in COMMANDS]
    first = next((word for word in words if not word.startswith("-")), None)
    if first is not None and first not in commands:
        hint = did_you_mean(first, commands)
        raise InputError(
            f"unknown command {first!r}", fix=f"{hint} See pellucid --help" if hint else "see pellucid --help"
        )
    chosen = parser.parse_args(_joined(words))
    if not hasattr(chosen, "run"):
        parser.print_help(sys.stderr)
        return 2
    chosen.command = shlex.join(["pellucid", *words])
    module, _, name = chosen.run.partition(":")
    work: Callable[[argparse.Namespace], int] = getattr(importlib.import_module(module), name)
    return work(chosen)


def _joined(words: Sequence[str]) -> list[str]:
    """`--center -1,2` as `--center=-1,2`: the parser would take the value for an option."""
    joined: list[str] = []
    for word in words:
        negative = word[:1] == "-" and word[1:2] in set("0123456789.")
        if negative and joined and joined[-1] in _SIGNED:
            joined[-1] = f"{joined[-1]}={word}"
        else:
            joined.append(word)
    return joined


def _form(prog: str) -> argparse.HelpFormatter:
    return argparse.RawDescriptionHelpFormatter(prog, width=_columns() - 2)


@functools.cache
def _columns() -> int:
    """The columns of the terminal, as `shutil` finds them, which `argparse` would load to ask for each option."""
    try:
        columns = int(os.environ.get("COLUMNS", "0"))
    except ValueError:
        columns = 0
    if columns > 0:
        return columns
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80  # pyright: ignore[reportOptionalMemberAccess]
    except (AttributeError, ValueError, OSError):
        return 80


def _parser(words: Sequence[str]) -> _Parser:
    """The parser of the words: of a command that comes first, or else of all, whose help lists them."""
    parser = _Parser(
        prog="pellucid",
        description="Pictures and sounds, compiled while you wait, and clear all the way through.",
        epilog=examples.EXAMPLES,
        formatter_class=_form,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"pellucid {__version__}")
    parser.add_argument("--debug", action="store_true", help=argparse.SUPPRESS)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=_Parser)

    def command(name: str, follows: str, run: str, about: str, epilog: str) -> _Parser:
        made = commands.add_parser(
            name,
            usage=f"pellucid {name} {follows}",
            help=about,
            description=f"{about[:1].upper()}{about[1:]}.",
            epilog=epilog,
            formatter_class=_form,
            allow_abbrev=False,
        )
        made.set_defaults(run=f"pellucid.cli.{run}")
        made.add_argument("--debug", action="store_true", help="show the Python traceback of an error")
        return made

    chosen = [command for command in COMMANDS if command[0] in words[:1]] or COMMANDS
    for name, follows, run, about, epilog, add in chosen:
        add(command(name, follows, run, about, epilog))
    return parser
