"""The static arguments of a compiler as the leaves that its functions take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from pellucid.base.errors import StagingError, brief
from pellucid.staging.cogen.values import is_split
from pellucid.staging.root.program import Pair
from pellucid.staging.times.lattice import CYCLIC, DYNAMIC, Stack, Time, TimeGraph


def shaped(time: Time, value: Any, name: Callable[[], str], place: str) -> Any:
    """A static argument as leaves: residual variables where its time is dynamic."""
    if time is DYNAMIC:
        return [name()]
    if time.is_fixed:
        return []
    if time is CYCLIC:
        given = cast("tuple[Any, ...]", value) if isinstance(value, tuple) else ()
        if len(given) != 2 or given[0] == 0:
            raise StagingError(
                f"{brief(cast('object', value))} for a cyclic integer",
                place=place,
                fix="give (base, remainder) with a base but 0",
            )
        return [given[0], name(), given[1]]
    if is_split(time) and isinstance(time, TimeGraph):
        if not isinstance(value, Pair):
            raise StagingError(f"{brief(value)} where {time} is expected", place=place, fix="give a pair")
        return shaped(time.car, value.car, name, place) + shaped(time.cdr, value.cdr, name, place)
    if isinstance(time, TimeGraph):
        return [packing(time, value, name, place)]
    if isinstance(time, Stack):
        raise StagingError(
            "a control stack as an argument", place=place, fix="begin with a dynamic continuation"
        )
    return [value]


def packing(time: TimeGraph, value: Any, name: Callable[[], str], place: str) -> Any:
    """A structure as one object: a tuple of two for a pair, the leaf for anything else."""
    spine: list[Any] = []
    one: Time = time
    while isinstance(one, TimeGraph) and isinstance(value, Pair):
        head = one.car
        if isinstance(head, TimeGraph):
            spine.append(packing(head, value.car, name, place))
        else:
            made = shaped(head, value.car, name, place)
            spine.append(tuple(made) if head is CYCLIC else made[0] if made else value.car)
        one, value = one.cdr, value.cdr
    if isinstance(one, TimeGraph):
        if not one.nodes[0].atom:
            raise StagingError(f"{brief(value)} where {one} is expected", place=place, fix="give a pair")
        if isinstance(value, tuple):
            raise StagingError("a vector where a pair may be", place=place, fix="make it a list of pairs")
        end = value
    else:
        made = shaped(one, value, name, place)
        end = tuple(made) if one is CYCLIC else made[0] if made else value
    for half in reversed(spine):
        end = (half, end)
    return end
