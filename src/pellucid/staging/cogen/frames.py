"""Lifted closures while a program is made: a residual closure has a frame of its own, which no one may take apart.

The frame has the registers of its code, and not the values that the interpreter put there: what is static is left out,
and what appears twice is there once. Only a list of different dynamic values stays what it was. Within one extension
`body` sees that such values are taken. Here closures are followed by the names of residual variables, through control
stacks and dynamic pairs. A name is followed only where it surely is that closure, so nothing is refused without need;
what a residual code is given has a name of its own, and is not followed: there the primitives `frame`, with which a
residual code reads the frame of its own closure, and `cdr`, which fails for that closure, tell them apart at run time.
"""

from __future__ import annotations

from typing import TypeAlias

from pellucid.base.errors import StagingError

Known: TypeAlias = "dict[str, str | tuple[str, str]]"
"""What residual variables surely are: a lifted closure, by the name of its code, or a pair of two variables."""


class FrameError(Exception):
    """Values are taken from the frame of a closure that was lifted; not an error of the interpreter's static part."""

    def __init__(self, place: str, name: str, closure: str) -> None:
        super().__init__(f"{place}: {name} is a lifted closure of {closure}, and its values are taken here")
        self.place = place
        self.name = name
        self.closure = closure

    def told(self) -> StagingError:
        """The error for the one who wrote the interpreter."""
        return StagingError(
            f"{self.name} is a closure of {self.closure} that was lifted, and its values are taken here",
            place=self.place,
            fix="take them before it is lifted, or hand them on beside it: the residual closure has another frame",
        )


def follow_pair(known: Known, name: str, car: str, cdr: str) -> None:
    """Take note of a pair, if something is known of a half of it."""
    if car in known or cdr in known:
        known[name] = (car, cdr)


def follow_half(known: Known, made: str, name: str, first: bool, place: str, shown: str) -> None:
    """Take note of the half of a pair; raises FrameError for the frame of a lifted closure.

    >>> known: Known = {"k1": "add"}
    >>> follow_pair(known, "p2", "x", "k1")
    >>> follow_half(known, "v3", "p2", False, "main", "f")
    >>> known["v3"]
    'add'
    """
    held = known[name]
    if isinstance(held, str):
        if not first:
            raise FrameError(place, shown, held)
        return
    half = held[0 if first else 1]
    if half in known:
        known[made] = known[half]
