"""The naive nest of a program: every operation a loop nest of its own, its result in a temporary array.

Between the vocabulary and `script`. This is what a direct translation of the image algebra gives (White, section 2.3
and Figure 6.3), and it is the meaning: the optimizer starts from it, and may only make it faster. Loops of one axis and
one extent share their index, so an index has one range in the whole kernel.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce

from ..base.errors import InputError
from ..ir import expr as E
from ..ir import nest as N
from ..ir import types as T
from ..ir.expr import Buffer, Expr, apply, const
from ..ir.nest import Alloc, Block, For, Kernel, Statement, Store
from ..loops.core import elements
from ..loops.core.elements import allocated
from .array import conversion
from .border import folded, inside
from .network import median
from .operation import (
    ConstantOperation,
    Coordinate,
    Coordinates,
    Index,
    Input,
    Moved,
    Operation,
    PointCount,
    Pointwise,
    Reduction,
    Scalar,
    TableOperation,
    WindowOperation,
    ordered,
)

Point = tuple[Expr, ...]
Value = Callable[[Point], Expr]
"""The value of an operation at a point, whose coordinates count from 0 along each axis."""


@dataclass(eq=False, slots=True)
class BlockScope:
    """The block of one definition by cases (or of the program), and the values that are computed in it."""

    parent: BlockScope | None
    indices: frozenset[Operation]
    statements: list[Statement] = field(default_factory=list[Statement])
    known: dict[Operation, Value] = field(default_factory=dict[Operation, Value])


class Lowering:
    """Writes operations down as loop nests; `buffers` are the inputs by name, `params` the scalars.

    `names` are those that the caller has given, which temporary arrays do not take.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.taken = set(names)
        self.buffers: dict[str, Buffer] = {}
        self.params: dict[str, Expr] = {}
        self.scratch: list[Buffer] = []
        self.targets: dict[Operation, Buffer] = {}
        self.written: set[Buffer] = set()
        self._names = 0
        self._indices: dict[tuple[str, int], Expr] = {}
        self._letters: dict[str, int] = {}

    def kernel(self, name: str, outputs: Sequence[tuple[str, Operation]]) -> Kernel:
        """The naive nest of some outputs, each with the name of its buffer."""
        frame = BlockScope(None, frozenset())
        buffers = [Buffer(word, node.type, node.coordinates.count) for word, node in outputs]
        self.targets = {node: b for b, (_, node) in reversed([*zip(buffers, outputs, strict=True)])}
        for buffer, (_, node) in zip(buffers, outputs, strict=True):
            self.lower((node,), frame)
            if buffer not in self.written:
                self.fill(buffer, node.coordinates, frame.known[node], frame)
        body: Block = tuple(frame.statements)
        body = allocated({b: const(b.size, N.position_type(b.size)) for b in self.scratch}, body)
        return Kernel(name, tuple(self.params.values()), tuple(buffers), body)

    # ---- operations ----

    def lower(self, roots: Sequence[Operation], frame: BlockScope) -> None:
        """Make every operation known, each in the outermost frame that has all indices it depends on."""
        for node in ordered(roots):
            home = frame
            while home.parent is not None and node.free.isdisjoint(home.indices):
                home = home.parent
            if node not in home.known:
                home.known[node] = self.value(node, home)

    def look(self, node: Operation, frame: BlockScope) -> Value:
        """The value of an operation that is known here or further out."""
        at: BlockScope | None = frame
        while at is not None:
            if node in at.known:
                return at.known[node]
            at = at.parent
        raise InputError(
            "an index is used outside of its definition", place="algebra", fix="write h[i] = ... for it"
        )

    def value(self, node: Operation, frame: BlockScope) -> Value:
        """Write the nest of one operation, and say where its values are."""
        match node:
            case ConstantOperation():
                number = const(node.value, node.type)
                return lambda point: number
            case Scalar():
                uniform = self.params.setdefault(node.name, E.param(node.name, node.type))
                self.same(uniform.type is node.type, node.name)
                return lambda point: uniform
            case Input():
                return self.given(node)
            case Index():
                # Only a definition by cases gives it a value.
                return self.look(node, frame)
            case Coordinate():
                low = const(node.coordinates.low[node.axis], T.i32)
                return lambda point: apply("add", point[node.axis], low)
            case Moved():
                inner = self.look(node.operands[0], frame)
                old = node.operands[0].coordinates.low
                steps = tuple(
                    new - by - o for new, by, o in zip(node.coordinates.low, node.by, old, strict=True)
                )
                return self.copied(node, frame, lambda p: inner(tuple(map(moved, p, steps))))
            case Pointwise():
                parts = [self.look(o, frame) for o in node.operands]
                if not node.coordinates.axes:
                    return lambda point: apply(node.row, *(v(()) for v in parts), attr=node.attr)
                return self.copied(
                    node, frame, lambda p: apply(node.row, *(v(p) for v in parts), attr=node.attr)
                )
            case WindowOperation():
                return self.window(node, frame)
            case Reduction():
                return self.reduction(node, frame)
            case PointCount():
                extent = node.operands[0].coordinates.shape
                count = const(math.prod(extent[k] for k in node.over), node.type)
                return lambda point: count
            case TableOperation():
                return self.table(node, frame)
            case _:
                raise InputError(f"no operation is a {type(node).__name__}", place="algebra")

    def same(self, agree: bool, name: str) -> None:
        """Refuse two declarations of one name that differ."""
        if not agree:
            raise InputError(
                f"{name!r} is declared twice, differently", place="algebra", fix="give each its own name"
            )

    def given(self, node: Input) -> Value:
        """An array of the caller's."""
        count = node.coordinates.count
        buffer = self.buffers.setdefault(node.name, Buffer(node.name, node.type, count))
        self.same(buffer.type is node.type and buffer.size == count, node.name)
        return stored(buffer, node.coordinates)

    def copied(self, node: Operation, frame: BlockScope, value: Value) -> Value:
        """A new temporary array that holds a value at every point."""
        buffer = self.temporary(node)
        self.fill(buffer, node.coordinates, value, frame)
        return stored(buffer, node.coordinates)

    def temporary(self, node: Operation) -> Buffer:
        """An array for the values of an operation: the caller's if it is an output, else a new one."""
        target = self.targets.get(node)
        if target is not None:
            self.written.add(target)
            return target
        self.scratch.append(Buffer(self.name("t"), node.type, node.coordinates.count))
        return self.scratch[-1]

    def name(self, letter: str) -> str:
        """A new name that the caller has not given."""
        self._names += 1
        while f"{letter}{self._names}" in self.taken:
            letter += "_"
        return f"{letter}{self._names}"

    def fill(self, buffer: Buffer, where: Coordinates, value: Value, frame: BlockScope) -> None:
        """Loops that store a value at every point."""
        point = self.point(where)
        frame.statements.append(self.loops(where, (Store(buffer, position(point, where), value(point)),)))

    def window(self, node: WindowOperation, frame: BlockScope) -> Value:
        """The values around each point, combined."""
        inner = self.look(node.operands[0], frame)
        axes = range(len(node.offsets[0]))
        reach = tuple(max(abs(o[k]) for o in node.offsets) for k in axes)
        shape = node.coordinates.shape

        def at(point: Point, offset: tuple[int, ...]) -> Expr:
            steps = [moved(x, d) for x, d in zip(point, offset, strict=False)]
            ends = [folded(node.border, x, n, r) for x, n, r in zip(steps, shape, reach, strict=False)]
            # An axis along which the offset is 0 does not leave the array, whatever the others do.
            ends = [x if d == 0 else e for x, e, d in zip(point, ends, offset, strict=False)]
            found = inner((*ends, *point[len(ends) :]))
            if node.border == "constant":
                for x, n, d in zip(steps, shape, offset, strict=False):
                    if d:
                        found = apply("choose", inside(x, n), found, const(node.outside, node.type))
            return found

        def combined(point: Point) -> Expr:
            values = [at(point, o) for o in node.offsets]
            if node.kind == "median":
                return median(values, lambda a, b: apply("min", a, b), lambda a, b: apply("max", a, b))
            row = {"sum": "mul", "max": "add", "min": "add"}.get(node.kind, "")
            if node.weights:
                values = [
                    apply(row, const(w, node.type), v) for w, v in zip(node.weights, values, strict=True)
                ]
            join = {"sum": "add", "max": "max", "min": "min"}.get(node.kind, "")
            return reduce(lambda a, b: apply(join, a, b), values)

        return self.copied(node, frame, combined)

    def reduction(self, node: Reduction, frame: BlockScope) -> Value:
        """A scalar that takes in one value after the other, for each point of what remains."""
        (operand,) = node.operands
        inner, where = self.look(operand, frame), operand.coordinates
        point = self.point(where)
        result = self.temporary(node)
        kept = [k for k in range(where.axes) if k not in node.over]
        own = Buffer(self.name("s"), node.type, 1) if kept else result
        zero = const(0, T.i32)
        start = {"sum": 0, "max": -float("inf"), "min": float("inf")}[node.kind]
        if node.kind != "sum" and node.type.is_integer:
            start = node.type.low if node.kind == "max" else node.type.high
        step = {"sum": "add", "max": "max", "min": "min"}[node.kind]
        taken = inner(point)
        if taken.type is not node.type:
            taken = apply(conversion(taken.type, node.type), taken, attr=node.type)
        total = apply(step, E.load(own, zero), taken)
        body: Block = (Store(own, zero, total),)
        for k in reversed(node.over):
            body = (self.loop(point, where, k, body),)
        body = (Store(own, zero, const(start, node.type)), *body)
        if kept:
            left = tuple(point[k] for k in kept)
            body += (Store(result, position(left, node.coordinates), E.load(own, zero)),)
            body = (Alloc({own: const(1, T.i32)}, body),)
        for k in reversed(kept):
            body = (self.loop(point, where, k, body),)
        frame.statements.extend(body)
        return stored(result, node.coordinates)

    def table(self, node: TableOperation, frame: BlockScope) -> Value:
        """A loop over the cases; what does not depend on the index was computed before it."""
        (operand,) = node.operands
        result, case = self.temporary(node), node.index
        assert case is not None  # noqa: S101 - a table is made with one
        i = self.axis(case.name, case.count)
        inner = BlockScope(frame, frozenset((case,)), known={case: lambda point: i})
        self.lower((operand,), inner)
        value = self.look(operand, inner)
        rest = self.point(operand.coordinates)
        store = Store(result, position((i, *rest), node.coordinates), value(rest))
        inner.statements.append(self.loops(operand.coordinates, (store,)))
        frame.statements.append(For(i, const(0, T.i32), const(case.count, T.i32), tuple(inner.statements)))
        return stored(result, node.coordinates)

    # ---- loops ----

    def point(self, where: Coordinates) -> Point:
        """The indices of the loops over a coordinate set."""
        return tuple(self.axis(letter, n) for letter, n in zip(letters(where), where.shape, strict=True))

    def axis(self, letter: str, extent: int) -> Expr:
        """The index of that letter and extent: another extent takes another name."""
        found = self._indices.get((letter, extent))
        if found is None:
            number = self._letters[letter] = self._letters.get(letter, 0) + 1
            found = self._indices[letter, extent] = E.index(letter if number == 1 else f"{letter}{number}")
        return found

    def loops(self, where: Coordinates, body: Block) -> Statement:
        """Loops over a coordinate set, the first axis outermost; the statement itself where it has no axes."""
        point = self.point(where)
        for k in reversed(range(where.axes)):
            body = (self.loop(point, where, k, body),)
        (statement,) = body
        return statement

    def loop(self, point: Point, where: Coordinates, k: int, body: Block) -> For:
        """The loop over one axis."""
        return For(point[k], const(0, T.i32), const(where.shape[k], T.i32), body)


def letters(where: Coordinates) -> tuple[str, ...]:
    """The names of the indices of a coordinate set: rows y, columns x, channels c of at most four; slices z."""
    if where.axes == 3:
        return ("y", "x", "c") if where.shape[2] <= 4 else ("z", "y", "x")
    return ("y", "x")[2 - where.axes :]


def position(point: Point, where: Coordinates) -> Expr:
    """The position of a point in memory, the last axis closest."""
    return elements.position(point, where.shape) if point else const(0, T.i32)


def stored(buffer: Buffer, where: Coordinates) -> Value:
    """The value at a point of an array in memory."""
    return lambda point: E.load(buffer, position(point if where.axes else (), where))


def moved(x: Expr, by: int) -> Expr:
    """A coordinate and a step."""
    return apply("add", x, const(by, x.type)) if by else x
