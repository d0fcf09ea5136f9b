"""Placement analysis: in which regions of a nest each value is wanted, and so where it should be computed.

A region is a block of the nest, one arm of a branch, or the body of an iteration. Users come before operands, so one
pass from the roots down settles everything: a value climbs out of each loop whose index it does not depend on, and
above a branch only if both arms want it (Pan, section 3.3: sharing must not add evaluation). What an arm alone wants
leaves a loop around the arm only under the arm's condition, or if it costs less than asking; `deferring` decides which.
`placement` writes the result down.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from types import MappingProxyType

from ...ir.bits import state_bits
from ...ir.expr import LEAVES, Expr, parts
from ...ir.nest import Alloc, Block, For, If, Statement, While, roots
from ...reasoning.effects import stored
from ...reasoning.infer import FactsOf


@dataclass(eq=False, slots=True)
class Region:
    """A block: its parent, the indices in scope, and whether it repeats (a loop).

    `maybe` is for what may not happen when its parent does: an arm, or the body of a loop that may be empty. The `gate`
    before a loop in order that may be empty is a region of its own, which happens if the loop runs. A region with
    `sites` is deferred: what it computes belongs to its parent, and is computed when one of the sites is first reached.
    `dirty` are the buffers stored to in it: what is loaded from them there means its own moment and stays put.
    `climbed` says how far out a value goes that depends on certain indices and on no such load. `number` grows from one
    region to the next: several are looked at in that order, and never in that of a set, which differs from run to run.
    """

    parent: Region | None
    mask: int
    loop: bool = False
    branch: Branch | None = None
    depth: int = 0
    dirty: frozenset[object] = frozenset()
    name: str = ""
    computed: set[Expr] = field(default_factory=set[Expr])
    maybe: bool = False
    gate: bool = False
    sites: tuple[Region, ...] = ()
    within: Region | None = None
    climbed: dict[int, Region] = field(default_factory=dict[int, "Region"])
    branches: dict[tuple[Expr, int], Branch] = field(default_factory=dict[tuple[Expr, int], "Branch"])
    number: int = field(default_factory=itertools.count().__next__)

    def ancestors(self) -> list[Region]:
        """This region and those that have happened before anything in it does, inner first."""
        found: list[Region] = []
        r: Region | None = self
        while r is not None:
            found.append(r)
            r = r.around
        return found

    @property
    def around(self) -> Region | None:
        """The nearest region that has happened when this one does."""
        return self.within if self.sites else self.parent

    def loops_out_to(self, outer: Region) -> list[Region]:
        """The loops between this region and one of its parents, inner first."""
        found: list[Region] = []
        r: Region | None = self
        while r is not None and r is not outer:
            if r.loop:
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
    selects: list[Expr] = field(default_factory=list[Expr])

    def __post_init__(self) -> None:
        """Open the two arms."""
        depth = self.region.depth + 1
        mask, dirty = self.region.mask, self.region.dirty
        self.then = Region(self.region, mask, branch=self, depth=depth, dirty=dirty, maybe=True)
        self.orelse = Region(self.region, mask, branch=self, depth=depth, dirty=dirty, maybe=True)


class PlacementAnalysis:
    """Where the values of one kernel are wanted, settled.

    points[n]       the materialization points of n: the regions where it is computed.
    placed          the nodes that need a place of their own (shared, or wanted in an inner region).
    repeats[n, r]   the body region of the iterate n computed in region r.
    waiting[n]      the regions that may not happen in which n stays for now, with those where it could be computed.
    """

    def __init__(
        self,
        body: Block,
        nodes: Sequence[Expr],
        mutable: set[object],
        reads: Mapping[Expr, frozenset[object]],
        guards: Mapping[Expr, int],
        facts: FactsOf,
        *,
        hoist: bool,
        decided: Mapping[Expr, str] = MappingProxyType({}),
    ) -> None:
        """Settle where the values of a block are wanted, whose `nodes` have operands before users.

        `guards` gives the choices that branch, each with its rank; `decided` says of values that leave a loop around an
        arm whether they "move" at once or "defer" until they are wanted (others stay).
        """
        self.guards, self.mutable, self.hoist = guards, mutable, hoist
        self.facts, self.decided = facts, decided
        self.waiting: dict[Expr, tuple[tuple[Region, Region], ...]] = {}
        self.gates: dict[int, Region] = {}
        # Whether there is anything that may not happen.
        self.uncertain = bool(guards)
        self._deferred: dict[tuple[Region, frozenset[Region]], Region] = {}
        self.root = Region(None, 0, dirty=self._dirty(body))
        self.of_block: dict[int, Region] = {}
        self.points: dict[Expr, Mapping[Region, None]] = {}
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
            case For(index, lo, hi, body, how):
                runs = self.facts(lo).hi < self.facts(hi).lo
                self.uncertain |= not runs
                around = region
                if not runs and how.kind not in ("spread", "grid"):
                    around = Region(region, region.mask, depth=region.depth, dirty=region.dirty)
                    around.maybe = around.gate = True
                    self.gates[id(s)] = around
                inner = Region(around, region.mask | index.free, loop=True, depth=region.depth)
                inner.maybe = not runs and around is region
                inner.dirty, inner.name = self._dirty(body), str(index.attr)
                self._open(body, inner)
            case If(condition, then, orelse, _):
                branch = Branch(condition, region)
                self.uncertain = True
                branch.then.dirty, branch.orelse.dirty = self._dirty(then), self._dirty(orelse)
                self._open(then, branch.then)
                self._open(orelse, branch.orelse)
            case While(_, body):
                inner = Region(region, region.mask, loop=True, depth=region.depth, maybe=True)
                self.uncertain = True
                inner.dirty, inner.name = self._dirty(body), "while"
                self._open(body, inner)
            case Alloc(_, body):
                self._open(body, Region(region, region.mask, depth=region.depth, dirty=self._dirty(body)))
            case _:
                pass

    # ---- from users to operands ----

    def _want(self, nodes: Iterable[Expr], region: Region) -> None:
        """Note that some nodes are used in a region: as far out as they surely go is where they are wanted."""
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
                wanted = demands[node] = set()
                users[node] = [region]
            else:
                users[node].append(region)
            if target.sites:
                wanted.update(target.sites)
            else:
                wanted.add(target)

    def _climb(self, node: Expr, region: Region, *, surely: bool = True) -> Region:
        """Out of every loop whose index the node does not depend on, as far as its indices stay in scope.

        What climbs `surely` stays where it is wanted whenever the region where it ends happens.
        """
        best = at = region
        while (
            at.parent is not None
            and not (surely and at.maybe)
            and not node.free & ~at.parent.mask
            and not self._unstable(node, at.parent)
        ):
            if at.loop or at.gate:
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
            points = list(wanted) if len(wanted) == 1 else self._least(node, wanted)
            if self.hoist and self.uncertain:
                points = self._released(node, points)
            self.points[node] = dict.fromkeys(points)
            parted = node in guards or node.op == "iterate"
            for point in points:
                point.computed.add(node)
                if parted:
                    self._operands(node, point)
                else:
                    self._want(node.args, point)
            users = self.users[node]
            if (len(users) > 1 or parted or users[0] is not points[0]) and not (
                reads and reads.get(node) and any(self._unstable(node, u) for u in users)
            ):
                self.placed.add(node)

    def _operands(self, node: Expr, point: Region) -> None:
        """The operands of a choice that branches, or of an iterate: not all are wanted where it is."""
        rank = self.guards.get(node)
        if rank is not None:
            condition, then, orelse = node.args
            branch = point.branches.get((condition, rank))
            if branch is None:
                branch = point.branches[condition, rank] = Branch(condition, point)
            branch.selects.append(node)
            # Once for the branch and once for the select: the condition always has a name.
            self._want((condition, condition), point)
            self._want((then,), branch.then)
            self._want((orelse,), branch.orelse)
            return
        init, step, stop, limit = parts(node)
        mask = point.mask | state_bits(node.attr[0])
        body = Region(point, mask, loop=True, depth=point.depth, dirty=point.dirty, name="the iteration")
        body.maybe = self.facts(limit).lo < 1
        self.uncertain |= body.maybe
        self.repeats[node, point] = body
        self._want((*init, limit), point)
        self._want((*step, stop), body)

    def _least(self, node: Expr, wanted: Iterable[Region]) -> list[Region]:
        """The fewest regions that serve all demands of a node without adding evaluation.

        Both arms of a branch become its region, and from there the node climbs on.
        """
        regions = set(wanted)
        while len(regions) > 1:
            covered = {r for r in regions if any(a in regions for a in r.ancestors()[1:])}
            regions -= covered
            merged = False
            for r in sorted(regions, key=_number):
                branch = r.branch
                if branch is not None and branch.then in regions and branch.orelse in regions:
                    regions -= {branch.then, branch.orelse}
                    outer = self._climb(node, branch.region) if self.hoist else branch.region
                    regions.update(outer.sites or (outer,))
                    merged = True
            if not merged:
                break
        return sorted(regions, key=lambda r: (r.depth, r.number))

    # ---- out of what may not happen ----

    def _released(self, node: Expr, points: list[Region]) -> list[Region]:
        """The points of a node that could leave a loop around something that may not happen, as it was decided."""
        outer = [(h, self._climb(node, h, surely=False)) for h in points]
        moving = tuple([(h, o) for h, o in outer if o is not h])
        if not moving:
            return points
        self.waiting[node] = moving
        match self.decided.get(node):
            case "move":
                return self._least(node, [o for _, o in outer])
            case "defer":
                found = [h for h, o in outer if o is h]
                for target in dict.fromkeys(o for _, o in moving):
                    sites = [h for h, o in moving if o is target]
                    found += self._deferring(target, sites)
                return found
            case _:
                return points

    def _deferring(self, target: Region, sites: list[Region]) -> list[Region]:
        """The region in which values of a target are computed when one of some sites is first reached."""
        if not all(s.loops_out_to(target) for s in sites):
            # Nothing repeats between: what is computed there is computed once.
            return sites
        key = target, frozenset(sites)
        found = self._deferred.get(key)
        if found is None:
            depth = max(s.depth for s in sites)
            found = Region(target, target.mask, depth=depth, dirty=target.dirty, maybe=True)
            found.sites = tuple(sites)
            common = [r for r in sites[0].ancestors() if all(r in s.ancestors() for s in sites[1:])]
            found.within = common[0]
            self._deferred[key] = found
        return [found]


_number = attrgetter("number")


def reads_of(nodes: Sequence[Expr], mutable: set[object]) -> dict[Expr, frozenset[object]]:
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
