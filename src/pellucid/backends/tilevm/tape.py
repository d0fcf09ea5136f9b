"""Tapes: the pixel of a frame as instructions of the tile machine.

In `tilevm` beside `kernels`. What depends on neither column nor row is no instruction but an entry of the pool, worked
out by the interpreter when a frame begins. Rows stay whole here: a sine is one instruction, with a box of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...base.errors import BackendError
from ...ir import nest as N
from ...ir import prim as table
from ...ir import types as T
from ...ir.expr import Buffer, Expr, topological
from .kernels import Key
from .words import FIRST_TRUTH, INPUTS, OBSERVED, TRUTH, UNCOPIED

INSTRUCTION = np.dtype([("opcode", "u2"), ("flags", "u2"), ("operands", "i4", 3)])
"""What the machine reads: an opcode, flags (or a slot), and references (or places) of operands."""


class Field(NamedTuple):
    """What a kernel fills: a value for each column and row of a buffer, row after row."""

    buffer: Buffer
    column: Expr
    row: Expr
    width: Expr
    height: Expr
    value: Expr


class Tape(NamedTuple):
    """The instructions of a field, with keys in place of opcodes; `pool` and `buffers` are what uniforms stand for.

    An entry of the pool is an expression without column and row, or a buffer.
    """

    field: Field
    keys: list[Key]
    flags: np.ndarray[Any, Any]
    operands: np.ndarray[Any, Any]
    pool: list[Expr | Buffer]
    width: int

    def __len__(self) -> int:
        """How many instructions."""
        return len(self.keys)


def field_of(kernel: N.Kernel) -> Field | None:
    """The field that a kernel fills, or None if it does something else: the loops of a frame around one store.

    The machine fills words of 32 bits, at the position ``row * width + column``.
    """
    body = kernel.body
    loops: list[N.For] = []
    while len(body) == 1 and isinstance(body[0], N.For):
        loops.append(body[0])
        body = body[0].body
    if len(loops) != 2 or len(body) != 1 or not isinstance(body[0], N.Store):
        return None
    (rows, columns), store = loops, body[0]
    bounds = [rows.lo, columns.lo]
    if any(b.op != "const" or b.attr != 0 for b in bounds) or any(x.hi.free for x in loops):
        return None
    if store.buffer.type is not T.u32 or not _in_rows(store.position, rows.index, columns):
        return None
    return Field(store.buffer, columns.index, rows.index, columns.hi, rows.hi, store.value)


def _in_rows(position: Expr, row: Expr, columns: N.For) -> bool:
    """Whether a position is ``row * width + column``."""
    if position.op != "add" or columns.index not in position.args:
        return False
    a, b = position.args
    line = a if b is columns.index else b
    return line.op == "mul" and set(line.args) == {row, columns.hi}


def build(field: Field) -> Tape:
    """The tape of a field, whose expression is in its final form but for the bodies of rows.

    Raises BackendError where something is no operator: an iteration.
    """
    root = field.value
    inputs = {field.column: 0, field.row: 1}
    varying = field.column.free | field.row.free
    nodes = _ordered(root, varying, inputs)
    observed = _observed(nodes, root)
    places: dict[Any, int] = dict(inputs)
    pool: list[Expr | Buffer] = []

    def place(operand: Expr | Buffer) -> int:
        found = places.get(operand)
        if found is None:
            pool.append(operand)
            found = places[operand] = -len(pool)
        return found

    rows = table.table()
    keys: list[Key] = []
    flags: list[int] = []
    operands: list[tuple[int, ...]] = []
    unused = (0, 0, 0)
    for node in nodes:
        args = node.args
        types = tuple([a.type for a in args])
        if node.op == "load":
            given: tuple[Expr | Buffer, ...] = (args[0], node.attr)
            keys.append(Key("load", types, node.type))
        elif node.op in rows:
            given = args
            twice = len(args) > 1 and args[0] is args[1]
            keys.append(Key(node.op, types, node.type, twice))
        else:
            raise BackendError(f"a tape has no {node.op}", place=field.buffer.name, fix="compile it by LLVM")
        flag = TRUTH if node.type is T.boolean else 0
        if types[0] is T.boolean:
            flag |= FIRST_TRUTH
        if node in observed:
            flag |= 0 if keys[-1].keeps_zero else UNCOPIED
            flag |= OBSERVED[node.type.bits // 8] if node.type.is_float else 0
        flags.append(flag)
        operands.append((*[place(x) for x in given], *unused)[:3])
        places[node] = INPUTS + len(keys) - 1
    if not nodes:
        # One value for the whole frame.
        keys.append(Key("splat", (root.type,), root.type))
        flags.append(0)
        operands.append((place(root), 0, 0))
    wide = any(t.bits == 64 for k in keys for t in (*k.types, k.result))
    return Tape(
        field,
        keys,
        np.array(flags, np.uint16),
        np.array(operands, np.int32).reshape(-1, 3),
        pool,
        8 if wide else 4,
    )


def _ordered(root: Expr, varying: int, inputs: Mapping[Expr, int]) -> list[Expr]:
    """What varies, operands before users, each soon before its first use: the deeper operand goes first."""
    depth: dict[Expr, int] = {}
    for node in topological([root]):
        depth[node] = 1 + max([depth[a] for a in node.args], default=0) if node.free & varying else 0
    found: dict[Expr, None] = {}
    stack = [root]
    while stack:
        node = stack[-1]
        if node in found or not node.free & varying:
            stack.pop()
            continue
        missing = [a for a in node.args if a.free & varying and a not in found and a not in inputs]
        if missing:
            missing.sort(key=depth.__getitem__)
            stack.extend(missing)
            continue
        stack.pop()
        found[node] = None
    return list(found)


def _observed(nodes: Sequence[Expr], root: Expr) -> set[Expr]:
    """The floats of which somebody sees whether a zero is negative."""
    rows = table.table()
    found: set[Expr] = {root}
    for node in reversed(nodes):
        prim = rows.get(node.op)
        if prim is None or prim.zero_sign == "observe" or (prim.zero_sign == "pass" and node in found):
            found.update([a for a in node.args if a.type.is_float])
    return found


class Leaf(NamedTuple):
    """A tape's form for leaves: with slots for results and places for operands; where the root is; how many slots."""

    instructions: np.ndarray[Any, Any]
    root: int
    slots: int


def leaf(instructions: np.ndarray[Any, Any], begin: int) -> Leaf:
    """Results in slots, of 8 places each from `begin` on, each free again after its last use."""
    result = instructions.copy()
    operands = instructions["operands"].tolist()
    slots: dict[int, int] = {k: k for k in range(INPUTS)}
    free: list[int] = []
    used = INPUTS

    def slot(reference: int) -> int:
        nonlocal used
        found = slots.get(reference)
        if found is None:
            if free:
                found = free.pop()
            else:
                found, used = used, used + 1
            slots[reference] = found
        return found

    last = INPUTS + len(operands) - 1
    root = begin + 8 * slot(last)
    into: list[int] = []
    places: list[list[int]] = []
    for k in range(len(operands) - 1, -1, -1):
        mine = slot(INPUTS + k)
        free.append(mine)
        into.append(mine)
        places.append([x if x < 0 else begin + 8 * slot(x) for x in operands[k]])
    result["flags"] = into[::-1]
    result["operands"] = np.array(places[::-1], np.int32).reshape(-1, 3)
    return Leaf(result, root, used)
