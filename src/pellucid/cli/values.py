"""Words of the command line as values: sizes, points, parameters, numbers.

Used by `arguments`. Only the spelling is checked here; `canvas` checks what the values mean.
"""

from __future__ import annotations

import re
from argparse import ArgumentTypeError


def size(word: str) -> tuple[int, int]:
    """Width and height from `1024x768`, or a square from `512`.

    >>> size("1024x768"), size("512")
    ((1024, 768), (512, 512))
    """
    found = re.fullmatch(r"(-?\d+)(?:[xX×](-?\d+))?", word.strip())
    if not found:
        raise ArgumentTypeError(f"{word!r} is not a size; write 1024x768, or 512 for a square")
    width = int(found[1])
    return width, int(found[2]) if found[2] else width


def point(word: str) -> tuple[float, float]:
    """X and y from `-0.5,2`.

    >>> point("-0.5,2")
    (-0.5, 2.0)
    """
    parts = word.split(",")
    if len(parts) != 2:
        raise ArgumentTypeError(f"{word!r} is not a point; write x,y such as -0.5,2")
    return number(parts[0]), number(parts[1])


def number(word: str) -> float:
    """A number; fractions such as `30000/1001` are welcome.

    >>> number("1e3"), number("1/4")
    (1000.0, 0.25)
    """
    try:
        above, _, below = word.partition("/")
        return float(above) / float(below) if below else float(word)
    except (ValueError, ZeroDivisionError):
        raise ArgumentTypeError(f"{word!r} is not a number") from None


def whole(word: str) -> int:
    """A whole number.

    >>> whole("16")
    16
    """
    try:
        return int(word)
    except ValueError:
        raise ArgumentTypeError(f"{word!r} is not a whole number") from None


def param(word: str) -> tuple[str, float]:
    """Name and value from `twist=2.5`.

    >>> param("twist=2.5")
    ('twist', 2.5)
    """
    name, equals, value = word.partition("=")
    if not equals or not name.strip():
        raise ArgumentTypeError(f"{word!r} sets no parameter; write name=value, such as twist=2.5")
    return name.strip(), number(value)
