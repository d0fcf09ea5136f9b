"""Placement: writes down where values are wanted as places - `Let`, `If` with selects, `Repeat` - in one linear pass.

This is common subexpression elimination, code motion and the guarding of dear branches in one (Pan, section 3.5: "we
implement them in the same pass"). Since a `Let` is a place and not a binding, its whole proof is that erasing the
places gives back the nest that went in, and that every place is in the scope of its indices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from ...ir import expr as E
from ...ir.expr import LEAVES, Expr, parts, topological
from ...ir.facts import Facts
from ...ir.nest import (
    Block,
    For,
    If,
    Kernel,
    Let,
    Once,
    Repeat,
    Statement,
    Store,
    all_roots,
    blocks,
    roots,
    walk,
    with_blocks,
)
from ...reasoning.infer import FactsOf
from ...reasoning.machine import PROCESSOR
from .deferring import settle
from .placement_analysis import Branch, PlacementAnalysis, Region

THRESHOLD = PROCESSOR.prices["skip"].cost
"""Minimum cost of the arms of a choice for which a branch pays.

A value that leaves a loop around an arm and costs less is computed whether or not the arm is taken. No other
evaluation is ever added."""


Moved = tuple[str, Expr, tuple[str, ...]]
"""The placement of a value: "share", "move_code", "advance", "defer" or "branch"; the value; the loops it left."""
Placed = tuple[Kernel, Callable[[], list[Moved]]]
"""The kernel with its places, and the list of what was done, made when it is asked for."""


def place(
    kernel: Kernel,
    *,
    hoist: bool = True,
    defer: bool = True,
    threshold: float = THRESHOLD,
    ranges: Mapping[Expr, Facts] | None = None,
) -> Placed:
    """The kernel with every value in its place, and what was done with each value.

    `ranges` is what is known of leaves: a loop that surely runs needs no guard. `hoist=False` leaves values in the
    innermost block that wants them, and with `defer=False` what leaves a loop is computed whether or not it is wanted:
    the loop is plain then. The nest must have no places yet.
    """
    mutable: set[object] = {s.buffer for s in walk(kernel.body) if isinstance(s, Store)}
    everything = all_roots(kernel.body)
    loaded = {n.attr for n in topological(everything) if n.op == "load"}
    facts = FactsOf.handed_on(ranges or {})
    analysis = settle(kernel.body, mutable & loaded, everything, threshold, facts, hoist=hoist, defer=defer)
    writer = _Writer(analysis)
    body, _ = writer.block(kernel.body, analysis.root)
    return Kernel(kernel.name, kernel.params, kernel.outputs, body), writer.moved


class _Writer:
    """Turns regions into blocks: each item after what it needs."""

    def __init__(self, analysis: PlacementAnalysis) -> None:
        self.analysis = analysis
        self.written: list[tuple[Expr, Region, bool]] = []
        self.done: set[tuple[Expr, Region]] = set()
        self._shared: dict[Region, tuple[Once, list[tuple[Expr, Region]]]] = {}
        self._items: dict[object, tuple[Statement, list[tuple[Expr, Region]]]] = {}

    def point(self, node: Expr, region: Region) -> Region | None:
        """The region around this one where a node has its place, or None if it is written inline."""
        if node not in self.analysis.placed:
            return None
        points = self.analysis.points[node]
        deferred = [h for h in points if h.sites] if self.analysis.decided else []
        r: Region | None = region
        while r is not None and r not in points:
            for h in deferred:
                if r in h.sites or (r.sites and _within(r, h)):
                    return h
            r = r.around
        return r

    def needs(self, start: Iterable[Expr], region: Region) -> list[tuple[Expr, Region]]:
        """The placed nodes that expressions written in a region refer to."""
        found: dict[tuple[Expr, Region], None] = {}
        seen: set[Expr] = set()
        stack = list(start)
        while stack:
            node = stack.pop()
            if node in seen or node.op in LEAVES:
                continue
            seen.add(node)
            point = self.point(node, region)
            if point is None:
                stack.extend(node.args)
            else:
                found[node, point] = None
        return list(found)

    def block(self, block: Block, region: Region) -> tuple[Block, list[tuple[Expr, Region]]]:
        """A block of the program with its places, and what it needs from the regions around it."""
        out: list[Statement] = []
        outer: dict[tuple[Expr, Region], None] = {}
        for s in block:
            wanted = self.needs(roots(s), region)
            new: list[Block] = []
            gate = self.analysis.gates.get(id(s))
            ahead: list[Statement] = []
            for b in blocks(s):
                inner, wants = self.block(b, self.analysis.of_block[id(b)])
                new.append(inner)
                if gate is not None:
                    through: dict[tuple[Expr, Region], None] = {}
                    for node, point in wants:
                        self.compute(node, point, gate, ahead, through)
                    wants = list(through)
                wanted += wants
            for node, point in wanted:
                self.compute(node, point, region, out, outer)
            changed = with_blocks(s, tuple(new)) if new else s
            if ahead and isinstance(changed, For):
                # Values that left a loop that may not run: only if it does.
                changed = If(E.apply("lt", changed.lo, changed.hi), (*ahead, changed))
            out.append(changed)
        return tuple(out), list(outer)

    def compute(
        self,
        node: Expr,
        point: Region,
        region: Region,
        out: list[Statement],
        outer: dict[tuple[Expr, Region], None],
    ) -> None:
        """Make sure that a node's place stands in `out` before what comes next, or note that it is needed outside."""
        if point is not region and region not in point.sites:
            outer[node, point] = None
            return
        stack: list[tuple[Expr, Region, bool]] = [(node, point, False)]
        while stack:
            n, at, ready = stack.pop()
            if (n, region) in self.done:
                continue
            statement, wanted = self.item(n, region) if at is region else self.once(at, region)
            missing: list[tuple[Expr, Region]] = []
            for m, h in wanted:
                if h is not region and region not in h.sites:
                    outer[m, h] = None
                elif (m, region) not in self.done:
                    missing.append((m, h))
            if missing and not ready:
                stack.append((n, at, True))
                stack += [(m, h, False) for m, h in missing]
                continue
            self.emit(n, statement, region, out)

    def emit(self, node: Expr, statement: Statement, region: Region, out: list[Statement]) -> None:
        """Write one item and mark what it computes."""
        out.append(statement)
        if isinstance(statement, Once):
            self.done.update([(v, region) for v in statement.values])
            return
        if isinstance(statement, If):
            for p in statement.selects:
                self.done.add((p, region))
            self.written.append((statement.selects[0], region, True))
            return
        self.done.add((node, region))
        self.written.append((node, region, False))

    def moved(self) -> list[Moved]:
        """The placement of each value, in the order in which places were written."""
        found: list[Moved] = []
        for node, region, branch in self.written:
            if region.sites:
                loops = dict.fromkeys(r.name for s in region.sites for r in s.loops_out_to(_target(region)))
                found.append(("defer", node, tuple(loops)))
                continue
            if branch:
                found.append(("branch", node, ()))
                continue
            crossed = {r.name: None for u in self.analysis.users[node] for r in _between(u, region) if r.loop}
            early = self.analysis.decided.get(node) == "move"
            what = "advance" if early else "move_code"
            found.append((what if crossed else "share", node, tuple(crossed)))
        return found

    def item(self, node: Expr, region: Region) -> tuple[Statement, list[tuple[Expr, Region]]]:
        """The statement that computes a placed node, and the placed nodes it needs."""
        rank = self.analysis.guards.get(node)
        # All selects of a branch are one item.
        key = (node, region) if rank is None else region.branches[node.args[0], rank]
        cached = self._items.get(key)
        if cached is None:
            cached = self._items[key] = self.make(node, region)
        return cached

    def once(self, deferred: Region, region: Region) -> tuple[Statement, list[tuple[Expr, Region]]]:
        """The statement that computes what is deferred, in one of its sites."""
        cached = self._shared.get(deferred)
        if cached is None:
            nodes = sorted([n for n in deferred.computed if n in self.analysis.placed], key=lambda n: n.id)
            out: list[Statement] = []
            outer: dict[tuple[Expr, Region], None] = {}
            for n in nodes:
                self.compute(n, deferred, deferred, out, outer)
            kept = [n for n in nodes if self.kept(n, deferred)]
            cached = self._shared[deferred] = Once(1, tuple(kept), tuple(out)), list(outer)
        statement, wanted = cached
        across = len(region.loops_out_to(_target(deferred)))
        return replace(statement, across=across), wanted

    def kept(self, node: Expr, deferred: Region) -> bool:
        """Whether what is deferred is wanted around it: users elsewhere may find the node in another place."""
        users = dict.fromkeys(self.analysis.users[node])
        return any(deferred not in u.ancestors() and self.point(node, u) is deferred for u in users)

    def make(self, node: Expr, region: Region) -> tuple[Statement, list[tuple[Expr, Region]]]:
        """Build the statement of a placed node."""
        rank = self.analysis.guards.get(node)
        if rank is not None:
            return self.branch(region.branches[node.args[0], rank], region)
        body = self.analysis.repeats.get((node, region))
        if body is not None:
            init, step, stop, limit = parts(node)
            inner, wants = self.arm((*step, stop), body)
            return Repeat(node, inner), [*self.needs((*init, limit), region), *wants]
        return Let(node), self.needs(node.args, region)

    def branch(self, branch: Branch, region: Region) -> tuple[Statement, list[tuple[Expr, Region]]]:
        """The `If` that decides all choices of one condition and rank."""
        selects = tuple(sorted(branch.selects, key=lambda p: p.id))
        then, a = self.arm([p.args[1] for p in selects], branch.then)
        orelse, b = self.arm([p.args[2] for p in selects], branch.orelse)
        return If(branch.condition, then, orelse, selects), [*self.needs([branch.condition], region), *a, *b]

    def arm(self, values: Iterable[Expr], region: Region) -> tuple[Block, list[tuple[Expr, Region]]]:
        """The block that computes values in a region that is not a block of the program."""
        out: list[Statement] = []
        outer: dict[tuple[Expr, Region], None] = {}
        for node, point in self.needs(values, region):
            self.compute(node, point, region, out, outer)
        return tuple(out), list(outer)


def _target(deferred: Region) -> Region:
    """The region to which the values of a deferred one belong."""
    assert deferred.parent is not None  # noqa: S101 - it was made for one
    return deferred.parent


def _within(region: Region, other: Region) -> bool:
    """Whether another deferred region has happened at every site of one."""
    return all(any(r in other.sites for r in s.ancestors()) for s in region.sites)


def _between(inner: Region, outer: Region) -> list[Region]:
    found: list[Region] = []
    for r in inner.ancestors():
        if r is outer:
            break
        found.append(r)
    return found
