"""accumulate: a loop that does nothing but work on one element becomes one store of an iterated expression.

The state of an iteration is in registers, and expressions move more freely than loops do. The other way of scalar
replacement; see `replace_scalar`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir import expr as E
from ...ir import types as T
from ...ir.expr import FALSE, const, substitute, topological
from ...ir.nest import SEQ, For, Kernel, Statement, Store
from ...ir.path import Path, at, replace_at
from ...ir.path import walk as paths
from ...reasoning.effects import shown
from ...reasoning.linear import folded
from ...reasoning.prove import Verdict, both, decided
from ..analysis.bounds import countable, loop_at
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def _simple(s: Statement | None) -> Store | None:
    """The store that is the whole body of a loop in order, to an element that the index does not move."""
    if isinstance(s, For) and s.how == SEQ and len(s.body) == 1:
        inner = s.body[0]
        if isinstance(inner, Store) and not inner.position.free & s.index.free:
            return inner
    return None


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Loops of one store to a fixed element that also loads it."""
    for path, s in paths(kernel.body):
        store = _simple(s)
        if store is not None and E.load(store.buffer, store.position) in topological([store.value]):
            yield path


def _store(site: Site) -> Store:
    found = _simple(site.statement)
    assert found is not None  # noqa: S101 - the theorem's shape
    return found


def _one_element(site: Site) -> Verdict:
    s = _store(site)
    own = E.load(s.buffer, s.position)
    nodes = (*topological([s.value]), *topological([s.position]))
    other = next((n for n in nodes if n.op == "load" and n.attr is s.buffer and n is not own), None)
    return decided(
        other is None, "one element is loaded", "" if other is None else f"{shown(other)} is loaded too"
    )


def _counted(site: Site) -> Verdict:
    type_ = loop_at(site).index.type
    return both(decided(type_ is T.i32, "the index is an i32", f"it is {type_}"), countable(site))


ACCUMULATION = Theorem(
    "a loop on one element is an iteration",
    "A loop that only computes one element anew from itself may be written as one expression.",
    (
        Clause(
            "one-element", lambda s: f"no other element of {_store(s).buffer.name} is loaded", _one_element
        ),
        Clause("counted", "the number of iterations is an i32", _counted),
    ),
    shape=Clause(
        "one-store",
        "the site is a loop in order of one store to a fixed element",
        lambda s: decided(_simple(s.statement) is not None, "a loop is one store", f"{s} is not"),
    ),
)


def apply(kernel: Kernel, path: Path, **_: Any) -> Applied:
    """One store; the state of the iteration is the element and the index."""
    loop, store = at(kernel.body, path), _simple(at(kernel.body, path))
    assert isinstance(loop, For) and store is not None  # noqa: S101, PT018 - checked
    own, type_ = E.load(store.buffer, store.position), loop.index.type
    depth = E.next_depth(store.value, own, loop.lo, loop.hi)
    states = E.state(depth, 0, own.type), E.state(depth, 1, type_)
    (step,) = substitute([store.value], {own: states[0], loop.index: states[1]})
    following = E.apply("add", states[1], const(1, type_))
    trips = folded("sub", loop.hi, loop.lo)
    final = E.iterate((own, loop.lo), (step, following), FALSE, trips, depth)[0]
    new = replace_at(kernel.body, path, (replace(store, value=final),))
    return Applied(replace(kernel, body=new))


MOVE = Move(
    "accumulate", "Write a loop that works on one element as one expression.", find, apply, (ACCUMULATION,)
)
