"""Noise: fields that look random and are the same every time, and sums of them at many scales.

Made of hashes of lattice points (`hashing`), without tables or memory. `periodic_noise` repeats, for tiles without a
seam. The third coordinate `z` moves a noise through a space of three dimensions: give it time, and the picture boils.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from ..base.errors import VocabularyError
from ..base.source_location import caller
from ..tracing import Point, is_symbolic, static
from ..tracing import functions as F
from .hashing import Lattice, WrappedLattice, direction_of, edge_product, fraction_of, halves_of, layer
from .image import Image
from .signature import Range
from .word import word

_PERLIN = "Perlin, Improving Noise, 2002"


def _split(x: Any) -> tuple[Any, Any]:
    whole = F.floor(x)
    return whole, x - whole


def _faded(t: Any) -> Any:
    """From 0 to 1 with no slope and no curvature at either end."""
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0)


def _between(s: Any, t: Any, corners: Callable[[int, int], Any]) -> Any:
    low = F.lerp(s, corners(0, 0), corners(1, 0))
    high = F.lerp(s, corners(0, 1), corners(1, 1))
    return F.lerp(t, low, high)


def _layers(z: Any, seed: int, plane: Callable[[Any, Any], Any]) -> Any:
    """The one plane of a noise, or what lies between two planes of one in space; `plane` takes layer and height."""
    if z is None:
        return plane(layer(seed), None)
    k, height = _split(z)
    return F.lerp(_faded(height), plane(layer(seed, k), height), plane(layer(seed, k + 1.0), height - 1.0))


# ---- on squares ----


@word(
    "Count -> Number -> Image Number",
    example="value_noise() * 0.5 + 0.5",
    source="lattice noise with hashes",
    width=16,
)
def value_noise(seed: int = 0, z: Any = None) -> Image:
    """Random numbers at points with whole coordinates, and smoothly between: from -1 to 1.

    >>> value_noise().at([0.0, 0.5], 0.0) == value_noise().at([0.0, 0.5], 0.0)
    array([ True,  True])
    """

    def field(p: Point) -> Any:
        (i, x), (j, y) = _split(p.x), _split(p.y)
        s, t = _faded(x), _faded(y)

        def plane(layer: Any, height: Any) -> Any:
            hashes = Lattice(i, j, layer)
            return _between(s, t, lambda a, b: fraction_of(hashes(a, b)))

        return _layers(z, seed, plane) * 2.0 - 1.0

    return Image(field)


@word(
    "Count -> Number -> Image Number",
    example="perlin_noise() * 0.5 + 0.5",
    source=_PERLIN,
    width=16,
)
def perlin_noise(seed: int = 0, z: Any = None) -> Image:
    """Random slopes at points with whole coordinates, where it is 0, and smoothly between: from -1 to 1.

    >>> perlin_noise().at([0, 1, 2], 5)
    array([0., 0., 0.], dtype=float32)
    """
    return Image(lambda p: _slopes(p, z, seed, Lattice))


def _slopes(
    p: Point, z: Any, seed: int, lattice: Callable[[Any, Any, Any], Callable[[int, int], Any]]
) -> Any:
    """Perlin's noise at a point, with the slopes that the hashes of a lattice give."""
    (i, x), (j, y) = _split(p.x), _split(p.y)
    s, t = _faded(x), _faded(y)

    def plane(layer: Any, height: Any) -> Any:
        hashes = lattice(i, j, layer)

        def slope(a: int, b: int) -> Any:
            dx, dy = x - a if a else x, y - b if b else y
            if height is not None:
                return edge_product(hashes(a, b), dx, dy, height)
            gx, gy = direction_of(hashes(a, b))
            return gx * dx + gy * dy

        return _between(s, t, slope)

    # The largest value of all slopes pointing the same way: 3/4 in the plane, 1.0364 in space.
    return _layers(z, seed, plane) * (4.0 / 3.0 if z is None else 0.9648)


# ---- on triangles and tetrahedra ----


@word(
    "Count -> Number -> Image Number",
    example="simplex_noise() * 0.5 + 0.5",
    source="Perlin, Noise Hardware, 2001",
    width=12,
)
def simplex_noise(seed: int = 0, z: Any = None) -> Image:
    """Random slopes at the corners of equal triangles (of tetrahedra in space), each felt nearby only: from -1 to 1.

    Smoother in all directions than noise on squares, and cheaper in space.
    """
    if z is None:
        return Image(lambda p: _simplex_plane(p, seed))
    return Image(lambda p: _simplex_space(p, z, seed))


_SKEW = (math.sqrt(3.0) - 1.0) / 2.0
_BACK = (3.0 - math.sqrt(3.0)) / 6.0


def _simplex_plane(p: Point, seed: int) -> Any:
    skewed = (p.x + p.y) * _SKEW
    i, j = F.floor(p.x + skewed), F.floor(p.y + skewed)
    back = (i + j) * _BACK
    x, y = p.x - (i - back), p.y - (j - back)
    below = x > y
    hashes = Lattice(i, j, layer(seed))
    # The corner in the middle is to the right or above; its hash is chosen and not computed twice.
    right = F.where(below, 1.0, 0.0)
    middle = Lattice(i + right, j + (1.0 - right), layer(seed))

    def felt(h: Any, dx: Any, dy: Any) -> Any:
        gx, gy = direction_of(h)
        return _near(dx * dx + dy * dy) * (gx * dx + gy * dy)

    total = felt(hashes(0, 0), x, y)
    total = total + felt(middle(0, 0), x - right + _BACK, y - 1.0 + right + _BACK)
    total = total + felt(hashes(1, 1), x - 1.0 + 2.0 * _BACK, y - 1.0 + 2.0 * _BACK)
    return total * 93.5


def _near(square: Any) -> Any:
    """The weight of a corner at a squared distance: nothing from 1/2 on, with no slope or curvature there."""
    t = F.max(0.5 - square, 0.0)
    t = t * t
    return t * t


def _simplex_space(p: Point, z: Any, seed: int) -> Any:
    skewed = (p.x + p.y + z) * (1.0 / 3.0)
    i, j, k = F.floor(p.x + skewed), F.floor(p.y + skewed), F.floor(z + skewed)
    back = (i + j + k) * (1.0 / 6.0)
    x, y, w = p.x - (i - back), p.y - (j - back), z - (k - back)
    x_first, y_first, x_above = x >= y, y >= w, x >= w
    # The first step from the lowest corner goes along the largest coordinate, the second along the next.
    largest = (x_first & x_above, ~x_first & y_first, ~(x_above | y_first))
    next_too = (x_first | x_above, ~x_first | y_first, ~(x_above & y_first))

    def corner(steps: tuple[Any, Any, Any], sixths: float) -> Any:
        a, b, c = (s if not is_symbolic(s) else F.where(s, 1.0, 0.0) for s in steps)
        dx, dy, dz = x - a + sixths, y - b + sixths, w - c + sixths
        h = Lattice(i + a, j + b, layer(seed, k + c))(0, 0)
        return _near(dx * dx + dy * dy + dz * dz) * edge_product(h, dx, dy, dz)

    total = corner((0.0, 0.0, 0.0), 0.0)
    total = total + corner(largest, 1.0 / 6.0)
    total = total + corner(next_too, 2.0 / 6.0)
    return (total + corner((1.0, 1.0, 1.0), 3.0 / 6.0)) * 76.8


# ---- cells ----

_FEATURES = ("nearest", "second", "edge", "cell")


@word(
    "Text -> Number -> Count -> Image Number",
    ranges={"feature": _FEATURES, "jitter": (0, 1)},
    example='cellular("edge")',
    source="Worley, A Cellular Texture Basis Function, 1996",
    width=12,
)
def cellular(feature: str = "nearest", jitter: Any = 1.0, seed: int = 0) -> Image:
    """The distance to the nearest of points that lie one in each square of side 1, at random: from 0 to 1.415.

    `second` is the distance to the second nearest (0 .. 1.5); `edge` is the difference of both (0 .. 1.5), which is 0
    where two points are equally near; `cell` is a random number (0 .. 1) for the nearest point. `jitter` is how far the
    points stray from the middle of their square. Distances end at 1.5, beyond which no point is looked for.
    """

    def field(p: Point) -> Any:
        # No point that is nearer than 1.5 lies outside of the four by four squares around the nearest corner.
        i, j = F.floor(p.x + 0.5), F.floor(p.y + 0.5)
        x, y = p.x - i, p.y - j
        hashes = Lattice(i, j, layer(seed))
        first: Any = 2.25
        second: Any = 2.25
        owner: Any = 0.0
        middle = 0.5 - 0.5 * jitter
        for a in range(-2, 2):
            for b in range(-2, 2):
                h = hashes(a, b)
                ox, oy = halves_of(h)
                dx, dy = x - (a + middle) - jitter * ox, y - (b + middle) - jitter * oy
                square = dx * dx + dy * dy
                if feature == "cell":
                    owner = F.where(square < first, fraction_of(h * 0x9E3779B1), owner)
                elif feature != "nearest":
                    second = F.min(second, F.max(first, square))
                first = F.min(first, square)
        if feature == "cell":
            return owner
        if feature == "nearest":
            return F.sqrt(first)
        if feature == "second":
            return F.sqrt(second)
        return F.sqrt(second) - F.sqrt(first)

    return Image(field)


# ---- tiles without a seam ----


@word(
    "Point -> Count -> Number -> Count -> Number -> Image Number",
    ranges={"period": (1, 4096), "octaves": (1, 12), "gain": Range(0, 1)},
    example="periodic_noise((4, 3), 4) * 0.5 + 0.5",
    source=_PERLIN,
    width=8,
)
def periodic_noise(period: Point, octaves: int = 1, gain: Any = 0.5, seed: int = 0, z: Any = None) -> Image:
    """Perlin's noise that repeats after `period`, a pair of whole numbers, so that a tile of it has no seam: -1 to 1.

    Each octave is twice as fine and weaker by `gain`; all of them repeat. Coordinates that are exact before and after
    the period is added have equal values, bit for bit. A tile is any part of that width and height: with the view of
    `pl.render(noise, (256, 192), zoom=64)`, the tile of a period of (4, 3). Raises VocabularyError for a period that is
    not known in advance, or not whole.

    >>> noise = periodic_noise((4, 3), 5)
    >>> bool((noise.at([0.375, 1.5], 0.25) == noise.at([4.375, 5.5], [3.25, -2.75])).all())
    True
    """
    sizes = tuple(_whole_period(part) for part in period)

    def field(p: Point) -> Any:
        total: Any = 0.0
        weights: Any = 0.0
        weight: Any = 1.0
        for octave in range(octaves):
            across, up = (size << octave for size in sizes)
            wrapped = partial(WrappedLattice, period=(across, up))
            # A seed of its own for each octave: at the origin all lattices have a point.
            value = _slopes(p, z, seed + octave * _OCTAVE_SEEDS, wrapped)
            total = total + weight * value if octave else value
            weights = weights + weight
            weight = weight * gain
            p = p * 2.0
        return total * (1.0 / weights)

    return Image(field)


_OCTAVE_SEEDS = 7919
"""The step between the seeds of octaves: so large that seeds people choose by counting do not meet them."""


def _whole_period(part: Any) -> int:
    size = static(part)
    if size is None or size != int(size):
        told = "not known in advance" if size is None else f"{size:g}"
        raise VocabularyError(
            f"period is {told}", place=f"{caller()[0]}: periodic_noise", fix="give a pair of whole numbers"
        )
    return int(size)


# ---- many scales ----

_OCTAVES = {"octaves": (1, 16), "gain": Range(0, 1), "lacunarity": Range(1, 8)}


def _octaves(
    field: Image, octaves: int, gain: Any, lacunarity: Any, shape: Callable[[Any], Any]
) -> Callable[[Point], Any]:
    """The weighted mean of a field at scales that grow finer by `lacunarity` and weigh less by `gain`."""
    cosine, sine = math.cos(0.65), math.sin(0.65)

    def sum_of(p: Point) -> Any:
        total: Any = 0.0
        weights: Any = 0.0
        weight: Any = 1.0
        for octave in range(octaves):
            total = total + weight * shape(field(p)) if octave else shape(field(p))
            weights = weights + weight
            weight = weight * gain
            # Turned and shifted, so that the lattices of two scales do not line up.
            x, y = p.x * lacunarity, p.y * lacunarity
            p = Point(x * cosine - y * sine + 17.3, x * sine + y * cosine - 8.9)
        return total * (1.0 / weights)

    return sum_of


@word(
    "Image Number -> Count -> Number -> Number -> Image Number",
    ranges=_OCTAVES,
    receiver="field",
    example="fbm(perlin_noise(), 6) * 0.5 + 0.5",
    source="Mandelbrot and van Ness, 1968",
    width=8,
)
def fbm(field: Image, octaves: int = 5, gain: Any = 0.5, lacunarity: Any = 2.0) -> Image:
    """A noise at many scales: each octave is finer by `lacunarity` and weaker by `gain`; in the range of the noise.

    >>> fbm(perlin_noise(), 3).kind
    'field'
    """
    return Image(_octaves(field, octaves, gain, lacunarity, lambda v: v))


@word(
    "Image Number -> Count -> Number -> Number -> Image Number",
    ranges=_OCTAVES,
    receiver="field",
    example="turbulence(perlin_noise(), 6)",
    source="Perlin, An Image Synthesizer, 1985",
    width=8,
)
def turbulence(field: Image, octaves: int = 5, gain: Any = 0.5, lacunarity: Any = 2.0) -> Image:
    """The magnitudes of a noise at many scales, as of smoke: from 0 to 1 for a noise from -1 to 1."""
    return Image(_octaves(field, octaves, gain, lacunarity, abs))


@word(
    "Image Number -> Count -> Number -> Number -> Image Number",
    ranges=_OCTAVES,
    receiver="field",
    example="ridged(perlin_noise(), 6)",
    source="Musgrave, Texturing and Modeling, 1994",
    width=8,
)
def ridged(field: Image, octaves: int = 5, gain: Any = 0.5, lacunarity: Any = 2.0) -> Image:
    """Ridges where a noise passes through 0, at many scales, as of mountains: from 0 to 1 for a noise from -1 to 1."""

    def ridge(v: Any) -> Any:
        height = 1.0 - abs(v)
        return height * height

    return Image(_octaves(field, octaves, gain, lacunarity, ridge))
