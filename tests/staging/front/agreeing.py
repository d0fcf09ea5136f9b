"""The law for interpreters in Python: what is compiled gives what the interpreter gives, and fails where it fails."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from pellucid.base.errors import PellucidError
from pellucid.staging import DYNAMIC, STATIC, Memory, cogen

FAILURES = (ArithmeticError, AssertionError, LookupError, PellucidError, TypeError, ValueError)


def plain(function: Any, static: Mapping[str, Any], dynamic: Mapping[str, Any]) -> tuple[Any, ...]:
    """What the interpreter gives by itself, and what is in its memories then; None where it raises."""
    memories = {
        name: Memory(name, 8 * one.itemsize, one.copy())
        for name, one in dynamic.items()
        if isinstance(one, np.ndarray)
    }
    try:
        made = function(**static, **(dict(dynamic) | memories))
    except FAILURES:
        return (None,)
    return made, {name: one.data.tolist() for name, one in memories.items()}


def agrees(function: Any, static: Mapping[str, Any], cases: Iterable[Mapping[str, Any]]) -> Any:
    """The compiled program, after it gave the same for all cases; what is refused at once must fail for all."""
    cases = list(cases)
    times = {name: STATIC if name in static else DYNAMIC for name in function.source.params}
    compiler = cogen(function, **times)
    try:
        program = compiler(**static)
    except PellucidError:
        assert [plain(function, static, one)[0] for one in cases] == [None] * len(cases)
        return None
    for dynamic in cases:
        wanted = plain(function, static, dynamic)
        given = {name: one.copy() if isinstance(one, np.ndarray) else one for name, one in dynamic.items()}
        try:
            made = program(*(given[name] for name in function.source.params if name in given))
            found = (
                made,
                {name: one.tolist() for name, one in given.items() if isinstance(one, np.ndarray)},
            )
        except PellucidError:
            found = (None,)
        assert repr(found) == repr(wanted), (static, dynamic)
    return program
