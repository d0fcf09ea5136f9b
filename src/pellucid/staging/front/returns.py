"""What calls return: the binding time of a continuation, as a control stack that is given values of known times.

A closure that is a continuation would make a pattern of each place that a function is called from. A control stack is
one pattern for all of them, but the time of what it is given must be said before. So it is said where it is certain.
"""

from __future__ import annotations

from functools import partial
from typing import TypeAlias

from pellucid.staging.front.shapes import opened
from pellucid.staging.root.program import LIFT_RULES, ByRule
from pellucid.staging.times.lattice import (
    CYCLIC,
    DYNAMIC,
    STATIC,
    Constant,
    Stack,
    Time,
    TimeGraph,
    is_static,
    join,
    pair,
)

Returns: TypeAlias = ByRule
"""The time of a continuation from its own and those of the arguments."""
_MAX_CELLS = 50
"""Pairs of a list that is looked through; one of any length is circular."""


def _alone(kept: Time, *given: Time) -> Time:
    """Of a function that computes with its arguments only: where these are static, so is what it returns."""
    return _stack(kept, STATIC) if all(map(is_known, given)) else kept


def _recursive(kept: Time, *given: Time) -> Time:
    """Of a function that calls itself, and reads memories: a dynamic result."""
    return _stack(kept, DYNAMIC)


def _alone_recursive(kept: Time, *given: Time) -> Time:
    """Of a function that calls itself: a dynamic result, but of static arguments a static one."""
    return _stack(kept, STATIC if all(map(is_known, given)) else DYNAMIC)


def changing(computes: str, *changed: str) -> ByRule:
    """Of a function that calls itself, and changes some of its arguments: these stay as known as they were.

    Each is changed by its place and its shape: lists in it may come back longer.
    """
    places = [(int(at), shape) for at, _, shape in (one.partition(":") for one in changed)]

    def returns(kept: Time, *given: Time) -> Time:
        if computes == "alone" and all(map(is_known, given)):
            return _stack(kept, STATIC)
        if not isinstance(kept, TimeGraph) or kept.code is None:
            return kept
        back = [opened(given[at], shape) for at, shape in places]
        known = [one for one in back if one is not None]
        return Stack((DYNAMIC, *known)) if len(known) == len(back) else kept

    return ByRule(("changing", computes, *changed), returns)


def _entire(time: Time) -> Time:
    """The time of a key: static as a whole where all of its parts are."""
    return STATIC if is_known(time) else time


def opening(shape: str) -> ByRule:
    """Of what a function that calls itself is given to change: lists in it are of any length from the first on."""

    def given(time: Time) -> Time:
        return opened(time, shape) or time

    return ByRule(("opening", shape), given)


def of_routine(name: str, point: str) -> ByRule:
    """Of a code of the library that makes pairs of a point."""

    def returns(kept: Time, *given: Time) -> Time:
        # A dictionary or a list of which the parts are known stays one: as a whole it would be another pattern.
        is_opened = name in ("enter", "put") and isinstance(given[0], TimeGraph) and given[0].packed
        if all(map(is_known, given)) and not is_opened:
            return _stack(kept, STATIC)
        made: Time | None = None
        if name in ("find", "get"):
            made = _items(given[0], is_entry=True)
            if name == "get" and made is not None:
                made = join(made, given[2])
        elif name in ("of_list", "of_tuple"):
            made = _items(given[0])
        elif name in ("length", "counted") and _items(given[0]) is not None and given[0] is not DYNAMIC:
            made = STATIC
        elif name == "fill" and is_static(given[2]):
            # Its length is not known yet: one list of any length, and not one of each length on the way there.
            made = pair(given[1], pair(given[1], Constant(None), point), point)
        elif name == "enter" and isinstance(given[0], TimeGraph | Constant):
            made = pair(pair(given[1], given[2], f"{point}.entry"), given[0], point)
        elif name == "put" and isinstance(given[0], TimeGraph) and given[0].packed:
            made = join(given[0], pair(given[2], given[0], point))
        return kept if made is None or isinstance(made, Constant) else _stack(kept, made)

    return ByRule(("library", name, point), returns)


def is_known(time: Time) -> bool:
    """Whether all parts of a value are static.

    >>> is_known(pair(STATIC, Constant(None))), is_known(pair(STATIC, DYNAMIC))
    (True, False)
    """
    if isinstance(time, TimeGraph):
        fields = [one for node in time.nodes for one in (node.car, node.cdr) if isinstance(one, Time)]
        return not any(node.closure for node in time.nodes) and all(map(is_static, fields))
    return is_static(time)


def _stack(kept: Time, result: Time) -> Time:
    """A continuation as a control stack: what is changed in place comes after the result, and is dynamic or static."""
    code = kept.code if isinstance(kept, TimeGraph) else None
    if code is None:
        return kept
    return Stack((result,) * (len(code.params) - 1))


def _items(time: Time, *, is_entry: bool = False) -> Time | None:
    """The time of all items of a list, or of the second halves of its entries; None if that is not known."""
    found: Time | None = None
    seen: set[Time] = set()
    while isinstance(time, TimeGraph) and time not in seen and len(seen) < _MAX_CELLS:
        seen.add(time)
        one = time.car
        if is_entry:
            one = one.cdr if isinstance(one, TimeGraph) else one if one in (STATIC, DYNAMIC) else None
        if one is None:
            return None
        found = one if found is None else join(found, one)
        time = time.cdr
    if time in seen or time == Constant(None):
        return found
    if time is STATIC:
        return found and join(found, STATIC)
    return DYNAMIC if time is DYNAMIC else None


def _as_known(start: Time, *ends: Time) -> Time:
    """The time of a counter: dynamic where the loop ends at something dynamic, or has a dynamic step."""
    return DYNAMIC if {DYNAMIC, CYCLIC} & set(ends) else start


alone = ByRule(("alone",), _alone)
recursive = ByRule(("recursive",), _recursive)
alone_recursive = ByRule(("alone_recursive",), _alone_recursive)
as_known = ByRule(("as_known",), _as_known)
entire = ByRule(("entire",), _entire)
for _one in (alone, recursive, alone_recursive, as_known, entire):
    LIFT_RULES[_one.words[0]] = partial(ByRule, _one.words, _one.rule)
LIFT_RULES.update(changing=changing, opening=opening, library=of_routine)
