"""From a source of samples to the nest that fills a frame: rows, columns, the point of each pixel, the packed color.

The two loops over pixels are written in the core language, so that the optimizer sees them (Pan, section 2.6). Size,
view, time and parameters are arguments of the kernel; none of them is compiled in.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, cached_property, lru_cache
from math import inf
from typing import Any, NamedTuple, Protocol, cast

from ..base.errors import VocabularyError, brief
from ..base.record import record
from ..ir import expr as E
from ..ir import nest as N
from ..ir import types as T
from ..ir.expr import Buffer, Expr
from ..ir.facts import Facts, rounded
from ..ir.interp import evaluate
from ..reasoning.infer import extent
from ..tracing import Param, Point, Value, convert, flatten, iterate, static, tracing, where
from ..tracing import functions as F
from ..tracing.params import named
from ..tracing.tracer import lift
from ..tracing.transfer import from_linear, to_linear
from .digest import digest

MAX_SIDE = 1 << 20
"""The most pixels of a side that is drawn at once: positions and indices stay within i32."""
MAX_WHOLE = {"f32": 1 << 20, "f64": (1 << 31) - 1}
"""The most pixels of a side of the whole picture in each precision: centers are exact, and indices stay within i32."""
MAX_PIXELS = (1 << 31) - 1
"""The most pixels of a frame: positions are i32."""
REACH = {"f32": 2.0**40, "f64": 2.0**400}
"""The largest coordinate and time of each precision: their squares are finite, so that differences are numbers."""
FINEST = {"f32": 1e37, "f64": 1e307}
"""The largest zoom of each precision: its reciprocal is a normal number."""
ROW, COLUMN = E.index("j"), E.index("i")
WIDTH, HEIGHT = E.param("width", T.i32), E.param("height", T.i32)
LEFT, TOP = E.param("left", T.i32), E.param("top", T.i32)
"""The column and the row of the whole picture at which the part that is drawn begins."""
WHOLE_WIDTH, WHOLE_HEIGHT = E.param("whole_width", T.i32), E.param("whole_height", T.i32)
"""The pixels of the whole picture, by which its center is found."""
SAMPLES = E.param("samples", T.i32)
EMPTY: Mapping[str, float] = {}
_PICTURE = "picture"
"""The place of errors about samples, until the picture is known."""
_ROUNDING = 1e-6
"""How far a constant part of a color may be off: a few units in the last place of f32."""
_MAX_CHOICES = 6
"""Choices within choices among which constants are looked for."""
_BYTE_THRESHOLD = 16
"""Colors of whole numbers are taken for bytes if one is at least this: words seldom compute so bright a light."""
OUT = Buffer("out", T.u32, 1)
"""The pixels, row after row; how many there are is known when the kernel is called."""


class PictureSource(Protocol):
    """A picture that can be compiled: gives the sample of a time at a point, as symbolic values.

    A sample flattens to four reals (premultiplied red, green, blue, alpha), one bool, one real, or one packed u32
    (0xAARRGGBB, straight alpha).
    """

    @property
    def time_varying(self) -> bool:
        """Whether samples depend on time."""
        ...

    def sample(self, time: Any, point: Any) -> Any:
        """The sample at a point."""
        ...


@record(slots=False)
class Frame:
    """A traced picture: its nest without places, what is known of its leaves, and its parameters."""

    kernel: N.Kernel
    ranges: dict[Expr, Facts]
    params: dict[str, Param]
    time_varying: bool

    @property
    def pixel(self) -> Expr:
        """The expression of one pixel."""
        return next(s.value for s in N.walk(self.kernel.body) if isinstance(s, N.Store))

    @cached_property
    def digest(self) -> str:
        """What tells the frame from others in files."""
        return digest(self.kernel, self.ranges)


class FrameVariant(NamedTuple):
    """A variant of a picture's kernels.

    form         "straight" or "premultiplied": what becomes of alpha in the bytes.
    supersample  whether each pixel averages ``samples`` by ``samples`` samples.
    """

    form: str = "straight"
    supersample: bool = False


def build(
    source: PictureSource, real: T.Type, variant: FrameVariant = FrameVariant(), *, name: str = "picture"
) -> Frame:
    """Trace a source into the kernel of a frame.

    Raises VocabularyError if the source's samples are no color, region, field or packed color, and whatever the
    source itself raises.
    """
    with tracing(real), _placed(source):
        time = Value(E.param("time", real))
        column, row = _placed_in_whole(COLUMN, ROW)
        if variant.supersample:
            node = lift(pack(_mean(source, time, column, row), variant.form))
        else:
            node = lift(_packed(source.sample(time, _center(column, row)), variant.form))
        own = own_params(real)
    return _frame(source, filled(node), (OUT,), own, name)


def whole(frame: Frame) -> Frame:
    """A frame for machines that draw whole pictures only: its kernel takes no place in a larger one."""
    zero = E.const(0, T.i32)
    fixed = {LEFT: zero, TOP: zero, WHOLE_WIDTH: WIDTH, WHOLE_HEIGHT: HEIGHT}
    body = N.rewrite(frame.kernel.body, lambda roots: tuple(E.substitute(roots, fixed)))
    params = tuple(p for p in frame.kernel.params if p not in fixed)
    return replace(frame, kernel=replace(frame.kernel, body=body, params=params))


def filled(pixel: Expr) -> N.Block:
    """The loops that fill a frame with a pixel."""
    zero = E.const(0, T.i32)
    position = E.apply("add", E.apply("mul", ROW, WIDTH), COLUMN)
    body: N.Block = (N.Store(OUT, position, pixel),)
    return (N.For(ROW, zero, HEIGHT, (N.For(COLUMN, zero, WIDTH, body),)),)


Colors = Callable[[Expr, Expr], tuple[Any, Any, Any, Any]]
"""The premultiplied color of the pixel at a column and a row."""


def build_into(
    source: PictureSource,
    real: T.Type,
    fill: Callable[[Colors], N.Block],
    outputs: tuple[Buffer, ...],
    *,
    known: Mapping[str, float] = EMPTY,
    supersample: bool = False,
    name: str = "picture",
) -> Frame:
    """Trace a source into a kernel that fills other memory than rows of words: `fill` writes its nest.

    Arguments of `known` are compiled in: sizes, or values of the view. Raises as `build` does.
    """
    with tracing(real), _placed(source):
        time = Value(E.param("time", real))

        def color(column: Expr, row: Expr) -> tuple[Any, Any, Any, Any]:
            across, down = _placed_in_whole(column, row)
            if supersample:
                return _mean(source, time, across, down)
            return color_of(source.sample(time, _center(across, down)))

        body = fill(color)
        own = own_params(real)
    fixed = {p: E.const(known[p.attr], p.type) for p in own if p.attr in known}
    body = N.rewrite(body, lambda roots: tuple(E.substitute(roots, fixed)))
    frame = _frame(source, body, outputs, own, name)
    from ..loops.core.elements import index_facts

    # Its loops need not be those over all pixels.
    ranges = {e: f for e, f in frame.ranges.items() if e.op != "index"}
    return replace(frame, ranges=index_facts(frame.kernel, ranges))


@contextmanager
def _placed(source: PictureSource) -> Generator[None]:
    """Errors about what a picture gives name the place where it was made, if the picture knows it."""
    try:
        yield
    except VocabularyError as error:
        place = getattr(source, "made_at", None)
        if error.place != _PICTURE or not isinstance(place, str):
            raise
        raise VocabularyError(error.message, place=place, fix=error.fix) from None


def loading(frame: Frame, old: Buffer, new: Buffer) -> Frame:
    """The frame with all that it loads from one buffer loaded from another."""

    def rebound(roots: list[Expr]) -> list[Expr]:
        done: dict[Expr, Expr] = {}
        for n in E.topological(roots):
            args = tuple(done[a] for a in n.args)
            done[n] = E.load(new, *args) if n.op == "load" and n.attr is old else E.rebuild(n, args)
        return [done[r] for r in roots]

    body = N.rewrite(frame.kernel.body, lambda roots: tuple(rebound([*roots])))
    return replace(frame, kernel=replace(frame.kernel, body=body))


def _frame(
    source: PictureSource,
    body: N.Block,
    outputs: tuple[Buffer, ...],
    own: tuple[Expr, ...],
    name: str,
) -> Frame:
    """The kernel of a nest, with what is known of its parameters."""
    plain, found = named(N.all_roots(body))
    if plain:
        body = N.rewrite(body, lambda roots: tuple(E.substitute(roots, plain)))
    used = E.params(N.all_roots(body))
    extra = [p for p in used if p not in own]
    known = {p.attr: found[p.attr] for p in extra if p.attr in found}
    ranges = {
        **own_ranges(own[0].type),
        **{p: range_of(found[p.attr], p.type) for p in extra if p.attr in known},
    }
    return Frame(
        N.Kernel(name, (*(p for p in own if p in used), *extra), outputs, body),
        ranges,
        known,
        source.time_varying,
    )


@cache
def own_params(real: T.Type) -> tuple[Expr, ...]:
    """The arguments of every picture's kernel."""
    reals = tuple(E.param(n, real) for n in ("time", "center_x", "center_y", "scale"))
    return (*reals, WIDTH, HEIGHT, LEFT, TOP, WHOLE_WIDTH, WHOLE_HEIGHT, SAMPLES)


@cache
def own_ranges(real: T.Type) -> Mapping[Expr, Facts]:
    """What is known of the arguments of every picture's kernel, and of places."""
    own = own_params(real)
    reach = REACH[real.name]
    near = Facts(-reach, reach, minus_zero=True)
    side = Facts(1, MAX_SIDE)
    inside = Facts(0, MAX_SIDE - 1)
    found = dict.fromkeys(own[:3], near)
    found[own[3]] = Facts(rounded(real, 1 / FINEST[real.name]), reach)
    # More pixels than that are refused when a picture is drawn, so positions do not wrap.
    pixels = {extent((WIDTH, HEIGHT)): Facts(1, MAX_PIXELS)}
    most = MAX_WHOLE[real.name]
    # A part lies inside of the whole, so that no place in it wraps.
    places = [LEFT, TOP, E.apply("add", LEFT, COLUMN), E.apply("add", TOP, ROW)]
    wholes = dict.fromkeys(places, Facts(0, most - 1))
    wholes |= dict.fromkeys((WHOLE_WIDTH, WHOLE_HEIGHT), Facts(1, most))
    sides = {WIDTH: side, HEIGHT: side, ROW: inside, COLUMN: inside}
    return {**found, **pixels, SAMPLES: Facts(1, 256), **sides, **wholes}


def range_of(p: Param, type_: T.Type) -> Facts:
    """The facts about a parameter of a picture: the bounds of its values, as they are passed."""
    # A value is rounded when it is passed, and rounding keeps the order: the ends are rounded as well.
    low = rounded(type_, max(p.low, float(type_.low)))
    high = rounded(type_, min(p.high, float(type_.high)))
    return Facts(low, high, minus_zero=low <= 0 <= high)


def _point(across: Any, down: Any) -> Point:
    """The point of a place in the whole picture, in pixels from its left and top edges: y grows upward."""
    real = F.real_type()
    scale = Value(E.param("scale", real))
    width, height = (convert(Value(e), real) for e in (WHOLE_WIDTH, WHOLE_HEIGHT))
    x = Value(E.param("center_x", real)) + scale * (across + -0.5 * width)
    y = Value(E.param("center_y", real)) - scale * (down + -0.5 * height)
    return Point(x, y)


def _placed_in_whole(column: Expr, row: Expr) -> tuple[Any, Any]:
    """The column and the row in the whole picture of a pixel of the part, as reals.

    They are added as whole numbers, which is exact in any order: a pixel hangs on its place in the whole alone.
    """
    real = F.real_type()
    return tuple(
        [convert(Value(E.apply("add", first, at)), real) for first, at in ((LEFT, column), (TOP, row))]
    )


def _center(column: Any, row: Any) -> Point:
    return _point(column + 0.5, row + 0.5)


def _packed(sample: Any, form: str) -> Any:
    leaves = flatten(sample)[0]
    if len(leaves) == 1 and isinstance(leaves[0], Value) and leaves[0].type is T.u32:
        return _swap(leaves[0])
    return _by_choice(color_of(sample), WORDS[form])[0]


Color = tuple[Any, Any, Any, Any]
Work = Callable[[Color], tuple[Any, ...]]
"""A function of a color."""


def _by_choice(color: Color, work: Work) -> tuple[Any, ...]:
    """The result of `work` on a color; for a choice with a constant color, the choice between the results.

    The simplifier would come to that as well, later; and who draws from a tape does not wait for it.
    """
    nodes = [x.expr for x in color if isinstance(x, Value)]
    if not nodes or any(n.op != "choose" or n.args[0] is not nodes[0].args[0] for n in nodes):
        return work(color)
    arms = [tuple(Value(x.expr.args[k]) if isinstance(x, Value) else x for x in color) for k in (1, 2)]
    made = [_of_constant(arm, work) for arm in arms]
    if made == [None, None]:
        return work(color)
    then, orelse = (
        _by_choice(cast("Color", arm), work) if constant is None else constant
        for arm, constant in zip(arms, made, strict=True)
    )
    which = Value(nodes[0].args[0])
    return tuple([where(which, x, y) for x, y in zip(then, orelse, strict=True)])


def _of_constant(color: tuple[Any, ...], work: Work) -> tuple[Any, ...] | None:
    """The result of `work` on a color of constants; else None."""
    if any(isinstance(x, Value) and x.expr.op != "const" for x in color):
        return None
    channels = tuple((x.expr, True) if isinstance(x, Value) else (x, False) for x in color)
    return _computed(channels, work)


@lru_cache(maxsize=1024)
def _computed(channels: tuple[tuple[Any, bool], ...], work: Work) -> tuple[Any, ...]:
    color = cast("Color", tuple([Value(x) if symbolic else x for x, symbolic in channels]))
    roots = [lift(x) for x in work(color)]
    return tuple([Value(E.const(v.item(), e.type)) for v, e in zip(evaluate(roots, {}), roots, strict=True)])


def _mean(source: PictureSource, time: Any, column: Any, row: Any) -> tuple[Any, Any, Any, Any]:
    """The mean color of the samples of a pixel: light adds up, what is stored does not."""
    real = F.real_type()
    n = Value(SAMPLES)
    step = 1.0 / convert(n, real)

    def one(state: Any) -> Any:
        across, down, r, g, b, a = state
        p = _point(column + (convert(across, real) + 0.5) * step, row + (convert(down, real) + 0.5) * step)
        c = _by_choice(color_of(source.sample(time, p)), _light)
        wrapped = across + 1 >= n
        return (
            where(wrapped, 0, across + 1),
            where(wrapped, down + 1, down),
            *(x + y for x, y in zip((r, g, b, a), c, strict=True)),
        )

    # By their number, so that the mean of equal samples is one of them, as opacities are nearly always.
    total = convert(n * n, real)
    r, g, b, a = (x / total for x in iterate(one, (0, 0, 0.0, 0.0, 0.0, 0.0), limit=n * n)[2:])
    return _bent((r, g, b, a), from_linear)


def _light(color: Color) -> Color:
    """Amounts of light, multiplied by alpha as the color is."""
    return _bent(color, to_linear)


def _bent(color: Color, curve: Callable[[Any], Any]) -> Color:
    """A color, premultiplied before and after, of whose straight components a curve is taken."""
    *components, a = color
    opacity = static(a)
    if opacity == 1.0:
        r, g, b = (curve(x) for x in components)
    elif opacity is not None and not opacity > 0.0:
        r, g, b = 0.0, 0.0, 0.0
    else:
        r, g, b = (where(a > 0.0, curve(x / a) * a, 0.0) for x in components)
    return r, g, b, a


def color_of(sample: Any) -> tuple[Any, Any, Any, Any]:
    """Premultiplied red, green, blue and alpha of a sample: a region is white on black, a field gray.

    Raises VocabularyError for samples of another shape.
    """
    leaves = flatten(sample)[0]
    _check_constants(leaves)
    real = F.real_type()
    if len(leaves) == 4:
        r, g, b, a = (convert(x, real) if isinstance(x, Value) else _real(x) for x in leaves)
        return r, g, b, a
    if len(leaves) == 1:
        node = lift(leaves[0])
        if node.type is T.u32:
            bits = Value(node)
            channels = [convert((bits >> s) & 255, real) / 255.0 for s in (16, 8, 0, 24)]
            alpha = channels[3]
            r, g, b = (c * alpha for c in channels[:3])
            return r, g, b, alpha
        # One of two colors, not a number made of a truth: see `_by_choice`.
        gray = where(Value(node), 1.0, 0.0) if node.type is T.boolean else convert(Value(node), real)
        return gray, gray, gray, 1.0
    raise VocabularyError(
        f"its function returns {len(leaves)} numbers, not a color",
        place=_PICTURE,
        fix="write rgb(red, green, blue) for a color without alpha"
        if len(leaves) == 3
        else "return a color of four (red, green, blue, alpha), a truth, a number, or a packed u32",
    )


def _check_constants(leaves: Sequence[Any]) -> None:
    """Refuse constants that no color has: a whole number, which was meant as a packed color, and parts beyond 1.

    In a color that is not constant, constants are refused only as bytes: words compute parts beyond 1, such as those
    of twice a color, and these are clamped as everything is that is computed.
    """
    fixed = [x for x in map(static, leaves) if x is not None]
    if len(leaves) == 1 and fixed and type(fixed[0]) is int and fixed[0] not in (0, 1):
        raise VocabularyError(
            f"its function returns the whole number {brief(fixed[0])}",
            place=_PICTURE,
            fix="return a color, such as rgb(1, 0.5, 0) or packed_color(255, 128, 0), or a number from 0 to 1",
        )
    if len(leaves) != 4:
        return
    parts = fixed if len(fixed) == 4 else _bytes(fixed + [x for leaf in leaves for x in _choices(leaf)])
    for part in parts:
        if not _is_part(part):
            shown = brief(part) if isinstance(part, int) else f"{part:g}"
            raise VocabularyError(
                f"its function returns a color with a part of {shown}, not from 0 to 1",
                place=_PICTURE,
                fix="divide by 255 what is from 0 to 255, or write color('#ff8000')",
            )


def _is_part(x: float) -> bool:
    """Whether a constant may be a part of a color, but for rounding."""
    return -_ROUNDING <= x <= 1 + _ROUNDING


def _bytes(parts: list[float]) -> list[float]:
    """Constants that are meant as bytes or larger words, the largest first: all are whole; else none."""
    are_bytes = all(0 <= x < inf and x == int(x) for x in parts) and max(parts, default=0) >= _BYTE_THRESHOLD
    return sorted(parts, reverse=True) if are_bytes else []


def _choices(leaf: Any) -> list[Any]:
    """The constants that conditions choose between."""
    found: list[Any] = []
    waiting = [(leaf.expr, 0)] if isinstance(leaf, Value) else []
    while waiting:
        node, depth = waiting.pop()
        if node.op == "const":
            found.append(node.attr)
        elif node.op == "choose" and depth < _MAX_CHOICES:
            waiting += [(arm, depth + 1) for arm in node.args[1:]]
    return found


def _real(x: Any) -> float:
    number = static(x)
    if number is None:
        raise VocabularyError(f"a sample holds {brief(x)}", place=_PICTURE, fix="give numbers")
    return E.const(number, F.real_type()).attr


def to_byte(x: Any) -> Any:
    """A fraction as a byte, rounded to nearest: ``floor(clamp(x) * 255 + 1/2)``; every byte round-trips (P7)."""
    return convert(F.clamp(x * 255.0 + 0.5, 0.0, 255.0), T.i32)


def pack(color: tuple[Any, Any, Any, Any], form: str) -> Any:
    """Bytes of red, green, blue and alpha in memory order, as one u32."""
    r, g, b, a = color
    if form == "straight":
        inverse = where(a > 0.0, 1.0 / a, 0.0) if isinstance(a, Value) else 1.0 / a if a > 0 else 0.0
        opaque = a >= 1.0
        r, g, b = (where(opaque, x, x * inverse) for x in (r, g, b))
    parts = [to_byte(x) for x in (r, g, b, a)]
    word = parts[0] | (parts[1] << 8) | (parts[2] << 16) | (parts[3] << 24)
    return convert(word, T.u32)


WORDS: Mapping[str, Work] = {
    form: (lambda color, form=form: (pack(color, form),)) for form in ("straight", "premultiplied")
}
"""A color as one word, by what becomes of alpha."""


def _swap(packed: Any) -> Any:
    """A packed color 0xAARRGGBB as bytes of red, green, blue and alpha in memory order."""
    return (packed & 0xFF00FF00) | ((packed >> 16) & 255) | ((packed & 255) << 16)
