"""The command `hops`: a program taken through proven moves by hand, line by line, or by a script of such lines.

The face of `loops.hops.session`: it reads lines, prints answers, and turns what goes wrong into one line. An error
never loses what was done.
"""

from __future__ import annotations

import shutil
import sys
from argparse import Namespace
from collections.abc import Iterable

from pellucid.base.errors import PellucidError
from pellucid.base.opening import text_of
from pellucid.cli.hops.colors import printer
from pellucid.cli.hops.editing import edited
from pellucid.cli.hops.edits import opened
from pellucid.cli.hops.formatting import excuse
from pellucid.cli.hops.interrupts import interrupting
from pellucid.cli.hops.repl import WIDTH, LeaveError, Part, ReplState
from pellucid.cli.problems import in_one_line
from pellucid.loops.hops.saving import as_lines

PROMPT = "hops> "


def hops(words: Namespace) -> int:
    """Work on the program of a file: at the terminal, or by the lines of a script or of standard input."""
    repl = ReplState.of(opened(words.file), width=words.width or _width())
    repl.progress = _progress
    if words.script is not None:
        lines = _script(words.script)
        return _by_script(repl, lines, words.script, keep_going=words.keep_going)
    if not sys.stdin.isatty():
        return _by_script(repl, sys.stdin, "standard input", keep_going=words.keep_going)
    return _by_hand(repl)


def _width() -> int:
    return shutil.get_terminal_size((WIDTH, 24)).columns if sys.stdout.isatty() else WIDTH


def _progress(text: str) -> None:
    """Say on a line of its own how far something is, where a person watches; an empty text wipes it away."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def _script(name: str) -> list[str]:
    if name == "-":
        return sys.stdin.read().splitlines()
    return text_of(name, "a script of hops").splitlines()


def _by_script(repl: ReplState, lines: Iterable[str], name: str, *, keep_going: bool) -> int:
    """Say each line and its answer, as a terminal would show them; stop at the first that cannot be done."""
    show = printer(sys.stdout)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        print(f"{PROMPT}{line.rstrip()}", flush=True)
        try:
            show(repl.say(line))
        except LeaveError:
            break
        except PellucidError as error:
            if not keep_going:
                raise PellucidError(
                    error.message, place=_beside(name, number, error), fix=error.fix
                ) from error
            show([Part("bad", excuse(error, repl.width))])
    return 0


def _beside(name: str, number: int, error: PellucidError) -> str:
    place = f"{name}:{number}"
    return f"{place}: {error.place}" if error.place else place


def _by_hand(repl: ReplState) -> int:
    """Read lines from a person until there are no more."""
    show = printer(sys.stdout)
    show(repl.say("show"))
    print("help tells what to do; Tab completes; Ctrl-D leaves.")
    with edited(repl), interrupting() as interrupts:
        while True:
            try:
                with interrupts.allowed():
                    line = input(PROMPT)
            except EOFError:
                print()
                break
            except KeyboardInterrupt:
                print("\nCtrl-D leaves.")
                continue
            try:
                with interrupts.allowed():
                    show(repl.say(line))
            except LeaveError:
                break
            except KeyboardInterrupt:
                print("\ninterrupted; nothing was changed")
            except PellucidError as error:
                show([Part("bad", excuse(error, repl.width))])
            except Exception as error:  # noqa: BLE001 - a mistake in one command must not lose the session
                text = f"a mistake in pellucid: {in_one_line(error)}; nothing was changed, please report it"
                show([Part("bad", text)])
    _kept(repl)
    return 0


def _kept(repl: ReplState) -> None:
    """Say what was done since it was last saved, so that nobody loses it by leaving."""
    if repl.session.done and repl.unsaved:
        print(f"Not saved. These lines make the same changes again:\n{as_lines(repl.session)}", end="")
