"""One iteration at an end of a loop: the clauses that unrolling and rolling share (White 4.3.2).

A loop here is ``for i in lo .. hi`` with hi left out, on machine integers: its last iteration is at ``hi - 1``, and a
bound that moves by one must not wrap.
"""

from __future__ import annotations

from dataclasses import replace

from ...ir.expr import Expr, const
from ...ir.expr import apply as operator
from ...ir.nest import SEQ, Block, For, If, Kernel
from ...ir.path import Path
from ...reasoning.bounds import decide, difference
from ...reasoning.effects import effects, loads, shown
from ...reasoning.linear import folded
from ...reasoning.prove import Proved, Refuted, Unknown, Verdict
from ...reasoning.separate import apart
from ..core.build import with_value
from ..core.move import Applied
from ..core.theorem import Site
from .adjacent import loop, replaced

ENDS = ("last", "first")


def end(site: Site) -> str:
    """At which end of the loop: the last iteration unless the first is asked for."""
    return site.options.get("end", ENDS[0])


def in_order(site: Site) -> bool:
    """Whether there is a loop at the site that runs in order."""
    return isinstance(site.statement, For) and site.statement.how == SEQ


def before(e: Expr) -> Expr:
    """The number before e."""
    return _beside(e, "sub", "add")


def behind(e: Expr) -> Expr:
    """The number after e.

    >>> from pellucid.ir.parse import parse_expr
    >>> behind(before(parse_expr("$n:i32")[0]))
    $n:i32
    """
    return _beside(e, "add", "sub")


def _beside(e: Expr, step: str, back: str) -> Expr:
    one = const(1, e.type)
    if e.op == back and e.args[1] is one:
        return e.args[0]
    return folded(step, e, one)


def compared(site: Site, op: str, a: Expr, b: Expr) -> Verdict:
    """Whether ``a < b`` or ``a <= b`` always holds at the site."""
    sign = "<" if op == "lt" else "<="
    premise = f"{shown(a)} {sign} {shown(b)}"
    found = decide(operator(op, a, b), site.known)
    if found is None:
        gap = difference(b, a, site.known)
        return Unknown(premise, f"that {premise}; {minus(b, a)} is known to be in {gap.lo} .. {gap.hi}")
    return Proved(premise) if found else Refuted(premise, "it never is so")


def minus(a: Expr, b: Expr) -> str:
    """A difference in words."""
    return shown(a) if b.op == "const" and b.attr == 0 else f"{shown(a)} - {shown(b)}"


def kept(site: Site, s: For, *bounds: Expr) -> Verdict:
    """Whether a loop at the site sets nothing that some bounds load."""
    found = effects((s,))
    return apart(found.sets, loads(bounds), site.known.while_changing(a.buffer for a in found.sets))


def separated(kernel: Kernel, path: Path, end: str, *, tested: bool) -> Applied:
    """The loop at a path with one iteration less, and that iteration; under a test if it is `tested`."""
    s = loop(Site(kernel, path))
    last = end == "last"
    alone = with_value(s.body, s.index, before(s.hi) if last else s.lo)
    new: Block = (replace(s, hi=before(s.hi)), *alone) if last else (*alone, replace(s, lo=behind(s.lo)))
    place = 0 if last else len(alone)

    def inside(_: int, below: Path) -> tuple[int, Path]:
        return (0, ((0, place), *below)) if tested else (place, below)

    if tested:
        new = (If(operator("lt", s.lo, s.hi), new),)
    return replaced(kernel, path, 1, new, inside)
