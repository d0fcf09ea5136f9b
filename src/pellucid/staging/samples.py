"""Samples: integers of any number of bits at bit addresses.

Bit addresses are little-endian (Draves 1997). That words are loaded and stored once, with static shifts, is the work of
the bit cache; runs of samples are `pellucid.signals`.
"""

from __future__ import annotations

from typing import Any

from ..base.kinds import ArgumentKind, instance, refuse, takes
from .control import choose
from .memory import Memory, masked
from .value import INTEGER, Cyclic

MAX_SIZE = 1 << 16
"""Bits of the largest sample."""
_SIZE = ArgumentKind(
    "a size in bits",
    lambda x: isinstance(x, Cyclic) or (isinstance(x, int) and 1 <= x <= MAX_SIZE),
    f"give 1 to {MAX_SIZE}",
)


def load_sample(memory: Memory, position: Any, size: Any) -> Any:
    """The unsigned sample of `size` bits at a bit address, from one word or two.

    >>> import numpy as np
    >>> load_sample(Memory("m", 8, np.array([0x21, 0x43], np.uint8)), 4, 8)
    50
    """
    _check("load_sample", memory, position, size)
    word, bit = position // memory.word, position % memory.word
    value = memory.load(word) >> bit
    for k in range(1, _words(memory, size) + 1):
        # A sample reaches into word k if it does not end before.
        def more(k: int = k, value: Any = value) -> Any:
            return value | (memory.load(word + k) << (k * memory.word - bit))

        value = choose(bit + size > k * memory.word, more, lambda value=value: value)
    return masked(value, (1 << size) - 1)


@takes(bits=INTEGER, size=_SIZE)
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
    _check("store_sample", memory, position, size, value)
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


def _check(word: str, memory: object, position: object, size: object, value: object = 0) -> None:
    if not isinstance(memory, Memory):
        refuse(instance("a memory", Memory), memory, f"{word}: memory")
    for name, kind, given in (
        ("position", INTEGER, position),
        ("size", _SIZE, size),
        ("value", INTEGER, value),
    ):
        if not kind.test(given):
            refuse(kind, given, f"{word}: {name}")


def _words(memory: Memory, size: Any) -> int:
    """Into how many words after its first a sample may reach; samples of a dynamic size are no larger than a word."""
    if not isinstance(size, int):
        return 1
    return (size + memory.word - 2) // memory.word


def _crosses(bit: Any, size: Any, memory: Memory) -> bool:
    return not isinstance(bit, int) or not isinstance(size, int) or bit + size > memory.word
