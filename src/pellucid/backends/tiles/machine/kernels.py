"""Kernels: for every operator on every type, the code of one instruction on 256 pixels and on 16 intervals.

`machine.tiles` calls kernels through tables of addresses. No operator has code here: a batch kernel is a row's own
spelling, or that of its body, and an interval kernel is the rule that `reasoning.intervals` derives from the row. The
kernels that a tape needs and that do not exist yet are compiled together, put into the store, and stay for the rest of
the process.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterable, Sequence

import numpy as np

from ....base.errors import BackendError
from ....ir import expr as E
from ....ir import prim as table
from ....ir import types as T
from ....ir.expr import Expr
from ....ir.facts import Facts, top
from ....reasoning.intervals import interval_rule
from ....rewriting.expand import expand
from ...jit.engine import machine
from ...jit.spelling import SCALAR, STORED, literal, typed
from ...port import CodeStore
from ..sizes import LANES
from ..tape.key import BROADCASTS, LINKAGE, VARIANTS, Key, leaf
from . import linkage
from .emitter import VectorEmitter

MAX_KERNELS = 2048
"""Maximum kernels of a process: operators on certain types."""
UNROLLED = 4
"""Vectors in one iteration of a kernel's loop, where an operator is cheap."""


class Kernels:
    """The kernels of this process for one width of elements, 4 or 8 bytes, found by key.

    `batches` and `intervals` are the tables that machine code reads: addresses by opcode.
    """

    def __init__(self, width: int, store: CodeStore | None) -> None:
        self.half = LANES * width
        self._store = store
        self._bases: dict[tuple[Key, int], int] = {}
        self.batches = np.zeros(MAX_KERNELS * VARIANTS, np.uint64)
        self.intervals = np.zeros(MAX_KERNELS * VARIANTS, np.uint64)
        self._lock = threading.Lock()

    def opcodes(self, keys: Iterable[Key]) -> dict[Key, int]:
        """The opcode of each key, with no operand uniform; what is missing is compiled.

        Raises BackendError when there are too many.
        """
        wanted = list(dict.fromkeys(keys))
        version = table.version()
        with self._lock:
            missing = [k for k in wanted if (k, version) not in self._bases]
            if missing:
                self._add(missing, version)
        return {k: self._bases[k, version] for k in wanted}

    def _add(self, keys: Sequence[Key], version: int) -> None:
        first = len(self._bases)
        if first + len(keys) > MAX_KERNELS:
            raise BackendError(f"more than {MAX_KERNELS} operators on certain types", place="tiles")
        batches, intervals = self._addresses(keys)
        for k, key in enumerate(keys):
            base, arity = first + k, len(key.types)
            full = (1 << arity) - 1
            for mask in range(VARIANTS):
                # Operands without a type, such as the memory of a load, are always in the pool and do not count.
                self.batches[base * VARIANTS + mask] = batches[k * VARIANTS + (mask & full)]
                # A uniform may be NaN; so may a batch that is made of one, where there is one operand.
                self.intervals[base * VARIANTS + mask] = intervals[
                    2 * k + int(mask & full > 0 or len(key.own) == 1)
                ]
            self._bases[key, version] = base * VARIANTS

    def _addresses(self, keys: Sequence[Key]) -> tuple[list[int], list[int]]:
        this = machine()
        # A kernel runs its body 16 times: hoisting loads out of it pays more than registers cost.
        tag = f"kernels {self.half} {keys}"
        places = this.kept(
            tag,
            lambda: module(keys, self.half),
            self._store,
            lambda code: this.addresses(code, ("batches", "intervals")),
            hoist=True,
        )
        count = len(keys)
        return words(places[0], count * VARIANTS), words(places[1], 2 * count)


def words(address: int, count: int) -> list[int]:
    """The addresses in a table."""
    return list((ctypes.c_uint64 * count).from_address(address))


def module(keys: Sequence[Key], half: int) -> str:
    """The LLVM text of the kernels of some keys, and of the tables of their addresses."""
    parts: list[str] = []
    batches: list[str] = []
    intervals: list[str] = []
    declared: dict[str, None] = {}
    for k, key in enumerate(keys):
        full = (1 << len(key.types)) - 1
        if key.op in LINKAGE:
            # Only the value that is passed may be uniform.
            truth = key.result is T.boolean
            parts.append(linkage.text(key.op, truth, f"batch_{k}", f"intervals_{k}", half))
            given = 2 if full > 1 else 1
            names = [f"ptr @batch_{k}_{mask}" for mask in range(given)]
            batches += [*names, *["ptr null"] * (VARIANTS - given)]
            intervals += (f"ptr @intervals_{k}", _guarded(key, k, half, parts))
            continue
        for mask in range(VARIANTS):
            # Kept values are read in their places.
            if mask >= key.variants or key.op == "keep" or (mask and key.op in BROADCASTS):
                batches.append("ptr null")
                continue
            if mask == full and key.op != "splat":
                parts.append(_uniform(key, f"batch_{k}", mask, half))
            else:
                parts.append(_batch(key, mask, f"batch_{k}_{mask}", half, declared))
            batches.append(f"ptr @batch_{k}_{mask}")
        if key.op in BROADCASTS:
            intervals += ("ptr null", "ptr null")
            continue
        parts.append(_intervals(key, f"intervals_{k}", half, declared))
        intervals += (f"ptr @intervals_{k}", _guarded(key, k, half, parts))
    tables = [
        f"@{name} = constant [{len(entries)} x ptr] [{', '.join(entries)}]"
        for name, entries in (("batches", batches), ("intervals", intervals))
    ]
    return "\n".join([*declared, *tables, _wholes(half), *parts])


def _wholes(half: int) -> str:
    """The interval of all numbers, which stands for a possible NaN as well, of each type of floats."""
    lanes = f"<{LANES} x i{8 * half // LANES}>"
    word = lanes.split(" x ")[1][:-1]
    lines: list[str] = []
    for type_ in T.FLOATS:
        if type_.bits <= 8 * half // LANES:
            endpoints = [
                int(np.array(x, type_.dtype).view(f"u{type_.dtype.itemsize}")) for x in (-np.inf, np.inf)
            ]
            both = ", ".join(f"{lanes} splat ({word} {x})" for x in endpoints)
            lines.append(f"@whole_{type_} = private constant [2 x {lanes}] [{both}], align {2 * half}")
    return "\n".join(lines)


def _guarded(key: Key, number: int, half: int, parts: list[str]) -> str:
    """The interval kernel for operands from the pool: endpoints are NaN-free, but a uniform may be NaN."""
    pointers = ["%a", "%b", "%c"]
    lines: list[str] = []
    for k, type_ in enumerate(key.own):
        if type_.is_float and type_.bits <= 8 * half // LANES:
            word = SCALAR[type_]
            lines.append(f"%v{k} = load {word}, ptr {pointers[k]}")
            lines.append(f"%n{k} = fcmp uno {word} %v{k}, %v{k}")
            lines.append(f"%p{k} = select i1 %n{k}, ptr @whole_{type_}, ptr {pointers[k]}")
            pointers[k] = f"%p{k}"
    if not lines:
        return f"ptr @intervals_{number}"
    operands = ", ".join(f"ptr {x}" for x in ("%o", *pointers))
    lines += (f"%r = tail call i64 @intervals_{number}({operands})", "ret i64 %r")
    body = "\n".join(lines)
    parts.append(f"define i64 @guarded_{number}(ptr %o, ptr %a, ptr %b, ptr %c) {{\n{body}\n}}")
    return f"ptr @guarded_{number}"


def _batch(key: Key, mask: int, name: str, half: int, declared: dict[str, None]) -> str:
    """A batch kernel: it works vector by vector, so that the result may take the place of an operand."""
    head = VectorEmitter(half, declared, "u")
    pointers = ("%a", "%b", "%c")
    fixed = {
        k: head.uniform(t, pointers[k]) for k, t in enumerate(key.own) if mask >> k & 1 and key.op != "load"
    }
    # The second of a pair: the first has computed its result as well.
    taken = len(key.types) == 3 and bool(key.beside) and not mask & 2
    prim = None if taken else table.table().get(key.op)
    # An invariant vector is shorter than an unrolled loop, and what follows it in memory may be outside of a domain.
    count = UNROLLED if prim is None or (prim.cost <= 2 and prim.total is None) else 1
    body = VectorEmitter(half, declared)
    body.label = "loop"
    memory = _memory(key.types[0], head) if key.op == "load" else ("", "")
    for part in range(count):
        offset = body.let(f"add i64 %k, {part * half}") if part else "%k"
        operands = [
            fixed[k] if k in fixed else body.vector(t, pointers[k], offset)
            for k, t in enumerate(key.own)
            if key.op not in BROADCASTS and not taken
        ]
        if taken:
            result = body.vector(key.result, "%c", offset)
        elif key.op == "splat":
            result = operands[0]
        elif key.op in BROADCASTS:
            result = _spread(key, body, offset)
        elif key.op == "load":
            result = _gathered(key, operands[0], memory, body)
        else:
            result, *others = _computed(key, operands, body)
            for other in others:
                body.store(key.result, other, "%b", offset)
        body.store(key.result, result, "%o", offset)
    loop = [
        "br label %loop",
        "loop:",
        f"%k = phi i64 [ 0, %entry ], [ %next, %{body.label} ]",
        *body.lines,
        f"%next = add i64 %k, {count * half}",
        "%more = icmp slt i64 %next, %size",
        "br i1 %more, label %loop, label %out",
        "out:",
        "ret void",
    ]
    lines = "\n".join(["entry:", *head.lines, *loop])
    return f"define void @{name}(ptr %o, ptr %a, ptr %b, ptr %c, i64 %size) {{\n{lines}\n}}"


def _uniform(key: Key, name: str, full: int, half: int) -> str:
    """A kernel for uniform operands only: it broadcasts the first to a batch in the place of the result."""
    lines = VectorEmitter(half, {})
    value = lines.uniform(key.types[0], "%a")
    lines.lines += ["br label %loop", "loop:", "%k = phi i64 [ 0, %entry ], [ %next, %loop ]"]
    lines.store(key.types[0], value, "%o", "%k")
    text = "\n".join(lines.lines)
    return f"""define void @{name}_{full}(ptr %o, ptr %a, ptr %b, ptr %c, i64 %size) {{
entry:
{text}
%next = add i64 %k, {half}
%more = icmp slt i64 %next, %size
br i1 %more, label %loop, label %out
out:
tail call void @{name}_{full - 1}(ptr %o, ptr %o, ptr %b, ptr %c, i64 %size)
ret void
}}"""


def _spread(key: Key, lines: VectorEmitter, offset: str) -> str:
    """A vector of the batch that an invariant is broadcast to: the invariant itself, or its element for one row."""
    (type_,) = key.types
    if key.op == "columns":
        return lines.vector(type_, "%a")
    if type_ is T.boolean:
        bits, row = lines.let("load i16, ptr %a"), lines.let(f"udiv i64 {offset}, {lines.half}")
        row = lines.let(f"trunc i64 {row} to i16")
        bit = lines.let(f"trunc i16 {lines.let(f'lshr i16 {bits}, {row}')} to i1")
        return lines.splat(type_, bit)
    return lines.uniform(type_, lines.at("%a", lines.let(f"udiv i64 {offset}, {LANES}")))


def _computed(key: Key, operands: Sequence[str], lines: VectorEmitter) -> list[str]:
    """The result of a row, by its spelling or by that of its body; the first of a pair computes both results."""
    leaves = tuple(leaf(str(k), t) for k, t in enumerate(key.own))
    attr = key.result if table.row(key.op).result == "@" else None
    ops = [key.op, key.beside] if key.beside and len(key.types) == 2 else [key.op]
    nodes = [E.make(op, leaves, key.result, attr) for op in ops]
    # Partial rows occur only where their operands are proved to be in the domain.
    roots = nodes if table.row(key.op).total is not None else expand(nodes, "exact")
    return lines.values(roots, dict(zip(leaves, operands, strict=True)))


def _memory(position: T.Type, lines: VectorEmitter) -> tuple[str, str]:
    """The address of a buffer, and its last position in all lanes, from its entry in the pool."""
    memory = lines.let("load ptr, ptr %b")
    last = lines.let(f"load i64, ptr {lines.at('%b', 8)}")
    if position is not T.i64:
        last = lines.let(f"trunc i64 {last} to {SCALAR[position]}")
    return memory, lines.splat(position, last)


def _gathered(key: Key, position: str, memory: tuple[str, str], lines: VectorEmitter) -> str:
    """The elements at positions, each of which is clamped into the buffer."""
    first, last = memory
    (type_,) = key.types
    vector, word = typed(type_, LANES), SCALAR[type_]
    suffix = f"v{LANES}{word}"
    lines.declare(f"{vector} @llvm.smax.{suffix}({vector}, {vector})")
    lines.declare(f"{vector} @llvm.smin.{suffix}({vector}, {vector})")
    low = lines.let(f"call {vector} @llvm.smax.{suffix}({vector} {position}, {vector} zeroinitializer)")
    inside = lines.let(f"call {vector} @llvm.smin.{suffix}({vector} {low}, {vector} {last})")
    element = STORED[key.result]
    places = lines.let(f"getelementptr {element}, ptr {first}, {vector} {inside}")
    bits = 8 if key.result is T.boolean else key.result.bits
    of = f"{'f' if key.result.is_float else 'i'}{bits}"
    all_lanes, found = f"<{LANES} x i1>", f"<{LANES} x {element}>"
    lines.declare(
        f"{found} @llvm.masked.gather.v{LANES}{of}.v{LANES}p0(<{LANES} x ptr>, i32, {all_lanes}, {found})"
    )
    result = lines.let(
        f"call {found} @llvm.masked.gather.v{LANES}{of}.v{LANES}p0(<{LANES} x ptr> {places}, i32 {bits // 8}, "
        f"{all_lanes} splat (i1 true), {found} poison)"
    )
    return lines.let(f"trunc {found} {result} to {all_lanes}") if key.result is T.boolean else result


def _intervals(key: Key, name: str, half: int, declared: dict[str, None]) -> str:
    """A kernel for 16 intervals; gives 4 masks: where the result is a point, or the first, second, third operand."""
    lines = VectorEmitter(half, declared)
    pointers = ("%a", "%b", "%c")
    endpoints = [
        (lines.vector(t, pointers[k]), lines.vector(t, pointers[k], half)) for k, t in enumerate(key.own)
    ]
    choices: list[str | None] = [None, None, None]
    if key.op == "splat":
        lo, hi = endpoints[0]
    elif key.op == "keep":
        # Never a point, so that operands are needed as long as anything is.
        lo, hi = "zeroinitializer", f"splat ({SCALAR[key.result]} 1)"
    elif key.op == "load":
        lo, hi = looked_up(key, endpoints[0], lines)
    else:
        lo, hi, choices = _ruled(key, endpoints, lines)
    lines.store(key.result, lo, "%o")
    lines.store(key.result, hi, "%o", half)
    word = lines.let(f"zext i16 {lines.mask(_is_point(key.result, lo, hi, lines))} to i64")
    for k, choice in enumerate(choices):
        if choice is not None:
            wide = lines.let(f"zext i16 {lines.mask(choice)} to i64")
            shifted = lines.let(f"shl i64 {wide}, {16 * (k + 1)}")
            word = lines.let(f"or i64 {word}, {shifted}")
    body = "\n".join(lines.lines)
    return f"define i64 @{name}(ptr %o, ptr %a, ptr %b, ptr %c) {{\nentry:\n{body}\nret i64 {word}\n}}"


def _is_point(type_: T.Type, lo: str, hi: str, lines: VectorEmitter) -> str:
    compare = "fcmp oeq" if type_.is_float else "icmp eq"
    return lines.let(f"{compare} {typed(type_, LANES)} {lo}, {hi}")


def _ruled(
    key: Key, endpoints: Sequence[tuple[str, str]], lines: VectorEmitter
) -> tuple[str, str, list[str | None]]:
    """The endpoints of a row's result, and masks of the lanes in which it is one of the operands."""
    rule = interval_rule(table.row(key.op), key.own, key.result, twice=key.twice)
    names: dict[Expr, str] = {}
    known: dict[Expr, Facts] = {}
    for (low, high), (lo, hi) in zip(rule.leaves, endpoints, strict=True):
        names |= {low: lo, high: hi}
        # Endpoints are NaN-free, and otherwise any number.
        known |= {e: top(e.type)._replace(nan=False) for e in (low, high)}
    choices = [c for c in rule.choices if c is not None]
    roots = expand([rule.lo, rule.hi, *choices], "exact", ranges=known)
    lo, hi, *masks = lines.values(roots, names)
    rest = iter(masks)
    return lo, hi, [None if c is None else next(rest) for c in rule.choices]


def looked_up(key: Key, endpoints: tuple[str, str], lines: VectorEmitter) -> tuple[str, str]:
    """The endpoints of a loaded element: itself where the position is a point, else those of the type."""
    (position,) = key.types
    one = _is_point(position, *endpoints, lines)
    value = _gathered(key, endpoints[0], _memory(position, lines), lines)
    whole = top(key.result)
    if key.result.is_float:
        ordered = lines.let(f"fcmp ord {typed(key.result, LANES)} {value}, {value}")
        one = lines.let(f"and <{LANES} x i1> {one}, {ordered}")
    masks = f"<{LANES} x i1>"
    vector = typed(key.result, LANES)
    low, high = (
        f"splat ({SCALAR[key.result]} {literal(E.const(x, key.result))})" for x in (whole.lo, whole.hi)
    )
    return (
        lines.let(f"select {masks} {one}, {vector} {value}, {vector} {low}"),
        lines.let(f"select {masks} {one}, {vector} {value}, {vector} {high}"),
    )
