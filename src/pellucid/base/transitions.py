"""Transitions: calls that were right in the last release work in this one, with a warning that says what to write.

Ground floor. Each decorator here goes with the release after the one that first warns.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


def once_positional(*names: str) -> Callable[[F], F]:
    """Decorate a method whose arguments after `size`, `names` in this order, could be given by position.

    A call that still does so warns, and means what it meant. Raises TypeError as Python does for too many arguments,
    and for one that is given by name as well.

    >>> class Cup:
    ...     @once_positional("color", "height")
    ...     def fill(self, size=None, **arguments):
    ...         return size, arguments
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     Cup().fill(3, "blue")
    (3, {'color': 'blue'})
    >>> print(caught[0].message)
    fill: only size may be given by position from the next release on; write fill(size, color=...)
    """

    def decorate(method: F) -> F:
        @functools.wraps(method)
        def call(self: Any, *places: Any, **arguments: Any) -> Any:
            if len(places) > 1:
                arguments |= _by_name(method.__name__, names, places[1:], arguments)
            return method(self, *places[:1], **arguments)

        return cast("F", call)

    return decorate


def _by_name(
    method: str, names: Sequence[str], former: Sequence[Any], arguments: Mapping[str, Any]
) -> dict[str, Any]:
    if len(former) > len(names):
        raise TypeError(f"{method}() takes at most {1 + len(names)} arguments by position")
    found = dict(zip(names, former, strict=False))
    for name in found:
        if name in arguments:
            raise TypeError(f"{method}() got multiple values for argument {name!r}")
    warnings.warn(
        f"{method}: only size may be given by position from the next release on;"
        f" write {method}(size, {', '.join(f'{name}=...' for name in found)})",
        DeprecationWarning,
        stacklevel=3,
    )
    return found
