"""Cold-branch skipping: finds the parts of a row's body that a kernel computes only where some lane selects them.

The reduction of a large angle for a sine is long, and pictures hardly ever need it. If no lane selects the arm of a
choice, the kernel skips the operators that only that arm uses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ....ir.expr import Expr, topological

MIN_SPARED = 12
"""Minimum operators that a skipped arm spares: a branch costs about as much."""


class ColdBranch(NamedTuple):
    """Choices on one condition, and the nodes that only their arm uses: arm 1 where it holds, arm 2 elsewhere."""

    condition: Expr
    arm: int
    choices: tuple[Expr, ...]
    spared: tuple[Expr, ...]

    @property
    def needed(self) -> list[Expr]:
        """The nodes computed before the branch: the condition, the other arms, and operands of spared nodes."""
        inside = set(self.spared)
        found = [self.condition, *(c.args[3 - self.arm] for c in self.choices)]
        found += [c.args[self.arm] for c in self.choices if c.args[self.arm] not in inside]
        found += [a for n in self.spared for a in n.args if a not in inside]
        return list(dict.fromkeys(found))


def cold_branches(roots: Sequence[Expr]) -> dict[Expr, ColdBranch]:
    """The cold branches of some expressions, by each of their choices; no two overlap, and larger ones are preferred.

    >>> from pellucid.ir.parse import parse_expr
    >>> cold_branches(parse_expr("if $x:f32 < 1.0 then $x:f32 else $x:f32 * 2.0"))
    {}
    """
    nodes = topological(roots)
    users: dict[Expr, list[Expr]] = {}
    for node in nodes:
        for a in node.args:
            users.setdefault(a, []).append(node)
    groups: dict[Expr, list[Expr]] = {}
    for node in nodes:
        if node.op == "choose":
            groups.setdefault(node.args[0], []).append(node)
    found = [
        ColdBranch(condition, arm, tuple(choices), _spared(set(roots), users, choices, arm))
        for condition, choices in groups.items()
        for arm in (1, 2)
    ]
    result: dict[Expr, ColdBranch] = {}
    taken: set[Expr] = set()
    for guard in sorted(found, key=lambda g: -len(g.spared)):
        mine = {*guard.spared, *guard.choices}
        if len(guard.spared) < MIN_SPARED or not taken.isdisjoint(mine):
            continue
        if not set(guard.choices).isdisjoint(topological(guard.needed)):
            # One choice depends on another, so that they cannot share a branch.
            continue
        taken |= mine
        result |= dict.fromkeys(guard.choices, guard)
    return result


def _spared(
    roots: set[Expr], users: dict[Expr, list[Expr]], choices: Sequence[Expr], arm: int
) -> tuple[Expr, ...]:
    """The nodes whose only users are the arms of that number of these choices."""
    group = set(choices)
    below = topological([c.args[arm] for c in choices])
    inside: set[Expr] = set()

    def only_there(node: Expr, user: Expr) -> bool:
        if user in group:
            return user.args[arm] is node and node not in (user.args[0], user.args[3 - arm])
        return user in inside

    for node in reversed(below):
        if (
            node.args
            and node not in group
            and node not in roots
            and all(only_there(node, u) for u in users[node])
        ):
            inside.add(node)
    return tuple([n for n in below if n in inside])
