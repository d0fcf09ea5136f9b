"""Arrays of the image algebra as Python values: operators build operations, and nothing is computed.

Above `operation`. Pointwise operations take arrays on one coordinate set, or numbers, which go with every point. Types
never change by themselves: `astype` says it; Python's own numbers take the type of what they meet.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, cast

from ..base.errors import InputError, brief
from ..base.kinds import TEXT, ArgumentKind, takes, whole
from ..base.operators import Arithmetic, Comparison, Equality
from ..ir import prim as rows
from ..ir import types as T
from .operation import (
    POINT,
    ConstantOperation,
    Coordinate,
    Coordinates,
    Index,
    Input,
    Operation,
    Pointwise,
    Scalar,
    TableOperation,
)

MAX_AXES = 3
MAX_ELEMENTS = (1 << 31) - 1


class Array(Arithmetic["Array"], Comparison["Array"], Equality["Array"]):
    """A value of the image algebra: a function from a coordinate set to numbers.

    >>> a = array("a", (4, 6), "f32")
    >>> (2 * a + 1).shape, (a > 0).type
    ((4, 6), bool)
    """

    __slots__ = ("node",)
    __hash__ = None
    # NumPy must not take an operator for itself and go through the elements.
    __array_ufunc__ = None

    def __init__(self, node: Operation) -> None:
        self.node = node

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of points along each axis."""
        return self.node.coordinates.shape

    @property
    def coordinates(self) -> Coordinates:
        """The coordinate set."""
        return self.node.coordinates

    @property
    def type(self) -> T.Type:
        """The type of the values."""
        return self.node.type

    def __repr__(self) -> str:
        """Its kind, type and coordinate set."""
        return f"{type(self.node).__name__.removesuffix('Operation')} of {self.type} on {self.coordinates}"

    def __bool__(self) -> bool:
        """Refuse: an array has no truth value."""
        raise InputError("an array has no truth value", place="algebra", fix="use & | or alg.where")

    def astype(self, to: str | T.Type) -> Array:
        """The values as another type: wrapping between integers, truncating and saturating from floats.

        As bool, whether they are not 0.
        """
        target = checked_type(to, "astype")
        if target is self.type:
            return self
        if target is T.boolean:
            return self != 0
        return Array(_pointwise(conversion(self.type, target), (self.node,), attr=target))

    def _combined(self, row: str, one: object, other: object) -> Array:
        return binary(row, one, other)

    def __floordiv__(self, other: object) -> Array:
        return binary("floor_div", self, other)

    def __mod__(self, other: object) -> Array:
        return binary("mod", self, other)

    def __and__(self, other: object) -> Array:
        return binary("and", self, other)

    def __or__(self, other: object) -> Array:
        return binary("or", self, other)

    def __xor__(self, other: object) -> Array:
        return binary("xor", self, other)

    def __invert__(self) -> Array:
        return Array(_pointwise("not", (self.node,)))

    def __neg__(self) -> Array:
        return Array(_pointwise("neg", (self.node,)))

    def __abs__(self) -> Array:
        return self if self.type.kind == "unsigned" else Array(_pointwise("abs", (self.node,)))

    def __setitem__(self, at: object, value: object) -> None:
        """Define the array by cases: ``h[i] = value`` for the index i of its first axis.

        What was made of the array before keeps its old meaning. Raises InputError if the index does not run over the
        first axis, or the value does not have the type and the coordinates of the rest.
        """
        if not isinstance(at, Array) or not isinstance(at.node, Index):
            raise InputError(
                f"{brief(at)} is no index", place="h[i] = value", fix='make one by alg.index("i", count)'
            )
        index, rest = at.node, self.coordinates.shape[1:]
        if not self.shape or self.shape[0] != index.count:
            raise InputError(
                f"{index.name} has {index.count} values, the array is on {self.coordinates}",
                place="h[i] = value",
                fix="give both the same number",
            )
        given = lifted(value, self.type, "h[i] = value")
        if given.coordinates.shape != rest:
            raise InputError(
                f"the value is on {given.coordinates}",
                place="h[i] = value",
                fix="give one value for each point of the other axes",
            )
        if given.type is not self.type:
            raise InputError(
                f"the value is {given.type}, the array {self.type}",
                place="h[i] = value",
                fix=f'convert it: .astype("{self.type}")',
            )
        self.node = TableOperation(self.coordinates, self.type, (given,), index)


ARRAY = ArgumentKind(
    "an array of the algebra",
    lambda thing: isinstance(thing, Array),
    'declare it: alg.array("a", shape, type)',
)
"""The type of most parameters of the algebra."""


# ---- what a program starts from ----


def array(name: str, shape: int | Sequence[int], type: str | T.Type = "f32") -> Array:
    """An array that the caller will give: `shape` along at most three axes, of a type from u8 to f64.

    Raises InputError for a shape that is not one to three positive whole numbers, or an unknown type.

    >>> array("a", (480, 640, 3), "u8")
    Input of u8 on 0..479 x 0..639 x 0..2
    """
    extent = checked_shape(shape, f"array {brief(name)}")
    return Array(
        Input(
            Coordinates((0,) * len(extent), extent),
            checked_type(type, f"array {brief(name)}"),
            name=_name(name),
        )
    )


def scalar(name: str, type: str | T.Type = "f32") -> Array:
    """A number that the caller will give: changing it does not compile again.

    >>> array("a", 5) * scalar("amount")
    Pointwise of f32 on 0..4
    """
    return Array(Scalar(POINT, checked_type(type, f"scalar {brief(name)}"), name=_name(name)))


def index(name: str, count: int) -> Array:
    """The index of a definition by cases, 0 to `count` - 1, of type i32.

    >>> a, h, i = array("a", (3, 4), "u8"), array("h", 256, "i32"), index("i", 256)
    >>> h[i] = i * 2
    >>> h
    Table of i32 on 0..255
    """
    if isinstance(count, (tuple, list)):
        raise InputError(f"{brief(count)} is no count", place="index", fix="give one positive whole number")
    (extent,) = checked_shape(count, f"index {brief(name)}")
    return Array(Index(POINT, T.i32, name=_name(name), count=extent))


@takes(like=ARRAY, axis=whole())
def coordinate(like: Array, axis: int = 0) -> Array:
    """The array on the coordinates of `like` whose value is the coordinate along an axis, of type i32.

    >>> coordinate(array("a", (3, 4)), axis=1)
    Coordinate of i32 on 0..2 x 0..3
    """
    (which,) = checked_axes(axis, like, "coordinate")
    return Array(Coordinate(like.coordinates, T.i32, axis=which))


# ---- pointwise operations ----


@takes(row=TEXT)
def pointwise(row: str, *operands: object) -> Array:
    """A row of the operator table at every point, such as ``pointwise("sqrt", a)``.

    Raises IrError for an unknown row or types that it does not take, InputError for coordinate sets that differ.
    """
    known = next((o.type for o in operands if isinstance(o, Array)), None)
    if known is None:
        raise InputError("none of the operands is an array", place=row, fix="compute it in Python")
    return Array(_pointwise(row, tuple(lifted(o, known, row) for o in operands)))


def minimum(a: object, b: object) -> Array:
    """The lesser of two values at every point, the algebra's ∧."""
    return binary("min", a, b)


def maximum(a: object, b: object) -> Array:
    """The greater of two values at every point, the algebra's ∨."""
    return binary("max", a, b)


@takes(condition=ARRAY)
def where(condition: Array, then: object, orelse: object) -> Array:
    """At every point the one value or the other.

    >>> a = array("a", 5)
    >>> where(a > 0, a, 0)
    Pointwise of f32 on 0..4
    """
    known = next((o.type for o in (then, orelse) if isinstance(o, Array)), None)
    if known is None:
        raise InputError("neither value is an array", place="where", fix="alg.chi makes 0 and 1")
    return Array(
        _pointwise("choose", (condition.node, lifted(then, known, "where"), lifted(orelse, known, "where")))
    )


@takes(condition=ARRAY)
def chi(condition: Array, type: str | T.Type = "u8") -> Array:
    """The characteristic function: 1 at the points where the condition holds, 0 elsewhere (White, section 2.3).

    >>> chi(array("a", (3, 4), "u8") == 7)
    Pointwise of u8 on 0..2 x 0..3
    """
    if condition.type is not T.boolean:
        raise InputError(f"a {condition.type} array is no condition", place="chi", fix="compare it: a != 0")
    kind = checked_type(type, "chi")
    ends = tuple(ConstantOperation(POINT, kind, value=v) for v in (1, 0))
    return Array(_pointwise("choose", (condition.node, *ends)))


def conversion(source: T.Type, target: T.Type) -> str:
    """The row that makes numbers of one type of those of another."""
    return "to_integer" if source.is_float and target.is_integer else "convert"


def binary(row: str, a: object, b: object) -> Array:
    """A row of two operands, of which one may be a Python number, or a narrower integer beside an index."""
    known = [o.type for o in (a, b) if isinstance(o, Array)]
    if not known:
        raise InputError("neither operand is an array", place=row, fix="compute it in Python")
    one, two = (lifted(o, known[0], row) for o in (a, b))
    if one.type is not two.type:
        one, two = _met(one, two)
    if one.type is not two.type:
        raise InputError(
            f"the values are {one.type} and {two.type}",
            place=row,
            fix=f'convert one: .astype("{max(one.type, two.type, key=_room)}")',
        )
    if one.type.is_integer and row == "div":
        raise InputError("/ is for floats", place=row, fix='use //, or convert: .astype("f32")')
    return Array(_pointwise(row, (one, two)))


def _room(type: T.Type) -> tuple[bool, int]:
    """The one of two types that can hold more of the other's numbers."""
    return type.is_float, type.bits


def _met(one: Operation, two: Operation) -> tuple[Operation, Operation]:
    """An index or a coordinate is an i32; narrower integers are widened to meet it."""
    for a, b in ((one, two), (two, one)):
        whole = a.type is T.i32 and isinstance(a, Index | Coordinate)
        if whole and b.type.is_integer and T.i32.low <= b.type.low and b.type.high <= T.i32.high:
            wide = _pointwise("convert", (b,), attr=T.i32)
            return (a, wide) if a is one else (wide, a)
    return one, two


def lifted(value: object, like: T.Type, place: str) -> Operation:
    """An array's operation, or a Python number as a constant of a type.

    Raises InputError for a number that the type does not hold, or for what is neither.
    """
    if isinstance(value, Array):
        return value.node
    if isinstance(value, (str, bytes)) or value is None or getattr(value, "ndim", 0):
        raise InputError(
            f"{brief(value)} is neither an array of the algebra nor a number",
            place=place,
            fix='declare it: alg.array("a", shape, type)',
        )
    return ConstantOperation(POINT, like, value=checked_number(value, like, place))


def checked_number(value: Any, like: T.Type, place: str) -> float | int | bool:
    """A Python number that a type holds.

    Raises InputError for anything else: nothing wraps silently.
    """
    fix = f'give a number of the type, or convert the array: .astype("{"f32" if like.is_integer else "f64"}")'
    # Python takes text for a number, too.
    given: Any = None if isinstance(value, (str, bytes)) else value
    try:
        if like is T.boolean:
            if given in (True, False):
                return bool(given)
        elif like.is_float:
            return float(given)
        else:
            number = operator.index(given)
            if like.low <= number <= like.high:
                return number
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError(f"{brief(value)} is no {like}", place=place, fix=fix)


def _pointwise(row: str, operands: tuple[Operation, ...], attr: T.Type | None = None) -> Operation:
    sets = list(dict.fromkeys(o.coordinates for o in operands if o.coordinates.axes))
    if len(sets) > 1:
        raise InputError(
            f"the arrays are on {sets[0]} and on {sets[1]}",
            place=row,
            fix="a pointwise operation needs one coordinate set; translate or restrict one",
        )
    result = rows.row(row).result_type(tuple(o.type for o in operands), attr)
    return Pointwise(sets[0] if sets else POINT, result, operands, row, attr)


# ---- checks ----


def _name(name: object) -> str:
    if isinstance(name, str) and name.isidentifier():
        return name
    raise InputError(f"{brief(name)} is no name", place="algebra", fix="give a Python identifier")


def checked_type(type: object, place: str) -> T.Type:
    """The type of that name.

    Raises InputError for any other.
    """
    if isinstance(type, T.Type):
        return type
    found = T.BY_NAME.get(type) if isinstance(type, str) else None
    if found is None:
        raise InputError(f"{brief(type)} is no type", place=place, fix=f"give one of {', '.join(T.BY_NAME)}")
    return found


def wholes(given: object) -> tuple[int, ...] | None:
    """One whole number, or several in a tuple or a list, as a tuple; None for anything else.

    >>> wholes(3), wholes([1, 2]), wholes(1.5), wholes([True])
    ((3,), (1, 2), None, None)
    """
    items = cast("Sequence[Any]", given if isinstance(given, (tuple, list)) else (given,))
    try:
        found = tuple(operator.index(n) for n in items if not isinstance(n, bool))
    except TypeError:
        return None
    return found if len(found) == len(items) else None


def checked_shape(shape: object, place: str) -> tuple[int, ...]:
    """One to three positive whole numbers.

    Raises InputError for anything else, or for more elements than can be counted in 31 bits.
    """
    extent = wholes(shape)
    if not extent or len(extent) > MAX_AXES or min(extent) < 1:
        fix = "give one to three positive whole numbers, such as (480, 640, 3)"
        raise InputError(f"{brief(shape)} is no shape", place=place, fix=fix)
    if Coordinates(extent, extent).count > MAX_ELEMENTS:
        raise InputError(
            f"{brief(shape)} has more than {MAX_ELEMENTS} elements", place=place, fix="use parts"
        )
    return extent


def checked_axes(axes: object, a: Array, place: str) -> tuple[int, ...]:
    """Axes of an array, counted from 0 (or from the end by negative numbers), in order; all of them for None.

    Raises InputError for an axis that it does not have.
    """
    count = len(a.shape)
    if axes is None:
        return tuple(range(count))
    found = sorted({k + count if k < 0 else k for k in wholes(axes) or (-count - 1,)})
    if found[0] < 0 or found[-1] >= count:
        raise InputError(
            f"{brief(axes)} is no axis of an array on {a.coordinates}",
            place=place,
            fix=f"give numbers from 0 to {count - 1}" if count else "it has none",
        )
    return tuple(found)
