"""Operations: the nodes of an image-algebra program, each with its coordinate set and its type.

The bottom of `algebra`. `array` gives them Python's operators, `naive` turns each into a loop nest of its own. A node
says what is computed at every point of its coordinate set, never how. Source: White, section 2.3; Ritter, Wilson and
Davidson, "Image Algebra: An Overview".
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import field
from typing import Any

import numpy as np

from ..base.record import record
from ..ir import types as T

Array = np.ndarray[Any, Any]


@record
class Coordinates:
    """A coordinate set: the whole points from `low`, as many along each axis as `shape` says.

    >>> Coordinates((0, 0), (2, 3)).count, str(Coordinates((-1,), (3,)))
    (6, '-1..1')
    """

    low: tuple[int, ...]
    shape: tuple[int, ...]

    @property
    def count(self) -> int:
        """The number of points."""
        return math.prod(self.shape)

    @property
    def axes(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def __str__(self) -> str:
        """The range along each axis, both ends included."""
        return (
            " x ".join(f"{a}..{a + n - 1}" for a, n in zip(self.low, self.shape, strict=True)) or "one point"
        )


POINT = Coordinates((), ())
"""The coordinate set of a scalar."""


@record(eq=False)
class Operation:
    """A node: its coordinate set, type, operands, and the loop indices (`Index` nodes) that its value depends on."""

    coordinates: Coordinates
    type: T.Type
    operands: tuple[Operation, ...] = ()
    free: frozenset[Operation] = field(init=False, default=frozenset())

    def __post_init__(self) -> None:
        """Gather the indices of the operands."""
        free = frozenset[Operation]().union(*(o.free for o in self.operands))
        object.__setattr__(self, "free", free)


@record(eq=False)
class Input(Operation):
    """An array that the caller gives, by name."""

    name: str = ""


@record(eq=False)
class Scalar(Operation):
    """A number that the caller gives, by name: a uniform."""

    name: str = ""


@record(eq=False)
class ConstantOperation(Operation):
    """A number of the program."""

    value: float | int | bool = 0


@record(eq=False)
class Index(Operation):
    """The index of a definition by cases, from 0 to `count` - 1: a scalar that differs from case to case."""

    name: str = ""
    count: int = 0

    def __post_init__(self) -> None:
        """It depends on itself."""
        object.__setattr__(self, "free", frozenset((self,)))


@record(eq=False)
class Coordinate(Operation):
    """The array whose value at each point is the point's own coordinate along an axis."""

    axis: int = 0


@record(eq=False)
class Pointwise(Operation):
    """A row of the operator table at every point; operands of one point go with every point."""

    row: str = ""
    attr: T.Type | None = None


@record(eq=False)
class Reduction(Operation):
    """`kind` ("sum", "max" or "min") over some axes, the lowest coordinates first, in the type of the result."""

    kind: str = ""
    over: tuple[int, ...] = ()


@record(eq=False)
class PointCount(Operation):
    """The number of points along some axes of the operand."""

    over: tuple[int, ...] = ()


@record(eq=False)
class WindowOperation(Operation):
    """A template operation: what lies around each point, `offsets` away, combined by `kind`.

    kind     "sum" (of products with `weights`), "max" or "min" (of sums with `weights`), "median", or "shift" (one
             offset).
    offsets  one tuple of whole numbers per value, of as many leading axes as the template has.
    weights  one constant of the array's type per offset; empty where all are neutral.
    border   the mode, a key of `border.MODES`; `outside` is the value there when the mode is "constant".
    """

    kind: str = ""
    offsets: tuple[tuple[int, ...], ...] = ()
    weights: tuple[float | int, ...] = ()
    border: str = "reflect"
    outside: float | int | bool = 0


@record(eq=False)
class Moved(Operation):
    """The same values on other points: translated by `by`, or restricted to a part (`by` 0)."""

    by: tuple[int, ...] = ()


@record(eq=False)
class TableOperation(Operation):
    """A definition by cases: element i of the first axis is the value of the operand for that index."""

    index: Index | None = None

    def __post_init__(self) -> None:
        """The index is bound here."""
        free = frozenset[Operation]().union(*(o.free for o in self.operands)) - {self.index}
        object.__setattr__(self, "free", free)


def reached(roots: Iterable[Operation]) -> list[Operation]:
    """All operations that the roots are made of, also those inside of definitions by cases."""
    found: dict[Operation, None] = {}
    stack = list(reversed(list(roots)))
    while stack:
        node = stack.pop()
        if node not in found:
            found[node] = None
            stack.extend(reversed(node.operands))
    return list(found)


def ordered(roots: Iterable[Operation]) -> list[Operation]:
    """All operations that the roots are made of, operands first, without what is inside of definitions by cases."""
    found: dict[Operation, None] = {}
    stack = [(r, False) for r in reversed(list(roots))]
    while stack:
        node, ready = stack.pop()
        if node in found:
            continue
        if ready:
            found[node] = None
            continue
        stack.append((node, True))
        if not isinstance(node, TableOperation):
            stack += [(o, False) for o in reversed(node.operands) if o not in found]
    return list(found)
