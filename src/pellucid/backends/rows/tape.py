"""Tapes: a flow graph that is a loop over rows and columns as kernels in order, and where they read and write.

In `rows` between `positions` and `running`. What integers of the columns and rows are is told for all rows at once, so
that a border costs nothing where there is none; what remains of a pixel are kernels. Equal instructions are one.
"""

from __future__ import annotations

import struct
from collections import Counter
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...ir import prim as table
from ...ir import types as T
from ...ir.flow import FlowRow, Graph, Instruction
from .kernels import KernelKey
from .loops import POSITIONS, RowLoops, computed, loops, operands, operator, position, read
from .positions import Cut, Position, ends, unfit

MAX_PARTS = 64
"""Parts of a row; a border is one or some."""
MAX_KERNELS = 400
NARROW = 16
"""Columns of a part that are taken one by one."""
_WHOLE = T.i64


class TapeValue(NamedTuple):
    """The content of a register for all pixels of a piece: an element of a type in a place.

    `place` tells a constant, a position, an array's element or a result of a kernel apart; see `RowTape.places`.
    """

    type: T.Type
    place: int


class RowAccess(NamedTuple):
    """A place in memory: a memory's number, or -1 for the numbers of columns; the positions of all parts in order."""

    memory: int
    type: T.Type
    positions: tuple[Position, ...]


@dataclass(slots=True)
class RowTape:
    """Kernels in order; `steps` are a key and places: of the result, and of operands.

    Places are numbered: constants, accesses and results each from 0 up; `columns` are the parts of a row.
    """

    rows: int
    columns: list[tuple[int, int]]
    constants: list[tuple[T.Type, Any]]
    accesses: list[RowAccess]
    results: list[T.Type]
    steps: list[tuple[KernelKey, int, tuple[int, ...]]]
    stored: frozenset[int]
    needs: dict[int, int]
    result: tuple[int, int]


def tape(graph: Graph) -> RowTape:
    """The tape of a graph.

    Raises BackendError for a graph that is no loop over rows and columns, or that computes what kernels do not.
    """
    return _Taping(graph, loops(graph)).tape()


class _Taping:
    """One tape; positions first, and then kernels."""

    def __init__(self, graph: Graph, found: RowLoops) -> None:
        self.graph, self.loops = graph, found
        self.memories = list(graph.memories.values())
        self.same: dict[Any, int] = {}
        self.alias = dict(found.same)
        self.body: list[Instruction] = []
        self.parts: list[tuple[tuple[int, int], dict[int, Position]]] = []
        self.constants: dict[tuple[T.Type, int], int] = {}
        self.constant_values: list[tuple[T.Type, Any]] = []
        self.accesses: dict[tuple[int, int], int] = {}
        self.access_list: list[RowAccess] = []
        self.results: list[T.Type] = []
        self.steps: list[tuple[KernelKey, int, tuple[int, ...]]] = []
        self.copies: list[tuple[KernelKey, int, tuple[int, ...]]] = []
        self.made: dict[tuple[KernelKey, tuple[int, ...]], int] = {}
        self.values: dict[int, TapeValue] = {}
        self.positions: dict[int, Instruction] = {}
        self.needs: dict[int, int] = {}

    def tape(self) -> RowTape:
        """All of it."""
        positions = self._numbered()
        self.positions = {instruction[1]: instruction for instruction in positions}
        # What is the same in all columns is computed once.
        fixed, columns_of = dict(self.loops.known), {self.loops.column}
        moving: list[Instruction] = []
        for instruction in positions:
            if columns_of.isdisjoint(operands(instruction)):
                fixed[instruction[1]] = computed(self.graph, instruction, fixed, (0, 1))
            else:
                columns_of.add(instruction[1])
                moving.append(instruction)
        waiting = [self.loops.columns]
        while waiting:
            columns = waiting.pop()
            if 1 < columns[1] - columns[0] <= NARROW:
                # One by one they go on with the columns, whatever they do.
                waiting += [(c, c + 1) for c in reversed(range(*columns))]
                continue
            known = dict(fixed)
            try:
                for instruction in moving:
                    known[instruction[1]] = computed(self.graph, instruction, known, columns)
            except Cut as cut:
                waiting += [(cut.column, columns[1]), (columns[0], cut.column)]
            else:
                self.parts.append((columns, known))
            if len(waiting) + len(self.parts) > MAX_PARTS:
                raise unfit("so many borders")
        stores = [i for i in self.body if i[0] == "store"]
        stored = frozenset(i[1] for i in stores)
        if (
            len(stored) < len(stores)
            or not stores
            or any(i[0] == "load" and i[2] in stored for i in self.body)
        ):
            raise unfit("arrays that are read and written")
        for instruction in self.body:
            self._instruction(instruction)
        self._written()
        if len(self.steps) > MAX_KERNELS:
            raise unfit("so many kernels")
        return RowTape(
            self.loops.rows, [c for c, _ in self.parts], self.constant_values, self.access_list, self.results,
            self.steps, stored, self.needs, self.loops.result,
        )  # fmt: skip

    def _numbered(self) -> list[Instruction]:
        """The instructions on positions; the others are kept for later. Equal ones are one."""
        known = set(self.loops.known)
        positions: list[Instruction] = []
        for instruction in self.loops.body:
            op = instruction[0]
            if op == "store":
                memory, *registers = instruction[1:4]
                self.body.append(("store", memory, *[self._found(r) for r in registers]))
                continue
            if op in ("if", "switch", "fail", "require", "pair", "fixed", "div", "mod", "shl", "shr"):
                raise unfit(f"pixels with {op}")
            made = instruction[1]
            kept = 3 if op in ("row", "load") else 2
            # What follows the operands is the failure, which no position in range has.
            given = read(instruction)[: 2 if op in POSITIONS else None]
            found = (op, made, *instruction[2:kept], *[self._found(r) for r in given])
            same = (op, *found[2:])
            if same in self.same:
                self.alias[made] = self.same[same]
                continue
            self.same[same] = made
            if operator(found) and all(r < 0 or r in known for r in operands(found)):
                known.add(made)
                positions.append(found)
            else:
                self.body.append(found)
        return positions

    def _found(self, register: int) -> int:
        return self.alias.get(register, register)

    # ---- places ----

    def _steps(self, register: int) -> set[int]:
        """The steps of a position in all parts of more than one column."""
        return {
            position(self.graph, known, register).step
            for (begin, end), known in self.parts
            if end - begin > 1
        }

    def _access(self, memory: int, register: int) -> TapeValue:
        """A place in memory; what is one element for a whole row is spread."""
        key = (memory, register)
        type_ = self.memories[memory] if memory >= 0 else _WHOLE
        spread = False
        positions: list[Position] = []
        for (begin, end), known in self.parts:
            found = position(self.graph, known, register)
            if end - begin == 1:
                found = Position(1, found.step * begin + found.part - begin)
            positions.append(found)
        steps = self._steps(register)
        if steps == {0}:
            spread = True
            positions = [
                Position(0, p.part + c[0]) if c[1] - c[0] == 1 else p
                for p, (c, _) in zip(positions, self.parts, strict=True)
            ]
        elif not steps <= {1}:
            raise unfit("elements that are not beside each other")
        if key not in self.accesses:
            self._need(memory, positions)
            self.accesses[key] = len(self.access_list)
            self.access_list.append(RowAccess(memory, type_, tuple(positions)))
        place = TapeValue(type_, place_of("access", self.accesses[key]))
        return self._kernel("splat", (place,), type_) if spread else place

    def _need(self, memory: int, positions: list[Position]) -> None:
        """Know how long a memory must be."""
        low = high = 0
        for found, (columns, _) in zip(positions, self.parts, strict=True):
            least, most = ends(found.part)
            low = min(low, least + found.step * columns[0])
            high = max(high, most + found.step * (columns[1] - 1))
        if memory >= 0:
            if low < 0:
                raise unfit("elements before an array")
            self.needs[memory] = max(self.needs.get(memory, 0), high + 1)
        elif low < -(1 << 15) or high > 1 << 15:
            raise unfit("numbers of many columns")

    def _constant(self, value: float, type_: T.Type) -> TapeValue:
        with np.errstate(over="ignore"):
            if type_ is T.f32:
                value = float(value)
            element = np.array(value, np.float64 if type(value) is float else np.int64).astype(type_.dtype)
        key = (type_, int.from_bytes(element.tobytes(), "little"))
        if key not in self.constants:
            self.constants[key] = len(self.constant_values)
            self.constant_values.append((type_, element))
        return TapeValue(type_, place_of("constant", self.constants[key]))

    def _kernel(self, op: str, given: tuple[TapeValue, ...], result: T.Type) -> TapeValue:
        """The result of a kernel."""
        key = KernelKey(op, tuple(v.type for v in given), result)
        places = tuple(v.place for v in given)
        same = (key, places)
        if same not in self.made:
            self.made[same] = place_of("result", len(self.results))
            self.results.append(result)
            self.steps.append((key, self.made[same], places))
        return TapeValue(result, self.made[same])

    # ---- values ----

    def _value(self, register: int) -> TapeValue | None:
        """The value that is computed for a pixel, or None for a position or a constant."""
        return self.values.get(register)

    def _whole(self, register: int) -> TapeValue:
        """A register as an integer of 64 bits."""
        found = self._value(register)
        if found is None:
            if register < 0:
                return self._constant(self.graph.constants[~register], _WHOLE)
            if len(self._steps(register)) < 2 and self._steps(register) <= {0, 1}:
                return self._access(-1, register)
            # Multiples of the columns are computed from these.
            instruction = self.positions[register]
            one, other = (self._whole(r) for r in operands(instruction))
            return self._kernel(operator(instruction) or "", (one, other), _WHOLE)
        if found.type is T.boolean:
            return self._kernel(
                "choose", (found, self._constant(1, _WHOLE), self._constant(0, _WHOLE)), _WHOLE
            )
        if found.type.is_float:
            raise unfit("bits of real numbers")
        return self._converted(found, _WHOLE)

    def _converted(self, value: TapeValue, type_: T.Type) -> TapeValue:
        return value if value.type is type_ else self._kernel("convert", (value,), type_)

    def _real(self, register: int, type_: T.Type) -> TapeValue:
        """A register that holds a real number, in a type."""
        if register < 0:
            bits = self.graph.constants[~register]
            return self._constant(struct.unpack("<d", struct.pack("<q", bits))[0], type_)
        found = self._value(register)
        if found is None or not found.type.is_float:
            raise unfit("real numbers from elsewhere")
        return self._converted(found, type_)

    def _truth(self, register: int) -> TapeValue:
        found = self._value(register)
        if found is not None and found.type is T.boolean:
            return found
        return self._kernel("ne", (self._whole(register), self._constant(0, _WHOLE)), T.boolean)

    def _instruction(self, instruction: Instruction) -> None:
        match instruction:
            case ("store", memory, index, register):
                self._store(memory, index, register)
            case ("load", made, memory, index):
                self.values[made] = self._access(memory, index)
            case ("row", made, row, *registers):
                self.values[made] = self._row(row, registers)
            case ("is0", made, a):
                self.values[made] = self._kernel("not", (self._truth(a),), T.boolean)
            case ("eq" | "lt" as op, made, a, b):
                self.values[made] = self._kernel(op, (self._whole(a), self._whole(b)), T.boolean)
            case ("select", made, c, a, b):
                kinds = [
                    v.type for v in (self._value(a), self._value(b)) if v is not None and v.type.is_float
                ]
                arms = (
                    (self._real(a, kinds[0]), self._real(b, kinds[0]))
                    if kinds
                    else (self._whole(a), self._whole(b))
                )
                if len(set(kinds)) > 1:
                    raise unfit("choices between kinds of real numbers")
                self.values[made] = self._kernel("choose", (self._truth(c), *arms), arms[0].type)
            case ("and" | "or" | "xor" as op, made, a, b):
                both = [self._value(r) for r in (a, b)]
                if all(v is not None and v.type is T.boolean for v in both):
                    self.values[made] = self._kernel(op, (self._truth(a), self._truth(b)), T.boolean)
                else:
                    self.values[made] = self._kernel(op, (self._whole(a), self._whole(b)), _WHOLE)
            case ("add" | "sub" | "mul" as op, made, a, b):
                self.values[made] = self._kernel(op, (self._whole(a), self._whole(b)), _WHOLE)
            case _:
                raise unfit(f"pixels with {instruction[0]}")

    def _row(self, row: FlowRow, registers: list[int]) -> TapeValue:
        """A row of the operator table, on operands in the row's types."""
        if table.row(row.name).total is not None:
            raise unfit(f"{row.name}, which is not defined everywhere,")
        given: list[TapeValue] = []
        for type_, real, register in zip(row.types, row.reals, registers, strict=True):
            found = self._value(register)
            if type_ is T.boolean:
                given.append(self._truth(register))
            elif real:
                given.append(self._real(register, type_))
            elif register < 0:
                given.append(self._constant(self.graph.constants[~register], type_))
            elif found is not None and type_ is _WHOLE and row.name == "convert" and found.type in T.INTEGERS:
                # The same number, however wide.
                given.append(found)
            elif found is not None and found.type is type_:
                given.append(found)
            else:
                whole = self._whole(register)
                if type_ is T.f32:
                    whole = self._converted(whole, T.f64)
                given.append(self._converted(whole, type_))
        if row.name == "convert" and given[0].type is row.result:
            return given[0]
        return self._kernel(row.name, tuple(given), row.result)

    def _store(self, memory: int, index: int, register: int) -> None:
        """Let the kernel that makes a value write it to memory, or copy it."""
        type_ = self.memories[memory]
        value = self._value(register)
        if value is None or value.type is not type_:
            value = self._converted(self._whole(register), type_)
        if self._access(memory, index).place != place_of("access", len(self.access_list) - 1):
            raise unfit("rows that are written to one element")
        access = self.access_list[-1]
        first = access.positions[0].part
        if any(not _is_same(first, p.part) for p in access.positions[1:]):
            raise unfit("rows that are written in pieces")
        width = self.loops.columns[1] - self.loops.columns[0]
        if self.loops.rows > 1 and (type(first) is int or int(np.diff(first).min()) < width):
            raise unfit("rows that are written over each other")
        target = place_of("access", len(self.access_list) - 1)
        self.copies.append((KernelKey("copy", (type_,), type_), target, (value.place,)))

    def _written(self) -> None:
        """Let kernels write to arrays themselves, where nobody else reads what they make."""
        uses = Counter(place for step in [*self.steps, *self.copies] for place in step[2])
        makers = {step[1]: k for k, step in enumerate(self.steps)}
        for copy in self.copies:
            (place,) = copy[2]
            if uses[place] == 1 and place in makers:
                key, _, given = self.steps[makers[place]]
                self.steps[makers[place]] = (key, copy[1], given)
            else:
                self.steps.append(copy)


def _is_same(one: Any, other: Any) -> bool:
    return bool(np.array_equal(one, other))


_KINDS = ("constant", "access", "result")


def place_of(kind: str, number: int) -> int:
    """The number of a place: of what kind it is, and the how manieth of its kind.

    >>> place_of("access", 2)
    7
    """
    return 3 * number + _KINDS.index(kind)
