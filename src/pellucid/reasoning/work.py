"""What values cost: the work of computing expressions, each node once or once for each use.

The part of the timer that knows no loops, for those who only weigh values against each other, such as
`placement_analysis` and `tabulate`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence

from ..base.record import record
from ..ir.expr import ITERATIONS, LEAVES, Expr, parts, topological
from .machine import PROCESSOR, CostModel

_KINDS = dict.fromkeys(LEAVES, "variable") | {"const": "constant", "load": "load", "iterate": "", "get": ""}


def node_cost(node: Expr, machine: CostModel = PROCESSOR) -> float:
    """The cost of one node by itself, without its operands."""
    kind = _KINDS.get(node.op)
    if kind is None:
        return machine.operator(node.op)
    return machine.charges[kind] if kind else 0.0


def node_costs(nodes: Iterable[Expr], machine: CostModel = PROCESSOR) -> dict[Expr, float]:
    """The cost of each node by itself; many are of one kind, and a kind is looked up once."""
    known: dict[str, float] = {}
    found: dict[Expr, float] = {}
    for node in nodes:
        cost = known.get(node.op)
        if cost is None:
            cost = known[node.op] = node_cost(node, machine)
        found[node] = cost
    return found


def tree_cost(roots_: Iterable[Expr], placed: Iterable[Expr] = (), machine: CostModel = PROCESSOR) -> float:
    """The cost of computing expressions once, given that some nodes were already computed.

    >>> from pellucid.ir.parse import parse_expr
    >>> root = parse_expr("($x:f32 + 1.0) * ($x:f32 + 1.0)")[0]
    >>> tree_cost([root]), tree_cost([root], root.args)
    (2.0, 1.0)
    """
    return Work(machine).computed(roots_, set(placed))


def costs(root: Expr, least: float, placed: Container[Expr]) -> bool:
    """Whether computing an expression costs at least so much, given that some nodes were already computed.

    >>> from pellucid.ir.parse import parse_expr
    >>> costs(parse_expr("($x:f32 + 1.0) * 2.0")[0], 2.0, ())
    True
    """
    work, sure = Work(PROCESSOR), 0.0
    for node in needed([root], placed):
        sure += work.one(node)
        if sure >= least:
            return True
    # Steps of an iteration come on top.
    return bool(root.holds & ITERATIONS) and work.computed([root], placed) >= least


def is_simple(node: Expr) -> bool:
    """Whether a node is the value of a simple variable: the load of the one element of its buffer."""
    return node.op == "load" and node.attr.size == 1 and node.args[0].op == "const"


def needed(roots_: Iterable[Expr], *placed: Container[Expr]) -> Iterator[Expr]:
    """Every node that is computed for expressions, once, if it is in none of the sets of what was computed before.

    Of an iteration, what comes before its steps; the position of a simple variable is no work.
    """
    seen: set[Expr] = set()
    stack = list(roots_)
    while stack:
        node = stack.pop()
        if node in seen or any(node in known for known in placed):
            continue
        seen.add(node)
        yield node
        if node.op == "iterate":
            init, _, _, limit = parts(node)
            stack += [*init, limit]
        elif not is_simple(node):
            stack += node.args


@record
class Work:
    """The cost of expressions, one lane's indices being those in `wide`."""

    machine: CostModel
    wide: int = 0

    def computed(self, roots_: Iterable[Expr], *placed: Container[Expr]) -> float:
        """The cost of what is in none of the sets of what was computed before."""
        if not self.machine.shares:
            return self._uses(list(roots_), *placed)
        cost = 0.0
        here: set[Expr] = set()
        for node in needed(roots_, *placed):
            here.add(node)
            cost += self.one(node)
            if node.op == "iterate":
                _, step, stop, _ = parts(node)
                cost += self.machine.steps * self.computed((*step, stop), here, *placed)
        return cost

    def _uses(self, roots_: Sequence[Expr], *placed: Container[Expr]) -> float:
        """The cost where every use computes again."""
        weight: dict[Expr, float] = {}
        for node in topological(roots_):
            if any(node in known for known in placed):
                weight[node] = 0.0
            else:
                operands = () if is_simple(node) else node.args
                weight[node] = self.one(node) + sum(weight[a] for a in operands)
        return sum(weight[r] for r in roots_)

    def one(self, node: Expr) -> float:
        """The cost of one node: of a load, by the way in which it moves with the lanes."""
        if node.op == "load" and node.args[0].free & self.wide and not self.neighboring(node.args[0]):
            return self.machine.charges["gather"]
        return node_cost(node, self.machine)

    def neighboring(self, position: Expr) -> bool:
        """Whether neighboring lanes have neighboring positions."""
        while position.op in ("add", "sub", "convert"):
            wide = [a for a in position.args if a.free & self.wide]
            if len(wide) > 1 or (position.op == "sub" and wide[0] is position.args[1]):
                return False
            position = wide[0]
        return position.op == "index"
