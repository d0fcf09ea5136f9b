"""Building tapes: the pixel of a frame as instructions of the tile machine.

An expression that depends on neither column nor row is no instruction but an entry of the pool, which the interpreter
computes when a frame begins. Rows of the table stay whole: a sine is one instruction, with its own interval.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ....ir import nest as N
from ....ir import prim as table
from ....ir import types as T
from ....ir.expr import ITERATIONS, Buffer, Expr, held
from ..abi import BY_ROW, INPUTS, INVARIANT, NOT_FORWARDED, OBSERVED, ROOTS, TABULATED, TRUTH, UNUSED
from .key import Key
from .packing import packed
from .sincos import pair
from .subprograms import LOOP, ConstantPool, Item, Subprogram, TapeScope, conditions, key_of, needs, ordered

INSTRUCTION = np.dtype([("opcode", "u2"), ("flags", "u2"), ("operands", "i4", 3)])
"""An instruction: an opcode, flags (or a slot), and references (or places) of operands."""


class Field(NamedTuple):
    """A buffer that a kernel fills with a value for each column and row, row after row."""

    buffer: Buffer
    column: Expr
    row: Expr
    width: Expr
    height: Expr
    value: Expr


class Tape(NamedTuple):
    """The instructions of a field: for each the number of its key, its flags, and references of three operands.

    `pool` has the entries that references below zero name: expressions without column and row, buffers, and the loop
    subprograms. `inner` are the keys of the subprograms' instructions.
    """

    field: Field
    keys: list[Key]
    codes: np.ndarray[Any, Any]
    flags: np.ndarray[Any, Any]
    operands: np.ndarray[Any, Any]
    pool: list[Item]
    width: int
    inner: list[Key]

    def __len__(self) -> int:
        """The number of instructions."""
        return len(self.codes)


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


class _Written(TapeScope):
    """The instructions of a tape that is being written: for each the number of its key, and its operands.

    One table has the references of varying and of uniform expressions; the latter are below zero.
    """

    def __init__(self, places: dict[Any, int], first: Sequence[Expr]) -> None:
        varying = 0
        for x in places:
            varying |= x.free
        super().__init__(ConstantPool(list(first), places), varying, places)
        self.numbers: dict[Any, int] = {}
        self.keys: list[Key] = []
        self.codes: list[int] = []
        self.operands: list[int] = []

    def add(self, key: Key, operands: tuple[int, ...]) -> int:
        """Write an instruction; see `TapeScope`."""
        self.codes.append(self.number(key))
        self.operands += (*operands, *_SPARE[len(operands)])
        return INPUTS + len(self.codes) - 1

    def number(self, key: Key) -> int:
        """The number of a key."""
        code = self.numbers.get(key)
        if code is None:
            code = self.numbers[key] = len(self.keys)
            self.keys.append(key)
        return code

    def keep(self, roots: Sequence[Expr]) -> None:
        """Write `keep` instructions; each but the first takes the one before it as an operand."""
        before: tuple[T.Type, ...] = ()
        kept: tuple[int, ...] = ()
        rest = list(roots)
        while rest:
            many = ROOTS - len(before)
            key = Key("keep", (*before, *[x.type for x in rest[:many]]), T.u32)
            kept = (self.add(key, (*kept, *[self.place(x) for x in rest[:many]])),)
            rest, before = rest[many:], (T.u32,)

    def walk(self, roots: Sequence[Expr]) -> list[Expr]:
        """Write the instructions of roots without iterations, each soon before its first use; gives the varying nodes.

        The result is that of `write` on `ordered` nodes, in one walk: there are thousands of nodes and dozens of keys.
        """
        places, pool, codes, operands = self.places, self.pool.place, self.codes, self.operands
        varying, kinds = self.varying, dict[Any, int]()
        found: list[Expr] = []
        # Nodes that wait for operands, and the operands of each that are left; the roots are at the bottom.
        path: list[Expr] = []
        ways: list[Iterator[Expr]] = []
        way = iter(roots)
        while True:
            for node in way:
                if node not in places:
                    if node.free & varying:
                        path.append(node)
                        ways.append(way)
                        way = iter(node.args)
                        break
                    pool(node)
            else:
                if not path:
                    return found
                node, way = path.pop(), ways.pop()
                args = node.args
                # Identifies the key without making it.
                if len(args) == 2:
                    a, b = args
                    kind: Any = (node.op, a.type, b.type, node.type, a is b)
                    operands += (places[a], places[b], UNUSED)
                else:
                    kind = (node.op, node.type, args[:1] == args[1:2], *[x.type for x in args])
                    items = (*args, node.attr) if node.op == "load" else args
                    operands += (*map(pool, items), *_SPARE[len(items)])
                code = kinds.get(kind)
                if code is None:
                    code = kinds[kind] = self.number(key_of(node))
                places[node] = INPUTS + len(codes)
                codes.append(code)
                found.append(node)


def build(field: Field) -> Tape:
    """The tape of a field whose expression is in its final form, except that rows are not expanded.

    Raises BackendError where something is no operator.
    """
    return _build(field, (packed(field.value),), {field.column: 0, field.row: 1})


def build_kept(
    field: Field, roots: Sequence[Expr], inputs: Mapping[Expr, int], first: Sequence[Expr]
) -> Tape:
    """The tape of several roots, which ends in `keep` instructions: for `ROOTS` values first, then for two more each.

    `inputs` are references of inputs besides column and row; `first` are the first entries of the pool. Raises as
    `build` does.
    """
    return _build(field, roots, {field.column: 0, field.row: 1, **inputs}, first, keep=True)


def _build(
    field: Field,
    roots: Sequence[Expr],
    places: dict[Any, int],
    first: Sequence[Expr] = (),
    *,
    keep: bool = False,
) -> Tape:
    """The tape of one root, or of several that are kept; `first` are the first entries of the pool."""
    written = _Written(places, first)
    keys, codes, operands, pool = written.keys, written.codes, written.operands, written.pool.items
    if held(roots) & ITERATIONS:
        nodes = ordered(roots, written)
        written.conditions = conditions(nodes, roots)
        nodes = ordered(roots, written) if written.conditions else nodes
        written.write(nodes)
    else:
        nodes = written.walk(roots)
    if keep:
        written.keep(roots)
    if not codes:
        # One value for the whole frame.
        (root,) = roots
        written.add(Key("splat", (root.type,), root.type), (written.place(root),))
    flags = _flags(field, nodes, () if keep else roots, written, keep=keep)
    # Samples use the inputs in which a pair leaves its second result.
    order = None if keep else pair(keys, codes, operands)
    flags = flags if order is None else flags[order]
    inner = [line.key for body in pool if isinstance(body, Subprogram) for line in body.instructions]
    wide = any(t.bits == 64 for k in (*keys, *inner) for t in (*k.types, k.result))
    numbered, shaped = np.array(codes, np.int64), np.array(operands, np.int32).reshape(-1, 3)
    return Tape(field, keys, numbered, flags, shaped, pool, 8 if wide else 4, inner)


def _flags(
    field: Field, nodes: Sequence[Expr], roots: Sequence[Expr], written: _Written, *, keep: bool
) -> np.ndarray[Any, Any]:
    """The flags of each instruction, see `abi`; the signs of zeros among `roots` are observed."""
    keys, codes, places = written.keys, written.codes, written.places
    truths = [TRUTH if k.result is T.boolean else 0 for k in keys]
    flags = np.array([truths[code] for code in codes], np.uint16)
    for node in _observed(nodes, roots, keys):
        index = places[node] - INPUTS
        key = keys[codes[index]]
        flags[index] |= OBSERVED[node.type.bits // 8] | (0 if key.keeps_zero else NOT_FORWARDED)
    # Iterations run on batches, and so do the users of their results.
    if nodes and not keep and not written.loops:
        flags |= _invariants(nodes, field.column, field.row)
        for node in _tabulated(nodes, roots[0]):
            flags[places[node] - INPUTS] |= TABULATED
    return flags


_SPARE = ((UNUSED, UNUSED, UNUSED), (UNUSED, UNUSED), (UNUSED,), ())
"""References of absent operands, by the number of those that are there."""


MIN_TABULATED = 3
"""Minimum results that are worth a truth table."""


def _tabulated(nodes: Sequence[Expr], root: Expr) -> set[Expr]:
    """The results that depend on truths only, if the root does: those between it and truths, without other users."""
    found: set[Expr] = set()
    stack = [root]
    rows = table.table()
    while stack:
        node = stack.pop()
        if node in found or not node.free or node.type is T.boolean:
            continue
        # Cases that do not occur are computed too, so that partial rows are excluded; and so are invariants.
        if node.op not in rows or rows[node.op].total is not None or node.free != root.free:
            return set()
        found.add(node)
        stack += node.args
    if len(found) < MIN_TABULATED:
        return set()
    others = chain.from_iterable([n.args for n in nodes if n not in found])
    return found if found.isdisjoint(others) else set()


def _invariants(nodes: Sequence[Expr], column: Expr, row: Expr) -> np.ndarray[Any, Any]:
    """The flags of row- and column-invariant results."""
    both = column.free | row.free
    kinds = {column.free: INVARIANT, row.free: INVARIANT | BY_ROW}
    return np.frombuffer(bytes([kinds.get(node.free & both, 0) for node in nodes]), np.uint8)


def _observed(nodes: Sequence[Expr], seen: Sequence[Expr], keys: Sequence[Key]) -> set[Expr]:
    """The varying floats whose sign of zero is observed, among them all in `seen`."""
    rows = table.table()
    observers = {k.op for k in keys if k.op not in rows or rows[k.op].zero_sign == "observe"}
    if LOOP in keys:
        observers.add("iterate")
    found: set[Expr] = {x for x in seen if x.type.is_float and nodes}
    if not observers and not found:
        return found
    varying = set(nodes)
    for node in reversed(nodes):
        if node.op in observers or (node in found and node.op in rows and rows[node.op].zero_sign == "pass"):
            found.update([a for a in needs(node) if a.type.is_float and a in varying])
    return found
