"""The meaning: expressions and nests interpreted in NumPy, with nothing optimized away.

`evaluate` gives expressions their value on arrays; `run` executes a nest statement by statement. Every other way of
running a program must agree with these two bit for bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import inf, prod
from typing import Any

import numpy as np

from ..base.deep_stack import in_deep_stack
from ..base.errors import IrError
from . import prim as table
from .bits import state_bits
from .expr import ITERATIONS, Buffer, Expr, param, parts, topological
from .nest import Abstract, Alloc, Block, For, If, Kernel, Let, Once, Repeat, Store, While, blocks, walk
from .types import Type

Array = np.ndarray[Any, Any]
Environment = dict[Expr, Array]
Memory = Mapping[Buffer, Array]


def evaluate(
    roots: Sequence[Expr], environment: Mapping[Expr, Any], memory: Memory | None = None
) -> list[Array]:
    """The values of expressions, given those of their params and indices as scalars or arrays that broadcast.

    Buffers are looked up in `memory`, then in their own data.

    >>> from .expr import apply, const, param
    >>> from .types import f32
    >>> x = param("x", f32)
    >>> evaluate([apply("add", x, const(1, f32))], {x: np.float32([1, 2])})
    [array([2., 3.], dtype=float32)]
    """
    known: Environment = {k: np.asarray(v, dtype=k.type.dtype) for k, v in environment.items()}
    with np.errstate(all="ignore"):
        return _values(roots, known, memory or {})


def fold(op: str, args: Sequence[Expr], type_: Any, attr: Any = None) -> float | int | bool:
    """The value of an operator on constants: its `ref`, or the meaning of its body."""
    prim = table.row(op)
    with np.errstate(all="ignore"):
        arrays = [np.asarray(a.attr, dtype=a.type.dtype) for a in args]
        if prim.ref is None:
            return _values([expand(op, tuple(args), attr)], {}, {})[0].item()
        result = prim.ref(attr.dtype, *arrays) if prim.result == "@" else prim.ref(*arrays)
        return np.asarray(result).astype(type_.dtype, copy=False).item()


def expand(op: str, args: tuple[Expr, ...], attr: Any = None) -> Expr:
    """The body of a row with a body, on given operands."""
    body = table.row(op).body
    if body is None:
        raise IrError("has no body", place=op)
    return body(*args, attr) if table.row(op).result == "@" else body(*args)


@lru_cache(maxsize=256)
def _apart(op: str, types: tuple[Type, ...], attr: Any, body: object) -> tuple[tuple[Expr, ...], Expr]:
    """The body of a row on parameters of its own: under an iterate the operands depend on its state, the body not.

    `body` tells rows of one name apart that were added and taken away.
    """
    operands = tuple([param(f"operand{k}", t) for k, t in enumerate(types)])
    return operands, expand(op, operands, attr)


def _values(roots: Sequence[Expr], known: Environment, memory: Memory) -> list[Array]:
    bound = _bound(roots, known)
    for node in topological(roots):
        if node not in known and not node.free & bound:
            known[node] = _value(node, known, memory)
    return [known[r] for r in roots]


def _bound(roots: Sequence[Expr], known: Mapping[Expr, Array]) -> int:
    # Nodes under an iterate depend on its state and have no value outside of it.
    mask = 0
    if not any(x.free or x.holds & ITERATIONS for x in roots):
        return mask
    for node in topological(roots):
        if node.op == "state" and node not in known:
            mask |= node.free
    return mask


def _value(node: Expr, known: Environment, memory: Memory) -> Array:
    op = node.op
    if op == "const":
        return np.asarray(node.attr, dtype=node.type.dtype)
    if op in ("param", "index"):
        raise IrError(f"{op} {node.attr} has no value here", place="interp", fix="give it one")
    args = [known[a] for a in node.args] if op != "iterate" else []
    if op == "load":
        return _load(node.attr, args[0], memory)
    if op == "get":
        # The final state of an iterate is stacked along a new first axis of objects.
        return known[node.args[0]][node.attr]
    if op == "iterate":
        return _iterate(node, known, memory)
    prim = table.row(op)
    if prim.ref is None:
        operands, body = _apart(op, tuple([a.type for a in node.args]), node.attr, prim.body)
        return _values([body], dict(zip(operands, args, strict=True)), memory)[0]
    result = prim.ref(node.attr.dtype, *args) if prim.result == "@" else prim.ref(*args)
    return np.asarray(result).astype(node.type.dtype, copy=False)


def _load(buffer: Buffer, position: Array, memory: Memory) -> Array:
    data = memory.get(buffer, buffer.data)
    if data is None:
        raise IrError("has no memory here", place=f"load {buffer.name}", fix="bind it")
    return data[np.clip(position, 0, len(data) - 1)]


def _iterate(node: Expr, known: Environment, memory: Memory) -> Any:
    init, step, stop, limit = parts(node)
    depth = node.attr[0]
    start = [known[a] for a in init]
    bounds = known[limit]
    shape = np.broadcast_shapes(
        bounds.shape,
        *(a.shape for a in start),
        *(known[n].shape for n in topological((*step, stop)) if n in known and n.op != "iterate"),
    )
    final = [np.array(np.broadcast_to(a, shape)) for a in start]
    running = np.ones(shape, bool)
    count = 0
    names, own = [_state(depth, k, a) for k, a in enumerate(init)], state_bits(depth)
    # The state of an iteration around is known; iterations inside, of which some have a depth of the same number, have
    # states of their own.
    outside = _bound((*step, stop), {**known, **dict.fromkeys(names, bounds)}) & ~own
    nodes = [n for n in topological((*step, stop), (*known, *names)) if not n.free & outside]
    # What does not depend on the state is the same in each turn.
    known = dict(known)
    for inner in nodes:
        if not inner.free & own:
            known[inner] = _value(inner, known, memory)
    nodes = [n for n in nodes if n not in known]
    while True:
        running &= bounds > count
        if not running.any():
            break
        scope = {**known, **dict(zip(names, final, strict=True))}
        for inner in nodes:
            scope[inner] = _value(inner, scope, memory)
        running &= ~scope[stop]
        for k, new in enumerate(step):
            final[k] = np.where(running, scope[new], final[k])
        count += 1
    interval = np.empty(len(final), dtype=object)
    for k, value in enumerate(final):
        interval[k] = value
    return interval


def _state(depth: int, position: int, like: Expr) -> Expr:
    from .expr import state

    return state(depth, position, like.type)


# ---- nests ----


def run(kernel: Kernel, arguments: Mapping[str, Any], memory: Memory, *, max_iterations: float = inf) -> None:
    """Execute a nest: `arguments` by parameter name, `memory` by buffer; stores change the arrays in `memory`.

    Loops that run in lanes or are spread over threads are run on whole arrays, unless each iteration has scratch memory
    or bounds of its own; the others in order. Raises IrError before its loops have more iterations together than
    `max_iterations`: bounds may come from memory, and a loop may have as many iterations as there are integers.
    """
    environment: Environment = {p: np.asarray(arguments[p.attr], dtype=p.type.dtype) for p in kernel.params}
    nest = _Nest(max_iterations)

    def work() -> None:
        with np.errstate(all="ignore"):
            nest.block(kernel.body, environment, dict(memory), np.asarray(True))

    # What has stored already must not be begun a second time.
    if _deeper(kernel.body, MAX_BLOCKS_AT_HAND):
        in_deep_stack(work)
    else:
        work()


MAX_BLOCKS_AT_HAND = 60
"""Blocks within blocks for which the stack at hand surely has room."""


def _deeper(block: Block, most: int) -> bool:
    """Whether some statement stands in more than so many blocks."""
    stack = [(1, block)]
    while stack:
        depth, inner = stack.pop()
        if depth > most:
            return True
        stack += [(depth + 1, b) for s in inner for b in blocks(s)]
    return False


def _one_by_one(body: Block, index: Expr) -> bool:
    """Whether iterations have memory of their own, or loops inside with bounds of their own."""
    return any(
        isinstance(s, Alloc) or (isinstance(s, For) and (s.lo.free | s.hi.free) & index.free)
        for s in walk(body)
    )


def _one(e: Expr, environment: Environment, memory: Memory) -> Array:
    # Nothing is remembered between statements: a load means the memory of its own moment.
    return _values([e], dict(environment), memory)[0]


class _Nest:
    """A nest that is executed; its loops may have `left` more iterations."""

    def __init__(self, left: float) -> None:
        self.left = left

    def _count(self, iterations: int) -> None:
        self.left -= max(iterations, 0)
        if self.left < 0:
            raise IrError("its loops have too many iterations", place="interp", fix="raise max_iterations")

    def block(self, block: Block, known: Environment, memory: dict[Buffer, Array], active: Array) -> None:
        """Execute statements in order; stores take place where `active` is true."""
        for s in block:
            self._statement(s, known, memory, active)

    def _statement(self, s: Any, known: Environment, memory: dict[Buffer, Array], active: Array) -> None:
        match s:
            case Let() | Repeat() | Once() | If(selects=(_, *_)):
                return
            case If(condition, then, orelse, _):
                truth = _one(condition, known, memory)
                for block, chosen in ((then, active & truth), (orelse, active & ~truth)):
                    if chosen.any():
                        self.block(block, known, memory, chosen)
            case For(index, lo, hi, body, how):
                first, last = (_one(e, known, memory).item() for e in (lo, hi))
                around = prod(v.size for k, v in known.items() if k.op == "index")
                self._count(around * (last - first))
                if how.kind == "seq" or _one_by_one(body, index):
                    for k in range(first, last):
                        self.block(body, {**known, index: np.asarray(k, index.type.dtype)}, memory, active)
                elif last > first:
                    axis = 1 + max((v.ndim for k, v in known.items() if k.op == "index"), default=0)
                    values = np.arange(first, last, dtype=index.type.dtype).reshape((-1,) + (1,) * (axis - 1))
                    self.block(body, {**known, index: values}, memory, active)
            case While(condition, body):
                going = active & _one(condition, known, memory)
                while going.any():
                    self._count(1)
                    self.block(body, known, memory, going)
                    going = going & _one(condition, known, memory)
            case Store(buffer, position, value):
                p, v = (_one(e, known, memory) for e in (position, value))
                p, v, a = np.broadcast_arrays(p, v, active)
                data = memory[buffer]
                inside = a & (p >= 0) & (p < len(data))
                data[p[inside]] = v[inside]
            case Alloc(sizes, body):
                lengths = [max(1, int(_one(n, known, memory).item())) for n in sizes.values()]
                own = {b: np.zeros(n, b.type.dtype) for b, n in zip(sizes, lengths, strict=True)}
                self.block(body, known, {**memory, **own}, active)
            case Abstract(name):
                raise IrError(
                    "an abstract statement cannot be run", place=name, fix="write a statement in its place"
                )
            case _:
                raise IrError(f"no statement is a {type(s).__name__}", place="interp")
