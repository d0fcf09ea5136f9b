"""Reconstruction: from a finite array of colors to an image of the whole plane (paper Pan, section 2.4).

The picture is centered on the origin, one pixel is one unit, y points up, and row 0 is on top. With u and v the
coordinates of texel centers, texel (i, j) is at u = i, v = j. Away from the edges the neighbors of a point are one
window of the array with clamped corners, which facts prove to be inside; the branch to it is one condition, and the
cost of edges is paid at edges only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..base.errors import InputError, did_you_mean
from ..tracing import Point, Value, is_symbolic, to_integer
from ..tracing import functions as F
from .array2 import Array2
from .color import Color
from .texel import Texel

FILTERS = {
    "nearest": "the color of the pixel that the point is in",
    "bilinear": "between four pixels, linearly",
    "bicubic": "between sixteen pixels, by the cubic of Catmull and Rom: sharper, and exact at pixel centers",
}
EDGES = {
    "transparent": "beyond the outermost pixels lie invisible ones: the edge fades over one pixel",
    "crop": "nothing outside of the rectangle, cut off sharply",
    "clamp": "the outermost pixels go on forever",
    "wrap": "the picture is repeated",
    "mirror": "the picture is repeated, every other time reversed",
}
SPACES = {
    "srgb": "between stored numbers",
    "linear": "between intensities of light",
}


class _Axis(NamedTuple):
    """One coordinate: its number of texels, and its position among texel centers, texel k being at k."""

    size: int
    at: Any


def sampler(
    array: Array2, filter: str = "bilinear", edge: str = "transparent", space: str = "srgb"
) -> Callable[[Point], Color]:
    """The function from points to colors that an array of colors stands for; see FILTERS, EDGES and SPACES.

    Raises InputError for a filter, an edge or a space of another name.

    >>> two = Array2(2, 1, lambda i, j: Color(F.where(i < 1, 0.0, 1.0), 0.0, 0.0))
    >>> sampler(two, edge="clamp")(Point(0.5, 0.0)).a
    1.0
    """
    for word, known, value in (("filter", FILTERS, filter), ("edge", EDGES, edge), ("space", SPACES, space)):
        if value not in known:
            fix = did_you_mean(value, known) or f"use {', '.join(known)}"
            raise InputError(f"no {word} is called {value!r}", place="reconstruct", fix=fix)
    through, back, scale = _through(array, space)

    def window(i: Any, j: Any, columns: int, rows: int) -> list[list[Texel]]:
        return [[through(t) for t in line] for line in array.window(i, j, columns, rows)]

    def sample(p: Point) -> Color:
        across = _Axis(array.width, p.x + (array.width / 2 - 0.5))
        down = _Axis(array.height, (array.height / 2 - 0.5) - p.y)
        color = _color(_SAMPLERS[filter](window, across, down, edge), scale)
        return back(_within(color) if filter == "bicubic" else color)

    return sample


def _within(color: Color) -> Color:
    """A color whose components may have overshot, brought back to what colors are."""
    a = F.clamp(color.a, 0.0, 1.0)
    return Color(F.clamp(color.r, 0.0, a), F.clamp(color.g, 0.0, a), F.clamp(color.b, 0.0, a), a)


Window = Callable[[Any, Any, int, int], list[list[Texel]]]
_Sampler = Callable[[Window, _Axis, _Axis, str], Sequence[Any]]
_NOTHING: Texel = (0.0, 0.0, 0.0, 0.0)


def _through(array: Array2, space: str) -> tuple[Callable[[Texel], Texel], Callable[[Color], Color], float]:
    if space == "srgb":
        return (lambda t: t), (lambda c: c), 1.0 / array.peak
    from .spaces import from_linear, to_linear

    scale = 1.0 / array.peak

    def decoded(t: Texel) -> Texel:
        stored = _color(t, scale)
        r, g, b, a = stored.map_straight(lambda r, g, b: (to_linear(r), to_linear(g), to_linear(b)))
        return r, g, b, a

    return (
        decoded,
        lambda c: c.map_straight(lambda r, g, b: (from_linear(r), from_linear(g), from_linear(b))),
        1.0,
    )


def _color(components: Sequence[Any], scale: float) -> Color:
    r, g, b, a = components
    return Color(r * scale, g * scale, b * scale, a * scale)


# ---- nearest ----


def _nearest(window: Window, across: _Axis, down: _Axis, edge: str) -> Sequence[Any]:
    axes = across, down
    cells = [_folded(a.at + 0.5, a.size, edge) for a in axes]
    i, j = (to_integer(F.clamp(F.floor(c), 0.0, a.size - 1.0)) for c, a in zip(cells, axes, strict=True))
    found = window(i, j, 1, 1)[0][0]
    if edge in ("transparent", "crop"):
        return F.where(_inside(across, down), found, _NOTHING)
    return found


def _inside(across: _Axis, down: _Axis) -> Any:
    """Whether the point is in the rectangle of the pixels, the left and top edges included."""
    x, y = across.at, down.at
    return (-0.5 <= x) & (x < across.size - 0.5) & (-0.5 <= y) & (y < down.size - 0.5)


def _folded(cell: Any, size: int, edge: str) -> Any:
    """A position among cells, cell k being from k to k + 1, brought into 0 .. size for edges that repeat."""
    if edge == "wrap":
        # The clamp is for points so far out that floats have no fractions, and for rounding.
        return F.clamp(cell - size * F.floor(cell / size), 0.0, float(size))
    if edge == "mirror":
        half = cell - (2 * size) * F.floor(cell / (2 * size))
        return F.min(half, 2 * size - half)
    return cell


# ---- bilinear ----


def _bilinear(window: Window, across: _Axis, down: _Axis, edge: str) -> Sequence[Any]:
    if edge in ("crop", "clamp", "mirror"):
        # Between an outermost pixel and its mirror image or its clamped copy, nothing changes: clamping the position
        # does it all, and there is no edge to branch to.
        inner = [
            _Axis(a.size, F.clamp(_folded(a.at + 0.5, a.size, edge) - 0.5, 0.0, a.size - 1.0))
            for a in (across, down)
        ]
        found = _blend(window, *inner)
        return F.where(_inside(across, down), found, _NOTHING) if edge == "crop" else found
    if edge == "wrap":
        across, down = (_Axis(a.size, _folded(a.at + 0.5, a.size, edge) - 0.5) for a in (across, down))
    beyond = _blend_at_edges(window, across, down, edge)
    if edge == "transparent":
        near = _between(-1.0, across.at, across.size) & _between(-1.0, down.at, down.size)
        beyond = F.where(near, beyond, _NOTHING)
    if across.size == 1 or down.size == 1:
        return beyond
    interior = (
        (0.0 <= across.at) & (across.at < across.size - 1.0) & (0.0 <= down.at) & (down.at < down.size - 1.0)
    )
    return F.where(interior, _blend(window, across, down), beyond)


def _between(low: float, x: Any, high: float) -> Any:
    return (low < x) & (x < high)


def _blend(window: Window, across: _Axis, down: _Axis) -> Sequence[Any]:
    """Between the four neighbors of a point with all of them inside; a point outside is as if it were on the rim."""
    (i, s), (j, t) = _corner(across), _corner(down)
    columns, rows = (1 if a.size == 1 else 2 for a in (across, down))
    texels = window(i, j, columns, rows)
    lines = [_mixed(s, line[0], line[-1]) for line in texels]
    return _mixed(t, lines[0], lines[-1])


def _corner(axis: _Axis) -> tuple[Any, Any]:
    low = F.floor(axis.at)
    # The second to last texel is the last one with a neighbor.
    first = F.clamp(low, 0.0, max(axis.size - 2.0, 0.0))
    return to_integer(first), axis.at - first


def _mixed(weight: Any, first: Texel, second: Texel) -> Texel:
    """The second color by weight, the first by the rest."""
    mixed = (p if _same(p, q) else F.lerp(weight, p, q) for p, q in zip(first, second, strict=True))
    r, g, b, a = mixed
    return r, g, b, a


def _same(p: Any, q: Any) -> bool:
    # Gray has one value for three channels, and opaque pixels one alpha: neither is worth mixing thrice, or at all.
    if isinstance(p, Value) and isinstance(q, Value):
        return p.expr is q.expr
    return not is_symbolic(p) and not is_symbolic(q) and p == q


def _blend_at_edges(window: Window, across: _Axis, down: _Axis, edge: str) -> Sequence[Any]:
    """Between four neighbors of which some may be outside."""
    columns, s = _neighbors(across, edge, 0, 2)
    rows, t = _neighbors(down, edge, 0, 2)
    lines = [
        _mixed(s, *(_masked(window(i, j, 1, 1)[0][0], inside, within) for i, inside in columns))
        for j, within in rows
    ]
    return _mixed(t, *lines)


def _neighbors(axis: _Axis, edge: str, first: int, count: int) -> tuple[list[tuple[Any, Any]], Any]:
    """The indices of the texels from `first` on around a point, each with whether it is inside; and the fraction."""
    size = axis.size
    low = F.floor(axis.at)
    if edge == "transparent":
        # Where this is asked for, no more than `count` texels are outside.
        low = F.clamp(low, -float(count), float(size + count))
    elif edge in ("clamp", "crop"):
        low = F.clamp(low, -2.0 - count, size + 1.0 + count)
    base = to_integer(low)
    made: list[tuple[Any, Any]] = []
    for k in range(first, first + count):
        at = base + k if k else base
        inside: Any = True
        if edge == "transparent":
            inside = (0 <= at) & (at < size)
        elif edge == "wrap":
            at = at % size
        elif edge == "mirror":
            at = at % (2 * size)
            at = F.min(at, 2 * size - 1 - at)
        made.append((F.clamp(at, 0, size - 1), inside))
    return made, axis.at - low


def _masked(texel: Texel, *inside: Any) -> Texel:
    both: Any = True
    for one in inside:
        both = one if both is True else both if one is True else both & one
    return F.where(both, texel, _NOTHING)


# ---- bicubic ----


def _bicubic(window: Window, across: _Axis, down: _Axis, edge: str) -> Sequence[Any]:
    if edge in ("wrap", "mirror"):
        across, down = (_Axis(a.size, _folded(a.at + 0.5, a.size, edge) - 0.5) for a in (across, down))
    at_edges = _cubic_at_edges(window, across, down, edge)
    if edge == "transparent":
        near = _between(-2.0, across.at, across.size + 1.0) & _between(-2.0, down.at, down.size + 1.0)
        at_edges = F.where(near, at_edges, _NOTHING)
    elif edge == "crop":
        at_edges = F.where(_inside(across, down), at_edges, _NOTHING)
    if across.size < 4 or down.size < 4:
        return at_edges
    interior = (
        (1.0 <= across.at) & (across.at < across.size - 2.0) & (1.0 <= down.at) & (down.at < down.size - 2.0)
    )
    corners = [F.clamp(F.floor(a.at), 1.0, a.size - 3.0) for a in (across, down)]
    i, j = (to_integer(c - 1.0) for c in corners)
    texels = window(i, j, 4, 4)
    s, t = across.at - corners[0], down.at - corners[1]
    return F.where(interior, _weighed(texels, _cubic(s), _cubic(t)), at_edges)


def _cubic_at_edges(window: Window, across: _Axis, down: _Axis, edge: str) -> Sequence[Any]:
    columns, s = _neighbors(across, edge, -1, 4)
    rows, t = _neighbors(down, edge, -1, 4)
    texels = [[_masked(window(i, j, 1, 1)[0][0], a, b) for i, a in columns] for j, b in rows]
    return _weighed(texels, _cubic(s), _cubic(t))


def _cubic(s: Any) -> list[Any]:
    """Weights of four neighbors at a fraction between the middle two: the cubic that passes through both."""
    half = 0.5 * s
    return [
        half * (s * (2.0 - s) - 1.0),
        half * s * (3.0 * s - 5.0) + 1.0,
        half * (s * (4.0 - 3.0 * s) + 1.0),
        half * s * (s - 1.0),
    ]


def _weighed(texels: list[list[Texel]], across: list[Any], down: list[Any]) -> Sequence[Any]:
    lines = [[_sum(across, [t[c] for t in line]) for c in range(4)] for line in texels]
    r, g, b, a = (_sum(down, [line[c] for line in lines]) for c in range(4))
    return r, g, b, a


def _sum(weights: list[Any], values: list[Any]) -> Any:
    first = values[0]
    if all(_same(first, v) for v in values):
        # The weights add up to one.
        return first
    total = weights[0] * first
    for w, v in zip(weights[1:], values[1:], strict=True):
        total = total + w * v
    return total


_SAMPLERS: dict[str, _Sampler] = {"nearest": _nearest, "bilinear": _bilinear, "bicubic": _bicubic}
