"""Deferring: which choices become branches, and what leaves a loop around an arm.

Above `placement_analysis`, which settles where values are wanted once this is decided. No evaluation is added but what
costs less than asking: a choice whose arms, alone, are cheap is a selection, and a value that only an arm wants leaves
the loops around it at once if it is cheap. A dear one is deferred: computed when it is first wanted, once in
the region outside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...ir.expr import Expr, parts, topological
from ...ir.nest import Block
from ...reasoning.infer import FactsOf
from ...reasoning.machine import PROCESSOR
from ...reasoning.work import node_costs
from .placement_analysis import Branch, PlacementAnalysis, Region, reads_of

MAX_DEPTH = 12
"""Maximum depth of branches for choices; deeper ones become selections."""


def settle(
    body: Block,
    mutable: set[object],
    everything: list[Expr],
    threshold: float,
    facts: FactsOf,
    *,
    hoist: bool,
    defer: bool,
) -> PlacementAnalysis:
    """Settle where values are wanted: a branch for every choice whose arms, alone, cost at least `threshold` cycles.

    A choice with cheap arms is a selection: both arms are computed, which costs less than a branch. Values that leave a
    loop around an arm are computed at once if all that leave it together cost less than that, too; without `defer`,
    whatever they cost.
    """
    nodes = topological(everything)
    costs = node_costs(nodes)
    guards = _candidates(nodes, costs, threshold)
    reads = reads_of(nodes, mutable) if mutable else {}
    while True:
        analysis = PlacementAnalysis(body, nodes, mutable, reads, guards, facts, hoist=hoist)
        decided = dict.fromkeys(analysis.waiting, "move")
        if decided and defer:
            decided = _decide(analysis, nodes, costs, threshold)
        if guards:
            cheap = _Cheap(analysis, costs, threshold, decided).selects
            if cheap:
                guards = {n: r for n, r in guards.items() if n not in cheap}
                continue
        if not decided:
            return analysis
        return PlacementAnalysis(body, nodes, mutable, reads, guards, facts, hoist=hoist, decided=decided)


# ---- what leaves a loop around something that may not happen ----


def _decide(
    analysis: PlacementAnalysis, nodes: Sequence[Expr], costs: Mapping[Expr, float], threshold: float
) -> dict[Expr, str]:
    """Say of each value that waits in regions that may not happen whether it is to "move" out of them or to "defer".

    What is in no region but the same ones is weighed together. A cheap value of which an operand is deferred stays
    where it is, unless what uses it is deferred as well.
    """
    together: dict[tuple[tuple[Region, Region], ...], float] = {}
    for node, waiting in analysis.waiting.items():
        together[waiting] = together.get(waiting, 0.0) + _weight(analysis, node, waiting[0][0], costs)
    decided: dict[Expr, str] = {}
    held: set[Expr] = set()
    for node in nodes:
        waiting = analysis.waiting.get(node)
        if waiting is not None and together[waiting] >= threshold:
            decided[node] = "defer"
            held.add(node)
        elif any(a in held for a in node.args):
            held.add(node)
        elif waiting is not None:
            decided[node] = "move"
    wanted: set[Expr] = set()
    for node in reversed(nodes):
        if node in analysis.waiting:
            if node in wanted and node not in decided:
                decided[node] = "defer"
            if decided.get(node) == "defer":
                wanted.update(node.args)
        elif node in wanted:
            wanted.update(node.args)
    return decided


def _weight(analysis: PlacementAnalysis, node: Expr, point: Region, costs: Mapping[Expr, float]) -> float:
    """The cycles of one value at its point: of an iteration, those of all its steps; of a choice, those of its arms."""
    cycles = costs[node]
    if node.op == "iterate":
        cycles += _steps(node) * _all(analysis, analysis.repeats[node, point], costs)
    elif node in analysis.guards:
        branch = point.branches[node.args[0], analysis.guards[node]]
        if branch.selects[0] is node:
            cycles += sum([_all(analysis, arm, costs) for arm in (branch.then, branch.orelse)])
    return cycles


def _all(analysis: PlacementAnalysis, region: Region, costs: Mapping[Expr, float]) -> float:
    """The cycles of what is computed in a region and in those inside."""
    return sum([_weight(analysis, n, region, costs) for n in region.computed])


def _steps(node: Expr) -> float:
    """The steps of an iteration: its limit if that is known, else a guess."""
    limit = parts(node)[-1]
    return max(float(limit.attr), 0.0) if limit.op == "const" else PROCESSOR.steps


# ---- which choices pay as branches ----


def _candidates(nodes: Sequence[Expr], costs: Mapping[Expr, float], threshold: float) -> dict[Expr, int]:
    """Choices whose arms could be dear, each with a rank: choices of one rank never depend on one another."""
    choices = [n for n in nodes if n.op == "choose"]
    weight: dict[Expr, float] = {}
    for node in topological([a for c in choices for a in c.args[1:]]):
        below = 0.0
        for a in node.args:
            below += weight[a]
        total = costs[node] + below
        if node.op == "iterate":
            total += PROCESSOR.steps * 4
        # Tree weights grow without bound on shared terms; beyond the threshold their size says nothing more.
        weight[node] = min(total, 1000 * threshold)
    dear = {c for c in choices if weight[c.args[1]] + weight[c.args[2]] >= threshold}
    dear = _shallow(nodes, dear)
    if not dear:
        return {}
    rank: dict[Expr, int] = {}
    for node in nodes:
        most = 0
        for a in node.args:
            most = max(most, rank[a])
        rank[node] = most + 1 if node in dear else most
    return {c: rank[c] for c in choices if c in dear}


def _shallow(nodes: Sequence[Expr], dear: set[Expr]) -> set[Expr]:
    """The choices that some user wants inside of fewer than `MAX_DEPTH` arms.

    `nodes` have operands before users.
    """
    if len(dear) <= MAX_DEPTH:
        return dear
    arms: dict[Expr, int] = {}
    for node in reversed(nodes):
        around = arms.setdefault(node, 0)
        inside = around + 1 if node in dear else around
        for a in node.args:
            if arms.get(a, inside) >= inside:
                arms[a] = inside
        if inside > around:
            arms[node.args[0]] = min(arms[node.args[0]], around)
    return {n for n in dear if arms[n] < MAX_DEPTH}


class _Cheap:
    """The choices of branches that do not pay, inner ones first: their work joins that of the arm around them."""

    def __init__(
        self,
        analysis: PlacementAnalysis,
        costs: Mapping[Expr, float],
        threshold: float,
        decided: Mapping[Expr, str],
    ) -> None:
        self.analysis, self.costs, self.threshold, self.decided = analysis, costs, threshold, decided
        self.selects: set[Expr] = set()
        for region in (*analysis.of_block.values(), *analysis.repeats.values()):
            self._weigh(region)

    def _weigh(self, region: Region) -> tuple[set[Expr], float]:
        """The nodes that a region computes if its cheap branches are none, and the cycles of these and of the rest."""
        here = {n for n in region.computed if self.decided.get(n) != "move"}
        dear: list[tuple[Branch, set[Expr], float]] = []
        for branch in region.branches.values():
            then, a = self._weigh(branch.then)
            orelse, b = self._weigh(branch.orelse)
            if region.depth >= MAX_DEPTH or a + b < self.threshold:
                self.selects.update(branch.selects)
                here |= then
                here |= orelse
            else:
                dear.append((branch, then | orelse, a + b))
        kept = 0.0
        for branch, arms, cycles in dear:
            # What is now computed around the branch is no longer computed in it.
            left = cycles - sum([self.costs[n] for n in arms & here])
            if left < self.threshold:
                self.selects.update(branch.selects)
                here |= arms
            else:
                kept += left
        cycles = kept + sum([self.costs[n] for n in here])
        for node in here:
            body = self.analysis.repeats.get((node, region)) if node.op == "iterate" else None
            if body is not None:
                cycles += _steps(node) * self._weigh(body)[1]
        return here, cycles
