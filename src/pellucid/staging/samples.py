"""Samples: integers of any number of bits at bit addresses.

Bit addresses are little-endian (Draves 1997). That words are loaded and stored once, with static shifts, is the work of
the bit cache; runs of samples are `pellucid.signals`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from ..base.errors import StagingError
from ..base.where import caller
from ..ir import types as T
from ..ir.expr import Buffer, Expr, apply, load
from ..ir.stream import Samples, State, Stream, position, sample, state
from .control import choose
from .memory import Memory, masked
from .session import Session, staging
from .value import expression, of


def load_sample(memory: Memory, position: Any, size: Any) -> Any:
    """The unsigned sample of `size` bits at a bit address, from one word or two.

    >>> import numpy as np
    >>> load_sample(Memory("m", 8, np.array([0x21, 0x43], np.uint8)), 4, 8)
    50
    """
    word, bit = position // memory.word, position % memory.word
    count = _words(memory, size)

    def part(k: int) -> Any:
        shift = bit - k * memory.word
        return (memory.load(word + k), shift)

    first, shift = part(0)
    value = first >> shift
    for k in range(1, count + 1):
        # A sample reaches into word k if it does not end before.
        def more(k: int = k, value: Any = value) -> Any:
            nxt, _ = part(k)
            return value | (nxt << (k * memory.word - bit))

        value = choose(bit + size > k * memory.word, more, lambda value=value: value)
    return masked(value, (1 << size) - 1)


def signed(bits: Any, size: Any) -> Any:
    """The number of that many bits whose highest is a sign; there are no bits above it.

    >>> signed(0xFFF, 12), signed(0x7FF, 12)
    (-1, 2047)
    """
    if size == 64 and not isinstance(bits, int):
        # At run time numbers have 64 bits and a sign anyhow.
        return bits
    half = 1 << (size - 1)
    return (bits ^ half) - half


def store_sample(memory: Memory, position: Any, size: Any, value: Any) -> None:
    """Store the low `size` bits of a value at a bit address, in one word or two; other bits stay."""
    word, bit = position // memory.word, position % memory.word
    mask = (1 << size) - 1
    value = masked(value, mask)
    whole = memory.mask
    memory.merge(
        word,
        masked(value << bit, whole) if _crosses(bit, size, memory) else value << bit,
        (mask << bit) & whole,
    )
    for k in range(1, _words(memory, size) + 1):

        def more(k: int = k) -> int:
            back = k * memory.word - bit
            part = value >> back
            memory.merge(
                word + k, masked(part, whole) if k < _words(memory, size) else part, (mask >> back) & whole
            )
            return 0

        choose(bit + size > k * memory.word, more, lambda: 0)


def _words(memory: Memory, size: Any) -> int:
    """Into how many words after its first a sample may reach; samples of a dynamic size are no larger than a word."""
    if not isinstance(size, int):
        return 1
    return (size + memory.word - 2) // memory.word


def _crosses(bit: Any, size: Any, memory: Memory) -> bool:
    return not isinstance(bit, int) or not isinstance(size, int) or bit + size > memory.word


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
            return int(self.data[min(max(index, 0), self.data.size - 1)])
        return of(load(self.buffer, expression(index)))


def _whole(value: Expr) -> Expr:
    """A value of a stream: a truth is 0 or 1."""
    return apply("convert", value, attr=T.i64) if value.type is T.boolean else value


def stream(
    function: Callable[..., Any],
    inputs: Sequence[Samples],
    outputs: Sequence[Samples] = (),
    *,
    counted: bool = False,
    states: Sequence[int] = (),
) -> Stream:
    """What a function makes of samples at one place after the other, for the planner of wide registers.

    The function takes a number for each input and returns one for each output (or just one); without outputs, what it
    returns is added up. With `counted` it first takes how many places came before; `states` are what is carried from
    place to place, as they are at first: the function takes them last, and returns what they become last. It may choose
    and read tables, but not loop, nor read memory. Raises StagingError where it does.

    >>> half = stream(lambda x: x // 2, [Samples(1, 0, 12, 12)], [Samples(0, 0, 8, 8)])
    >>> half.values
    (%sample0:i64 >> 1:i64,)
    """
    session = Session()
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
    carried = tuple(State(first, then) for first, then in zip(states, made[split:], strict=True))
    made = made[:split]
    if outputs:
        return Stream(tuple(inputs), tuple(outputs), made, (), carried)
    return Stream(tuple(inputs), (), (), made, carried)
