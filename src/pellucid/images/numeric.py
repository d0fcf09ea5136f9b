"""Functions of numbers, lifted: ``im.sin`` and its kin take numbers, fields, and behaviors (paper Pan, 2.3.2 and 2.5).

They are those of the operator table, and the few of `tracing` that are made of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from .. import tracing
from ..ir import prim
from ..tracing import functions
from .animation import Animation, Behavior, at_time
from .image import Image, constant

_NOT_NUMERIC = {"B", "L", "T"}
MADE = ("clamp", "fraction", "sign", "smoothstep")
"""The functions of `tracing` that are made of rows."""


def lifted(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of fields and behaviors that applies a function of numbers point by point and moment by moment.

    >>> twice = lifted(lambda x: 2 * x)
    >>> twice(3), twice(constant(3.0)).at(0, 0)
    (6, array(6., dtype=float32))
    """

    @functools.wraps(function)
    def apply(*args: Any) -> Any:
        if any(isinstance(a, Behavior) for a in args):
            kind = Animation if any(isinstance(a, Image | Animation) for a in args) else Behavior
            return kind(lambda t: apply(*(at_time(a, t) for a in args)))
        if any(isinstance(a, Image) for a in args):
            images = [a if isinstance(a, Image) else constant(a) for a in args]
            return Image(lambda p: function(*(i(p) for i in images)), "field")
        return function(*args)

    return apply


def numeric_functions() -> Mapping[str, Callable[..., Any]]:
    """The lifted functions by name, those of rows added meanwhile included.

    >>> numeric_functions()["sqrt"](4.0)
    2.0
    """
    prim.table()
    return _functions(prim.version())


@functools.cache
def _functions(version: int) -> Mapping[str, Callable[..., Any]]:
    names = {
        name: getattr(functions, name)
        for name, row in prim.table().items()
        if not _NOT_NUMERIC & {*row.letters, row.result}
        and row.result != "@"
        and row.symbol is None
        and row.domain is None
    }
    made = {n: getattr(tracing, n) for n in MADE}
    return MappingProxyType({n: lifted(f) for n, f in {**names, **made}.items()})
