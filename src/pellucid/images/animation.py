"""What changes with time: a `Behavior` is a function of time, an `Animation` one whose values are images.

Paper Pan, section 2.5. Words of the vocabulary take behaviors and animations wherever they take numbers and images, and
then give animations: ``turn(seconds, checkerboard(10, red, blue))``. The driver samples an animation like an image.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.deep_stack import with_deep_stack
from ..base.errors import VocabularyError, brief
from ..base.operators import Arithmetic
from ..ir import expr as E
from ..ir import types as T
from ..tracing import Point, Value, convert, flatten, is_symbolic, real_type, static, tracing
from ..tracing import functions as F
from ..tracing.tracer import lift
from .drawable import Drawable
from .expression_text import short, written
from .image import (
    PREFIXES,
    SIGNS,
    Image,
    argument_count,
    constant,
    not_given,
    unknown_point,
    without_function,
)

ARITHMETIC = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
"""Rows by the signs that are written for them."""


def unknown_time() -> Value:
    """A moment of which nothing is known, to find out what a function makes of it."""
    return Value(E.param("time", real_type()))


class Behavior(Arithmetic[Any]):
    """A value that changes with time, in seconds; arithmetic and comparisons work moment by moment.

    >>> (2 * seconds + 1)(3.0)
    7.0
    """

    __slots__ = ("__weakref__", "_function", "_made_by")

    __pellucid_parts__ = ("_function",)

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function
        self._made_by: str | Callable[[], str] | None = None

    def __call__(self, time: Any) -> Any:
        """The value at a moment, in seconds, which may be symbolic."""
        return self._function(time)

    def speedup(self, factor: Any) -> Any:
        """The same, `factor` times as fast (P9).

        >>> seconds.speedup(2)(3.0)
        6.0
        """
        if static(factor) is None and not is_symbolic(factor):
            raise VocabularyError(
                f"{type(factor).__name__} is not a number", place="speedup", fix="give how many times as fast"
            )
        return type(self)(lambda t: self(t * factor))

    def called(self, expression: str | Callable[[], str]) -> Any:
        """This behavior, told the expression that made it, unless it has been told before."""
        self._made_by = self._made_by or expression
        return self

    def __repr__(self) -> str:
        """The expression that made it, as far as words did."""
        if self._made_by is not None:
            return written(self._made_by)
        name = getattr(self._function, "__name__", "").strip("<>")
        return f"<{type(self).__name__.lower()} {name or 'function'}>"

    def _combined(self, row: str, one: Any, other: Any) -> Any:
        return _moment_by_moment(ARITHMETIC[row], one, other)

    def __mod__(self, other: Any) -> Any:
        """The remainder at each moment, with the sign of the divisor."""
        return _moment_by_moment("%", self, other)

    def __pow__(self, other: Any) -> Any:
        """The power at each moment."""
        return _moment_by_moment("**", self, other)

    def __neg__(self) -> Any:
        """The negation at each moment."""
        return _moment_by_moment("neg", self)

    def __lt__(self, other: Any) -> Any:
        """Whether below the other, at each moment."""
        return _moment_by_moment("<", self, other)

    def __gt__(self, other: Any) -> Any:
        """Whether above the other, at each moment."""
        return _moment_by_moment(">", self, other)

    def __and__(self, other: Any) -> Any:
        """Both, at each moment."""
        return _moment_by_moment("&", self, other)

    def __or__(self, other: Any) -> Any:
        """Either, at each moment."""
        return _moment_by_moment("|", self, other)

    def __xor__(self, other: Any) -> Any:
        """Exactly one, at each moment."""
        return _moment_by_moment("^", self, other)

    def __invert__(self) -> Any:
        """Not so, at each moment."""
        return _moment_by_moment("~", self)

    def __bool__(self) -> bool:
        raise VocabularyError(
            "what changes with time has no truth of its own", place=short(self), fix="choose with cond(...)"
        )


class Animation(Behavior, Drawable):
    """An image that changes with time: a function from seconds to an `Image`; a still image is one that does not.

    Every word of the vocabulary that takes an image is a method too.

    >>> rising = Animation(lambda t: Image(lambda p: p.y < t))
    >>> rising.at(0, [1, 3], time=2.0)
    array([ True, False])
    """

    __slots__ = ("_view",)

    __pellucid_picture__ = True

    def __init__(self, function: Callable[[Any], Any]) -> None:
        super().__init__(function)
        self._view = None

    @property
    def time_varying(self) -> bool:
        """Whether anything changes with time: False for a still image in the guise of an animation."""

        def found() -> bool:
            with tracing():
                leaves, _ = flatten(self.sample(unknown_time(), unknown_point()))
                return any(node.attr == "time" for node in E.params([lift(leaf) for leaf in leaves]))

        return with_deep_stack(found)

    @property
    def made_at(self) -> str:
        """The place of errors about its values: the line of its function, if that is the user's, and its name."""
        return short(self, self._function)

    def __call__(self, time: Any) -> Image:
        """The image at a moment, in seconds, which may be symbolic.

        Raises VocabularyError if the function gives no image.
        """
        value: Any = self._function(time)
        while isinstance(value, Behavior) and value is not self:
            value = value(time)
        if isinstance(value, Image):
            return value
        if value is None or isinstance(value, str | bytes) or callable(value):
            kind = "nothing" if value is None else "a function" if callable(value) else brief(value)
            raise VocabularyError(
                f"its function returns {kind}",
                place=short(self, self._function),
                fix="return an image for each time",
            )
        return constant(value)

    @property
    def kind(self) -> str:
        """The kind of its images, one of `image.KINDS`."""

        def found() -> str:
            with tracing():
                return self(unknown_time()).kind

        return with_deep_stack(found)

    def sample(self, time: Any, point: Point) -> Any:
        """The value at a moment and a point, as the driver wants it."""
        return self(time).sample(time, point)


def _moment_by_moment(sign: str, *operands: Any) -> Any:
    pictures = False
    for one in operands:
        if isinstance(one, Animation | Image):
            pictures = True
        elif not isinstance(one, Behavior) and not is_symbolic(one) and static(one) is None:
            return NotImplemented
    function: Callable[..., Any] = PREFIXES[sign] if len(operands) == 1 else SIGNS[sign]
    kind = Animation if pictures else Behavior
    return kind(lambda t: function(*(at_time(one, t) for one in operands)))


def at_time(x: Any, time: Any) -> Any:
    """The value of a behavior at a time; anything else is its own value."""
    return x(time) if isinstance(x, Behavior) else x


def animation(function: Callable[[Any], Any] = not_given) -> Animation:
    """An animation from a function of time, in seconds, to an image; to be used as a decorator.

    Raises VocabularyError for what is not a function of one argument. A still image is taken as one that never changes.

    >>> @animation
    ... def growing(t):
    ...     return Image(lambda p: p.x * p.x + p.y * p.y < t * t)
    >>> growing.at([0.5, 1.5], 0, time=1.0)
    array([ True, False])
    """
    if isinstance(function, Animation):
        return function
    if isinstance(function, Image):
        return Animation(lambda t: function)
    if function is not_given:
        raise without_function("animation")
    if not callable(function) or argument_count(function) != 1:
        raise VocabularyError(
            f"{getattr(function, '__name__', repr(function))} is not a function of time",
            place="animation",
            fix="write @pl.animation above a function of one argument, the time in seconds, that gives an image",
        )
    return Animation(function)


def behavior(function: Callable[[Any], Any]) -> Behavior:
    """A behavior from a function of time, in seconds; to be used as a decorator.

    >>> behavior(lambda t: t * t)(3.0)
    9.0
    """
    return function if isinstance(function, Behavior) else Behavior(function)


seconds = Behavior(lambda t: t).called("seconds")
"""The time itself, in seconds."""


def milliseconds(time: Any) -> Any:
    """A time in seconds as a whole number of milliseconds, rounded down.

    >>> milliseconds(1.5)
    1500
    """
    return convert(F.floor(time * 1000.0), T.i32) if is_symbolic(time) else int(F.floor(time * 1000.0))
