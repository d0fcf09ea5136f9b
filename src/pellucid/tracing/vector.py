"""Vectors of three numbers, for lighting and ray marching: positions and directions in space, normals, colors of light.

Beside `structures`, whose `Point` is the vector of the plane. The parts may be symbolic; a vector is taken apart into
scalars like any other structure, so it may be the state of `iterate` and a side of `where`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from ..base.errors import TraceError, brief
from ..base.record import record
from ..base.source_location import caller, in_line
from . import functions as F
from .structures import is_coordinate
from .tracer import NoSuchPartError

_SMALLEST_SQUARE = 1e-30
"""What `normalize` divides by at least the root of: its reciprocal is a number in f32 too."""


@record(eq=False)
class Vector3:
    """A vector of space: `x`, `y` and `z`, numbers or symbolic values.

    Vectors add and subtract, also with three numbers in a tuple, and are scaled by numbers; `a * b` of two vectors is
    refused, for it may mean several things. `x, y, z = v` unpacks one. Raises TraceError for other operands.

    >>> Vector3(2, 3, 6).length
    7.0
    >>> Vector3(1, 0, 0) + 2 * Vector3(0, 1, 0) - (0, 0, 3)
    Vector3(x=1, y=2, z=-3)
    """

    x: Any
    y: Any
    z: Any

    @staticmethod
    def of(x: Any) -> Vector3:
        """A vector from a vector or from three numbers in a tuple or a list.

        Raises TraceError for anything else.

        >>> Vector3.of((1, 2, 3))
        Vector3(x=1, y=2, z=3)
        """
        if isinstance(x, Vector3):
            return x
        if isinstance(x, tuple | list):
            parts = list(cast("Sequence[Any]", x)[:4])
            if len(parts) == 3 and all(map(is_coordinate, parts)):
                return Vector3(*parts)
        place, _ = caller()
        fix = "give a Vector3 or three numbers (x, y, z)"
        raise TraceError(f"{brief(cast('object', x))} is not a vector", place=place, fix=fix)

    def __iter__(self) -> Iterator[Any]:
        """Unpacks as ``x, y, z = v``."""
        return iter((self.x, self.y, self.z))

    def __add__(self, other: Vector3 | tuple[Any, Any, Any]) -> Vector3:
        """The sum."""
        o = Vector3.of(other)
        return Vector3(self.x + o.x, self.y + o.y, self.z + o.z)

    __radd__ = __add__

    def __sub__(self, other: Vector3 | tuple[Any, Any, Any]) -> Vector3:
        """The vector from the other to this one."""
        o = Vector3.of(other)
        return Vector3(self.x - o.x, self.y - o.y, self.z - o.z)

    def __rsub__(self, other: tuple[Any, Any, Any]) -> Vector3:
        """The vector from this one to three numbers."""
        return Vector3.of(other) - self

    def __mul__(self, scale: Any) -> Vector3:
        """The vector scaled."""
        _check_scale("*", scale)
        return self.map(lambda part: part * scale)

    __rmul__ = __mul__

    def __truediv__(self, scale: Any) -> Vector3:
        """The vector scaled down."""
        _check_scale("/", scale)
        return self.map(lambda part: part / scale)

    def __neg__(self) -> Vector3:
        """The vector turned about."""
        return self.map(lambda part: -part)

    def __abs__(self) -> Any:
        """The length."""
        return self.length

    def __bool__(self) -> bool:
        """True: a vector is something."""
        return True

    def __getitem__(self, part: int) -> Any:
        """The coordinate of a number: ``v[0]`` is x, ``v[1]`` is y, ``v[2]`` is z."""
        if not isinstance(part, int) or part not in (0, 1, 2):  # pyright: ignore[reportUnnecessaryIsInstance]
            place, _ = caller()
            fix = "write v.x, v.y or v.z, or v[0], v[1] or v[2]"
            raise TraceError(f"a vector has no part {part!r}", place=place, fix=fix)
        return (self.x, self.y, self.z)[part]

    def __getattr__(self, name: str) -> Any:
        """Refuse what a vector does not have."""
        if name.startswith("__"):
            raise AttributeError(name)
        place, _ = caller()
        fix = "it has x, y, z and length, and methods such as dot and normalize"
        raise NoSuchPartError(f"a vector has no {name!r}", place=place, fix=fix)

    def map(self, function: Callable[[Any], Any]) -> Vector3:
        """The vector of a function of each of the three coordinates.

        >>> Vector3(1, -2, 3).map(abs)
        Vector3(x=1, y=2, z=3)
        """
        return Vector3(function(self.x), function(self.y), function(self.z))

    @property
    def length(self) -> Any:
        """The distance from the origin."""
        return F.sqrt(self.dot(self))

    def dot(self, other: Vector3 | tuple[Any, Any, Any]) -> Any:
        """The inner product: the lengths times the cosine of the angle between.

        >>> Vector3(1, 2, 3).dot((4, 5, 6))
        32
        """
        o = Vector3.of(other)
        return self.x * o.x + self.y * o.y + self.z * o.z

    def cross(self, other: Vector3 | tuple[Any, Any, Any]) -> Vector3:
        """The vector square to both, as long as the area that they span, right-handed.

        >>> Vector3(1, 0, 0).cross(Vector3(0, 1, 0))
        Vector3(x=0, y=0, z=1)
        """
        o = Vector3.of(other)
        return Vector3(self.y * o.z - self.z * o.y, self.z * o.x - self.x * o.z, self.x * o.y - self.y * o.x)

    def normalize(self) -> Vector3:
        """The vector of that direction whose length is 1; one shorter than 1e-15 is scaled by 1e15, so 0 stays 0.

        >>> Vector3(0, 0, 4).normalize()
        Vector3(x=0.0, y=0.0, z=1.0)
        """
        return self * (1.0 / F.sqrt(F.max(self.dot(self), _SMALLEST_SQUARE)))

    def reflect(self, normal: Vector3 | tuple[Any, Any, Any]) -> Vector3:
        """The direction of a ray of this direction once a mirror threw it back, whose `normal` has length 1.

        >>> Vector3(1, -1, 0).reflect((0, 1, 0))
        Vector3(x=1, y=1, z=0)
        """
        n = Vector3.of(normal)
        return self - n * (2 * self.dot(n))


def _check_scale(sign: str, scale: object) -> None:
    """Refuse what is no factor of a vector."""
    if isinstance(scale, Vector3 | tuple | list):
        place, line = caller()
        raise TraceError(
            in_line(f"vectors have no {sign}", line),
            place=place,
            fix="write a.dot(b) or a.cross(b), or Vector3(a.x * b.x, a.y * b.y, a.z * b.z) for each coordinate",
        )
