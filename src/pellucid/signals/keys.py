"""Keys: what tells numbers and functions of nodes from others, so that equal nodes are found.

Below the nodes. Two things of one key are the same bit for bit; two of different keys may still be.
"""

from __future__ import annotations

import struct
import types
from collections.abc import Hashable
from typing import Any, cast


def number_key(number: Any) -> Hashable:
    """What tells a number from all that are not the same, bit for bit and of one type.

    >>> number_key(0.0) == number_key(-0.0), number_key(1) == number_key(True)
    (False, False)
    """
    exact = struct.pack("=d", number) if isinstance(number, float) else number
    return type(number).__name__, exact


def function_key(function: Any) -> Hashable:
    """What tells a function from those that may compute something else: its code, and what it closes over.

    >>> def times(k):
    ...     return lambda x: k * x
    >>> function_key(times(2)) == function_key(times(2)), function_key(times(2)) == function_key(times(2.0))
    (True, False)
    """
    return _key(function, ())


def _key(value: Any, around: tuple[int, ...]) -> Hashable:
    if isinstance(value, bool | int | float):
        return number_key(value)
    if isinstance(value, str | bytes | None):
        return value
    if id(value) in around:
        return id(value)
    inside = (*around, id(value))
    if isinstance(value, tuple):
        return ("tuple", *(_key(x, inside) for x in cast("tuple[Any, ...]", value)))
    if isinstance(value, types.MethodType):
        return ("method", id(value.__self__), _key(value.__func__, inside))
    if isinstance(value, types.FunctionType):
        cells = tuple(_content(cell) for cell in value.__closure__ or ())
        named = tuple((value.__kwdefaults__ or {}).items())
        parts = (cells, value.__defaults__ or (), named)
        return ("function", value.__code__, id(value.__globals__), _key(parts, inside))
    return ("thing", id(value))


def _content(cell: Any) -> Any:
    """The variable of a closure; the cell itself before it is set."""
    try:
        return cell.cell_contents
    except ValueError:
        return cell
