"""The same kernel of nodes that were made in another order: ids are what was built before, and must decide nothing."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace

from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir.expr import Expr


@contextmanager
def reordered(kernel: N.Kernel, rng: random.Random) -> Generator[N.Kernel]:
    """The kernel, of new nodes: each is made after its operands, in an order drawn at random.

    Meanwhile the nodes of the kernel that was given are not those that are found for their structure.

    >>> from pellucid.ir.parse import parse_nest
    >>> old = parse_nest("kernel k(n: i32):\\n  output o: i32[4]\\n  o[0] := (n + 1) * (n + 2)\\n")
    >>> orders = set()
    >>> for seed in range(9):
    ...     with reordered(old, random.Random(seed)) as new:
    ...         one, two = new.body[0].value.args
    ...         orders.add(one.id < two.id)
    >>> sorted(orders)
    [False, True]
    """
    nodes = E.topological(N.all_roots(kernel.body))
    old = {(n.op, n.type, n.attr, n.args): n for n in nodes if n.args}
    made: dict[Expr, Expr] = {n: n for n in nodes if not n.args}
    users: dict[Expr, list[Expr]] = {}
    missing: Counter[Expr] = Counter()
    for n in old.values():
        for a in {a for a in n.args if a.args}:
            users.setdefault(a, []).append(n)
            missing[n] += 1
    for key in old:
        E._nodes.pop(key, None)
    ready = [n for n in old.values() if not missing[n]]
    while ready:
        n = ready.pop(rng.randrange(len(ready)))
        made[n] = E._put(n.op, tuple(made[a] for a in n.args), n.type, n.attr, n.free, n.holds)
        for user in users.get(n, ()):
            missing[user] -= 1
            if not missing[user]:
                ready.append(user)
    try:
        yield replace(kernel, body=N.rewrite(kernel.body, lambda own: tuple(made[r] for r in own)))
    finally:
        E._nodes.update(old)
