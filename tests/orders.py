"""The same kernel of nodes that were made in another order: ids are what was built before, and must decide nothing."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir.expr import Expr


def reordered(kernel: N.Kernel, rng: random.Random) -> N.Kernel:
    """The kernel, of new nodes: each is made after its operands, in an order drawn at random.

    The old nodes, and all that is made of them, are no longer equal to new ones of the same structure.

    >>> from pellucid.ir.parse import parse_nest
    >>> old = parse_nest("kernel k(n: i32):\\n  output o: i32[4]\\n  o[0] := (n + 1) * (n + 2)\\n")
    >>> orders = set()
    >>> for seed in range(9):
    ...     value = reordered(old, random.Random(seed)).body[0].value
    ...     orders.add(value.args[0].id < value.args[1].id)
    >>> sorted(orders)
    [False, True]
    """
    nodes = E.topological(N.all_roots(kernel.body))
    made: dict[Expr, Expr] = {n: n for n in nodes if not n.args}
    users: dict[Expr, list[Expr]] = {}
    missing: Counter[Expr] = Counter()
    for n in nodes:
        for a in {a for a in n.args if a.args}:
            users.setdefault(a, []).append(n)
            missing[n] += 1
        if n.args:
            E._nodes.pop((n.op, n.type, n.attr, n.args), None)
    ready = [n for n in nodes if n.args and not missing[n]]
    while ready:
        n = ready.pop(rng.randrange(len(ready)))
        made[n] = E._put(n.op, tuple(made[a] for a in n.args), n.type, n.attr, n.free, n.holds)
        for user in users.get(n, ()):
            missing[user] -= 1
            if not missing[user]:
                ready.append(user)
    return replace(kernel, body=N.rewrite(kernel.body, lambda own: tuple(made[r] for r in own)))
