"""Partial evaluation of expressions once a condition is known: for moves that put one outcome of a test in its place.

Choices are rewritten on demand, outermost first: the condition before the arms, and of a decided choice only the arm
that is taken. Everything else is rewritten operands first, and every shared node once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...ir.expr import FALSE, TRUE, Expr, rebuild, topological


def resolved(roots: Sequence[Expr], known: Mapping[Expr, Expr] | None = None) -> list[Expr]:
    """The expressions with `known` outcomes in place of tests: choices on constants are replaced by their arm.

    Truths become what their constants make of them. An arm that is not taken is not looked at.

    >>> from pellucid.ir.parse import parse_expr
    >>> (value,) = parse_expr("if not($a:bool) & $b:bool then $x:f32 else $y:f32")
    >>> (test,) = parse_expr("$a:bool")
    >>> resolved([value], {test: TRUE})
    [$y:f32]
    """
    done: dict[Expr, Expr] = dict(known or {})
    stack = list(reversed(roots))
    while stack:
        node = stack[-1]
        if node in done:
            stack.pop()
            continue
        wanted = node.args
        if node.op == "choose":
            test = done.get(wanted[0])
            if test is None:
                wanted = wanted[:1]
            elif test.op == "const":
                wanted = (wanted[1 if test.attr else 2],)
        missing = [a for a in wanted if a not in done]
        if missing:
            stack += reversed(missing)
            continue
        stack.pop()
        done[node] = done[wanted[0]] if len(wanted) < len(node.args) else _decided(node, done)
    return [done[r] for r in roots]


def tests(condition: Expr) -> Iterator[Expr]:
    """A condition, and what it is the conjunction, disjunction or negation of, each once.

    >>> from pellucid.ir.parse import parse_expr
    >>> [*tests(parse_expr("not($a:bool) & $b:bool")[0])]
    [not($a:bool) & $b:bool, not($a:bool), $a:bool, $b:bool]
    """
    stack, seen = [condition], set[Expr]()
    while stack:
        test = stack.pop()
        if test in seen:
            continue
        seen.add(test)
        yield test
        if test.op in ("and", "or", "not"):
            stack += reversed(test.args)


def of_a_state(test: Expr) -> bool:
    """Whether a condition speaks of the state of an iteration around it."""
    return any(n.op == "state" and n.free & test.free for n in topological([test]))


def _decided(node: Expr, done: Mapping[Expr, Expr]) -> Expr:
    """A node on its rewritten operands; a truth as what it comes to if a constant operand decides it."""
    args = tuple([done[a] for a in node.args])
    if node.op == "not" and args[0] in (TRUE, FALSE):
        return FALSE if args[0] is TRUE else TRUE
    if node.op in ("and", "or"):
        idle, final = (TRUE, FALSE) if node.op == "and" else (FALSE, TRUE)
        if final in args:
            return final
        if idle in args:
            return args[1] if args[0] is idle else args[0]
    return rebuild(node, args) if args else node
