"""Slots of registers and the code of failures, the same in all programs: made once, and joined by `templates`.

A register's slot is at eight times its number. Failures stand in front of a program, all of the same length.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import NamedTuple

from .frame import STOPPED

_i32 = struct.Struct("<i").pack
_i64 = struct.Struct("<q").pack
LOAD, STORE = b"\x48\x8b\x85", b"\x48\x89\x85"
"""The instructions that bring a slot to rax, and rax to a slot, before the slot's displacement."""
EPILOGUE = bytes.fromhex("415e 415d 415c 5b 5d c3")
_NUMBER = b"\x48\xc7\xc0"
_FAILURE_BYTES = len(_NUMBER) + 4 + len(EPILOGUE)
_JUMP_BYTES = 5
_FAILURE_0 = _JUMP_BYTES - STOPPED * _FAILURE_BYTES
"""The place that a failure 0 would have: after a jump to the entry, and after the failures of any program."""
_MAX_KEPT = 1 << 12
"""Maximum registers or failures of a program whose tables are kept; those of a longer one are made anew."""


class RegisterSlots(NamedTuple):
    """The displacement of each register's slot, and the instructions that load it to rax and store rax there."""

    places: list[bytes]
    loads: list[bytes]
    stores: list[bytes]


def slots(count: int) -> RegisterSlots:
    r"""The slots of `count` registers, or of a few more.

    >>> slots(3).places[2]
    b'\x10\x00\x00\x00'
    """
    size = 1 << count.bit_length()
    return _kept_slots(size) if size <= _MAX_KEPT else _kept_slots.__wrapped__(size)


@lru_cache(maxsize=16)
def _kept_slots(size: int) -> RegisterSlots:
    places = [_i32(8 * k) for k in range(size)]
    return RegisterSlots(places, [LOAD + place for place in places], [STORE + place for place in places])


def failures(count: int) -> bytes:
    """The code of the failures below `count`, those of any program included, or of a few more, with a jump over it."""
    size = 1 << count.bit_length()
    return _kept_failures(size) if size <= _MAX_KEPT else _kept_failures.__wrapped__(size)


@lru_cache(maxsize=16)
def _kept_failures(size: int) -> bytes:
    code = b"".join([_NUMBER + _i32(number) + EPILOGUE for number in range(STOPPED, size)])
    return b"\xe9" + _i32(len(code)) + code


def failure_place(failure: int) -> int:
    """The place of a failure's code, from the beginning of the program."""
    return _FAILURE_0 + _FAILURE_BYTES * failure


def number_to_rax(number: int) -> bytes:
    """The instruction that brings a number to rax."""
    return _NUMBER + _i32(number) if -(1 << 31) <= number < 1 << 31 else b"\x48\xb8" + _i64(number)
