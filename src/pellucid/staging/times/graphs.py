"""Building and joining the graphs of binding times, by union-find on nodes.

A pair inside of a pair of the same cons point is united with it. What is united is joined field by field, and the
result is the smallest graph that means the same, so that equal times are equal objects.
"""

from __future__ import annotations

from functools import lru_cache

from pellucid.staging.root.program import RootCode
from pellucid.staging.times.lattice import (
    CYCLIC,
    DYNAMIC,
    STATIC,
    Constant,
    Field,
    Level,
    Node,
    Pointer,
    Stack,
    Time,
    TimeGraph,
)


@lru_cache(maxsize=1 << 15)
def built(closure: bool, points: tuple[str, ...], car: Time, cdr: Time, atom: bool) -> Time:
    """The time of a pair of two times."""
    apart = [frozenset(points or ("",))]
    apart += [half.points for half in (car, cdr) if isinstance(half, TimeGraph)]
    if len(frozenset[str]().union(*apart)) == sum(map(len, apart)):
        return _of_apart(closure, points, car, cdr, atom)
    work = _Work()
    root = work.node(closure, set(points), work.add(car), work.add(cdr), atom)
    if points:
        work.collapse(root)
    return work.taken(root)


def _of_apart(closure: bool, points: tuple[str, ...], car: Time, cdr: Time, atom: bool) -> Time:
    """The time of a pair of two times that share no point with it or with each other: no nodes are united."""
    nodes: list[Node] = []
    fields: list[Field] = []
    for half in (car, cdr):
        base = len(nodes) + 1
        if not isinstance(half, TimeGraph):
            fields.append(half)
            continue
        fields.append(base)
        nodes += [
            Node(
                node.closure,
                node.points,
                node.car + base if isinstance(node.car, int) else node.car,
                node.cdr + base if isinstance(node.cdr, int) else node.cdr,
                node.atom,
            )
            for node in half.nodes
        ]
    root = Node(closure, tuple(sorted(points)), fields[0], fields[1], atom)
    return TimeGraph((root, *nodes), (car, cdr))


@lru_cache(maxsize=1 << 14)
def joined(one: Time, other: Time) -> Time:
    """The least time above two."""
    if one == other:
        return one
    work = _Work()
    root = work.join(work.add(one), work.add(other))
    if isinstance(root, int):
        work.settle([root])
    return work.taken(root)


@lru_cache(maxsize=1 << 10)
def starred(element: Time, points: tuple[str, ...]) -> Time:
    """The time of a list of any static length."""
    work = _Work()
    root = work.node(False, set(points), work.add(element), Constant(None), True)
    work.cdrs[root] = root
    return work.taken(root)


class _Work:
    """Nodes that may still be united; a field is a time or the number of a node."""

    def __init__(self) -> None:
        self._parent: list[int] = []
        self._closure: list[bool] = []
        self._points: list[set[str]] = []
        self._cars: list[Field] = []
        self.cdrs: list[Field] = []
        self._atom: list[bool] = []

    def node(self, closure: bool, points: set[str], car: Field, cdr: Field, atom: bool) -> int:
        """A new node."""
        self._parent.append(len(self._parent))
        self._closure.append(closure)
        self._points.append(points)
        self._cars.append(car)
        self.cdrs.append(cdr)
        self._atom.append(atom)
        return len(self._parent) - 1

    def add(self, time: Time) -> Field:
        """A time as a field here."""
        if not isinstance(time, TimeGraph):
            return time
        base = len(self._parent)
        for node in time.nodes:
            car = node.car + base if isinstance(node.car, int) else node.car
            cdr = node.cdr + base if isinstance(node.cdr, int) else node.cdr
            self.node(node.closure, set(node.points), car, cdr, node.atom)
        return base

    def find(self, field: Field) -> Field:
        """The node that a node was united with."""
        while isinstance(field, int) and self._parent[field] != field:
            field = self._parent[field]
        return field

    # ---- joining ----

    def join(self, one: Field, other: Field) -> Field:
        """The least field above two; nodes are united."""
        one, other = self.find(one), self.find(other)
        if isinstance(one, int):
            return self._with_node(one, other)
        if isinstance(other, int):
            return self._with_node(other, one)
        return _levels(one, other)

    def _with_node(self, node: int, other: Field) -> Field:
        """The join of a node and a field."""
        if isinstance(other, int):
            return self._unite(node, other)
        if isinstance(other, Constant) and not isinstance(other.value, RootCode):
            self._atom[node] = True
            return node
        if other is STATIC:
            self._spread(node)
            return node
        if isinstance(other, Stack) and self._code(node) is not None:
            return other
        return DYNAMIC

    def _unite(self, one: int, other: int) -> Field:
        """The join of two nodes."""
        if one == other:
            return one
        if self._closure[one] != self._closure[other]:
            return DYNAMIC
        if self._closure[one] and self._code(one) is not self._code(other):
            return self._stacked(one, other)
        self._parent[other] = one
        self._points[one] |= self._points[other]
        self._atom[one] |= self._atom[other]
        for fields in (self._cars, self.cdrs):
            made = self.join(fields[one], fields[other])
            # Joining them may have changed this field, or united this node with another one.
            at = self.find(one)
            if isinstance(at, int):
                fields[at] = self.join(fields[at], made)
        return self.find(one)

    def _code(self, node: int) -> RootCode | None:
        """The code of a closure, if it is known."""
        car = self.find(self._cars[node])
        if isinstance(car, Pointer):
            return car.code
        return car.value if isinstance(car, Constant) and isinstance(car.value, RootCode) else None

    def _stacked(self, one: int, other: int) -> Field:
        """The join of closures of two codes: a control stack, where both take as many values."""
        first, second = self._code(one), self._code(other)
        if first is None or second is None or len(first.params) != len(second.params):
            return DYNAMIC
        return Stack((DYNAMIC,) * (len(first.params) - 1))

    def _spread(self, root: int) -> None:
        """Join all that a node reaches with static values."""
        for node in self._reached([root]):
            self._atom[node] = True
            for fields in (self._cars, self.cdrs):
                field = self.find(fields[node])
                if not isinstance(field, int):
                    fields[node] = _levels(field, STATIC)

    # ---- collapsing ----

    def collapse(self, root: int) -> None:
        """Unite what has the root's points with it; a closure around them becomes a control stack first."""
        points = self._points[root]
        below = self._reached([one for one in (self._cars[root], self.cdrs[root]) if isinstance(one, int)])
        if not any(points & self._points[node] for node in below):
            return
        self._recursions(root)
        self.settle([root])

    def _recursions(self, root: int) -> None:
        """Make control stacks of the closures below a node that hold one of its points: these are recursions."""
        done: set[int] = set()
        waiting = [root]
        while waiting:
            node = waiting.pop()
            done.add(node)
            for fields in (self._cars, self.cdrs):
                field = fields[node]
                if not isinstance(field, int) or field in done:
                    continue
                code = self._code(field)
                if code is not None and any(
                    self._points[root] & self._points[one] for one in self._reached([field])
                ):
                    fields[node] = Stack((DYNAMIC,) * (len(code.params) - 1))
                else:
                    waiting.append(field)

    def settle(self, roots: list[int]) -> None:
        """Unite every pair with those inside of it that share a point, until there are none."""
        changed = True
        while changed:
            changed = False
            for node in self._reached(roots):
                for inner in self._reached(
                    [one for one in (self._cars[node], self.cdrs[node]) if isinstance(one, int)]
                ):
                    if inner != node and self._points[inner] & self._points[node]:
                        made = self._unite(node, inner)
                        if not isinstance(made, int):
                            self._replace(inner, made, roots)
                        changed = True
                        break
                if changed:
                    break

    def _replace(self, node: int, made: Time, roots: list[int]) -> None:
        """Put a time wherever a node is."""
        for one in self._reached(roots):
            for fields in (self._cars, self.cdrs):
                if self.find(fields[one]) == node:
                    fields[one] = made

    def _reached(self, roots: list[int]) -> list[int]:
        """The nodes that some reach, themselves first."""
        found: dict[int, None] = {}
        waiting: list[Field] = list(reversed(roots))
        while waiting:
            node = self.find(waiting.pop())
            if isinstance(node, int) and node not in found:
                found[node] = None
                waiting += [self.cdrs[node], self._cars[node]]
        return list(found)

    # ---- the result ----

    def taken(self, root: Field) -> Time:
        """The smallest graph that means the same as a field."""
        root = self.find(root)
        if not isinstance(root, int):
            return root
        nodes = self._reached([root])
        cars = {node: self.find(self._cars[node]) for node in nodes}
        cdrs = {node: self.find(self.cdrs[node]) for node in nodes}
        kinds = dict.fromkeys(nodes, 0)
        count = 1
        while True:
            table: dict[object, int] = {}
            new: dict[int, int] = {}
            for node in nodes:
                form = (
                    kinds[node],
                    self._closure[node],
                    frozenset(self._points[node]),
                    self._atom[node],
                    kinds[car] if isinstance(car := cars[node], int) else car,
                    kinds[cdr] if isinstance(cdr := cdrs[node], int) else cdr,
                )
                new[node] = table.setdefault(form, len(table))
            kinds = new
            if len(table) == count:
                break
            count = len(table)
        # Number them in the order in which they are reached, one of a kind.
        order: dict[int, int] = {}
        chosen: list[int] = []
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if kinds[node] not in order:
                order[kinds[node]] = len(order)
                chosen.append(node)
                waiting += [one for one in (cdrs[node], cars[node]) if isinstance(one, int)]
        return TimeGraph(
            tuple(
                Node(
                    self._closure[node],
                    tuple(sorted(self._points[node])),
                    order[kinds[car]] if isinstance(car := cars[node], int) else car,
                    order[kinds[cdr]] if isinstance(cdr := cdrs[node], int) else cdr,
                    self._atom[node],
                )
                for node in chosen
            )
        )


def _levels(one: Time, other: Time) -> Time:
    """The join of two times that are no structures."""
    if one == other:
        return one
    if isinstance(one, Pointer) and isinstance(other, Constant | Pointer):
        same = other.code if isinstance(other, Pointer) else other.value
        return Constant(one.code) if same is one.code else DYNAMIC
    if isinstance(other, Pointer):
        return _levels(other, one) if isinstance(one, Constant) else DYNAMIC
    if isinstance(one, Stack) or isinstance(other, Stack) or DYNAMIC in (one, other):
        return DYNAMIC
    if CYCLIC in (one, other):
        return CYCLIC
    return STATIC if isinstance(one, Constant | Level) and isinstance(other, Constant | Level) else DYNAMIC
