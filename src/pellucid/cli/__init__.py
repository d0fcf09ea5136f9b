"""The command line: `pellucid render swirl.py -o swirl.png` and its siblings.

Top of the house. `arguments` reads the words, one file per command does the work, `problems` turns whatever goes
wrong into one line and an exit status. Nothing heavy is imported before a command needs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

MIN_OBJECTS = 10_000
"""New objects after which Python looks for cycles among them: what is loaded stays, and is ten times as many."""


def run() -> NoReturn:
    """The program `pellucid`: one command, with which the process ends."""
    import gc
    import sys

    gc.set_threshold(MIN_OBJECTS)
    status = main()
    # The system takes back all memory at once: to look for cycles in it first takes longer than a small picture.
    gc.freeze()
    sys.exit(status)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit status: 0 done, 1 failed, 2 wrong usage, 130 interrupted.

    `argv` are the words after the name of the program, those of this process by default.

    >>> main(["--version"])
    pellucid ...
    0
    """
    import sys

    from pellucid.cli.arguments import parsed
    from pellucid.cli.problems import guarded

    words = sys.argv[1:] if argv is None else list(argv)
    return guarded(lambda: parsed(words), debug="--debug" in words)
