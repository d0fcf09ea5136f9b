"""Outcomes: what a turn of a loop costs as it stands, and once a test in it has come out one way or the other.

For `splitting`, which weighs tests before it changes anything: the timer's costs, by one walk over the values of the
body for each outcome. What a place outside of the loop would hold costs a turn nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cached_property

from ...ir import types as T
from ...ir.expr import Expr, parts, topological
from ...ir.nest import For, all_roots
from ...reasoning.machine import PROCESSOR
from ...reasoning.work import Work
from .deciding import of_a_state, tests
from .placement import THRESHOLD

ASK = PROCESSOR.prices["ask"].cost


class Turn:
    """One turn of a loop that runs in lanes."""

    def __init__(self, loop: For) -> None:
        """List the values of its body, operands first."""
        self.loop, self.wide = loop, loop.index.free
        self.nodes = topological(all_roots(loop.body))
        self._work = Work(PROCESSOR, self.wide)

    @cached_property
    def whole(self) -> Mapping[Expr, float]:
        """The nodes that an iteration computes, and their costs."""
        return self.computed({}) or {}

    def tests(self) -> Iterator[Expr]:
        """The tests of its choices that differ along the loop, each once, those of the outermost choices first."""
        seen: set[Expr] = set()
        for n in reversed(self.nodes):
            if n.op == "choose" and n.free & self.wide:
                for test in tests(n.args[0]):
                    if test.op != "const" and test not in seen and not of_a_state(test):
                        seen.add(test)
                        yield test

    def outcomes(self, test: Expr, most: float) -> tuple[float, float] | None:
        """The cost of an iteration now, and its mean once the test is decided; None if that is surely more than `most`.

        Both outcomes are taken to be as likely, and `most` is a part of all values' cost.
        """
        whole = self.whole
        now = sum(whole.values())
        yes = self.computed(self.decided(test, truth=True), 2 * most * now)
        if yes is None:
            return None
        no = self.computed(self.decided(test, truth=False), 2 * most * now - sum(yes.values()))
        if no is None:
            return None
        if any(n.op == "choose" and n.args[0] is test for n in whole):
            # Arms that are dear are skipped already where no lane wants them.
            for one, other in ((yes, no), (no, yes)):
                arm = sum(cost for n, cost in whole.items() if n in one and n not in other)
                now -= max(0.0, arm / 2 - ASK) if arm >= THRESHOLD else 0.0
        return now, (sum(yes.values()) + sum(no.values())) / 2

    def decided(self, test: Expr, *, truth: bool) -> Mapping[Expr, bool]:
        """The truths that an outcome of a test decides."""
        found = {test: truth}
        for n in self.nodes:
            if n.type is T.boolean and n not in found:
                known = _outcome(n, found)
                if known is not None:
                    found[n] = known
        return found

    def computed(self, truths: Mapping[Expr, bool], most: float = math.inf) -> dict[Expr, float] | None:
        """The nodes of an iteration where truths are known, with costs; None if they are above `most` together."""
        found: dict[Expr, float] = {}
        total = 0.0
        stack = all_roots(self.loop.body)
        while stack:
            n = stack.pop()
            if n in found or n in truths or not n.free & self.wide:
                continue
            if n.op in _CHOOSING and truths:
                wanted = [a for a in _wanted(n, truths) if a not in truths]
                if len(wanted) == 1:
                    # It is its operand now.
                    found[n] = 0.0
                    stack += wanted
                    continue
            cost = 0.0 if self._is_induction(n) else self._work.one(n)
            if n.op == "iterate":
                init, step, stop, limit = parts(n)
                cost += PROCESSOR.steps * self._work.computed((*step, stop), found)
                stack += [*init, limit]
            else:
                stack += n.args
            found[n] = cost
            total += cost
            if total > most:
                return None
        return found

    def _is_induction(self, node: Expr) -> bool:
        """Whether a node adds an invariant to the index: it is an induction variable with another start, and free."""
        return (
            node.op == "add"
            and any(a is self.loop.index for a in node.args)
            and any(not a.free & self.wide for a in node.args)
        )


_CHOOSING = frozenset(("choose", "and", "or"))


def _wanted(node: Expr, truths: Mapping[Expr, bool]) -> tuple[Expr, ...]:
    """The operands that a choice, a conjunction or a disjunction still needs; of integers, they need all."""
    if node.op == "choose" and node.args[0] in truths:
        return (node.args[1 if truths[node.args[0]] else 2],)
    return node.args


def _outcome(n: Expr, truths: Mapping[Expr, bool]) -> bool | None:
    """The value of a truth by its operands; None if they do not decide it."""
    if n.op == "const":
        return bool(n.attr)
    found = [truths.get(a) for a in n.args]
    match n.op:
        case "not":
            return None if found[0] is None else not found[0]
        case "and" | "or":
            final = n.op == "or"
            return final if final in found else None if None in found else not final
        case "choose" if found[0] is not None:
            return found[1 if found[0] else 2]
        case _:
            return None
