"""Strategies: where in an expression rules are tried, and in which order, put together from small parts.

`simplify` has one strategy, innermost, in one pass. These are for scripts that want another one. A strategy takes an
expression to another one, or to None where it does not apply. Every traversal meets a shared node once, whatever the
number of its users, and keeps it shared.

    step = choice(by_rule(halve), by_rule(double))
    new = top_down(repeat(step))(root)
"""

from __future__ import annotations

from collections.abc import Callable

from ..base.errors import IrError
from ..ir.expr import Expr, rebuild, topological
from .builder import Builder
from .rule import Rule
from .ruleset import RuleSet

Strategy = Callable[[Expr], Expr | None]
"""An expression to another one; None where it does not apply, or changes nothing."""
LIMIT = 1000
"""Times that one strategy is repeated at one place; more means that rules undo each other."""


def by_rule(rule: Rule) -> Strategy:
    """A rule at the root of an expression, and nothing else: what it builds is not simplified by other rules.

    >>> from pellucid.ir.parse import parse_expr
    >>> twice = by_rule(Rule("twice", "exact", "add(x, x)", "mul(x, 2)", "integer"))
    >>> twice(parse_expr("$x:i32 + $x:i32")[0]), twice(parse_expr("$x:i32 + 1")[0])
    ($x:i32 * 2, None)
    """
    alone = RuleSet(())

    def strategy(node: Expr) -> Expr | None:
        if node.op != rule.head:
            return None
        builder = Builder("exact", rules=alone)
        for fire in rule.compiled(node.args[-1].type.kind):
            new = fire(builder, node)
            if new is not None and new is not node:
                return new
        return None

    return strategy


def sequence(*strategies: Strategy) -> Strategy:
    """One after the other; None as soon as one does not apply."""

    def strategy(node: Expr) -> Expr | None:
        start = node
        for s in strategies:
            new = s(node)
            if new is None:
                return None
            node = new
        return None if node is start else node

    return strategy


def choice(*strategies: Strategy) -> Strategy:
    """The first of several that applies."""

    def strategy(node: Expr) -> Expr | None:
        return next((new for s in strategies if (new := s(node)) is not None), None)

    return strategy


def attempt(inner: Strategy) -> Strategy:
    """A strategy where it applies, and else the expression as it is; so it never stops a sequence."""

    def strategy(node: Expr) -> Expr:
        new = inner(node)
        return node if new is None else new

    return strategy


def repeat(inner: Strategy) -> Strategy:
    """A strategy until it does not apply any more; None if it never did.

    Raises IrError if there is no end to it.
    """

    def strategy(node: Expr) -> Expr | None:
        start = node
        for _ in range(LIMIT):
            new = inner(node)
            if new is None or new is node:
                return None if node is start else node
            node = new
        raise IrError(
            "rules do not come to an end", place=node.op, fix="repeat rules that make less of something"
        )

    return strategy


def bottom_up(inner: Strategy) -> Strategy:
    """A strategy tried once at every node, operands first."""

    def strategy(root: Expr) -> Expr | None:
        done: dict[Expr, Expr] = {}
        for node in topological([root]):
            same = rebuild(node, tuple([done[a] for a in node.args])) if node.args else node
            new = inner(same)
            done[node] = same if new is None else new
        return None if done[root] is root else done[root]

    return strategy


def top_down(inner: Strategy) -> Strategy:
    """A strategy tried once at every node before its operands; those of what it makes are met in their turn."""

    def strategy(root: Expr) -> Expr | None:
        heads: dict[Expr, Expr] = {}
        done: dict[Expr, Expr] = {}
        stack = [root]
        while stack:
            node = stack[-1]
            head = heads.get(node)
            if head is None:
                new = inner(node)
                head = heads[node] = node if new is None else new
                stack += [a for a in head.args if a not in heads]
                continue
            stack.pop()
            if node not in done:
                done[node] = rebuild(head, tuple([done.get(a, a) for a in head.args])) if head.args else head
        return None if done[root] is root else done[root]

    return strategy


def innermost(inner: Strategy) -> Strategy:
    """A strategy until it applies nowhere, always where no operand allows it any more.

    Raises IrError if there is no end to it.
    """
    return repeat(bottom_up(repeat(inner)))
