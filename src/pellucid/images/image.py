"""Pictures: an `Image` is a function from the points of the plane to colors, truths, numbers, or anything else.

Top of the front end (paper Pan, section 2.3): the words of the vocabulary make images and take them; the driver
samples them with symbolic points, which inlines everything; `Image.at` samples them on arrays, by the interpreter of
the core.
"""

from __future__ import annotations

import ast
import contextvars
import inspect
from collections.abc import Callable
from typing import Any, TypeAlias, cast, overload

import numpy as np

from ..base.construct import construct
from ..base.deep_stack import with_deep_stack
from ..base.errors import TraceError, VocabularyError, brief
from ..base.source_location import caller, in_line
from ..ir import expr as E
from ..ir import types as T
from ..tracing import Point, Value, convert, flatten, real_type, static, tracing
from ..tracing import functions as F
from ..tracing.session import MAX_NODES, MAX_USES, has_grown_too_far
from ..tracing.tracer import lift
from .color import Color
from .drawable import Drawable
from .expression_text import short, written

KINDS = {
    "color": "Image Color",
    "region": "Image Bool",
    "field": "Image Number",
    "packed": "Image Packed",
    "structure": "Image",
}
"""What an image shows at a point, and how signatures write it: a premultiplied color (red, green, blue, alpha), a
truth, a real number, a color packed into 32 bits as 0xAARRGGBB, or some other structure, which cannot be displayed."""

_Memo = dict[tuple[int, Any, Any, T.Type], tuple[Any, Any]]
_memo: contextvars.ContextVar[_Memo | None] = contextvars.ContextVar("samples", default=None)


Still: TypeAlias = "Image | Value | float"
"""The other operand of an image's operator; with one that moves, the result is an animation."""


class Image(Drawable):
    """A picture without edges: a function of a `Point`, y upwards. See `image` for the decorator that makes one.

    Regions combine with & | ^ ~ and - (difference); fields with + - * / % ** and numbers, and compare (< <= > >=) to
    give regions. Every word of the vocabulary that takes an image is a method too.

    >>> inside = Image(lambda p: p.x * p.x + p.y * p.y < 1)
    >>> inside.kind, (~inside).at([0, 2], 0)
    ('region', array([False,  True]))
    """

    __slots__ = ("__weakref__", "_distance", "_function", "_kind", "_made_by", "_view")

    __pellucid_picture__ = True
    __pellucid_parts__ = ("_function", "_distance")
    time_varying = False

    def __init__(self, function: Callable[[Point], Any], kind: str | None = None) -> None:
        self._function = function
        self._kind = kind
        self._made_by: str | Callable[[], str] | None = None
        self._view = None
        self._distance: Image | None = None

    @property
    def kind(self) -> str:
        """One of `KINDS`; found by running the function once on a symbolic point, unless the word that made it tells.

        Raises VocabularyError if the function gives nothing that an image can be made of.
        """
        if self._kind is None:
            self._kind = with_deep_stack(self._found_kind)
        return self._kind

    def _found_kind(self) -> str:
        with tracing():
            return kind_of(self(unknown_point()))

    @property
    def made_at(self) -> str:
        """The place of errors about its values: the line of its function, if that is the user's, and its name."""
        return short(self, self._function)

    def __call__(self, point: Point | tuple[Any, Any], *more: Any) -> Any:
        """The value at a point, which may be symbolic: use this to sample one image inside the function of another."""
        if more:
            place, _ = caller()
            raise TraceError("a picture is sampled at one point", place=place, fix="write picture((x, y))")
        p = Point.of(point)
        memo = _memo.get()
        if memo is None:
            # Within one sampling from outside, equal points of one image are sampled once: composing images is
            # a DAG, and the work of tracing stays linear in it.
            token = _memo.set({})
            try:
                return self._sampled(p)
            finally:
                _memo.reset(token)
        if not (isinstance(p.x, Value) and isinstance(p.y, Value)):
            return self._sampled(p)
        key = (id(self), p.x.expr, p.y.expr, real_type())
        found = memo.get(key)
        if found is None:
            if has_grown_too_far(len(memo)):
                place, line = caller()
                limits = f"{MAX_NODES} nodes or {MAX_USES} uses of pictures at points"
                raise TraceError(
                    f"the picture has grown beyond {limits}, with {len(memo)} uses",
                    place=f"{place}: {line}" if line else place,
                    fix="use a picture at fewer different points: each use inside of another one multiplies",
                )
            found = memo[key] = (self._sampled(p), self)
        return found[0]

    def _sampled(self, p: Point) -> Any:
        value = self._function(p)
        if isinstance(value, Color) or type(value) is Value:
            return value
        if isinstance(value, Image):
            return value(p)
        if value is None or callable(value):
            kind, fix = "nothing", "return a color, a truth, a number or an image"
            if value is not None:
                kind, fix = type(value).__name__, "call it, or make the whole an animation with pl.animation"
            raise VocabularyError(f"its function returns {kind}", place=short(self, self._function), fix=fix)
        leaves, _ = flatten(value)
        for leaf in leaves:
            if type(leaf) is not Value and not isinstance(leaf, Value) and static(leaf) is None:
                fix = "return a color, a truth, a number or an image"
                if isinstance(leaf, np.ndarray):
                    fix = "return rgb(red, green, blue), not an array of NumPy"
                if isinstance(leaf, str):
                    fix = f"write color({leaf!r}) for the color of that name"
                within = "" if leaf is value else f"{type(value).__name__} with "
                raise VocabularyError(
                    f"its function returns {within}{brief(cast('object', leaf))}, which is no number",
                    place=short(self, self._function),
                    fix=fix,
                )
        return Color(*leaves) if len(leaves) == 4 else value

    def sample(self, time: Any, point: Point) -> Any:
        """The value at a point, as the driver wants it: a `Color`, one bool, one real, or one packed u32."""
        value = self(point)
        if isinstance(value, Value) and value.type.is_integer and value.type is not T.u32:
            return convert(value, real_type())
        return value

    def called(
        self, expression: str | Callable[[], str], kind: str | None = None, *, again: bool = False
    ) -> Image:
        """This image, told the expression that made it and its kind, unless it has been told before."""
        if self._made_by is None or again:
            self._made_by = expression
            self._kind = self._kind or kind
        return self

    def measured(self, distance: Image | None) -> Image:
        """This region, told the signed distance from it, if that is known: the word `distance` finds it here."""
        self._distance = distance
        return self

    @property
    def measure(self) -> Image | None:
        """The signed distance from a region, negative inside, as far as what made the region knows it."""
        return self._distance

    def __repr__(self) -> str:
        """The expression that made it, as far as words did."""
        if self._made_by is not None:
            return written(self._made_by)
        return f"<image {getattr(self._function, '__name__', '').strip('<>') or 'function'}>"

    # ---- regions ----

    def __and__(self, other: Still) -> Image:
        """The region inside both."""
        return _operate("&", "region", "region", self, other)

    def __or__(self, other: Still) -> Image:
        """The region inside either."""
        return _operate("|", "region", "region", self, other)

    def __xor__(self, other: Still) -> Image:
        """The region inside exactly one."""
        return _operate("^", "region", "region", self, other)

    def __invert__(self) -> Image:
        """The region outside."""
        return _operate("~", "region", "region", self)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    # ---- fields ----

    def __add__(self, other: Still) -> Image:
        """The pointwise sum."""
        return _operate("+", "field", "field", self, other)

    def __sub__(self, other: Still) -> Image:
        """The pointwise difference of fields, or the part of a region that is outside of another."""
        if self.kind == "region":
            outside = _operate("~", "region", "region", other)
            return NotImplemented if outside is NotImplemented else self & outside
        return _operate("-", "field", "field", self, other)

    def __mul__(self, other: Still) -> Image:
        """The pointwise product."""
        return _operate("*", "field", "field", self, other)

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: Still) -> Image:
        """The pointwise difference."""
        return _operate("-", "field", "field", other, self)

    def __truediv__(self, other: Still) -> Image:
        """The pointwise quotient."""
        return _operate("/", "field", "field", self, other)

    def __rtruediv__(self, other: Still) -> Image:
        """The pointwise quotient."""
        return _operate("/", "field", "field", other, self)

    def __mod__(self, other: Still) -> Image:
        """The pointwise remainder, with the sign of the divisor."""
        return _operate("%", "field", "field", self, other)

    def __pow__(self, other: Still) -> Image:
        """The pointwise power."""
        return _operate("**", "field", "field", self, other)

    def __neg__(self) -> Image:
        """The pointwise negation."""
        return _operate("neg", "field", "field", self)

    def __abs__(self) -> Image:
        """The pointwise magnitude."""
        return _operate("abs", "field", "field", self)

    def __lt__(self, other: Still) -> Image:
        """The region where this field is below the other."""
        return _operate("<", "field", "region", self, other)

    def __le__(self, other: Still) -> Image:
        """The region where this field is at most the other."""
        return _operate("<=", "field", "region", self, other)

    def __gt__(self, other: Still) -> Image:
        """The region where this field is above the other."""
        return _operate(">", "field", "region", self, other)

    def __ge__(self, other: Still) -> Image:
        """The region where this field is at least the other."""
        return _operate(">=", "field", "region", self, other)

    def __bool__(self) -> bool:
        __tracebackhide__ = True
        place, line = caller()
        fix = "write a & b, a | b, ~a for regions and cond(region, a, b) for a choice"
        here = construct()
        asking = here.nearest(ast.IfExp, ast.If) if here is not None else None
        if isinstance(asking, ast.IfExp):
            fix = f"write im.cond({', '.join(ast.unparse(part) for part in (asking.test, asking.body, asking.orelse))})"
        elif isinstance(asking, ast.If):
            fix = f"write im.cond({ast.unparse(asking.test)}, a, b), an image for either case"
        raise VocabularyError(in_line("an image has no truth of its own", line), place=place, fix=fix)


def _total(operator: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """An operator that means what its row says also where Python's numbers have no result, or a complex one."""

    def call(a: Any, b: Any) -> Any:
        try:
            result = operator(a, b)
        except ArithmeticError:
            result = None
        return operator(Value(lift(a)), b) if result is None or isinstance(result, complex) else result

    return call


SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _total(lambda a, b: a / b),
    "%": _total(lambda a, b: a % b),
    "**": _total(lambda a, b: a**b),
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
}
"""The operators with two operands that work point by point and moment by moment."""

PREFIXES: dict[str, Callable[[Any], Any]] = {
    "neg": lambda a: -a,
    "abs": abs,
    "~": lambda a: (not a) if isinstance(a, bool) else ~a,
}
"""The operators with one."""


def _operate(sign: str, kind: str, result: str, *operands: Any) -> Any:
    made: list[Image] = []
    for operand in operands:
        if isinstance(operand, Image):
            made.append(operand)
        elif isinstance(operand, Value) or static(operand) is not None:
            made.append(constant(operand))
        else:
            return NotImplemented
    for one in made:
        if one.kind != kind:
            place, line = caller()
            raise VocabularyError(
                in_line(f"{sign} takes {KINDS[kind]}, not {KINDS[one.kind]}", line),
                place=place,
                fix=_OPERATORS.get(one.kind, "see words() for what there is"),
            )
    if len(made) == 1:
        alone, one = PREFIXES[sign], made[0]
        prefix = "-" if sign == "neg" else sign
        image = Image(lambda p: alone(one(p)), result).called(lambda: f"{prefix}({operands[0]!r})")
        return image.measured(-one.measure) if sign == "~" and one.measure is not None else image
    function, (first, second) = SIGNS[sign], made
    image = Image(lambda p: function(first(p), second(p)), result).called(
        lambda: f"({operands[0]!r} {sign} {operands[1]!r})"
    )
    return image.measured(_of_both(sign, first, second)) if sign in NEARER else image


NEARER: dict[str, Callable[[Any, Any], Any]] = {
    "|": F.min,
    "&": F.max,
    "^": lambda a, b: F.max(F.min(a, b), -F.max(a, b)),
}
"""What becomes of the distances from two regions: understated inside of a union and outside of an intersection."""


def _of_both(sign: str, first: Image, second: Image) -> Image | None:
    """The signed distance from two regions combined, if that from either is known."""
    a, b, nearer = first.measure, second.measure, NEARER[sign]
    return None if a is None or b is None else Image(lambda p: nearer(a(p), b(p)), "field")


_OPERATORS = {
    "region": "operators on regions are & | ^ ~ -, and region.fill(red) colors one",
    "field": "operators on fields are + - * / % ** and comparisons",
    "color": "combine colored images with over, lerp, or a blend mode",
}


def not_given(*_: Any) -> None:
    """Stands for a function that was not given."""


def without_function(decorator: str) -> VocabularyError:
    """The error for a decorator that is called without a function."""
    fix = f"write @pl.{decorator} without parentheses"
    return VocabularyError("no function was given", place=f"{caller()[0]}: {decorator}", fix=fix)


@overload
def image(function: Callable[[Point], Any]) -> Image: ...
@overload
def image(function: Callable[[Any, Any], Any]) -> Image: ...
def image(function: Callable[..., Any] = not_given) -> Image:
    """An image from a function of a point `p`, or of two coordinates `x, y`; to be used as a decorator.

    The function may return a color (`Color`, or premultiplied red, green, blue, alpha), a truth (a region: white
    inside, black outside), a number (a field: gray, from 0 to 1), or another image, then sampled at the same point.
    Raises VocabularyError for a function of no or of more arguments.

    >>> @image
    ... def left(x, y):
    ...     return x < 0
    >>> left.at([-1, 1], 0)
    array([ True, False])
    """
    if isinstance(function, Image):
        return function
    if function is not_given:
        raise without_function("image")
    if not callable(function):
        raise VocabularyError(
            f"{brief(function)} is not a function",
            place="image",
            fix="write @pl.image above a function of a point",
        )
    if isinstance(function, type):
        raise VocabularyError(
            f"{function.__name__} is a class",
            place="image",
            fix="write @pl.image above a function of a point",
        )
    wanted = argument_count(function)
    if wanted == 1:
        made = Image(function)
    elif wanted == 2:
        made = Image(lambda p: function(p.x, p.y)).called(
            f"<image {getattr(function, '__name__', 'function')}>"
        )
    else:
        raise VocabularyError(
            f"a function of {wanted} arguments is not a picture",
            place=f"image {getattr(function, '__name__', '')}".strip(),
            fix="write it as a function of a point p, or of x and y",
        )
    return made


def argument_count(function: Callable[..., Any]) -> int:
    """The number of arguments that a function must be given; 1 if it need be given none but takes some."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1
    required = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = sum(p.default is p.empty for p in required)
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and p.default is p.empty:
            raise VocabularyError(
                f"the parameter {p.name} can only be given by name",
                place=getattr(function, "__name__", "a function"),
                fix="give it a default, or bind it with functools.partial",
            )
    return needed or int(bool(required) or any(p.kind is p.VAR_POSITIONAL for p in parameters))


def constant(value: Any) -> Image:
    """The image that is the same everywhere.

    >>> constant(True).kind, constant(Color(1, 0, 0)).kind
    ('region', 'color')
    """
    return Image(lambda p: value, kind_of(value))


def kind_of(value: Any) -> str:
    """The kind of image that has such values.

    Raises VocabularyError for what no image has as its value.

    >>> kind_of(True), kind_of(0.5), kind_of(Color(0, 0, 0)), kind_of(Point(1, 2))
    ('region', 'field', 'color', 'structure')
    """
    leaves, _ = flatten(value)
    for leaf in leaves:
        if not isinstance(leaf, Value) and static(leaf) is None:
            place, _ = caller()
            raise VocabularyError(
                f"{type(leaf).__name__} cannot be the value of an image",
                place=place,
                fix="give a color, a truth, a number, or a structure of numbers",
            )
    if len(leaves) == 4:
        return "color"
    if len(leaves) != 1:
        return "structure"
    type_ = lift(leaves[0]).type
    return "region" if type_ is T.boolean else "packed" if type_ is T.u32 else "field"


def unknown_point() -> Point:
    """A point of which nothing is known, to find out what a function makes of it."""
    return Point(Value(E.param("x", real_type())), Value(E.param("y", real_type())))
