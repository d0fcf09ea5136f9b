"""Random expressions over every row of the operator table, with the values on which rules go wrong.

A graph is text: `parse_expr` reads it, with a line for each promise about a parameter (`; range p3:u8 1 5`).
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import numpy as np

from pellucid.backends.conformance import domain_bounds, kept_within, signatures, spicy
from pellucid.ir import expr as E
from pellucid.ir import prim as table
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer, Expr
from pellucid.ir.facts import Facts
from pellucid.reasoning.infer import of_leaf

INDICES = (E.index("j"), E.index("i"))
SIZE = 5
"""Elements of each buffer."""
POINTS = 200
"""Values of each parameter on which a graph is evaluated."""


class Graph:
    """Expressions that grow from their latest nodes.

    A dense graph has a few operators on two parameters of one type and on truth values, so that rules about what is
    equal, a complement or a part of the other find much to do.
    """

    def __init__(self, rng: random.Random, *, dense: bool = False) -> None:
        """Start with a few leaves of a few types."""
        self.rng = rng
        self.ranges: dict[Expr, Facts] = {}
        self.dense = dense
        self.types = (
            [rng.choice(T.ALL), T.boolean] if self.dense else rng.sample(T.ALL, rng.choice((1, 2, 3, 4)))
        )
        self.choices = choices()
        if self.dense:
            within = {None, *self.types}
            fitting = [c for c in self.choices if within.issuperset((*c[1], c[2]))]
            names = rng.sample(sorted({c[0].name for c in fitting}), 4)
            self.choices = [c for c in fitting if c[0].name in names]
        self.nodes = [self.leaf(t) for t in self.types]

    def leaf(self, type_: T.Type) -> Expr:
        """A parameter, perhaps of a range, an index, a load or a constant."""
        pick = self.rng.random()
        if self.dense:
            return self.constant(type_) if pick < 0.1 else E.param(f"p{self.rng.randrange(2)}_{type_}", type_)
        if pick < 0.35:
            return self.constant(type_)
        if pick < 0.45 and type_ is T.i32:
            return self.rng.choice(INDICES)
        if pick < 0.55:
            buffer = Buffer(f"b_{type_}", type_, SIZE) if type_ not in BUFFERS else BUFFERS[type_]
            return E.load(BUFFERS.setdefault(type_, buffer), self.rng.choice((*INDICES, E.const(0, T.i32))))
        found = E.param(f"p{self.rng.randrange(3)}_{type_}", type_)
        if self.rng.random() < 0.3 and type_ is not T.boolean:
            low, high = sorted(self.rng.choice(_finite(type_)) for _ in range(2))
            zero = type_.is_float and low <= 0.0 <= high
            self.ranges.setdefault(found, Facts(low, high, False, zero))
        return found

    def constant(self, type_: T.Type) -> Expr:
        """A constant: small ones and powers of two mostly, extreme ones often."""
        if type_.is_integer and self.rng.random() < 0.6:
            power = 1 << self.rng.randrange(type_.bits)
            return E.const(self.rng.choice((0, 1, 1, 2, 3, 5, 7, 8, -1, power, power - 1, -power)), type_)
        return E.const(self.rng.choice(spicy(type_).tolist()), type_)

    def operand(self, type_: T.Type) -> Expr:
        """A node of a type, a recent one mostly."""
        known = [n for n in self.nodes if n.type is type_]
        if not known or self.rng.random() < 0.2:
            self.nodes.insert(0, self.leaf(type_))
            return self.nodes[0]
        return known[max(self.rng.randrange(len(known)), self.rng.randrange(len(known)))]

    def grow(self) -> None:
        """Add a node."""
        if self.rng.random() < 0.03:
            self.nodes.append(self.iteration())
            return
        fitting = self.choices
        if not self.dense and self.rng.random() < 0.9:
            fitting = [c for c in fitting if c[1][-1] in self.types]
        prim, types, attr = self.rng.choice(fitting)
        bounds = domain_bounds(prim, types, attr)
        if bounds is None:
            return
        args = [kept_within(self.operand(t), b) for t, b in zip(types, bounds, strict=True)]
        self.nodes.append(E.apply(prim.name, *args, attr=attr))

    def iteration(self) -> Expr:
        """A component of a short iteration."""
        type_ = self.rng.choice([t for t in self.types if t is not T.boolean] or [T.i32])
        init, other = self.operand(type_), self.operand(type_)
        depth = E.next_depth(init, other)
        state = E.state(depth, 0, type_)
        step = E.apply(self.rng.choice(("add", "sub", "mul", "min", "max")), state, other)
        stop = E.apply(self.rng.choice(("lt", "eq")), self.rng.choice((state, step)), self.constant(type_))
        return E.iterate([init], [step], stop, E.const(self.rng.randrange(4), T.i32), depth)[0]


BUFFERS: dict[T.Type, Buffer] = {}
"""One buffer for each type."""


def choices() -> list[tuple[table.Prim, tuple[T.Type, ...], T.Type | None]]:
    """Every row with every signature, but for those that would tell one NaN from another."""
    if not _CHOICES:
        for prim in table.table().values():
            for types, attr in signatures(prim):
                shows = attr is not None and types[0].is_float and attr.is_integer
                if not (shows and prim.name == "bitcast"):
                    _CHOICES.append((prim, types, attr))
    return _CHOICES


_CHOICES: list[tuple[table.Prim, tuple[T.Type, ...], T.Type | None]] = []


def _finite(type_: T.Type) -> list[float | int]:
    values = spicy(type_)
    return values[np.isfinite(values)].tolist() if type_.is_float else values.tolist()


def graph(rng: random.Random, size: int, *, dense: bool = False) -> tuple[list[Expr], dict[Expr, Facts]]:
    """The roots of a random graph of about that many operators, and what is promised of its parameters."""
    made = Graph(rng, dense=dense)
    for _ in range(size):
        made.grow()
    used = {a for n in made.nodes for a in n.args}
    roots = [n for n in made.nodes if n not in used and n.args][-3:] or made.nodes[-1:]
    return roots, {p: f for p, f in made.ranges.items() if p in set(E.topological(roots))}


def environment(
    roots: Sequence[Expr], ranges: Mapping[Expr, Facts], seed: int
) -> tuple[dict[Expr, np.ndarray], dict[Buffer, np.ndarray]]:
    """Values of the leaves within their ranges, and memory: extreme ones and small ones."""
    generator = np.random.default_rng(seed)
    values: dict[Expr, np.ndarray] = {}
    memory = {
        b: generator.choice(spicy(b.type), b.size) for b in sorted(E.buffers(roots), key=lambda b: b.name)
    }
    # By name: the order of nodes depends on what was built before.
    leaves = [n for n in E.topological(roots) if n.op in ("index", "param")]
    for n in sorted(leaves, key=lambda n: (n.attr, n.type.name)):
        if n.op == "index":
            values[n] = generator.integers(-2, 8, POINTS).astype(n.type.dtype)
        elif n.op == "param":
            values[n] = _values(n.type, ranges.get(n, of_leaf(n)), generator)
    return values, memory


def _values(type_: T.Type, facts: Facts, generator: np.random.Generator) -> np.ndarray:
    inside = [v for v in (*spicy(type_).tolist(), facts.lo, facts.hi) if facts.contains(v)]
    found = np.array(inside, type_.dtype)
    return generator.choice(found, POINTS).astype(type_.dtype)
