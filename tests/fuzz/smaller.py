"""Smaller nests, for shrinking: statements and loops left out, expressions replaced by their operands or constants."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pellucid.base.errors import PellucidError
from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.expr import Expr
from pellucid.ir.path import at, replace_at, walk
from pellucid.ir.verify import verify_kernel


def smaller(kernel: N.Kernel) -> Iterator[N.Kernel]:
    """Valid kernels that are smaller by one step, those with fewer statements first."""
    for body in (*_fewer(kernel.body), *_simpler(kernel.body)):
        own = set(N.scratch(body))
        stored = {s.buffer for s in N.walk(body) if isinstance(s, N.Store)} - own
        made = replace(kernel, body=body, outputs=tuple(b for b in kernel.outputs if b in stored))
        if made.outputs and not own & {*made.outputs, *N.inputs(made)}:
            try:
                verify_kernel(made)
            except PellucidError:
                continue
            yield made


def fewer_nodes(roots: list[Expr]) -> Iterator[list[Expr]]:
    """The expressions with one node replaced by an operand of it or by a small constant."""
    for node in reversed(E.topological(roots)):
        for other in _others(node):
            yield E.substitute(roots, {node: other})


def _fewer(body: N.Block) -> Iterator[N.Block]:
    sites = [path for path, _ in walk(body)]
    for path in sites:
        yield replace_at(body, path, ())
    for path in sites:
        s = at(body, path)
        match s:
            case N.If(_, then, orelse):
                yield replace_at(body, path, then)
                if orelse:
                    yield replace_at(body, path, orelse)
                    yield replace_at(body, path, (replace(s, orelse=()),))
            case N.For(index, lo, _, inner):
                yield replace_at(body, path, _at(inner, index, lo))
            case N.While(_, inner) | N.Alloc(_, inner) | N.Repeat(_, inner):
                yield replace_at(body, path, inner)
            case _:
                pass


def _at(body: N.Block, index: Expr, value: Expr) -> N.Block:
    return N.rewrite(body, lambda roots: tuple(E.substitute(list(roots), {index: value})))


def _simpler(body: N.Block) -> Iterator[N.Block]:
    for path, s in walk(body):
        for k, root in enumerate(N.roots(s)):
            for node in reversed(E.topological([root])):
                for other in _others(node):
                    new = _with(s, k, E.substitute([root], {node: other})[0])
                    if new is not None:
                        yield replace_at(body, path, (new,))


def _others(node: Expr) -> Iterator[Expr]:
    if node.op == "iterate" or (node.op == "const" and node.attr in (0, 1, 2)):
        return
    for value in (0, 1, 2):
        if node.op != "const" or node.type.is_float or abs(node.attr) > value:
            yield E.const(value, node.type)
    if node.op not in ("get", "load"):
        yield from (a for a in node.args if a.type is node.type)
    if node.op == "load":
        for value in (0, 1):
            zero = E.const(value, T.i32)
            if node.args[0] is not zero:
                yield E.load(node.attr, zero)


def _with(s: N.Statement, k: int, new: Expr) -> N.Statement | None:
    """The statement with one of its expressions replaced, or None for a statement with selects."""
    match s:
        case N.If(selects=()):
            return replace(s, condition=new)
        case N.For():
            return replace(s, lo=new) if k == 0 else replace(s, hi=new)
        case N.While():
            return replace(s, condition=new)
        case N.Store():
            return replace(s, position=new) if k == 0 else replace(s, value=new)
        case _:
            return None
