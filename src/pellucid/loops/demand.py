"""Demand: in which regions of a nest each value is wanted, and so where it should be computed.

A region is a block of the nest, one arm of a branch, or the body of an iteration. Users come before operands, so one
pass from the roots down settles everything: a value climbs out of each loop whose index it does not depend on, and
above a branch only if both arms want it (Pan, section 3.3: sharing must not add evaluation). `placement` writes the
result down.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..ir.expr import LEAVES, Expr, index_bit, parts, topological
from ..ir.nest import Alloc, Block, For, If, Statement, While, roots
from ..reasoning.effects import stored
from ..reasoning.machine import PROCESSOR
from ..reasoning.work import node_costs

MAX_DEPTH = 12
"""How deeply branches for choices may nest; deeper ones become selections."""


@dataclass(eq=False, slots=True)
class Region:
    """A block: its parent, the indices in scope, whether it repeats (a loop) or may not happen (an arm of a branch).

    `dirty` are the buffers stored to in it: what is loaded from them there means its own moment and stays put.
    `climbed` says how far out a value goes that depends on certain indices and on no such load.
    """

    parent: Region | None
    mask: int
    loop: bool = False
    branch: Branch | None = None
    depth: int = 0
    dirty: frozenset[object] = frozenset()
    name: str = ""
    homes: set[Expr] = field(default_factory=set[Expr])
    climbed: dict[int, Region] = field(default_factory=dict[int, "Region"])
    branches: dict[tuple[Expr, int], Branch] = field(default_factory=dict[tuple[Expr, int], "Branch"])

    def ancestors(self) -> list[Region]:
        """This region and those around it, inner first."""
        found: list[Region] = []
        r: Region | None = self
        while r is not None:
            found.append(r)
            r = r.parent
        return found


@dataclass(eq=False, slots=True)
class Branch:
    """A condition with two arms in one region, and the choices it decides (none for an `if` of the program)."""

    condition: Expr
    region: Region
    then: Region = field(init=False)
    orelse: Region = field(init=False)
    picks: list[Expr] = field(default_factory=list[Expr])

    def __post_init__(self) -> None:
        """Open the two arms."""
        depth = self.region.depth + 1
        mask, dirty = self.region.mask, self.region.dirty
        self.then = Region(self.region, mask, branch=self, depth=depth, dirty=dirty)
        self.orelse = Region(self.region, mask, branch=self, depth=depth, dirty=dirty)


class Demand:
    """The settled demand of one kernel.

    homes[n]        the regions where n is computed.
    placed          the nodes that need a place of their own (shared, or wanted in an inner region).
    repeats[n, r]   the body region of the iterate n computed in region r.
    """

    def __init__(
        self,
        body: Block,
        nodes: Sequence[Expr],
        mutable: set[object],
        reads: Mapping[Expr, frozenset[object]],
        guards: Mapping[Expr, int],
        *,
        hoist: bool,
    ) -> None:
        """Settle the demand of a block, whose `nodes` have operands before users.

        `guards` gives the choices that branch, each with its rank.
        """
        self.guards, self.mutable, self.hoist = guards, mutable, hoist
        self.root = Region(None, 0, dirty=self._dirty(body))
        self.of_block: dict[int, Region] = {}
        self.homes: dict[Expr, Mapping[Region, None]] = {}
        self.placed: set[Expr] = set()
        self.repeats: dict[tuple[Expr, Region], Region] = {}
        self.demands: dict[Expr, set[Region]] = {}
        self.users: dict[Expr, list[Region]] = {}
        self.reads = reads
        self._open(body, self.root)
        self._settle(nodes)

    def _dirty(self, block: Block) -> frozenset[object]:
        return frozenset(stored(block) & self.mutable) if self.mutable else frozenset()

    # ---- the program's own structure ----

    def _open(self, block: Block, region: Region) -> None:
        self.of_block[id(block)] = region
        for s in block:
            self._want(roots(s), region)
            self._inside(s, region)

    def _inside(self, s: Statement, region: Region) -> None:
        match s:
            case For(index, _, _, body, _):
                inner = Region(region, region.mask | index.free, loop=True, depth=region.depth)
                inner.dirty, inner.name = self._dirty(body), str(index.attr)
                self._open(body, inner)
            case If(condition, then, orelse, _):
                branch = Branch(condition, region)
                branch.then.dirty, branch.orelse.dirty = self._dirty(then), self._dirty(orelse)
                self._open(then, branch.then)
                self._open(orelse, branch.orelse)
            case While(_, body):
                inner = Region(region, region.mask, loop=True, depth=region.depth)
                inner.dirty, inner.name = self._dirty(body), "while"
                self._open(body, inner)
            case Alloc(_, body):
                self._open(body, Region(region, region.mask, depth=region.depth, dirty=self._dirty(body)))
            case _:
                pass

    # ---- from users to operands ----

    def _want(self, nodes: Iterable[Expr], region: Region) -> None:
        """Note that some nodes are used in a region: as far out as they go is where they are wanted."""
        demands, users, reads, climbed = self.demands, self.users, self.reads, region.climbed
        for node in nodes:
            if node.op in LEAVES:
                continue
            if not self.hoist:
                target = region
            elif reads and reads.get(node):
                target = self._climb(node, region)
            else:
                target = climbed.get(node.free)
                if target is None:
                    target = climbed[node.free] = self._climb(node, region)
            wanted = demands.get(node)
            if wanted is None:
                demands[node] = {target}
                users[node] = [region]
            else:
                wanted.add(target)
                users[node].append(region)

    def _climb(self, node: Expr, region: Region) -> Region:
        """Out of every loop whose index the node does not depend on, as far as its indices stay in scope."""
        best = at = region
        while (
            at.parent is not None and not node.free & ~at.parent.mask and not self._unstable(node, at.parent)
        ):
            if at.loop:
                best = at.parent
            at = at.parent
        return best

    def _unstable(self, node: Expr, region: Region) -> bool:
        # A load from memory that the region writes means its own moment, and so does all that is made of it.
        return bool(region.dirty) and not region.dirty.isdisjoint(self.reads[node])

    def _settle(self, nodes: Sequence[Expr]) -> None:
        guards, reads = self.guards, self.reads
        for node in reversed(nodes):
            wanted = self.demands.get(node)
            if not wanted:
                continue
            homes = list(wanted) if len(wanted) == 1 else _least(wanted)
            self.homes[node] = dict.fromkeys(homes)
            parted = node in guards or node.op == "iterate"
            for home in homes:
                home.homes.add(node)
                if parted:
                    self._operands(node, home)
                else:
                    self._want(node.args, home)
            users = self.users[node]
            if (len(users) > 1 or parted or users[0] is not homes[0]) and not (
                reads and reads.get(node) and any(self._unstable(node, u) for u in users)
            ):
                self.placed.add(node)

    def _operands(self, node: Expr, home: Region) -> None:
        """The operands of a choice that branches, or of an iterate: not all are wanted where it is."""
        rank = self.guards.get(node)
        if rank is not None:
            condition, then, orelse = node.args
            branch = home.branches.get((condition, rank))
            if branch is None:
                branch = home.branches[condition, rank] = Branch(condition, home)
            branch.picks.append(node)
            # Once for the branch and once for the pick: the condition always has a name.
            self._want((condition, condition), home)
            self._want((then,), branch.then)
            self._want((orelse,), branch.orelse)
            return
        init, step, stop, limit = parts(node)
        mask = home.mask | index_bit(f"state {node.attr[0]}")
        body = Region(home, mask, loop=True, depth=home.depth, dirty=home.dirty, name="the iteration")
        self.repeats[node, home] = body
        self._want((*init, limit), home)
        self._want((*step, stop), body)


def _reads(nodes: Sequence[Expr], mutable: set[object]) -> dict[Expr, frozenset[object]]:
    """The mutable buffers that each node reads, itself or in its operands."""
    found: dict[Expr, frozenset[object]] = {}
    nothing: frozenset[object] = frozenset()
    for node in nodes:
        own = frozenset([node.attr]) if node.op == "load" and node.attr in mutable else nothing
        for a in node.args:
            below = found[a]
            if below:
                own = own | below if own else below
        found[node] = own
    return found


def _least(wanted: set[Region]) -> list[Region]:
    """The fewest regions that serve all demands without adding evaluation: both arms of a branch become its region."""
    regions = set(wanted)
    while len(regions) > 1:
        covered = {r for r in regions if any(a in regions for a in r.ancestors()[1:])}
        regions -= covered
        merged = False
        for r in list(regions):
            branch = r.branch
            if branch is not None and branch.then in regions and branch.orelse in regions:
                regions -= {branch.then, branch.orelse}
                regions.add(branch.region)
                merged = True
        if not merged:
            break
    return sorted(regions, key=lambda r: r.depth)


# ---- which choices become branches ----


def choose_guards(
    body: Block, mutable: set[object], everything: list[Expr], threshold: float, *, hoist: bool
) -> Demand:
    """Settle the demand with a branch for every choice whose arms, alone, cost at least `threshold` cycles.

    A choice with cheap arms is a selection: both arms are computed, which costs less than a branch.
    """
    nodes = topological(everything)
    costs = node_costs(nodes) if any(n.op == "choose" for n in nodes) else {}
    guards = _candidates(nodes, costs, threshold)
    reads = _reads(nodes, mutable) if mutable else {}
    while True:
        demand = Demand(body, nodes, mutable, reads, guards, hoist=hoist)
        if not guards:
            return demand
        cheap = _Cheap(demand, costs, threshold).picks
        if not cheap:
            return demand
        guards = {n: r for n, r in guards.items() if n not in cheap}


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
    """Of some choices, those that some user wants inside of fewer than `MAX_DEPTH` arms.

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

    def __init__(self, demand: Demand, costs: Mapping[Expr, float], threshold: float) -> None:
        self.demand, self.costs, self.threshold = demand, costs, threshold
        self.picks: set[Expr] = set()
        for region in (*demand.of_block.values(), *demand.repeats.values()):
            self._weigh(region)

    def _weigh(self, region: Region) -> tuple[set[Expr], float]:
        """What is computed in a region if the cheap branches in it are none, and the cycles of that and of the rest."""
        here = set(region.homes)
        dear: list[tuple[Branch, set[Expr], float]] = []
        for branch in region.branches.values():
            then, a = self._weigh(branch.then)
            orelse, b = self._weigh(branch.orelse)
            if region.depth >= MAX_DEPTH or a + b < self.threshold:
                self.picks.update(branch.picks)
                here |= then
                here |= orelse
            else:
                dear.append((branch, then | orelse, a + b))
        kept = 0.0
        for branch, arms, cycles in dear:
            # What is now computed around the branch is no longer computed in it.
            left = cycles - sum([self.costs[n] for n in arms & here])
            if left < self.threshold:
                self.picks.update(branch.picks)
                here |= arms
            else:
                kept += left
        cycles = kept + sum([self.costs[n] for n in here])
        for node in here:
            body = self.demand.repeats.get((node, region)) if node.op == "iterate" else None
            if body is not None:
                cycles += PROCESSOR.steps * self._weigh(body)[1]
        return here, cycles
