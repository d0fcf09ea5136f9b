"""Operators and functions on values of a document, with bounds: no text may make Python compute without end.

Below `evaluating`. Pictures, points and symbolic numbers have operators of their own; Python's numbers and sequences
are those that can grow.
"""

from __future__ import annotations

from typing import Any, cast

from ..base.errors import InputError

MAX_BITS = 4096
"""Maximum bits of a whole number that constants of a document give."""
MAX_LENGTH = 10_000
"""Maximum length of a sequence that operators of a document give."""


def combined(sign: str, *operands: Any) -> Any:
    """The value of an operator.

    Raises InputError for a result that would be too large, and what the operator raises.

    >>> combined("+", 1, 2)
    3
    >>> combined("**", 9, 9**9)
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: **: the result is too large; write the number itself
    """
    if len(operands) == 2 and _too_large(sign, *operands):
        raise InputError("the result is too large", place=sign, fix="write the number itself")
    return _of_one(sign, *operands) if len(operands) == 1 else _of_two(sign, *operands)


def _too_large(sign: str, a: Any, b: Any) -> bool:
    if isinstance(a, int) and isinstance(b, int):
        match sign:
            case "**":
                return abs(a) > 1 and b > 0 and a.bit_length() * b > MAX_BITS
            case "<<":
                return a.bit_length() + b > MAX_BITS
            case "*":
                return a.bit_length() + b.bit_length() > MAX_BITS
            case _:
                return False
    if isinstance(a, str | list | tuple) and sign == "%":
        # A format may ask for any number of spaces.
        return True
    first, second = _length(a), _length(b)
    if sign == "*" and first * second == 0 and first + second > 0:
        times = cast("Any", b if first else a)
        return isinstance(times, int) and (first + second) * times > MAX_LENGTH
    return sign == "+" and first + second > MAX_LENGTH


def _length(x: Any) -> int:
    """The length of a sequence, 0 for anything else."""
    return len(cast("str", x)) if isinstance(x, str | list | tuple) else 0


def _of_one(sign: str, a: Any) -> Any:
    match sign:
        case "neg":
            return -a
        case "pos":
            return +a
        case _:
            return ~a


def _of_two(sign: str, a: Any, b: Any) -> Any:
    match sign:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            return a / b
        case "%":
            return a % b
        case "**":
            return a**b
        case "//":
            return a // b
        case "&":
            return a & b
        case "|":
            return a | b
        case "^":
            return a ^ b
        case "<<":
            return a << b
        case ">>":
            return a >> b
        case "<":
            return a < b
        case "<=":
            return a <= b
        case ">":
            return a > b
        case ">=":
            return a >= b
        case "==":
            return a == b
        case _:
            return a != b
