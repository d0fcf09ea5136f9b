"""Kernels: an operator on a piece of a row, for each row of the operator table on certain types.

At the bottom of `rows`. What a tape asks for and nobody has asked for before is compiled together, kept in the store,
and stays for the rest of the process. Elements in memory are as wide as their type; 16 truths are a word.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ...ir import expr as E
from ...ir import prim as table
from ...ir import types as T
from ...rewriting.expand import expand
from ..llvm.engine import machine
from ..llvm.spelling import SCALAR, typed
from ..port import Store
from ..tilevm.lines import Lines, leaf
from ..tilevm.sizes import LANES


class Key(NamedTuple):
    """What a kernel computes: a row of the table, "splat" (of one element) or "copy", on operands of certain types."""

    op: str
    types: tuple[T.Type, ...]
    result: T.Type


_known: dict[tuple[Key, int], int] = {}
_lock = threading.Lock()


def kernels(keys: Iterable[Key], store: Store | None) -> dict[Key, int]:
    """The address of each kernel; what is missing is compiled.

    >>> key = Key("add", (T.f32, T.f32), T.f32)
    >>> kernels([key], None)[key] == kernels([key], None)[key] > 0
    True
    """
    edition = table.edition()
    wanted = list(dict.fromkeys(keys))
    with _lock:
        missing = [key for key in wanted if (key, edition) not in _known]
        if missing:
            this, names = machine(), [f"row_{k}" for k in range(len(missing))]
            found = this.kept(
                f"rows {LANES} {missing}",
                lambda: module(missing),
                store,
                lambda code: this.addresses(code, names),
                hoist=True,
            )
            _known.update(zip([(key, edition) for key in missing], found, strict=True))
        return {key: _known[key, edition] for key in wanted}


def module(keys: Sequence[Key]) -> str:
    """The text of the kernels of some keys."""
    declared: dict[str, None] = {}
    parts = [_kernel(key, f"row_{k}", declared) for k, key in enumerate(keys)]
    return "\n".join([*declared, *parts])


def _kernel(key: Key, name: str, declared: dict[str, None]) -> str:
    """Vector by vector, and the elements that are left under a mask: nothing beyond them is touched."""
    head = Lines(0, declared, "h")
    given = (
        head.splat(key.result, head.let(f"load {SCALAR[key.result]}, ptr %a")) if key.op == "splat" else ""
    )
    parts: list[str] = []
    for prefix, last in (("v", False), ("w", True)):
        lines = Lines(0, declared, prefix)
        lines.label = "last" if last else "loop"
        mask = ""
        if last:
            left = lines.let("trunc i64 %left to i32")
            one = lines.let(f"insertelement <{LANES} x i32> poison, i32 {left}, i64 0")
            all_ = lines.let(
                f"shufflevector <{LANES} x i32> {one}, <{LANES} x i32> poison, <{LANES} x i32> zeroinitializer"
            )
            numbers = ", ".join(f"i32 {k}" for k in range(LANES))
            mask = lines.let(f"icmp sgt <{LANES} x i32> {all_}, <{numbers}>")
        at = "%full" if last else "%k"
        result = given or _computed(key, lines, at, mask)
        _store(lines, key.result, result, at, mask)
        parts.append("\n".join(lines.lines) + f"\n; {lines.label}")
    loop, rest = (part.rpartition("\n; ")[0] for part in parts)
    end = parts[0].rpartition("\n; ")[2]
    first = "\n".join(head.lines)
    return f"""define void @{name}(ptr %o, ptr %a, ptr %b, ptr %c, i64 %n) {{
entry:
{first}
%full = and i64 %n, -{LANES}
%some = icmp sgt i64 %full, 0
br i1 %some, label %loop, label %check
loop:
%k = phi i64 [ 0, %entry ], [ %next, %{end} ]
{loop}
%next = add i64 %k, {LANES}
%more = icmp slt i64 %next, %full
br i1 %more, label %loop, label %check
check:
%left = sub i64 %n, %full
%rest = icmp sgt i64 %left, 0
br i1 %rest, label %last, label %out
last:
{rest}
br label %out
out:
ret void
}}"""


def _computed(key: Key, lines: Lines, at: str, mask: str) -> str:
    operands = [_load(lines, t, p, at, mask) for t, p in zip(key.types, ("%a", "%b", "%c"), strict=False)]
    if key.op == "copy":
        return operands[0]
    leaves = tuple(leaf(str(k), t) for k, t in enumerate(key.types))
    attr = key.result if table.row(key.op).result == "@" else None
    roots = expand([E.make(key.op, leaves, key.result, attr)], "exact")
    return lines.values(roots, dict(zip(leaves, operands, strict=True)))[0]


def _place(lines: Lines, type_: T.Type, pointer: str, at: str) -> str:
    if type_ is T.boolean:
        return lines.at(pointer, lines.let(f"lshr i64 {at}, 3"))
    return lines.let(f"getelementptr {SCALAR[type_]}, ptr {pointer}, i64 {at}")


def _load(lines: Lines, type_: T.Type, pointer: str, at: str, mask: str) -> str:
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


def _store(lines: Lines, type_: T.Type, value: str, at: str, mask: str) -> None:
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
