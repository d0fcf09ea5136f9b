"""The scalar types of the core: bool, signed and unsigned integers of 8 to 64 bits, f32 and f64.

Bottom of `ir`: every expression node carries one of these eleven singletons, so types compare with ``is``.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np

from ..base.errors import IrError, did_you_mean
from ..base.record import record


@record(eq=False)
class Type:
    """A scalar type: `name` as in text, `kind` one of bool, signed, unsigned, float; `bits` of storage.

    >>> f32.name, f32.kind, f32.bits, f32.dtype.name
    ('f32', 'float', 32, 'float32')
    """

    name: str
    kind: str
    bits: int
    dtype: np.dtype[Any]
    is_float: bool = field(init=False)
    is_integer: bool = field(init=False)
    low: float | int = field(init=False)
    high: float | int = field(init=False)

    def __post_init__(self) -> None:
        """Derive the flags and the range of finite values."""
        object.__setattr__(self, "is_float", self.kind == "float")
        object.__setattr__(self, "is_integer", self.kind in ("signed", "unsigned"))
        low: float | int
        high: float | int
        if self.kind == "float":
            high = float(np.finfo(self.dtype).max)
            low = -high
        elif self.kind == "signed":
            low, high = -(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1
        else:
            low, high = 0, (1 << (self.bits if self.kind == "unsigned" else 1)) - 1
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    def __repr__(self) -> str:
        """The name, as in text."""
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by name, so that identity survives."""
        return (named, (self.name,))


boolean = Type("bool", "bool", 1, np.dtype(np.bool_))
i8 = Type("i8", "signed", 8, np.dtype(np.int8))
i16 = Type("i16", "signed", 16, np.dtype(np.int16))
i32 = Type("i32", "signed", 32, np.dtype(np.int32))
i64 = Type("i64", "signed", 64, np.dtype(np.int64))
u8 = Type("u8", "unsigned", 8, np.dtype(np.uint8))
u16 = Type("u16", "unsigned", 16, np.dtype(np.uint16))
u32 = Type("u32", "unsigned", 32, np.dtype(np.uint32))
u64 = Type("u64", "unsigned", 64, np.dtype(np.uint64))
f32 = Type("f32", "float", 32, np.dtype(np.float32))
f64 = Type("f64", "float", 64, np.dtype(np.float64))

ALL = (boolean, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64)
SIGNED = (i8, i16, i32, i64)
UNSIGNED = (u8, u16, u32, u64)
INTEGERS = SIGNED + UNSIGNED
FLOATS = (f32, f64)
BY_NAME = {t.name: t for t in ALL}
BY_DTYPE = {t.dtype: t for t in ALL}


def named(name: str) -> Type:
    """The type of that name.

    >>> named("u16")
    u16
    """
    try:
        return BY_NAME[name]
    except KeyError:
        raise IrError(
            f"no type is called {name!r}", fix=did_you_mean(name, BY_NAME) or "see ir/types.py"
        ) from None


def integer(bits: int, *, signed: bool) -> Type:
    """The integer type of that width and signedness.

    >>> integer(16, signed=False)
    u16
    """
    return named(f"{'i' if signed else 'u'}{bits}")
