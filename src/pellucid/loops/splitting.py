"""Splitting: a condition that a whole row has in common leaves the row's loop, where the timer says that it pays.

Part of the default script for back ends with lanes, after the expressions are final and before loops get their ways:
each arm becomes a loop of its own, without the condition (Elliott et al., section 7: space is partitioned by whether a
condition is false, true or mixed). A crop from above, a band, a half plane of rows are such conditions.
"""

from __future__ import annotations

from ..reasoning.timer import kernel_cost
from .move import named
from .placement import place
from .strategies import attempted
from .tactic import State

PAYS = 0.9
"""The split program must cost at most so much of the whole one: it is compiled as well, and twice as long.

As it stands, and with its values in their places, which may gain or lose other things."""
MOST = 3
"""Conditions that are split at; each may double the code."""


def split_rows(state: State) -> State:
    """Inner loops without the conditions that they do not change, one after the other, as long as each split pays.

    >>> from pellucid.ir.parse import parse_nest
    >>> from pellucid.ir.text import print_nest
    >>> from pellucid.loops.tactic import run
    >>> rows = parse_nest('''
    ... kernel k(n: i32):
    ...   output out: i32[100]
    ...   for j in 0 .. 10:
    ...     for i in 0 .. 10:
    ...       out[10 * j + i] := if j < n then i * i * i * i * i else 7
    ... ''')
    >>> print(print_nest(run(split_rows, rows).kernel))
    kernel k(n: i32):
      output out: i32[100]
      for j in 0 .. 10:
        if j < n:
          for i in 0 .. 10:
            out[10 * j + i] := i * i * i * i * i
        else:
          for i in 0 .. 10:
            out[10 * j + i] := 7
    <BLANKLINE>
    """
    for _ in range(MOST):
        for path in named("unswitch").find(state.kernel):
            # The outermost loop is what threads share.
            steps = len(state.ledger)
            new = attempted(state, "unswitch", path) if len(path) > 1 else None
            if new is None:
                continue
            if all(cost(new) <= PAYS * cost(state) for cost in (_written, _placed)):
                state = new
                break
            del state.ledger.steps[steps:]
        else:
            break
    return state


def _written(state: State) -> float:
    """What the program costs as it stands."""
    return kernel_cost(state.kernel)


def _placed(state: State) -> float:
    """What the program costs once its values have their places."""
    placed, _ = place(state.kernel, ranges=state.ranges)
    return kernel_cost(placed)
