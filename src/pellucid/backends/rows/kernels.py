"""Kernels: an operator on a piece of a row, for each row of the operator table on certain types.

At the bottom of `rows`. What a tape asks for and nobody has asked for before is compiled together, kept in the store
under each kernel, and stays for the rest of the process. Elements in memory are as wide as their type; 16 truths are a
word.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple

from ...ir import expr as E
from ...ir import prim as table
from ...ir import types as T
from ...rewriting.expand import expand
from ..jit.engine import machine
from ..jit.lanes import LANES, LaneEmitter
from ..jit.spelling import SCALAR, typed
from ..port import CodeStore


class KernelKey(NamedTuple):
    """A kernel's function: a row of the table, "splat" (of one element) or "copy", on operands of certain types."""

    op: str
    types: tuple[T.Type, ...]
    result: T.Type


_known: dict[tuple[KernelKey, int], int] = {}
_lock = threading.Lock()


def kernels(keys: Iterable[KernelKey], store: CodeStore | None) -> dict[KernelKey, int]:
    """The address of each kernel; what is missing is compiled.

    >>> key = KernelKey("add", (T.f32, T.f32), T.f32)
    >>> kernels([key], None)[key] == kernels([key], None)[key] > 0
    True
    """
    version = table.version()
    wanted = list(dict.fromkeys(keys))
    with _lock:
        missing = [key for key in wanted if (key, version) not in _known]
        if missing:
            found = {} if store is None else _recalled(missing, store)
            rest = [key for key in missing if key not in found]
            if rest:
                code = machine().compile(module(rest), hoist=True)
                found.update(_linked(code, rest))
                if store is not None:
                    for key in rest:
                        store.put(_kept_under(key), code)
            _known.update({(key, version): place for key, place in found.items()})
        return {key: _known[key, version] for key in wanted}


def _kept_under(key: KernelKey) -> str:
    """The store's key of the object code that has a kernel, together with those that were compiled with it."""
    return machine().key(f"rows {LANES} {key}", lambda: module([key]))


def _recalled(keys: Sequence[KernelKey], store: CodeStore) -> dict[KernelKey, int]:
    """The kernels that the store has."""
    together: dict[bytes, list[KernelKey]] = {}
    for key in keys:
        code = store.get(_kept_under(key))
        if code is not None:
            together.setdefault(code, []).append(key)
    found: dict[KernelKey, int] = {}
    for code, those in together.items():
        # A damaged object makes a linker raise anything at all.
        with suppress(Exception):
            found.update(_linked(code, those))
    return found


def _linked(code: bytes, keys: Sequence[KernelKey]) -> dict[KernelKey, int]:
    return dict(zip(keys, machine().addresses(code, [_name(key) for key in keys]), strict=True))


def _name(key: KernelKey) -> str:
    """The name of a kernel, the same in all modules."""
    return "_".join(["row", key.op, *(type_.name for type_ in key.types), key.result.name])


def module(keys: Sequence[KernelKey]) -> str:
    """The text of the kernels of some keys."""
    declared: dict[str, None] = {}
    parts = [_kernel(key, _name(key), declared) for key in keys]
    return "\n".join([*declared, *parts])


def _kernel(key: KernelKey, name: str, declared: dict[str, None]) -> str:
    """Vector by vector, and the elements that are left under a mask: nothing beyond them is touched."""
    head = LaneEmitter(declared, "h")
    given = (
        head.splat(key.result, head.let(f"load {SCALAR[key.result]}, ptr %a")) if key.op == "splat" else ""
    )
    whole, rest = LaneEmitter(declared), LaneEmitter(declared, "w")
    _store(whole, key.result, given or _computed(key, whole, "%k", ""), "%k", "")
    mask = _mask(rest)
    _store(rest, key.result, given or _computed(key, rest, "%m", mask), "%m", mask)
    first, loop, last = ("\n".join(lines.lines) for lines in (head, whole, rest))
    return f"""define void @"{name}"(ptr %o, ptr %a, ptr %b, ptr %c, i64 %n) {{
entry:
{first}
%full = and i64 %n, -{LANES}
%some = icmp sgt i64 %full, 0
br i1 %some, label %loop, label %check
loop:
%k = phi i64 [ 0, %entry ], [ %next, %loop ]
{loop}
%next = add i64 %k, {LANES}
%more = icmp slt i64 %next, %full
br i1 %more, label %loop, label %check
check:
%left = icmp slt i64 %full, %n
br i1 %left, label %last, label %out
last:
%m = phi i64 [ %full, %check ], [ %m.next, %last ]
{last}
%m.next = add i64 %m, {LANES}
%m.more = icmp slt i64 %m.next, %n
br i1 %m.more, label %last, label %out
out:
ret void
}}"""


def _mask(lines: LaneEmitter) -> str:
    """A mask of the next elements that exist."""
    left = lines.let("sub i64 %n, %m")
    some = lines.splat(T.i64, left)
    numbers = ", ".join(f"i64 {k}" for k in range(LANES))
    return lines.let(f"icmp sgt <{LANES} x i64> {some}, <{numbers}>")


def _computed(key: KernelKey, lines: LaneEmitter, at: str, mask: str) -> str:
    operands = [_load(lines, t, p, at, mask) for t, p in zip(key.types, ("%a", "%b", "%c"), strict=False)]
    if key.op == "copy":
        return operands[0]
    leaves = tuple(E.index(f"row {k}", t) for k, t in enumerate(key.types))
    attr = key.result if table.row(key.op).result == "@" else None
    roots = expand([E.make(key.op, leaves, key.result, attr)], "exact")
    return lines.values(roots, dict(zip(leaves, operands, strict=True)))[0]


def _place(lines: LaneEmitter, type_: T.Type, pointer: str, at: str) -> str:
    if type_ is T.boolean:
        return lines.let(f"getelementptr i8, ptr {pointer}, i64 {lines.let(f'lshr i64 {at}, 3')}")
    return lines.let(f"getelementptr {SCALAR[type_]}, ptr {pointer}, i64 {at}")


def _load(lines: LaneEmitter, type_: T.Type, pointer: str, at: str, mask: str) -> str:
    where = _place(lines, type_, pointer, at)
    if type_ is T.boolean:
        return lines.let(f"bitcast i16 {lines.let(f'load i16, ptr {where}, align 2')} to <{LANES} x i1>")
    vector, width = typed(type_, LANES), type_.bits // 8
    if not mask:
        return lines.let(f"load {vector}, ptr {where}, align {width}")
    name = f"@llvm.masked.load.v{LANES}{'f' if type_.is_float else 'i'}{type_.bits}.p0"
    lines.declare(f"{vector} {name}(ptr, i32, <{LANES} x i1>, {vector})")
    return lines.let(
        f"call {vector} {name}(ptr {where}, i32 {width}, <{LANES} x i1> {mask}, {vector} zeroinitializer)"
    )


def _store(lines: LaneEmitter, type_: T.Type, value: str, at: str, mask: str) -> None:
    where = _place(lines, type_, "%o", at)
    if type_ is T.boolean:
        # Truths never leave for a caller's array, and a piece ends with a whole word of them.
        lines.lines.append(f"store i16 {lines.mask(value)}, ptr {where}, align 2")
        return
    vector, width = typed(type_, LANES), type_.bits // 8
    if not mask:
        lines.lines.append(f"store {vector} {value}, ptr {where}, align {width}")
        return
    name = f"@llvm.masked.store.v{LANES}{'f' if type_.is_float else 'i'}{type_.bits}.p0"
    lines.declare(f"void {name}({vector}, ptr, i32, <{LANES} x i1>)")
    lines.lines.append(f"call void {name}({vector} {value}, ptr {where}, i32 {width}, <{LANES} x i1> {mask})")
