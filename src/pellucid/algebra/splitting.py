"""A program divided for arrays that are cut: what is computed block by block, and the reductions between.

Below `blocks`. The result of a reduction is small, and stands in what follows as an array or a scalar of its own. So a
program becomes steps: each reduction with the elements that it is taken over, and the outputs made of the results.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from ..base.errors import InputError
from ..base.record import record
from .operation import (
    POINT,
    ConstantOperation,
    Coordinate,
    Coordinates,
    Input,
    Moved,
    Operation,
    PointCount,
    Reduction,
    Scalar,
    TableOperation,
    ordered,
    reached,
)
from .program import Program
from .reducing import MAX_ADDENDS, ReductionKind


@record(slots=False)
class ReductionStep:
    """A reduction over arrays that are cut.

    `node` is what blocks compute: the elements, or a whole definition by cases, whose parts are joined.
    """

    name: str
    node: Operation
    how: ReductionKind

    @property
    def is_table(self) -> bool:
        """Whether blocks compute parts, not elements."""
        return isinstance(self.node, TableOperation)

    @property
    def elements(self) -> Operation:
        """What the reduction is taken over."""
        return self.node.operands[0].operands[0] if self.is_table else self.node

    @property
    def kept(self) -> tuple[int, ...]:
        """The axes that remain, of those that are cut."""
        return tuple(k for k in range(self.elements.coordinates.axes) if k not in self.how.over)


@dataclass
class SplitProgram:
    """A program in steps: rounds of reductions, each of which may use the results of those before; then outputs.

    `points` are scalars that are computed from small results; of the outputs, `cut` ones are made block by block and
    `small` ones at once.
    """

    rounds: list[list[ReductionStep]] = field(default_factory=list[list[ReductionStep]])
    points: dict[str, Operation] = field(default_factory=dict[str, Operation])
    cut: dict[str, Operation] = field(default_factory=dict[str, Operation])
    small: dict[str, Operation] = field(default_factory=dict[str, Operation])


def split(program: Program, shape: Sequence[int]) -> SplitProgram:
    """The steps of a program on arrays of a shape.

    Raises InputError with the reason if it needs all of an array at once.
    """
    return _Splitter(program, tuple(shape)).made


def refused(reason: str) -> InputError:
    """The error for a program that needs all of its input."""
    return InputError(reason, place="map_blocks", fix="call the program itself, on arrays in memory")


class _Splitter:
    """Goes through the operations of a program from the inputs to the outputs."""

    def __init__(self, program: Program, shape: tuple[int, ...]) -> None:
        self.made = SplitProgram()
        self._is_exact = program.options.numerics == "exact"
        self._shape = shape
        self._declared = {a.shape for a in program.inputs.values()}
        roots = [output.node for output in program.outputs.values()]
        self._taken = {n.name for n in reached(roots) if isinstance(n, Input | Scalar)} | {*program.outputs}
        self._new: dict[Operation, Operation] = {}
        self._rounds: dict[Operation, int] = {}
        """For each operation, how many rounds of reductions come before it."""
        self._cut: set[Operation] = set()
        for node in ordered(roots):
            self._visit(node)
        for name, output in program.outputs.items():
            target = self.made.cut if output.node in self._cut else self.made.small
            target[name] = self._new[output.node]

    def _visit(self, node: Operation) -> None:
        if isinstance(node, TableOperation):
            self._visit_table(node)
            return
        above = [self._rounds[o] for o in node.operands]
        self._rounds[node] = max(above, default=0)
        is_cut = any(o in self._cut for o in node.operands)
        if is_cut and isinstance(node, Reduction):
            how = ReductionKind(node.kind, node.type, node.over)
            self._check_sum(how)
            self._step(node, self._new[node.operands[0]], how)
            return
        if is_cut and isinstance(node, PointCount):
            count = math.prod(self._shape[k] for k in node.over)
            self._new[node] = ConstantOperation(POINT, node.type, value=count)
            return
        self._new[node] = self._rebuilt(node, is_cut)
        if is_cut or isinstance(node, Input) or self._is_coordinate(node):
            self._cut.add(node)

    def _is_coordinate(self, node: Operation) -> bool:
        return isinstance(node, Coordinate) and node.coordinates.shape in self._declared

    def _rebuilt(self, node: Operation, is_cut: bool) -> Operation:
        """A node on what stands for its operands."""
        if not node.operands:
            return node
        if is_cut:
            return replace(node, operands=tuple([self._beside(o) for o in node.operands]))
        return placed(node, tuple([self._new[o] for o in node.operands]))

    def _beside(self, operand: Operation) -> Operation:
        """An operand of what is computed block by block: cut itself, or a scalar."""
        new = self._new[operand]
        results = [n for n in reached([new]) if isinstance(n, Input)]
        if operand in self._cut or not results:
            return new
        if operand.coordinates.axes:
            raise refused(f"the result {results[0].name!r} of a reduction is used at many points")
        name = self._name("point")
        self.made.points[name] = new
        return Scalar(POINT, operand.type, name=name)

    def _step(self, node: Operation, made: Operation, how: ReductionKind) -> None:
        """Take a reduction out, and let a name stand for its result."""
        name, before = self._name("result"), self._rounds[node]
        step = ReductionStep(name, made, how)
        while len(self.made.rounds) <= before:
            self.made.rounds.append([])
        self.made.rounds[before].append(step)
        self._rounds[node] = before + 1
        extent = tuple([self._shape[k] for k in step.kept])
        if isinstance(made, TableOperation):
            extent = (made.coordinates.shape[0], *extent)
        where = Coordinates((0,) * len(extent), extent)
        self._new[node] = (
            Input(where, node.type, name=name) if extent else Scalar(POINT, node.type, name=name)
        )

    def _visit_table(self, node: TableOperation) -> None:
        inside = [n for n in reached([node]) if n is not node]
        self._rounds[node] = 0
        if not any(isinstance(n, Input) for n in inside):
            self._new[node] = node
            return
        one = node.operands[0]
        others = [
            n for n in inside if n is not one and isinstance(n, Reduction | TableOperation | PointCount)
        ]
        if not isinstance(one, Reduction) or others:
            raise refused("a definition by cases is no single sum, maximum or minimum")
        if one.type.is_float:
            raise refused(f"a {one.kind} of floats is taken in a definition by cases")
        how = ReductionKind(one.kind, one.type, one.over)
        self._step(node, node, how)

    def _check_sum(self, how: ReductionKind) -> None:
        count = math.prod(self._shape[k] for k in how.over)
        if how.is_exact_sum and count > MAX_ADDENDS:
            fix = f"add at most {MAX_ADDENDS} at once, along fewer axes"
            raise InputError(f"{count} floats are too many for a sum", place="map_blocks", fix=fix)
        if how.is_exact_sum and self._is_exact:
            raise InputError(
                "exact numerics add floats in the order of all points",
                place="map_blocks",
                fix='compile it with numerics="relaxed", or add whole numbers',
            )

    def _name(self, stem: str) -> str:
        number = 1
        while f"{stem}{number}" in self._taken:
            number += 1
        self._taken.add(f"{stem}{number}")
        return f"{stem}{number}"


def everything(roots: Iterable[Operation]) -> list[Operation]:
    """All operations that the roots are made of, operands first, also those inside of definitions by cases."""
    found: dict[Operation, None] = {}
    stack = [(r, False) for r in roots]
    while stack:
        node, ready = stack.pop()
        if node in found:
            continue
        if ready:
            found[node] = None
        else:
            stack += [(node, True), *((o, False) for o in node.operands)]
    return list(found)


def placed(node: Operation, operands: tuple[Operation, ...]) -> Operation:
    """An operation on other operands, whose coordinates follow from theirs."""
    if not node.operands:
        return node
    sets = [o.coordinates for o in operands if o.coordinates.axes]
    where = sets[0] if sets else POINT
    match node:
        case Reduction():
            kept = [k for k in range(where.axes) if k not in node.over]
            where = Coordinates(tuple(where.low[k] for k in kept), tuple(where.shape[k] for k in kept))
        case TableOperation():
            where = Coordinates(node.coordinates.low, (node.coordinates.shape[0], *where.shape))
        case Moved() if node.coordinates.shape == node.operands[0].coordinates.shape:
            where = Coordinates(tuple(x + by for x, by in zip(where.low, node.by, strict=True)), where.shape)
        case Moved() | PointCount():
            where = node.coordinates
        case _:
            pass
    return replace(node, coordinates=where if where.axes else POINT, operands=operands)


def restricted(node: Operation, within: tuple[slice, ...]) -> Operation:
    """The part of an array that lies in some slices; the array itself if that is all of it."""
    own = node.coordinates
    shape = tuple(s.stop - s.start for s in within)
    if shape == own.shape:
        return node
    low = tuple(x + s.start for x, s in zip(own.low, within, strict=True))
    return Moved(Coordinates(low, shape), node.type, (node,), (0,) * own.axes)
