"""The lattice of binding times: constant < static < cyclic < dynamic, and structures of these.

A structure is a graph of pairs. A pair is labeled with its cons points, which are the places that make it. A pair
inside of a pair of the same point is that pair: so lists and environments of any length have one time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple, TypeAlias

from pellucid.base.errors import StagingError
from pellucid.staging.root.program import RootCode


class Time:
    """A binding time. Equal times are the same for every purpose."""

    __slots__ = ()
    is_fixed: ClassVar[bool] = False
    """Whether a value is known when the compiler is generated, and has no place in it."""

    def __repr__(self) -> str:
        """Its text, as in the paper."""
        from pellucid.staging.times.text import show

        return show(self)


class Level(Time):
    """Static, cyclic or dynamic."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


STATIC = Level("S")
"""Known when the compiler runs."""
CYCLIC = Level("cyc")
"""A dynamic integer of which the remainder is static: base × quotient + remainder."""
DYNAMIC = Level("D")
"""Known when the residual program runs."""


class Constant(Time):
    """Known when the compiler is generated."""

    __slots__ = ("_key", "value")
    is_fixed = True

    def __init__(self, value: Any) -> None:
        self.value = value
        kept = value is None or isinstance(value, bool | int | str)
        self._key = (value.__class__, value if kept else id(value))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


class Pointer(Time):
    """The code of a closure that became a control stack: known, but no other time for the paper than static."""

    __slots__ = ("code",)
    is_fixed = True

    def __init__(self, code: RootCode) -> None:
        self.code = code

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pointer) and self.code is other.code

    def __hash__(self) -> int:
        return hash((Pointer, self.code))


class Stack(Time):
    """A continuation that is a static control stack; `returns` are the times of what it is given."""

    __slots__ = ("returns",)

    def __init__(self, returns: tuple[Time, ...]) -> None:
        self.returns = returns

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stack) and self.returns == other.returns

    def __hash__(self) -> int:
        return hash((Stack, self.returns))


Field: TypeAlias = "int | Time"


class Node(NamedTuple):
    """The pairs of some cons points: a field is a time or the number of a node; `atom` is a sum with atoms."""

    closure: bool
    points: tuple[str, ...]
    car: Field
    cdr: Field
    atom: bool


class TimeGraph(Time):
    """A partially static structure: its root is node 0. `graphs` makes them; no two nodes of one are alike.

    Parameters: `halves` are the times of the halves of the root, where these are known, and the root is in neither.
    """

    __slots__ = ("_car", "_cdr", "_hash", "nodes", "packed", "points")

    def __init__(self, nodes: tuple[Node, ...], halves: tuple[Time, Time] | None = None) -> None:
        self.nodes = nodes
        self.packed = nodes[0].atom or (
            halves is None and any(0 in (node.car, node.cdr) for node in nodes if _is_int(node))
        )
        """Whether one value of it may be larger than another: it is circular, or a sum with atoms."""
        self.points = frozenset([point for node in nodes for point in node.points or ("",)])
        """The cons points of its nodes; "" where one has none."""
        self._hash = hash(nodes)
        self._car: Time | None = None
        self._cdr: Time | None = None
        if halves is not None:
            self._car, self._cdr = halves

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, TimeGraph) and self.nodes == other.nodes)

    def __hash__(self) -> int:
        return self._hash

    @property
    def closure(self) -> bool:
        """Whether it is a closure."""
        return self.nodes[0].closure

    @property
    def code(self) -> RootCode | None:
        """The code of a closure, if that is known when the compiler is generated."""
        head = self.nodes[0].car
        if not self.closure:
            return None
        if isinstance(head, Pointer):
            return head.code
        return head.value if isinstance(head, Constant) and isinstance(head.value, RootCode) else None

    @property
    def car(self) -> Time:
        """The time of the first half."""
        if self._car is None:
            self._car = part(self, self.nodes[0].car)
        return self._car

    @property
    def cdr(self) -> Time:
        """The time of the second half."""
        if self._cdr is None:
            self._cdr = part(self, self.nodes[0].cdr)
        return self._cdr


def _is_int(node: Node) -> bool:
    """Whether a node has a node for a field."""
    return isinstance(node.car, int) or isinstance(node.cdr, int)


@lru_cache(maxsize=1 << 14)
def part(graph: TimeGraph, field: Field) -> Time:
    """The time that a field of a graph means."""
    if isinstance(field, Time):
        return field
    order: dict[int, int] = {}
    waiting = [field]
    while waiting:
        at = waiting.pop()
        if at not in order:
            order[at] = len(order)
            node = graph.nodes[at]
            waiting += [one for one in (node.cdr, node.car) if isinstance(one, int)]
    return TimeGraph(
        tuple(
            graph.nodes[at]._replace(
                car=order[car] if isinstance(car := graph.nodes[at].car, int) else car,
                cdr=order[cdr] if isinstance(cdr := graph.nodes[at].cdr, int) else cdr,
            )
            for at in order
        )
    )


def pair(car: Time, cdr: Time, point: str = "", *, closure: bool = False, atom: bool = False) -> Time:
    """The time of a pair that a cons point makes, or of a closure; collapsed where the point is inside already.

    >>> pair(STATIC, pair(DYNAMIC, Constant(None)))
    (list S D)
    >>> once = pair(DYNAMIC, Constant(None), "p")
    >>> pair(DYNAMIC, once, "p")
    D list
    """
    from pellucid.staging.times.graphs import built

    return built(closure, tuple(filter(None, point.split("|"))), car, cdr, atom)


def join(one: Time, other: Time) -> Time:
    """The least time that both can be lifted to.

    >>> join(Constant(1), STATIC), join(STATIC, CYCLIC), join(CYCLIC, DYNAMIC)
    (S, cyc, D)
    >>> join(listed(DYNAMIC), Constant(None)) == listed(DYNAMIC), join(listed(DYNAMIC), DYNAMIC)
    (True, D)
    """
    from pellucid.staging.times.graphs import joined

    return joined(one, other)


def listed(element: Time, point: str = "") -> Time:
    """The time of a list of any static length.

    >>> listed(pair(STATIC, DYNAMIC))
    (S * D) list
    """
    from pellucid.staging.times.graphs import starred

    return starred(element, tuple(filter(None, point.split("|"))))


def tuple_of(*parts: Time) -> Time:
    """The time of a list of stated parts.

    >>> tuple_of(DYNAMIC, STATIC)
    (list D S)
    """
    made: Time = Constant(None)
    for one in reversed(parts):
        made = pair(one, made)
    return made


def points_of(time: Time) -> Iterator[str]:
    """The cons points in a time."""
    if isinstance(time, TimeGraph):
        for node in time.nodes:
            yield from node.points


def is_static(time: Time) -> bool:
    """Whether a value is known when the compiler runs, and is no structure of the generator's."""
    return time is STATIC or isinstance(time, Constant)


def below(one: Time, other: Time) -> bool:
    """Whether a time is less known than another or equal to it, so that lifts lead from one to the other.

    >>> below(STATIC, DYNAMIC), below(DYNAMIC, STATIC)
    (True, False)
    """
    try:
        return join(one, other) == other
    except StagingError:
        return False


def leaves(times: Iterable[Time]) -> Iterator[tuple[str, Time]]:
    """The parts of a frame that have a place each, with their paths: structures of one size are taken apart.

    >>> [path for path, _ in leaves([tuple_of(DYNAMIC, STATIC)])]
    ['0.car', '0.cdr.car']
    """
    for at, time in enumerate(times):
        waiting = [(str(at), time)]
        while waiting:
            path, one = waiting.pop()
            if isinstance(one, TimeGraph) and not one.packed:
                waiting += [(f"{path}.cdr", one.cdr), (f"{path}.car", one.car)]
            elif not one.is_fixed:
                yield path, one
