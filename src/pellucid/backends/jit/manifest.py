"""Manifests: a description of compiled code, from which another process calls it without compiling it again.

The first line is JSON: how the code is called, and the key of its object code. The bytes of the tables that are part of
the program follow. A manifest holds no statement of the kernel, so reading one takes microseconds.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ...ir import types as T
from ...ir.expr import Buffer, Expr, const, param
from ...ir.facts import Facts
from ...ir.parse import parse_expr
from ..port import Band, Calling

Needs = Mapping[Buffer, int]


def written(calling: Calling, needs: Needs, key: str, buffers: Collection[Buffer]) -> bytes:
    """The entry of code: how it is called, what its proofs need of buffers, and the key of its object code.

    Of what it is called with, all but the `buffers` are tables of its own.

    >>> nothing = Calling("nothing", (), {}, (Buffer("out", T.u8, 3),), 1, {}, (None,))
    >>> read(written(nothing, {}, "key", nothing.bound), nothing.bound) == (nothing, {}, "key")
    True
    """
    tables = [b for b in calling.bound if b not in buffers]
    ranges = [calling.ranges[p.attr] for p in calling.params]
    line = json.dumps(
        {
            "key": key,
            "name": calling.name,
            "params": [(p.attr, p.type.name, *f) for p, f in zip(calling.params, ranges, strict=True)],
            "bound": [(*_told(b), needs.get(b, 1)) for b in calling.bound],
            "tables": [b.name for b in tables],
            "written": calling.written,
            "scratch": [(*_told(b), _number(n)) for b, n in calling.scratch.items()],
            "polls": calling.polls,
            "bands": [s and (_number(s.lo), _number(s.hi), s.least) for s in calling.bands],
        }
    )
    return b"\n".join([line.encode(), b"".join([_data(b) for b in tables])])


def read(entry: bytes, buffers: Sequence[Buffer]) -> tuple[Calling, dict[Buffer, int], str] | None:
    """The manifest, for buffers of the same names; None if it cannot be read, or is for other buffers."""
    try:
        return _read(entry, {b.name: b for b in buffers})
    except Exception:  # noqa: BLE001 - whatever is wrong with it, it is no entry
        return None


def _read(entry: bytes, given: Mapping[str, Buffer]) -> tuple[Calling, dict[Buffer, int], str] | None:
    line, tables = entry.split(b"\n", 1)
    found: dict[str, Any] = json.loads(line)
    bound: list[Buffer] = []
    needs: dict[Buffer, int] = {}
    start = 0
    for *told, need in found["bound"]:
        name, type_, size = told
        if name in found["tables"]:
            # A copy is aligned.
            data = np.frombuffer(tables, T.named(type_).dtype, size, start).copy()
            data.flags.writeable = False
            start += data.nbytes
            bound.append(Buffer(name, T.named(type_), size, data))
            continue
        buffer = given.get(name)
        if buffer is None or [*_told(buffer)] != told:
            return None
        bound.append(buffer)
        if need > 1:
            needs[buffer] = need
    params = tuple(param(name, T.named(type_)) for name, type_, *_ in found["params"])
    ranges = {name: Facts(*facts) for name, _, *facts in found["params"]}
    scratch = {
        Buffer(name, T.named(type_), size): _expression(n) for name, type_, size, n in found["scratch"]
    }
    bands = tuple(s and Band(_expression(s[0]), _expression(s[1]), s[2]) for s in found["bands"])
    calling = Calling(
        found["name"], params, ranges, tuple(bound), found["written"], scratch, bands, found["polls"]
    )
    return calling, needs, found["key"]


def _data(buffer: Buffer) -> bytes:
    assert buffer.data is not None  # noqa: S101 - what is neither given nor known is never called with
    return buffer.data.tobytes()


def _told(buffer: Buffer) -> tuple[str, str, int]:
    return buffer.name, buffer.type.name, buffer.size


def _number(node: Expr) -> int | str:
    if node.op == "const":
        return int(node.attr)
    from ...ir.text import print_expr

    return print_expr(node)


def _expression(told: int | str) -> Expr:
    return const(told, T.i64) if isinstance(told, int) else parse_expr(told)[0]
