"""The command line: `pellucid render swirl.py -o swirl.png` and its siblings.

Top of the house. `arguments` reads the words, one file per command does the work, `problems` turns whatever goes
wrong into one line and an exit status. Nothing heavy is imported before a command needs it.
"""

from __future__ import annotations

from collections.abc import Sequence


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
