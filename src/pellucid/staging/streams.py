"""Streams of what a function computes: its values in every sample.

Beside `specialize`, for functions without loops and memory: what is left of them are expressions, not a nest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from ..base.errors import StagingError
from ..base.kinds import FUNCTION, TRUTH, each, instance, takes, whole
from ..base.source_location import caller
from ..ir import types as T
from ..ir.expr import Buffer, Expr, apply, load
from ..ir.stream import Samples, Stream, StreamState, position, sample, state
from .session import SpecializerSession, staging
from .value import expression, of


class Table:
    """Integers that are known, read at an index, which is brought to the nearest end where it is outside.

    Parameters: `values`, one-dimensional, integers of up to 32 bits. Raises StagingError for others.

    >>> squares = Table(np.arange(16, dtype=np.uint8) ** 2)
    >>> squares(5), squares(99)
    (25, 225)
    """

    def __init__(self, values: Any) -> None:
        data = np.ascontiguousarray(values)
        if data.ndim != 1 or not data.size or data.dtype.kind not in "iu" or data.dtype.itemsize > 4:
            place, _ = caller()
            raise StagingError(
                f"a table of {data.dtype} of shape {data.shape}",
                place=place,
                fix="make it a row of integers of 8, 16 or 32 bits",
            )
        self.data = data.copy()
        self.buffer = Buffer("table", T.BY_DTYPE[data.dtype.newbyteorder("=")], data.size, self.data)

    def __call__(self, index: Any) -> Any:
        """The entry at an index."""
        if isinstance(index, int):
            return int(self.data[min(max(int(index), 0), self.data.size - 1)])
        return of(load(self.buffer, expression(index)))


def _whole(value: Expr) -> Expr:
    """A value of a stream: a truth is 0 or 1."""
    return apply("convert", value, attr=T.i64) if value.type is T.boolean else value


_STATES = each(whole(), "a list of whole numbers")
_SAMPLES = each(instance("samples", Samples), "a list of Samples")


@takes(
    function=FUNCTION,
    inputs=_SAMPLES,
    outputs=_SAMPLES,
    counted=TRUTH,
    states=each(whole(), "a list of whole numbers"),
)
def stream(
    function: Callable[..., Any],
    inputs: Sequence[Samples],
    outputs: Sequence[Samples] = (),
    *,
    counted: bool = False,
    states: Sequence[int] = (),
) -> Stream:
    """What a function makes of samples at one place after the other.

    The function takes a number for each input and returns one for each output (or just one); without outputs, what it
    returns is added up. With `counted` it first takes how many places came before; `states` are what is carried from
    place to place, as they are at first: the function takes them last, and returns what they become last. It may choose
    and read tables, but not loop, nor read memory. Raises StagingError where it does.

    >>> half = stream(lambda x: x // 2, [Samples(1, 0, 12, 12)], [Samples(0, 0, 8, 8)])
    >>> half.values
    (%sample0:i64 >> 1:i64,)
    """
    session = SpecializerSession()
    leaves = [*([position()] if counted else []), *(sample(k) for k in range(len(inputs)))]
    leaves += [state(k) for k in range(len(states))]
    with staging(session):
        found = function(*map(of, leaves))
        values = tuple(cast("tuple[Any, ...]", found)) if isinstance(found, tuple) else (found,)
    if session.block:
        place, _ = caller()
        raise StagingError(
            "what a stream makes of samples is computed from them alone, without loops and memory",
            place=place,
            fix="write a loop over signals instead",
        )
    made = tuple(_whole(expression(v)) for v in values)
    if len(made) < len(states):
        place, _ = caller()
        raise StagingError(
            f"{len(states)} states and {len(made)} results", place=place, fix="return each state"
        )
    split = len(made) - len(states)
    carried = tuple(StreamState(first, then) for first, then in zip(states, made[split:], strict=True))
    made = made[:split]
    if outputs:
        return Stream(tuple(inputs), tuple(outputs), made, (), carried)
    return Stream(tuple(inputs), (), (), made, carried)
