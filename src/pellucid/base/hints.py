"""Tables of hints: what to write instead of names that other systems have; the vocabularies each have one.

Below `images.hints` and `signals.hints`, whose errors for unknown names ask their tables.
"""

from __future__ import annotations


def hints_of(table: str) -> dict[str, str]:
    """The hint for each name of a table, whose lines hold the names that mean one thing, a bar, and what to write.

    >>> hints_of("fract frac | write x % 1")
    {'fract': 'write x % 1', 'frac': 'write x % 1'}
    """
    found: dict[str, str] = {}
    for line in table.strip().splitlines():
        names, _, text = line.partition(" | ")
        found |= dict.fromkeys(names.split(), text.strip())
    return found
