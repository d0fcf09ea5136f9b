"""Extensions: codes for patterns of times, with their functions and the lines of the interpreter that these are of."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from functools import cached_property
from types import CodeType, FrameType
from typing import Any

from pellucid.staging.root.program import RootCode
from pellucid.staging.times.lattice import CYCLIC, DYNAMIC, Stack, Time, TimeGraph, leaves
from pellucid.staging.times.text import extension


class Extension:
    """A code for one pattern of times; its functions are written by `writer` and bound by `generator`."""

    body: Callable[..., None]
    jump: Callable[..., None]
    memo: Callable[..., None]
    close: Callable[..., str]

    def __init__(self, code: RootCode, times: tuple[Time, ...], number: int) -> None:
        self.code = code
        self.times = times
        self.number = number
        self.depth = 0
        """The jumps that led to it first, from the entry or a closure; 0 before one does."""
        self.branches = False
        self.lifted: dict[tuple[str, ...], str] = {}
        """The parts of its arguments that are closures lifted before, by the parameter and the halves that lead there.

        A part that is so in one jump that leads here is in this list.
        """
        self.places: dict[str, array[int]] = {}
        """Of each function, the lines of the interpreter that its lines are of, as a writer takes note of them."""

    @cached_property
    def frame(self) -> list[Time]:
        """The times of the leaves of the first parameter, which is the continuation."""
        return [time for _, time in leaves(self.times[:1])]

    @cached_property
    def function(self) -> str:
        """The function of the interpreter that its code is of."""
        return self.code.name.partition("'")[0].partition(":")[0]

    def leaf_names(self) -> list[str | None]:
        """The parameter that each leaf is of; None for a residual variable, whose name says nothing."""
        found: list[str | None] = []
        for path, time in leaves(self.times):
            name = self.code.params[int(path.split(".")[0])]
            found += [name, None, name] if time is CYCLIC else [None if time is DYNAMIC else name]
        return found

    def place(self, frame: FrameType, line: int) -> str:
        """Where one of its functions has failed at a line, as a code with a line; empty where no line is known.

        A code without lines, as of a routine, is at the line that it returns to.
        """
        name, own = self.code.name.partition("'")[0], self._line(frame.f_code, line)
        if own:
            return f"{self.function}:{own}"
        if ":" in name:
            return name
        first = self.times[0] if self.times else None
        after = first.code if isinstance(first, TimeGraph) else None
        if isinstance(first, Stack):
            # A stack begins with what it returns to; a function that takes the parts of one has them in a tuple.
            top: Any = next((frame.f_locals[one] for one in frame.f_code.co_varnames[1:2]), None)
            while top.__class__ is tuple and top:
                top = top[0]
            after = top.code if isinstance(top, Extension) else None
        return after.name.partition("'")[0] if after is not None and ":" in after.name else ""

    def _line(self, function: CodeType, line: int) -> int:
        """The line of the interpreter that a line of a function is of, or 0."""
        places = self.places.get(function.co_name, array("i"))
        now = line - function.co_firstlineno
        return next((to for at, to in zip(places[-2::-2], places[::-2], strict=True) if at <= now), 0)

    def __repr__(self) -> str:
        """Its name, as in the paper."""
        return self._name

    @cached_property
    def _name(self) -> str:
        """Its name, which is asked for in several places."""
        return extension(self.code, self.times)
