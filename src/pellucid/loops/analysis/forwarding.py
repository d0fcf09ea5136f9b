"""Forwarding: where each scratch array of a kernel is filled and loaded, and the kernel with arrays computed in place.

Below `moves/inline_array`, whose clauses ask an `Arrays`; it is made once per kernel, in one pass, so that a program of
thousands of operations is optimized in a time that grows as its length.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from ...base.record import record
from ...ir import nest as N
from ...ir.expr import Buffer, Expr, rebuild, substitute, topological
from ...ir.nest import Block, For, Kernel, Statement, Store, roots
from ...reasoning.infer import FactsOf
from ...reasoning.machine import PROCESSOR
from ...reasoning.work import node_cost
from ..core.elements import Filled, coordinates, filled, peeled, ranges_of, wrapped

Place = tuple[int, int]
"""A block, by its number, and a position in it."""


@dataclass(eq=False, slots=True)
class ScratchArray:
    """The accesses of a kernel to one buffer."""

    buffer: Buffer
    scratch: bool = False
    stores: list[tuple[Place, Filled | None]] = field(default_factory=list[tuple[Place, "Filled | None"]])
    loads: dict[Expr, None] = field(default_factory=dict[Expr, None])
    users: list[tuple[tuple[Place, ...], int]] = field(default_factory=list[tuple[tuple[Place, ...], int]])

    @property
    def filling(self) -> Filled | None:
        """The nest that fills it, if that is the only store."""
        return self.stores[0][1] if len(self.stores) == 1 else None


class Arrays:
    """Every buffer of a kernel: which statements fill it, which load from it, and where these stand."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.around, self.body = peeled(kernel.body)
        self.known: dict[Buffer, ScratchArray] = {}
        self._names: dict[object, ScratchArray] = {}
        self.order: list[Buffer] = []
        self.facts: FactsOf = ranges_of(self.body, {})
        self.stored: dict[int, dict[Buffer, int]] = {}
        self._blocks = 0
        for a in self.around:
            for b, size in a.sizes.items():
                self.of(b).scratch = size.op == "const" and size.attr == b.size
        self._visit(self.body, (), 1)

    def of(self, buffer: Buffer) -> ScratchArray:
        """The facts of a buffer."""
        found = self.known.get(buffer)
        if found is None:
            found = self.known[buffer] = self._names[buffer.name] = ScratchArray(buffer)
        return found

    def named(self, name: object) -> ScratchArray | None:
        """The array of that name."""
        return self._names.get(name)

    def _visit(self, block: Block, around: tuple[Place, ...], runs: int) -> None:
        number = self._blocks
        self._blocks += 1
        for k, s in enumerate(block):
            here = (*around, (number, k))
            nest = self._filled(s)
            self._loads(s, here, runs)
            if isinstance(s, Store):
                self._store(s.buffer, here, None)
            if nest is not None:
                self._middle(nest, here, runs)
                continue
            for b in N.blocks(s):
                self._visit(b, here, runs * trips(s))

    def _filled(self, s: Statement) -> Filled | None:
        inner = s
        while isinstance(inner, For) and len(inner.body) == 1:
            inner = inner.body[0]
        return filled(s, inner.buffer.size) if isinstance(inner, Store) else None

    def _middle(self, nest: Filled, here: tuple[Place, ...], runs: int) -> None:
        for loop in nest.loops:
            runs *= trips(loop)
        self._loads(nest.store, here, runs)
        self._store(nest.store.buffer, here, nest)

    def _loads(self, s: Statement, here: tuple[Place, ...], runs: int) -> None:
        seen: set[Buffer] = set()
        for node in topological(roots(s)):
            if node.op == "load":
                array = self.of(node.attr)
                array.loads[node] = None
                if node.attr not in seen:
                    seen.add(node.attr)
                    array.users.append((here, runs))

    def _store(self, buffer: Buffer, here: tuple[Place, ...], nest: Filled | None) -> None:
        array = self.of(buffer)
        array.stores.append((here[-1], nest))
        if nest is not None and len(array.stores) == 1:
            self.order.append(buffer)
        for number, k in here:
            self.stored.setdefault(number, {})[buffer] = k


@lru_cache(maxsize=4)
def arrays(kernel: Kernel) -> Arrays:
    """The accesses of a kernel to its arrays."""
    return Arrays(kernel)


def trips(s: Statement) -> int:
    """The number of times that a statement's body runs, if that is known; else once."""
    if isinstance(s, For) and s.lo.op == "const" and s.hi.op == "const":
        return max(0, int(s.hi.attr - s.lo.attr))
    return 1


# ---- what pays ----

REPEAT_THRESHOLD = PROCESSOR.prices["repeat"].cost
"""Maximum cost of a value that is computed several times: a conversion, a comparison, a product."""
MAX_USERS = 4
"""Maximum nests that compute the same value, which are expected to be joined and to share it."""


@record
class _Fate:
    """The number of times that a value would be computed, the nests that do so, and the cost of computing it again."""

    copies: float = 1.0
    nests: frozenset[Place] = frozenset()
    cost: float = 0.0


def paying(found: Arrays, inlinable: Iterable[Buffer], cheap: float = REPEAT_THRESHOLD) -> list[Buffer]:
    """Those of some arrays whose values would be computed no more often than now, or are cheap: they need no memory.

    From the last array to the first, since what loads from an array may be computed in place itself.
    """
    allowed = set(inlinable)
    fates: dict[Buffer, _Fate] = {}
    fills = {a.stores[0][0]: b for b, a in found.known.items() if a.filling is not None}
    for buffer in reversed(found.order):
        if buffer not in allowed:
            continue
        array = found.known[buffer]
        nest = array.filling
        assert nest is not None  # noqa: S101 - only what is filled is inlinable
        users = [(fates.get(fills.get(here[-1], buffer)), here[-1], runs) for here, runs in array.users]
        nests = frozenset[Place]().union(*(f.nests if f else {place} for f, place, _ in users))
        copies = max([(f.copies if f else 1.0) * max(1.0, r / buffer.size) for f, _, r in users], default=1.0)
        if any(load.args[0] is not nest.store.position for load in array.loads):
            copies *= len(array.loads)
        own = value_cost(nest.store.value)
        cost = own + max([f.cost for f, _, _ in users if f], default=0.0)
        if copies <= 1 and len(nests) <= MAX_USERS:
            fates[buffer] = _Fate(1.0, nests)
        elif cost <= cheap:
            fates[buffer] = _Fate(copies, frozenset(list(nests)[: MAX_USERS + 1]), cost)
    return [b for b in found.order if b in fates]


def value_cost(value: Expr) -> float:
    """The cycles of computing a value, positions aside: those of neighbors have nearly everything in common."""
    seen: set[Expr] = set()
    stack = [value]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack += () if node.op == "load" else node.args
    return sum(2.0 if n.op == "load" else node_cost(n) for n in seen)


# ---- the kernel without them ----


def inlined(kernel: Kernel, chosen: Iterable[Buffer]) -> Kernel:
    """The kernel with some arrays computed where they are loaded; each must be proved to allow it."""
    found = arrays(kernel)
    gone = {b: f for b in chosen if (f := found.known[b].filling) is not None}
    values: dict[Expr, Expr] = {}

    def changed(given: tuple[Expr, ...]) -> tuple[Expr, ...]:
        for node in new_nodes(given, values):
            new = rebuild(node, tuple([values[a] for a in node.args]))
            nest = gone.get(node.attr) if node.op == "load" else None
            if nest is not None:
                point = coordinates(node.args[0], nest.extents)
                assert point is not None  # noqa: S101 - proved
                new = at_point(nest, tuple(values[x] for x in point), values[nest.store.value])
            values[node] = new
        return tuple([values[r] for r in given])

    # In the order in which arrays are filled, so that what a value loads is a value already.
    for b in found.order:
        if b in gone:
            changed((gone[b].store.value,))
    dropped = {f.store for f in gone.values()}

    def kept(s: Statement) -> Block:
        # Loops that have lost their only store are lost themselves.
        return () if s in dropped or (isinstance(s, For) and not s.body) else (s,)

    left = N.transform(found.body, kept)
    return replace(kernel, body=wrapped(found.around, N.rewrite(left, changed), set(gone)))


def new_nodes(given: tuple[Expr, ...], known: Mapping[Expr, Expr]) -> list[Expr]:
    """The nodes of some expressions that have no value yet, operands first."""
    seen: set[Expr] = set()
    stack = list(given)
    while stack:
        node = stack.pop()
        if node not in seen and node not in known:
            seen.add(node)
            stack.extend(node.args)
    return sorted(seen, key=lambda n: n.id)


def at_point(nest: Filled, point: tuple[Expr, ...], value: Expr) -> Expr:
    """The value that a nest stores at a point, given its value with everything in place."""
    moved = {i: x for i, x in zip(nest.indices, point, strict=True) if i is not x}
    return substitute([value], moved)[0] if moved else value
