"""Expressions: a hash-consed DAG of typed scalar operators.

Every node is built by `make`, which returns the one node of that structure: equality is identity, and a repeated
subterm is one object however often it is written. The level above (`tracing`, `rewriting`) builds nodes; the levels
below (`loops`, `backends`) place and emit them.
"""

from __future__ import annotations

import itertools
import math
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from ..base.errors import IrError
from . import prim as table
from . import types as T
from .bits import component_bit, index_bit, state_bits, states_in
from .facts import rounded

LEAVES = frozenset({"const", "param", "index", "state"})
"""Nodes without operands."""
STRUCTURAL = LEAVES | {"load", "iterate", "get"}
"""Nodes that are not rows of the operator table."""


class Expr:
    """One node: operator, operands, attribute, type.

    `free` is a bit mask of the loop indices (and iteration states) that the value depends on, and `holds` one of the
    loads, iterations and uniforms that appear in it, both kept by the constructor; `id` grows from operands to users,
    so sorting by it is a topological order.
    """

    __slots__ = ("args", "attr", "free", "holds", "id", "op", "type")
    op: str
    args: tuple[Expr, ...]
    attr: Any
    type: T.Type
    free: int
    holds: int
    id: int

    def __repr__(self) -> str:
        """The readable text of the expression."""
        from .text import print_expr

        return print_expr(self)

    def __bool__(self) -> bool:
        """Refuse: a node has no truth value."""
        raise IrError("an expression has no truth value", place=self.op, fix="compare nodes with 'is'")


class Buffer:
    """A typed run of memory that kernels load from or store to: `name`, element `type`, `size` in elements.

    A buffer may carry its `data` (a one-dimensional array), which the driver binds when a kernel is called; or what
    works it out, which is called when it is first asked for. Buffers are equal only to themselves.
    """

    __slots__ = ("_data", "name", "size", "type")

    def __init__(
        self,
        name: str,
        type_: T.Type,
        size: int,
        data: np.ndarray[Any, Any] | Callable[[], np.ndarray[Any, Any]] | None = None,
    ) -> None:
        if size < 1:
            raise IrError("a buffer holds at least one element", place=name, fix="give it a size")
        self.name, self.type, self.size = name, type_, size
        self._data = data if callable(data) else self._checked(data)

    @property
    def data(self) -> np.ndarray[Any, Any] | None:
        """Its content when a kernel is called, unless other memory is given for it."""
        if callable(self._data):
            self._data = self._checked(self._data())
        return self._data

    @property
    def waits(self) -> bool:
        """Whether its data has still to be worked out."""
        return callable(self._data)

    def _checked(self, data: np.ndarray[Any, Any] | None) -> np.ndarray[Any, Any] | None:
        if data is not None and (data.ndim != 1 or data.dtype != self.type.dtype or len(data) != self.size):
            what = f"data is not {self.size} elements of {self.type}"
            raise IrError(what, place=self.name, fix="flatten and convert it")
        return data

    def __repr__(self) -> str:
        """As declared in text."""
        return f"{self.name}: {self.type}[{self.size}]"


_nodes: dict[tuple[Any, ...], Expr] = {}
_ids = itertools.count()
_sweep_at = 1 << 18
LOADS, ITERATIONS, UNIFORMS = 1, 2, 4
"""In `holds`: a load, an iteration, a uniform that has no bit of its own."""
_NUMBERED = 60
"""Bits of a mask, which stays a short number: the first uniforms of a process have one each."""
_uniform_bits: dict[tuple[str, T.Type], int] = {}
_uniforms = itertools.count(3)
_new = Expr.__new__
_sweeping = threading.Lock()


def make(op: str, args: tuple[Expr, ...], type_: T.Type, attr: Any = None) -> Expr:
    """The node of that structure, typed by the caller: the raw constructor (see `apply` for the checked one)."""
    # The tuple of operands is the node's own: to make another takes longer than all the rest.
    key = (op, type_, attr, args)
    node = _nodes.get(key)
    if node is not None:
        return node
    node = _new(Expr)
    node.op = op
    node.args = args
    node.attr = attr
    node.type = type_
    if len(args) == 2:
        a, b = args
        node.free = a.free | b.free
        node.holds = a.holds | b.holds
    else:
        free = holds = 0
        for a in args:
            free |= a.free
            holds |= a.holds
        node.free = free
        node.holds = holds | LOADS if op == "load" else holds
    node.id = next(_ids)
    if len(_nodes) > _sweep_at:
        sweep()
    return _nodes.setdefault(key, node)


def _put(op: str, args: tuple[Expr, ...], type_: T.Type, attr: Any, free: int, holds: int = 0) -> Expr:
    """As `make`, for a node whose masks are not those of its operands: other threads never see it without."""
    key = (op, type_, attr, args)
    node = _nodes.get(key)
    if node is None:
        node = _new(Expr)
        node.op, node.args, node.attr, node.type, node.id = op, args, attr, type_, next(_ids)
        node.free, node.holds = free, holds
        node = _nodes.setdefault(key, node)
    return node


def sweep() -> int:
    """Forget nodes that nothing else refers to; called by itself when the table has doubled. Returns how many.

    Another thread may make nodes meanwhile: a node is taken out before it is asked for the last time whether it is
    wanted, since what is not in the table cannot be found.
    """
    global _sweep_at
    if not _sweeping.acquire(blocking=False):
        return 0
    try:
        _walked.clear()
        dead = _forget()
        _sweep_at = max(1 << 18, 2 * len(_nodes))
    finally:
        _sweeping.release()
    return dead


def _forget() -> int:
    dead = 0
    # Users have larger ids than operands, so one pass from the newest to the oldest frees whole dead expressions.
    # One reference is the table's, one getrefcount's own argument; popped keys must not keep operands alive.
    keys = _by_age(_nodes.copy())
    while keys:
        key = keys.pop()
        if key in _nodes and sys.getrefcount(_nodes[key]) <= 2:
            node = _nodes.pop(key, None)
            if node is not None and sys.getrefcount(node) > 2:
                _nodes.setdefault(key, node)
            else:
                dead += 1
            del node
    return dead


def _by_age(nodes: dict[tuple[Any, ...], Expr]) -> list[tuple[Any, ...]]:
    return sorted(nodes, key=lambda key: nodes[key].id)


def count() -> int:
    """The number of nodes that are alive in the table."""
    return len(_nodes)


# ---- leaves ----


def const(value: float | int | bool, type_: T.Type) -> Expr:
    """A constant of a type, rounded or wrapped to it; -0.0 and 0.0 differ, and there is one NaN.

    >>> const(0.1, T.f32).attr
    0.10000000149011612
    """
    key: Any
    if type_.is_float:
        try:
            number = rounded(type_, float(value))
        except OverflowError:
            # An integer beyond all floats is rounded as a large float is.
            number = math.inf if value > 0 else -math.inf
        # Its bits too are always the same, whichever came first.
        number = math.nan if math.isnan(number) else number
        # As keys, the two zeros are one, and NaN is not even itself.
        key = number if number and number == number else repr(number)  # noqa: PLR0124
    elif type_.kind == "bool":
        key = number = bool(value)
    else:
        key = number = (int(value) - int(type_.low)) % (1 << type_.bits) + int(type_.low)
    table_key = ("const", type_, key)
    node = _nodes.get(table_key)
    if node is None:
        node = _new(Expr)
        node.op, node.args, node.attr, node.type, node.id = "const", (), number, type_, next(_ids)
        node.free = node.holds = 0
        node = _nodes.setdefault(table_key, node)
    return node


TRUE = const(True, T.boolean)
FALSE = const(False, T.boolean)


def param(name: str, type_: T.Type) -> Expr:
    """A uniform: an argument of the kernel, the same for all pixels."""
    return _put("param", (), type_, name, 0, _uniform_bit(name, type_))


def _uniform_bit(name: str, type_: T.Type) -> int:
    bit = _uniform_bits.get((name, type_))
    if bit is None:
        number = next(_uniforms)
        if number >= _NUMBERED:
            return UNIFORMS
        bit = _uniform_bits.setdefault((name, type_), 1 << number)
    return bit


def index(name: str, type_: T.Type = T.i32) -> Expr:
    """A loop index."""
    return _put("index", (), type_, name, index_bit(name))


def state(depth: int, position: int, type_: T.Type) -> Expr:
    """The bound variable of an `iterate`: component `position` of the state of a loop of that depth."""
    return _put("state", (), type_, (depth, position), component_bit(depth, position))


def in_iteration(node: Expr, but: int = 0) -> bool:
    """Whether a value depends on the state of an `iterate` around it, but for states of these bits.

    It means nothing anywhere else.

    >>> step = apply("add", state(0, 0, T.i32), const(1, T.i32))
    >>> in_iteration(step), in_iteration(iterate([const(0, T.i32)], [step], FALSE, const(9, T.i32), 0)[0])
    (True, False)
    """
    return bool(states_in(node.free) & ~but)


# ---- compound nodes ----


def apply(op: str, *args: Expr, attr: Any = None) -> Expr:
    """An operator of the table on operands, with types checked; no simplification.

    >>> apply("add", param("a", T.f32), const(1.0, T.f32))
    $a:f32 + 1.0
    """
    return make(op, args, table.row(op).result_type(tuple(a.type for a in args), attr), attr)


def load(buffer: Buffer, position: Expr) -> Expr:
    """The element of a buffer at a position (i32 or i64), which is clamped into the buffer: loads are total."""
    if position.type not in (T.i32, T.i64):
        raise IrError(f"a position is i32 or i64, not {position.type}", place=f"load {buffer.name}")
    return make("load", (position,), buffer.type, buffer)


def iterate(
    init: Sequence[Expr], step: Sequence[Expr], stop: Expr, limit: Expr, depth: int
) -> tuple[Expr, ...]:
    """Bounded iteration: from `init`, while not `stop` and fewer than `limit` steps were made, `step`.

    `step` and `stop` are written over ``state(depth, k, type)``. Returns the components of the final state.
    `depth` is one more than that of any iteration inside, so equal loops are one node; see `next_depth`.
    """
    if len(init) != len(step) or not init:
        raise IrError("an iteration needs as many steps as initial values", place="iterate")
    for k, (a, b) in enumerate(zip(init, step, strict=True)):
        if a.type is not b.type:
            raise IrError(
                f"component {k} starts as {a.type} but steps to {b.type}", place="iterate", fix="convert it"
            )
    if stop.type is not T.boolean or limit.type is not T.i32:
        raise IrError("stop is a bool and limit an i32", place="iterate")
    bits = state_bits(depth)
    outer = limit.free
    holds = ITERATIONS | limit.holds | stop.holds
    for a in init:
        outer |= a.free
        holds |= a.holds
    inner = stop.free
    for b in step:
        inner |= b.free
        holds |= b.holds
    free = outer | (inner & ~bits)
    node = _put("iterate", (*init, *step, stop, limit), init[0].type, (depth, len(init)), free, holds)
    return tuple(get(node, k) for k in range(len(init)))


def get(node: Expr, position: int) -> Expr:
    """A component of the final state of an iterate."""
    return _put("get", (node,), node.args[position].type, position, node.free, node.holds)


def parts(node: Expr) -> tuple[tuple[Expr, ...], tuple[Expr, ...], Expr, Expr]:
    """An iterate's initial values, steps, stop test and limit."""
    n: int = node.attr[1]
    return node.args[:n], node.args[n : 2 * n], node.args[2 * n], node.args[2 * n + 1]


def next_depth(*roots: Expr) -> int:
    """The depth for an iterate whose body is written over these expressions."""
    if not held(roots) & ITERATIONS:
        return 0
    return 1 + max(n.attr[0] for n in topological(roots) if n.op == "iterate")


def rebuild(node: Expr, args: tuple[Expr, ...]) -> Expr:
    """The same operator on other operands of the same types."""
    if args == node.args:
        return node
    if node.op == "iterate":
        depth: int = node.attr[0]
        n: int = node.attr[1]
        return iterate(args[:n], args[n : 2 * n], args[2 * n], args[2 * n + 1], depth)[0].args[0]
    if node.op == "get":
        return get(args[0], node.attr)
    return make(node.op, args, node.type, node.attr)


# ---- walks ----


def topological(roots: Iterable[Expr], known: Iterable[Expr] = ()) -> list[Expr]:
    """All nodes reachable from the roots, operands before users, each once.

    Those that are `known` are left out, and what is only below them. What is made of nodes must not depend on their
    order otherwise: it depends on what was built before.

    >>> [n.op for n in topological([apply("neg", param("a", T.f32))])]
    ['param', 'neg']
    """
    level = set(roots)
    stop = set(known)
    if stop:
        return sorted(_reached(level, stop), key=_age)
    before = _NOTHING
    for walk in _walked:
        if len(walk.nodes) > len(before.nodes) and walk.roots <= level:
            before = walk
    nodes = before.nodes
    if level > before.roots:
        new = _reached(level, set(nodes))
        if new:
            nodes = sorted([*nodes, *new], key=_age)
        if len(nodes) >= MIN_WALK:
            _walked[:] = [_Walk(level, nodes), *_walked[: MAX_WALKS - 1]]
    return nodes[:]


def _reached(level: set[Expr], seen: set[Expr]) -> list[Expr]:
    """The nodes that are reached from a level without those seen, which grow by them."""
    found = list(level - seen)
    seen.update(found)
    # The list grows while it is walked.
    for node in found:
        for a in node.args:
            if a not in seen:
                seen.add(a)
                found.append(a)
    return found


class _Walk(NamedTuple):
    """The nodes that are reached from some roots, in order."""

    roots: set[Expr]
    nodes: list[Expr]


MAX_WALKS = 6
"""Walks that are kept: one pass asks for the nodes that another has just asked for, with few roots more or less."""
MIN_WALK = 32
"""Nodes from which on a walk is kept."""
_NOTHING = _Walk(set(), [])
_walked: list[_Walk] = []
_age = attrgetter("id")


def uses(roots: Sequence[Expr]) -> dict[Expr, int]:
    """The number of times that each node is an operand of another reachable node, or a root."""
    result: dict[Expr, int] = dict.fromkeys(roots, 0)
    for root in roots:
        result[root] += 1
    for node in topological(roots):
        result.setdefault(node, 0)
        for a in node.args:
            result[a] = result.get(a, 0) + 1
    return result


def buffers(roots: Iterable[Expr]) -> list[Buffer]:
    """The buffers that are loaded from, in order of first appearance."""
    roots = list(roots)
    if not held(roots) & LOADS:
        return []
    return list(dict.fromkeys(n.attr for n in topological(roots) if n.op == "load"))


def params(roots: Iterable[Expr]) -> list[Expr]:
    """The uniforms, in order of name."""
    roots = list(roots)
    mask = held(roots)
    if mask & UNIFORMS:
        found = [n for n in topological(roots) if n.op == "param"]
    else:
        found = [param(*key) for key, bit in list(_uniform_bits.items()) if mask & bit]
    return sorted(found, key=lambda n: n.attr)


def held(roots: Iterable[Expr]) -> int:
    """The kinds of leaves that appear in expressions: `LOADS`, `ITERATIONS`, and bits of uniforms.

    >>> held([param("a", T.f32), load(Buffer("b", T.f32, 1), const(0, T.i32))]) & (LOADS | ITERATIONS) == LOADS
    True
    """
    mask = 0
    for x in roots:
        mask |= x.holds
    return mask


def substitute(roots: Sequence[Expr], mapping: dict[Expr, Expr]) -> list[Expr]:
    """The roots with nodes replaced, sharing kept: each node is rebuilt at most once."""
    done = dict(mapping)
    for node in topological(roots, mapping):
        done[node] = rebuild(node, tuple([done[a] for a in node.args]))
    return [done[r] for r in roots]


def size(roots: Iterable[Expr]) -> int:
    """The number of distinct nodes of the roots."""
    return len(topological(roots))
