"""Samples: integers of any number of bits at bit addresses.

Bit addresses are little-endian (Draves 1997). That words are loaded and stored once, with static shifts, is the work of
the bit cache; runs of samples are `pellucid.signals`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from ..base.errors import StagingError
from ..base.where import caller
from ..ir.stream import Samples, Stream, sample
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


def stream(
    function: Callable[..., Any], inputs: Sequence[Samples], outputs: Sequence[Samples] = ()
) -> Stream:
    """What a function makes of samples at one place after the other, for the planner of wide registers.

    The function takes a number for each input and returns one for each output (or just one); without outputs, what it
    returns is added up. It may choose but not loop, nor read memory. Raises StagingError where it does.

    >>> half = stream(lambda x: x // 2, [Samples(1, 0, 12, 12)], [Samples(0, 0, 8, 8)])
    >>> half.values
    (%sample0:i64 >> 1:i64,)
    """
    session = Session()
    with staging(session):
        found = function(*(of(sample(k)) for k in range(len(inputs))))
        values = tuple(cast("tuple[Any, ...]", found)) if isinstance(found, tuple) else (found,)
    if session.block:
        place, _ = caller()
        raise StagingError(
            "what a stream makes of samples is computed from them alone, without loops and memory",
            place=place,
            fix="write a loop over signals instead",
        )
    made = tuple(expression(v) for v in values)
    return Stream(tuple(inputs), tuple(outputs), made) if outputs else Stream(tuple(inputs), (), (), made)
