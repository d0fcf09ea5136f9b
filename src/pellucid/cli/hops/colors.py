"""Answers painted for a terminal, by rich where it is installed; plain everywhere else.

The words are the same either way: a color never says anything alone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TextIO

from pellucid.cli.hops.repl import Reply

#: How each kind of part looks.
STYLES = {"title": "bold", "good": "green", "bad": "red", "text": "", "program": ""}
#: What stands out in a program.
KEYWORDS = r"\b(for|in|if|then|else|alloc|by|lanes|spread|over|bands|on|grid|blocks|of|pass|iterate|repeat)\b"
NUMBERS = r"(?m)^\s*\d+(?=  )|(?<=[|~<>])\s+\d+(?=  )"
CHANGED = r"(?<= )[~<>](?=  |$)"


def plain(reply: Reply) -> str:
    """An answer without colors."""
    return "\n".join(part.text for part in reply)


def printer(out: TextIO) -> Callable[[Reply], None]:
    """The printer of answers: in color on a terminal, if rich is installed and NO_COLOR is not set."""

    def simply(reply: Reply) -> None:
        if reply:
            print(plain(reply), file=out, flush=True)

    if not out.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return simply
    try:
        from rich.console import Console
        from rich.text import Text
    except ImportError:
        return simply
    console = Console(file=out, highlight=False, soft_wrap=True)

    def painted(reply: Reply) -> None:
        for part in reply:
            text = Text(part.text, style=STYLES[part.kind])
            if part.kind == "program":
                text.highlight_regex(KEYWORDS, "cyan")
                text.highlight_regex(NUMBERS, "dim")
                text.highlight_regex(CHANGED, "bold yellow")
            console.print(text)
        sys.stdout.flush()

    return painted
