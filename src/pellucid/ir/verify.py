"""Checks that expressions and nests obey the typing and scoping rules of the core.

Called on every node after every stage when the environment variable PELLUCID_CHECK is 2; see `checking`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from ..base.deep_stack import with_deep_stack
from ..base.errors import IrError
from . import prim as table
from . import types as T
from .bits import state_bits
from .expr import Buffer, Expr, parts, topological
from .nest import (
    Abstract,
    Alloc,
    Block,
    For,
    If,
    Kernel,
    Let,
    Once,
    Repeat,
    Store,
    While,
    inputs,
    is_place,
    roots,
)


def checking() -> int:
    """The level of self-checking asked for: 0 (none), 1 (nests), 2 (every node)."""
    text = os.environ.get("PELLUCID_CHECK", "0")
    return int(text) if text.isdigit() else 0


def verify_exprs(roots: Iterable[Expr]) -> None:
    """Check types, arities and free indices of every node.

    Raises IrError, which names the node.
    """
    for node in topological(roots):
        _verify_node(node)


def _verify_node(node: Expr) -> None:
    free = 0
    for a in node.args:
        if a.id >= node.id:
            raise IrError("an operand is younger than its user", place=node.op)
        free |= a.free
    match node.op:
        case "const" | "param" | "index" | "state":
            if node.args:
                raise IrError("a leaf has operands", place=node.op)
            return
        case "load":
            (position,) = node.args
            if not isinstance(node.attr, Buffer) or node.type is not node.attr.type:
                raise IrError("a load has the type of its buffer", place=f"{node!r}")
            if position.type not in (T.i32, T.i64):
                raise IrError(f"a position is i32 or i64, not {position.type}", place=f"{node!r}")
        case "iterate":
            verify_iteration(node)
            free &= ~state_bits(node.attr[0])
        case "get":
            component: int = node.attr
            if node.args[0].op != "iterate" or node.type is not node.args[0].args[component].type:
                raise IrError("get takes a component of an iterate", place=f"{node!r}")
        case _:
            expected = table.row(node.op).result_type(tuple(a.type for a in node.args), node.attr)
            if node.type is not expected:
                raise IrError(f"is {node.type} where the table says {expected}", place=node.op)
    if free != node.free:
        raise IrError("wrong set of free indices", place=node.op)


def verify_iteration(node: Expr) -> None:
    """Check the parts of an iterate against each other.

    Raises IrError, which says what is wrong.
    """
    init, step, stop, limit = parts(node)
    depth = node.attr[0]
    if stop.type is not T.boolean or limit.type is not T.i32:
        raise IrError("stop is a bool and limit an i32", place="iterate")
    if any(a.type is not b.type for a, b in zip(init, step, strict=True)):
        raise IrError("a component changes its type", place="iterate")
    bits = state_bits(depth)
    if any(a.free & bits for a in (*init, limit)):
        raise IrError("initial values must not depend on the iteration's own state", place="iterate")
    inside = topological((*step, stop))
    if any(n.op == "iterate" and n.attr[0] >= depth and n.free & bits for n in inside):
        raise IrError("an inner iteration must have a smaller depth", place="iterate")
    own = {k: a.type for k, a in enumerate(init)}
    for n in _own_states(inside, step, stop, depth):
        if own.get(n.attr[1]) is not n.type:
            raise IrError(f"there is no state {n!r}", place="iterate", fix="use those that it starts with")


def _own_states(inside: Iterable[Expr], step: Iterable[Expr], stop: Expr, depth: int) -> list[Expr]:
    """The states of an iteration in its steps and its test: not those of one inside with the same name."""
    bits = state_bits(depth)
    others = [n for n in inside if n.op == "iterate" and not n.free & bits]
    return [n for n in topological((*step, stop), others) if n.op == "state" and n.attr[0] == depth]


def verify_kernel(kernel: Kernel) -> None:
    """Check the scopes of a nest: indices and params declared, selects on their own condition, buffers known.

    Raises IrError, which names the statement.
    """
    scope = 0
    declared = set(kernel.params)
    known = set(kernel.outputs) | set(inputs(kernel))
    with_deep_stack(lambda: _verify_block(kernel.body, scope, declared, known))


def _check_roots(where: str, roots: Iterable[Expr], scope: int, declared: set[Expr]) -> None:
    roots = list(roots)
    if checking() >= 2:
        verify_exprs(roots)
    for r in roots:
        if r.free & ~scope:
            raise IrError("depends on an index that is not in scope here", place=f"{where} {r.op}")
        for n in topological([r]) if checking() >= 2 else ():
            if n.op == "param" and n not in declared:
                raise IrError(f"uses the undeclared parameter {n.attr}", place=where)


def _verify_block(block: Block, scope: int, declared: set[Expr], known: set[Buffer], loops: int = 0) -> None:
    for s in block:
        match s:
            case Let(value):
                _check_roots("let", [value], scope, declared)
            case Repeat(value, body):
                if value.op != "iterate":
                    raise IrError("a repeat is the place of an iterate", place=value.op)
                _check_roots("repeat", [value], scope, declared)
                _verify_block(body, scope | state_bits(value.attr[0]), declared, known, loops + 1)
            case Once(across, values, body):
                if not 1 <= across <= loops:
                    raise IrError(f"{across} of the {loops} loops around are none", place="once")
                if not values:
                    raise IrError("keeps no value", place="once", fix="leave it out")
                if not set(values) <= {r for x in body if is_place(x) for r in roots(x)}:
                    raise IrError("keeps what its places do not compute", place="once")
                _check_roots("once", values, scope, declared)
                _verify_block(body, scope, declared, known, loops)
            case If(condition, then, orelse, selects):
                _check_roots("if", [condition, *selects], scope, declared)
                if condition.type is not T.boolean:
                    raise IrError(f"a condition is a bool, not {condition.type}", place="if")
                if any(p.op != "choose" or p.args[0] is not condition for p in selects):
                    raise IrError("a select is a choose on the branch's own condition", place="if")
                _verify_block(then, scope, declared, known, loops)
                _verify_block(orelse, scope, declared, known, loops)
            case For(index, lo, hi, body, _):
                if scope & index.free:
                    raise IrError(f"the index {index.attr} is already a loop's", place="for")
                _check_roots("for", [lo, hi], scope, declared)
                if lo.type is not index.type or hi.type is not index.type:
                    raise IrError("the bounds have the type of the index", place=f"for {index.attr}")
                _verify_block(body, scope | index.free, declared, known, loops + 1)
            case While(condition, body):
                _check_roots("while", [condition], scope, declared)
                if condition.type is not T.boolean:
                    raise IrError(f"a condition is a bool, not {condition.type}", place="while")
                _verify_block(body, scope, declared, known, loops + 1)
            case Store(buffer, position, value):
                _check_roots(f"store to {buffer.name}", [position, value], scope, declared)
                if buffer not in known:
                    raise IrError("is not an output", place=f"store to {buffer.name}")
                if value.type is not buffer.type:
                    raise IrError(
                        f"a {value.type} does not go into {buffer!r}", place=f"store to {buffer.name}"
                    )
            case Abstract():
                pass
            case Alloc(sizes, body):
                if not sizes:
                    # There would be nothing to write down: the text of a block of arrays opens with the last one.
                    raise IrError("allocates no array", place="alloc", fix="keep its body alone")
                for buffer, size in sizes.items():
                    _check_roots(f"alloc {buffer.name}", [size], scope, declared)
                _verify_block(body, scope, declared, known | set(sizes), loops)
