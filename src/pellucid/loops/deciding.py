"""What is left of expressions once a condition is known: for moves that put one outcome of a test in its place."""

from __future__ import annotations

from ..ir.expr import FALSE, TRUE, Expr, rebuild, topological


def resolved(roots: list[Expr]) -> list[Expr]:
    """Choices on a constant replaced by their arm, and truths by what their constants make of them."""
    done: dict[Expr, Expr] = {}
    for node in topological(roots):
        args = tuple([done[a] for a in node.args])
        decided_as = _decided(node, args) if args else node
        done[node] = rebuild(node, args) if decided_as is None else decided_as
    return [done[r] for r in roots]


def _decided(node: Expr, args: tuple[Expr, ...]) -> Expr | None:
    """What a choice or a truth comes to if an operand is constant; None if that decides nothing."""
    if node.op == "choose" and args[0].op == "const":
        return args[1 if args[0].attr else 2]
    if node.op == "not" and args[0] in (TRUE, FALSE):
        return FALSE if args[0] is TRUE else TRUE
    if node.op in ("and", "or"):
        idle, final = (TRUE, FALSE) if node.op == "and" else (FALSE, TRUE)
        if final in args:
            return final
        if idle in args:
            return args[1] if args[0] is idle else args[0]
    return None
