"""Structures of scalars: points, complex numbers, and anything made of tuples, lists, dicts and dataclasses.

Pan's language has tuples at compile time only; so it is here: a structure is taken apart into scalars (`flatten`)
before anything is written down, and the residue has no data structures (paper Pan, section 3.1).
"""

from __future__ import annotations

import dataclasses
import numbers
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

import numpy as np

from ..base.errors import TraceError, brief
from ..base.record import record
from ..base.source_location import caller, in_line
from . import functions as F
from .tracer import NoSuchPartError, Value, static

Rebuild = Callable[[list[Any]], Any]


def flatten(x: Any) -> tuple[list[Any], Rebuild]:
    """The scalars of a structure from left to right, and the function that puts new ones in their places.

    >>> leaves, rebuild = flatten((1, Point(2, 3)))
    >>> leaves, rebuild([5, 6, 7])
    ([1, 2, 3], (5, Point(x=6, y=7)))
    """
    if type(x) is Value or isinstance(x, Value) or static(x) is not None:
        return [x], _first
    kind: Any = x.__class__
    names = _fields(kind)
    if names is not None:
        return _join([getattr(x, n) for n in names], lambda parts: kind(*parts))
    if isinstance(x, complex):
        return flatten(Complex(x.real, x.imag))
    if isinstance(x, tuple | list):
        items = cast("tuple[Any, ...] | list[Any]", x)
        if hasattr(kind, "_fields"):
            return _join(list(items), lambda parts: kind(*parts))
        return _join(list(items), kind)
    if isinstance(x, Mapping):
        entries = cast("Mapping[Any, Any]", x)
        keys = list(entries)
        return _join([entries[k] for k in keys], lambda parts: dict(zip(keys, parts, strict=True)))
    return [x], _first


@lru_cache(maxsize=256)
def _fields(kind: type[Any]) -> tuple[str, ...] | None:
    """The names of a structure's parts in order, if it is a dataclass and no collection."""
    if not dataclasses.is_dataclass(kind) or issubclass(kind, tuple | list | Mapping):
        return None
    return tuple([f.name for f in dataclasses.fields(kind)])


def _first(new: list[Any]) -> Any:
    return new[0]


def _join(items: list[Any], build: Callable[[list[Any]], Any]) -> tuple[list[Any], Rebuild]:
    parts = [flatten(i) for i in items]

    def rebuild(new: list[Any]) -> Any:
        at = 0
        made: list[Any] = []
        for leaves, inner in parts:
            made.append(inner(new[at : at + len(leaves)]))
            at += len(leaves)
        return build(made)

    return [leaf for leaves, _ in parts for leaf in leaves], rebuild


def outline(x: Any) -> Any:
    """The shape of a structure, without the names of its parts: 0 for a scalar, else a tuple.

    >>> outline((1, Point(2, 3))) == outline([1, (2.0, 3)]), outline(((1, 2), 3)) == outline((1, (2, 3)))
    (True, False)
    """
    names = _fields(x.__class__)
    if names is not None:
        return tuple([outline(getattr(x, n)) for n in names])
    if isinstance(x, complex):
        return (0, 0)
    if isinstance(x, tuple | list):
        return tuple([outline(part) for part in cast("tuple[Any, ...] | list[Any]", x)])
    if isinstance(x, Mapping):
        return tuple([outline(part) for part in cast("Mapping[Any, Any]", x).values()])
    return 0


def is_coordinate(part: object) -> bool:
    """Whether something is a number, known or not, or an array of numbers."""
    if isinstance(part, np.ndarray | np.generic):
        return cast("np.generic", part).dtype.kind in "biuf"
    return isinstance(part, Value | numbers.Real)


@record(eq=False)
class Point:
    """A point or vector of the plane: `x`, `y`, and in polar form `r` and `theta`.

    >>> Point(3, 4).r
    5.0
    """

    x: Any
    y: Any

    @property
    def r(self) -> Any:
        """The distance from the origin."""
        return F.sqrt(self.x * self.x + self.y * self.y)

    @property
    def theta(self) -> Any:
        """The angle from the x axis, counterclockwise, in (-pi, pi]."""
        return F.atan2(self.y, self.x)

    @staticmethod
    def of(x: Any) -> Point:
        """A point from a point or a pair of numbers: a tuple, a list, or an array.

        Raises TraceError for anything else.

        >>> Point.of((1, 2))
        Point(x=1, y=2)
        """
        if isinstance(x, Point):
            return x
        parts: list[Any] = []
        if isinstance(x, tuple | list) or (isinstance(x, np.ndarray) and x.ndim == 1):
            # Three are enough to know that they are not two.
            parts = list(cast("Sequence[Any]", x)[:3])
        if len(parts) == 2 and all(map(is_coordinate, parts)):
            return Point(*parts)
        place, _ = caller()
        raise TraceError(
            f"{brief(cast('object', x))} is not a point",
            place=place,
            fix="give a Point or a pair (x, y) of numbers",
        )

    def __add__(self, other: Point | tuple[Any, Any]) -> Point:
        """The sum of two vectors; a pair of numbers is one too."""
        o = Point.of(other)
        return Point(self.x + o.x, self.y + o.y)

    def __sub__(self, other: Point | tuple[Any, Any]) -> Point:
        """The vector from the other point to this one."""
        o = Point.of(other)
        return Point(self.x - o.x, self.y - o.y)

    def __mul__(self, scale: Any) -> Point:
        """The vector scaled."""
        _check_scale("*", scale)
        return Point(self.x * scale, self.y * scale)

    __rmul__ = __mul__

    def __truediv__(self, scale: Any) -> Point:
        """The vector scaled down."""
        _check_scale("/", scale)
        return Point(self.x / scale, self.y / scale)

    def __neg__(self) -> Point:
        """The vector turned about."""
        return Point(-self.x, -self.y)

    def __abs__(self) -> Any:
        """The length."""
        return self.r

    def __iter__(self) -> Any:
        """Unpacks as ``x, y = p``."""
        return iter((self.x, self.y))

    def __len__(self) -> int:
        """Refuse what may mean two things."""
        place, _ = caller()
        raise TraceError(
            "a point has no len", place=place, fix="its length is p.r, and it has two parts, p.x and p.y"
        )

    def __bool__(self) -> bool:
        """True: a point is something."""
        return True

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **more: Any) -> Any:
        """A number of NumPy scales a point, and an array of two is a vector; its functions take no points."""
        first = inputs[0]
        plain = method == "__call__" and not more
        if plain and ufunc.__name__ == "multiply" and not isinstance(first, Point):
            return self * first
        if plain and ufunc.__name__ in ("add", "subtract") and not isinstance(first, Point):
            return Point.of(first) + (self if ufunc.__name__ == "add" else -self)
        place, _ = caller()
        raise TraceError(
            f"numpy.{ufunc.__name__} does not take a point",
            place=place,
            fix="give it a coordinate, p.x or p.y",
        )

    def __getitem__(self, part: int) -> Any:
        """The coordinate of a number: ``p[0]`` is x, ``p[1]`` is y."""
        if not isinstance(part, int) or part not in (0, 1):  # pyright: ignore[reportUnnecessaryIsInstance]
            place, _ = caller()
            raise TraceError(
                f"a point has no part {part!r}", place=place, fix="write p.x or p.y, p[0] or p[1]"
            )
        return self.y if part else self.x

    def __getattr__(self, name: str) -> Any:
        """Refuse what a point does not have."""
        if name.startswith("__"):
            raise AttributeError(name)
        place, _ = caller()
        raise NoSuchPartError(f"a point has no {name!r}", place=place, fix="it has x, y, r and theta")

    def dot(self, other: Point | tuple[Any, Any]) -> Any:
        """The inner product; a pair of numbers is a vector too."""
        o = Point.of(other)
        return self.x * o.x + self.y * o.y

    def cross(self, other: Point | tuple[Any, Any]) -> Any:
        """The signed area that two vectors span; a pair of numbers is a vector too."""
        o = Point.of(other)
        return self.x * o.y - self.y * o.x

    def rotate(self, angle: Any) -> Point:
        """The point turned about the origin, counterclockwise, by an angle in radians."""
        c, s = F.cos(angle), F.sin(angle)
        return Point(self.x * c - self.y * s, self.y * c + self.x * s)

    @staticmethod
    def polar(r: Any, theta: Any) -> Point:
        """The point of those polar coordinates."""
        return Point(r * F.cos(theta), r * F.sin(theta))


def _check_scale(sign: str, scale: object) -> None:
    """Refuse what is no factor of a vector."""
    if isinstance(scale, Point | tuple | list):
        place, line = caller()
        raise TraceError(
            in_line(f"points have no {sign}", line),
            place=place,
            fix="write p.dot(q) or p.cross(q), or Point(p.x * q.x, p.y * q.y) for each coordinate by itself",
        )


@record(eq=False)
class Complex:
    """A complex number whose parts may be symbolic; mixes with Python's own.

    >>> Complex(0, 1) * Complex(0, 1) + 1
    Complex(re=0, im=0)
    """

    re: Any
    im: Any

    @staticmethod
    def of(x: Any) -> Complex:
        """A complex number from a point, a Python complex or a real."""
        if isinstance(x, Complex):
            return x
        if isinstance(x, Point):
            return Complex(x.x, x.y)
        if isinstance(x, complex):
            return Complex(x.real, x.imag)
        return Complex(x, 0.0)

    def __add__(self, other: Any) -> Complex:
        """The sum."""
        o = Complex.of(other) if isinstance(other, complex | Complex) else Complex(other, 0)
        return Complex(self.re + o.re, self.im + o.im)

    __radd__ = __add__

    def __neg__(self) -> Complex:
        """The negation."""
        return Complex(-self.re, -self.im)

    def __sub__(self, other: Any) -> Complex:
        """The difference."""
        return self + -Complex.of(other)

    def __rsub__(self, other: Any) -> Complex:
        """The difference."""
        return -self + other

    def __mul__(self, other: Any) -> Complex:
        """The product."""
        if not isinstance(other, complex | Complex):
            return Complex(self.re * other, self.im * other)
        o = Complex.of(other)
        return Complex(self.re * o.re - self.im * o.im, self.re * o.im + self.im * o.re)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Complex:
        """The quotient."""
        if not isinstance(other, complex | Complex):
            return Complex(self.re / other, self.im / other)
        o = Complex.of(other)
        return self * o.conjugate() / o.abs2

    def __rtruediv__(self, other: Any) -> Complex:
        """The quotient."""
        return Complex.of(other) / self

    def __pow__(self, exponent: int) -> Complex:
        """A power with an integer exponent."""
        if exponent < 0:
            return Complex(1.0, 0.0) / self**-exponent
        result, square = Complex(1, 0), self
        first = True
        while exponent:
            if exponent & 1:
                result, first = (square, False) if first else (result * square, False)
            exponent >>= 1
            if exponent:
                square = square * square
        return result

    def conjugate(self) -> Complex:
        """The mirror image in the real axis."""
        return Complex(self.re, -self.im)

    @property
    def abs2(self) -> Any:
        """The squared magnitude."""
        return self.re * self.re + self.im * self.im

    def __abs__(self) -> Any:
        """The magnitude."""
        return F.sqrt(self.abs2)

    @property
    def arg(self) -> Any:
        """The angle from the real axis, in (-pi, pi]."""
        return F.atan2(self.im, self.re)

    @property
    def point(self) -> Point:
        """The number as a point of the plane."""
        return Point(self.re, self.im)

    def exp(self) -> Complex:
        """e to the power of the number."""
        m = F.exp(self.re)
        return Complex(m * F.cos(self.im), m * F.sin(self.im))

    def log(self) -> Complex:
        """The principal logarithm."""
        return Complex(0.5 * F.log(self.abs2), self.arg)

    def sqrt(self) -> Complex:
        """The principal square root."""
        m = abs(self)
        re = F.sqrt(F.max(0.5 * (m + self.re), 0.0))
        im = F.sqrt(F.max(0.5 * (m - self.re), 0.0))
        return Complex(re, F.where(self.im < 0, -im, im))
