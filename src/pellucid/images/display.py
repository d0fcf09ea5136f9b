"""What can be displayed, and pictures made of whole numbers (paper Pan, 2.6: Displayable, DImage, DImageB).

`displayable` is the door to the driver: whatever kind of picture comes in, a source that the driver can sample goes
out, with whether it changes with time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.errors import VocabularyError
from ..driver.kernel import Kernel, no_picture
from ..ir import expr as E
from ..ir import types as T
from ..tracing import Point, Value, convert
from ..tracing import functions as F
from .animation import Animation, Behavior, milliseconds
from .color import Color
from .expression_text import short
from .image import KINDS, Image, argument_count, constant


def displayable(x: Any) -> tuple[Any, bool]:
    """A source for the driver, with ``sample(time, point)``, and whether it changes with time.

    Takes images and animations of colors, truths, numbers or packed colors, a single color, behaviors of any of these,
    kernels, and any other object with `sample` and `time_varying`. Raises VocabularyError for a picture of another
    kind, and InputError for what is no picture.

    >>> displayable(Color(1, 0, 0))[1]
    False
    """
    if isinstance(x, Color):
        x = constant(x)
    if isinstance(x, Behavior) and not isinstance(x, Animation):
        x = Animation(x)
    if isinstance(x, Image | Animation):
        if x.kind == "structure":
            raise VocabularyError(
                f"a picture of kind {KINDS[x.kind]} cannot be shown",
                place=short(x),
                fix="give each point a color (red, green, blue, alpha), a truth or a number",
            )
        return x, x.time_varying
    if isinstance(x, Kernel):
        return x, x.time_varying
    if hasattr(x, "sample") and hasattr(x, "time_varying") and not isinstance(x, type):
        return x, bool(x.time_varying)
    raise no_picture(x)


def discrete(function: Callable[[Any, Any], Any]) -> Image:
    """An image of unit squares from a function of whole numbers i, j (j upwards) to packed colors 0xAARRGGBB.

    A point belongs to the square whose lower left corner is (i, j), also left of and below the origin. They have
    32 bits; `packed_color` makes a color of bytes. To be used as a decorator. Raises VocabularyError for a function
    that does not take two arguments.

    >>> discrete(lambda i, j: packed_color(i, j, 255)).at([2.5, 4.5], 3.0)
    array([4278322175, 4278453247], dtype=uint32)
    """
    if not callable(function) or argument_count(function) != 2:
        raise VocabularyError(
            f"{getattr(function, '__name__', repr(function))} is not a function of two whole numbers",
            place="discrete",
            fix="write it as a function of the column i and the row j",
        )

    def sample(p: Point) -> Any:
        return _packed(function(_whole(p.x), _whole(p.y)))

    return Image(sample, "packed").called(f"<image {getattr(function, '__name__', '').strip('<>')}>")


def discrete_animation(function: Callable[[Any], Callable[[Any, Any], Any]]) -> Animation:
    """An animation from a function of whole milliseconds to a function as `discrete` takes it.

    >>> discrete_animation(lambda ms: lambda i, j: ms).at(0.0, 0.0, time=1.5)
    array(1500, dtype=uint32)
    """
    if not callable(function) or argument_count(function) != 1:
        raise VocabularyError(
            f"{getattr(function, '__name__', repr(function))} is not a function of a time",
            place="discrete_animation",
            fix="write it as a function of milliseconds that gives a function of i and j",
        )
    return Animation(lambda t: discrete(function(milliseconds(t))))


def packed_color(red: Any, green: Any, blue: Any, alpha: Any = 255) -> Any:
    """The packed color 0xAARRGGBB of four bytes, of which the lowest eight bits are taken.

    >>> packed_color(255, 128, 0).expr
    4294934528:u32
    """
    result: Any = 0
    for part in (alpha, red, green, blue):
        byte = part & 255 if isinstance(part, int) else convert(part, T.u32) & 255
        result = (result << 8) | byte
    # Constants too: a Python integer would be a number, not a color.
    return Value(E.const(result, T.u32)) if isinstance(result, int) else result


def _whole(x: Any) -> Any:
    return convert(F.floor(x), T.i32)


def _packed(value: Any) -> Any:
    if isinstance(value, int):
        # A literal such as 0xFF0000FF is beyond the largest signed integer.
        value = value & 0xFFFFFFFF
    return convert(value, T.u32)
