"""Binding times as text, as in the paper, and back: `append(D S D)`, `(S * D) list`, `stack-bt`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from pellucid.base.errors import StagingError, did_you_mean
from pellucid.staging.root.forms import Form, expressions
from pellucid.staging.root.program import RootCode
from pellucid.staging.times.lattice import (
    CYCLIC,
    DYNAMIC,
    STATIC,
    Constant,
    Level,
    Pointer,
    Stack,
    Time,
    TimeGraph,
    listed,
    pair,
    tuple_of,
)

_WORDS = {
    "S": STATIC,
    "static": STATIC,
    "cyc": CYCLIC,
    "cyclic": CYCLIC,
    "D": DYNAMIC,
    "dynamic": DYNAMIC,
    "nil": Constant(None),
    "stack-bt": Stack((DYNAMIC,)),
}


def show(time: Time) -> str:
    """The text of a time.

    >>> show(tuple_of(DYNAMIC, STATIC, listed(pair(STATIC, DYNAMIC))))
    '(list D S ((S * D) list))'
    """
    if isinstance(time, TimeGraph):
        return _graph(time)
    if isinstance(time, Level):
        return time.name
    if isinstance(time, Pointer):
        return "S"
    if isinstance(time, Constant):
        value: Any = time.value
        return "nil" if value is None else value.name if isinstance(value, RootCode) else str(value)
    return "stack-bt"


@lru_cache(maxsize=1 << 12)
def _graph(graph: TimeGraph) -> str:
    """The text of a structure: a generator asks for few again and again."""
    return _Graph(graph).field(0)


def extension(code: RootCode, times: Iterable[Time]) -> str:
    """The name of an extension: the code and its times.

    >>> extension(RootCode("append", ("k", "l", "m")), [DYNAMIC, STATIC, DYNAMIC])
    'append(D S D)'
    """
    return f"{code.name}({' '.join(map(show, times))})"


class _Graph:
    """Writes one graph; a pair inside of itself is named by its point."""

    def __init__(self, graph: TimeGraph) -> None:
        self._nodes = graph.nodes
        self._open: list[int] = []

    def field(self, field: int | Time, *, inner: bool = False) -> str:
        """The text of a field."""
        if isinstance(field, Time):
            return show(field)
        node = self._nodes[field]
        if field in self._open:
            return f"^{'|'.join(node.points) or field}"
        self._open.append(field)
        text = self._pair(field)
        self._open.pop()
        return (
            f"({text})" if (inner and not text.startswith("(")) or (inner and text.endswith("list")) else text
        )

    def _pair(self, at: int) -> str:
        """The text of a pair."""
        node = self._nodes[at]
        if node.atom and node.cdr == at and not self._reaches(node.car, at):
            return f"{self._element(node.car)} list"
        if node.closure:
            text = f"(close {self.field(node.car, inner=True)} {self.field(node.cdr, inner=True)})"
        else:
            text = self._list(at)
        if self._reaches(node.car, at) or self._reaches(node.cdr, at):
            text = f"(mu {'|'.join(node.points) or at} {text})"
        return f"(atom | {text})" if node.atom else text

    def _element(self, field: int | Time) -> str:
        """The text of an element of a list."""
        if isinstance(field, Time):
            return show(field)
        node = self._nodes[field]
        ends = any(isinstance(one, Constant | int) for one in (node.car, node.cdr))
        if node.closure or node.atom or ends:
            return self.field(field, inner=True)
        return f"({self.field(node.car)} * {self.field(node.cdr)})"

    def _list(self, at: int) -> str:
        """The text of pairs up to the end of a list."""
        parts: list[str] = []
        rest: int | Time = at
        while isinstance(rest, int) and (rest == at or (rest not in self._open and self._is_plain(rest))):
            if rest == at and parts:
                break
            parts.append(self.field(self._nodes[rest].car, inner=True))
            rest = self._nodes[rest].cdr
        if isinstance(rest, Constant) and rest.value is None:
            return f"(list {' '.join(parts)})"
        node = self._nodes[at]
        return f"(cons {self.field(node.car, inner=True)} {self.field(node.cdr, inner=True)})"

    def _is_plain(self, at: int) -> bool:
        """Whether a node is a pair of one size."""
        node = self._nodes[at]
        return not (node.atom or node.closure or self._reaches(node.car, at) or self._reaches(node.cdr, at))

    def _reaches(self, field: int | Time, goal: int) -> bool:
        """Whether a field leads to a node."""
        seen: set[int] = set()
        waiting = [field]
        while waiting:
            one = waiting.pop()
            if isinstance(one, Time) or one in seen:
                continue
            if one == goal:
                return True
            seen.add(one)
            waiting += [self._nodes[one].car, self._nodes[one].cdr]
        return False


def read_time(text: str) -> Time:
    """The time of a text.

    >>> read_time("(S * D) list"), read_time("(list D cyc)"), read_time("stack D D")
    ((S * D) list, (list D cyc), stack-bt)
    """
    forms = expressions(text)
    return time_of(forms[0] if len(forms) == 1 else forms)


def time_of(form: Form) -> Time:
    """The time of a form."""
    match form:
        case str(word) if word in _WORDS:
            return _WORDS[word]
        case ["stack", *returns]:
            return Stack(tuple(map(time_of, returns)) or (DYNAMIC,))
        case [element, "list"]:
            return listed(time_of(element))
        case ["list", *parts]:
            return tuple_of(*map(time_of, parts))
        case ["cons", one, other] | [one, "*", other]:
            return pair(time_of(one), time_of(other))
        case _:
            pass
    raise StagingError(
        f"no binding time: {form!r}",
        place="times",
        fix=(did_you_mean(form, _WORDS) if isinstance(form, str) else None)
        or "write S, cyc, D, stack-bt, (list ...), (cons a b), (a * b) or (a list)",
    )


def times_of(times: Iterable[Time | str]) -> tuple[Time, ...]:
    """Times, some of them given as text.

    >>> times_of(["D", STATIC])
    (D, S)
    """
    return tuple(read_time(one) if isinstance(one, str) else one for one in times)
