"""The types of the vocabulary: what may be given where a signature says Length, Point, Color, Image a, and so on.

A signature such as ``Length -> Image a -> Image a`` is read once, when a word is registered; `Slot.accept` then checks
and converts each argument. Other files may add types of their own with `parameter_type`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

from ..base.errors import VocabularyError, beginning, brief, did_you_mean
from ..base.record import record
from ..tracing import Param, Point, Value, is_symbolic, static
from .animation import Animation, Behavior
from .color import Color
from .image import KINDS, Image, constant, kind_of

_MAX_PROBLEM = 120


class Refused(Exception):  # noqa: N818 - it never leaves this folder: a word turns it into a VocabularyError
    """An argument that a type does not take: what it is, and what to give instead."""

    def __init__(self, problem: str, fix: str) -> None:
        super().__init__(problem)
        self.problem, self.fix = beginning(problem, _MAX_PROBLEM), fix


@record
class Range:
    """The numbers that an argument may be: `low` to `high`, without `low` itself if `open`, without 0 if `nonzero`.

    >>> str(Range(0, math.inf, open=True)), str(Range(0, 1)), str(Range(nonzero=True))
    ('above 0', 'from 0 to 1', 'other than 0')
    """

    low: float = -math.inf
    high: float = math.inf
    open: bool = False
    nonzero: bool = False

    def holds(self, x: float) -> bool:
        """Whether a number is in range."""
        above = self.low < x if self.open else self.low <= x
        return above and x <= self.high and not (self.nonzero and x == 0)

    def __str__(self) -> str:
        """In words."""
        if self.nonzero:
            return "other than 0"
        if self.open:
            return f"above {self.low:g}" + (f", at most {self.high:g}" if self.high < math.inf else "")
        if math.isinf(self.low) and math.isinf(self.high):
            return "any"
        if math.isinf(self.high):
            return f"at least {self.low:g}"
        if math.isinf(self.low):
            return f"at most {self.high:g}"
        return f"from {self.low:g} to {self.high:g}"


positive = Range(0, math.inf, open=True)
nonzero = Range(nonzero=True)

Limits = Range | tuple[float, float] | tuple[str, ...]
"""The domain of a parameter: a range of numbers, ends included, or the names to choose from."""


@record
class ParameterType:
    """A type of the vocabulary: its name, what it is in a few words, and the check of an argument."""

    name: str
    doc: str
    check: Callable[[Any], Any]
    range: Range | None = None


TYPES: dict[str, ParameterType] = {}


def parameter_type(
    name: str, doc: str, range: Range | None = None
) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """Add a type to the vocabulary; the decorated function gives the checked argument or raises `Refused`."""

    def add(check: Callable[[Any], Any]) -> Callable[[Any], Any]:
        TYPES[name] = ParameterType(name, doc, check, range)
        return check

    return add


def told(x: Any) -> str:
    """A short text for a wrong argument."""
    if isinstance(x, Image):
        return KINDS[x.kind]
    return brief(x, 40)


def number(x: Any) -> Any:
    """The check of every type of number: finite, and no truth."""
    if isinstance(x, Value):
        return x
    value = static(x)
    if value is None or isinstance(value, bool):
        raise Refused(f"{told(x)}, not a number", "give a number")
    if not finite(value):
        raise Refused(told(value), "give a finite number")
    return value


def finite(x: float) -> bool:
    """Whether a number is neither infinite, nor NaN, nor a whole number beyond all reals."""
    try:
        return math.isfinite(x)
    except OverflowError:
        return False


parameter_type("Number", "a real number")(number)
parameter_type("Length", "a distance in units of the plane")(number)
parameter_type("Angle", "an angle in radians, counterclockwise")(number)
parameter_type("Fraction", "a number from 0 to 1", Range(0, 1))(number)


@parameter_type("Integer", "a whole number")
def _integer(x: Any) -> Any:
    value = number(x)
    if isinstance(value, float) and not value.is_integer():
        raise Refused(f"{value:g}", "give a whole number")
    return int(value) if isinstance(value, float) else value


@parameter_type("Count", "a whole number that is known in advance")
def _count(x: Any) -> int:
    if is_symbolic(x):
        raise Refused("not known in advance", "give a Python integer")
    return cast("int", _integer(x))


@parameter_type("Point", "a point, or a pair of numbers")
def _point(x: Any) -> Point:
    if isinstance(x, Point):
        parts: Sequence[Any] = (x.x, x.y)
    elif isinstance(x, tuple | list):
        parts = cast("Sequence[Any]", x)
    elif isinstance(x, complex):
        parts = (x.real, x.imag)
    else:
        raise Refused(f"{told(x)}, not a point", "give a pair of numbers (x, y)")
    if len(parts) != 2:
        raise Refused(f"{told(x)}, not a point", "give a pair of numbers (x, y)")
    return Point(number(parts[0]), number(parts[1]))


@parameter_type("Color", "a color, or its name or hexadecimal digits as a string")
def to_color(x: Any) -> Color:
    """The check of colors."""
    if isinstance(x, Color):
        return x
    if isinstance(x, str):
        from .css import parse_color

        try:
            return parse_color(x)
        except VocabularyError as error:
            raise Refused(error.message, error.fix or "") from None
    raise Refused(
        f"{told(x)}, not a color", _written_color(x) or "give one such as red, rgb(1, 0.5, 0), '#ff8000'"
    )


def _written_color(x: Any) -> str | None:
    """The fix for numbers that were meant as a color; None for any others."""
    if type(x) is int and 1 < x <= 0xFFFFFF:
        return f"write color('#{x:06x}')"
    parts = list(cast("Sequence[Any]", x)) if isinstance(x, tuple | list) else []
    numbers = [part for part in map(static, parts) if part is not None]
    if not 3 <= len(numbers) == len(parts) <= 4:
        return None
    if all(isinstance(n, int) and 0 <= n <= 255 for n in numbers) and max(numbers) > 1:
        return f"write color('#{''.join(f'{int(n):02x}' for n in numbers)}')"
    name = "rgb" if len(numbers) == 3 else "rgba"
    arguments = ", ".join(f"{n:g}" for n in numbers)
    return f"write {name}({arguments})" if all(0 <= n <= 1 for n in numbers) else None


@parameter_type("Transform", "a function from points to points")
def _transform(x: Any) -> Callable[[Point], Point]:
    if isinstance(x, Image | Behavior) or not callable(x):
        raise Refused(f"{told(x)}, not a transform", "give a function of a point, such as rotate(0.5)")

    def transform(p: Point) -> Point:
        q: Any = x(p)
        if isinstance(q, Point):
            return q
        if isinstance(q, tuple):
            pair = cast("tuple[Any, ...]", q)
            if len(pair) == 2:
                return Point(pair[0], pair[1])
        code = getattr(x, "__code__", None)
        where = f"{Path(code.co_filename).name}:{code.co_firstlineno}: " if code is not None else ""
        raise VocabularyError(
            f"returns {'a number' if isinstance(q, Value) else brief(cast('object', q))}",
            place=f"{where}transform {getattr(x, '__name__', repr(x))}",
            fix="return a point or a pair of numbers",
        )

    transform.__name__ = getattr(x, "__name__", "transform")
    return transform


@parameter_type("Function", "a function")
def _function(x: Any) -> Callable[..., Any]:
    if isinstance(x, Image | Behavior) or not callable(x):
        raise Refused(f"{told(x)}, not a function", "give a function")
    return cast("Callable[..., Any]", x)


@parameter_type("Text", "a string")
def _text(x: Any) -> str:
    if not isinstance(x, str):
        raise Refused(f"{told(x)}, not a text", "give a string")
    return x


@parameter_type("Truth", "True or False")
def _truth(x: Any) -> bool:
    if not isinstance(x, bool):
        raise Refused(f"{told(x)}, not a truth", "give True or False")
    return x


@parameter_type("Any", "whatever the word says of it")
def _any(x: Any) -> Any:
    return x


@parameter_type("Animation", "an animation, or a still image")
def _animation(x: Any) -> Animation:
    if isinstance(x, Animation):
        return x
    if isinstance(x, Image):
        return Animation(lambda t: x)
    raise Refused(f"{told(x)}, not an animation", "make one with @pl.animation")


@parameter_type("Behavior", "a value that changes with time, or one that does not")
def _behavior(x: Any) -> Behavior:
    if isinstance(x, Behavior):
        return x
    if isinstance(x, Value) or static(x) is not None:
        return Behavior(lambda t: x)
    raise Refused(f"{told(x)}, not a behavior", "make one of seconds, or with behavior(function)")


_IMAGE_KINDS = {"Color": "color", "Bool": "region", "Number": "field", "Packed": "packed"}
_HINTS = {
    ("region", "color"): "color it, as in region.fill(red), or choose with cond(region, a, b)",
    ("field", "color"): "color it, as in field.ramp(black, white)",
    ("packed", "color"): "unpack it, as in image.unpack()",
    ("color", "region"): "make a region of it, as in image.alpha() > 0.5",
    ("field", "region"): "compare it, as in field > 0.5",
    ("region", "field"): "make it a field, as in region.fade_edge(0), or cond(region, 1, 0)",
    ("color", "field"): "take a field of it, as in image.luminance() or image.alpha()",
}


def to_image(x: Any) -> Image:
    """The check of images: a color, a truth or a number is the image that is the same everywhere."""
    if isinstance(x, Image):
        return x
    if isinstance(x, str):
        return constant(to_color(x))
    if isinstance(x, Color | Point | Value):
        return constant(x)
    value = static(x)
    if value is None:
        if (fix := _written_color(x)) is not None:
            raise Refused(f"{told(x)}, not a color", fix)
        fix = "make it an image with @pl.image" if callable(x) else "give an image"
        raise Refused(f"{told(x)}, not an image", fix)
    if not finite(value):
        raise Refused(told(value), "give a finite number")
    return constant(value)


@record
class Slot:
    """One type in a signature: an `image` is of a fixed `kind`, or of the same kind as all with one `letter`."""

    text: str
    image: bool
    kind: str | None
    letter: str | None
    many: bool
    type: ParameterType | None

    def accept(self, x: Any, limits: Limits | None, letters: dict[str, str]) -> Any:
        """The argument checked and converted; `letters` holds the kinds that type letters stand for so far.

        Raises Refused.
        """
        if not self.image:
            assert self.type is not None  # noqa: S101 - every slot is one or the other
            value = self.type.check(x)
            try:
                _check_limits(value, limits if limits is not None else self.type.range)
            except Refused as no:
                if self.type.name == "Fraction" and type(value) is int and 1 < value <= 255:
                    fix = f"{no.fix}: {value} of 255 is {value / 255:.3g}, and color('#ff8000') takes bytes"
                    raise Refused(no.problem, fix) from None
                raise
            return value
        if (
            self.many
            and isinstance(x, list | tuple)
            and isinstance(next(iter(cast("list[object]", x)), None), Image)
        ):
            raise Refused(
                f"{told(x)}, not an image", "give them one after another, or write a * before the list"
            )
        made = to_image(x)
        if limits is not None and static(x) is not None:
            _check_limits(static(x), limits)
        wanted = self.kind
        if self.letter is not None:
            wanted = letters.setdefault(self.letter, made.kind)
        if wanted is not None and made.kind != wanted:
            fix = _HINTS.get((made.kind, wanted), f"give {KINDS[wanted]}")
            if wanted == "color":
                fix = _written_color(x) or fix
            if self.letter is not None:
                raise Refused(f"{KINDS[made.kind]} beside {KINDS[wanted]}", "give images of one kind")
            raise Refused(f"{KINDS[made.kind]}, not {KINDS[wanted]}", fix)
        return made


def _check_limits(value: Any, limits: Limits | None) -> None:
    if limits is None:
        return
    if isinstance(limits, tuple) and isinstance(limits[0], str):
        names = cast("tuple[str, ...]", limits)
        if value not in names:
            raise Refused(
                f"{value!r}", did_you_mean(str(value), names) or f"choose one of {', '.join(names)}"
            )
        return
    allowed = limits if isinstance(limits, Range) else Range(*cast("tuple[float, float]", limits))
    parts = (value.x, value.y) if isinstance(value, Point) else (value,)
    # Of a parameter only the default is known here.
    for part in (p.default if isinstance(p, Param) else p for p in parts):
        if not is_symbolic(part) and not allowed.holds(part):
            raise Refused(f"{part:g}", f"give a number {allowed}")


def read(signature: str) -> tuple[list[Slot], Slot]:
    """The slots of the parameters and of the result.

    Raises VocabularyError for a type that is not known.

    >>> [slot.text for slot in read("Length -> Image a -> Image a")[0]]
    ['Length', 'Image a']
    """
    *parameters, result = (part.strip() for part in signature.split("->"))
    return [_slot(p, signature) for p in parameters], _slot(result, signature)


def _slot(text: str, signature: str) -> Slot:
    many = text.endswith("...")
    name = text.removesuffix("...").strip()
    found = re.fullmatch(r"Image(?: (\w+))?", name)
    if found is None:
        if name not in TYPES:
            from .word import load_all

            load_all()
        if name not in TYPES:
            raise VocabularyError(
                f"no type is called {name!r}",
                place=signature,
                fix=did_you_mean(name, TYPES) or f"there are {', '.join(TYPES)}",
            )
        return Slot(text, image=False, kind=None, letter=None, many=many, type=TYPES[name])
    of = found.group(1)
    if of is not None and of not in _IMAGE_KINDS and not (len(of) == 1 and of.islower()):
        raise VocabularyError(
            f"no image is an Image {of}",
            place=signature,
            fix="write Image Color, Bool, Number, Packed or a letter",
        )
    kind = _IMAGE_KINDS.get(of or "")
    letter = of if of is not None and kind is None else None
    return Slot(text, image=True, kind=kind, letter=letter, many=many, type=None)


def result_kind(slot: Slot, letters: dict[str, str]) -> str | None:
    """The kind of image that a word with this result gives, where its signature tells."""
    return slot.kind or letters.get(slot.letter or "")


__all__ = [
    "TYPES",
    "Limits",
    "ParameterType",
    "Range",
    "Refused",
    "Slot",
    "kind_of",
    "nonzero",
    "parameter_type",
    "positive",
    "read",
    "result_kind",
    "to_color",
    "to_image",
]
