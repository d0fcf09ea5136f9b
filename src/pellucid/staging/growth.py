"""Name what grows in a loop that cannot be specialized.

Under `loop_specializer`. How long is `session.MAX_WORK`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..base.errors import StagingError, brief
from ..ir.expr import Expr
from .value import Cyclic

LEAVES_A_UNIT = 4
"""Leaves of a state that take as long as one staged value."""
SEEN = 4
"""States that are looked at for what grows, and shown."""


class Unending(StagingError):  # noqa: N818 - users see a StagingError
    """Specializing a loop does not end, as far as it was tried."""


class Exhausted(StagingError):  # noqa: N818 - users see a StagingError
    """So much was tried that no other loop of the program can be specialized."""


def unending(
    kind: type[Unending | Exhausted],
    how: str,
    place: str,
    passed: Iterable[Sequence[Sequence[Any]]],
    names: Sequence[str],
    cases: Mapping[Expr, int],
) -> Unending | Exhausted:
    """The error for a loop that is specialized for too long: it names the value that grows, or what is told apart.

    `passed` are states in the order in which they were passed, one run of them after another; `names` are those of
    their leaves, and `cases` says into how many cases values are split before the loop.
    """
    why = f"specializing the loop does not end ({how})"
    for states in passed:
        first = states[:SEEN]
        for shown in (_number, _sum):
            for k, name in enumerate(names):
                values = [shown(s[k]) if k < len(s) else None for s in first]
                if _grows(values):
                    return kind(
                        f"{why}: {name} goes on as {', '.join(map(str, values))}",
                        place=place, fix=f"make it dynamic with lift({name}) before the loop",
                    )  # fmt: skip
        sizes = [str(len(s)) for s in first]
        if _grows(sizes):
            return kind(
                f"{why}: the parts of its state are {', '.join(sizes)}",
                place=place, fix="keep what grows in a Memory, or in Cells",
            )  # fmt: skip
    split = [f"{str(q.attr).partition('.')[0]} in {k}" for q, k in cases.items() if q.op == "param" and k > 1]
    if split:
        return kind(
            f"{why}: it tells cases apart, of {' and of '.join(split)}",
            place=place, fix="say more of it with cyclic, or read fewer samples in a turn",
        )  # fmt: skip
    return kind(f"{why}: a turn over {', '.join(names)} is too much", place=place, fix="do less in a turn")


def weight(leaves: Sequence[Any]) -> int:
    """Steps that a look at the leaves of a state counts for; a static number of many words is as many leaves."""
    words = sum(x.bit_length() >> 6 for x in leaves if type(x) is int)
    return (len(leaves) + words) // LEAVES_A_UNIT


def _grows(values: Sequence[str | None]) -> bool:
    return len(values) > 1 and None not in values and len(set(values)) == len(values)


def _number(leaf: Any) -> str | None:
    """A static number of a state, or of the key of a state."""
    match leaf:
        case bool() | ("static", (_, bool())):
            return None
        case int() | float() as value:
            return brief(value)
        case ("static", (_, (int() | float()) as value)):
            return brief(value)
        case _:
            return None


def _sum(leaf: Any) -> str | None:
    """A partly known integer of a state, or of the key of a state."""
    match leaf:
        case Cyclic():
            return repr(leaf)
        case ("cyclic", base, which, remainder):
            return f"{base}*q{which} + {remainder}"
        case _:
            return None
