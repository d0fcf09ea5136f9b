"""split_if: an `if` with two arms becomes two with one each (White's theorem 4.2.3 and corollary 4.2.4).

``if b then A else B`` becomes ``if b then A; if not b then B``, or the other way round with ``first="else"``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...ir.expr import Expr
from ...ir.expr import apply as operator
from ...ir.nest import Block, If, Kernel
from ...ir.path import Path, at
from ...ir.path import walk as paths
from ...reasoning.effects import effects, loads
from ...reasoning.prove import Verdict, decided
from ...reasoning.separate import apart
from ..analysis.adjacent import branch, here, is_branch, replaced, told
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Every `if` with two arms."""
    return (path for path, s in paths(kernel.body) if is_branch(s) and branch(s).orelse)


def _two_arms(site: Site) -> Verdict:
    fits = is_branch(site.statement) and bool(branch(here(site)).orelse)
    return decided(fits, "it is an if with two arms", f"{told(site)} is none")


def _order(first: str) -> Clause:
    def test(site: Site) -> Verdict:
        asked = site.options.get("first", "then")
        return (
            _two_arms(site)
            if asked == first
            else decided(
                False, f"the {first} arm is first", f"first is {asked!r}, which is neither then nor else"
            )
        )

    return Clause("an-if-with-two-arms", "the site is an if with two arms", test)


def _kept(site: Site, arm: Block) -> Verdict:
    found = effects(arm)
    known = site.known.while_changing(a.buffer for a in found.sets)
    return apart(found.sets, loads([branch(here(site)).condition]), known)


def _then_keeps(site: Site) -> Verdict:
    return _kept(site, branch(here(site)).then)


def _else_keeps(site: Site) -> Verdict:
    return _kept(site, branch(here(site)).orelse)


THEN_FIRST = Theorem(
    "White 4.2.3",
    "An if is its then arm under the condition, and its else arm under the opposite after that.",
    (Clause("condition-kept", "the then arm sets nothing that the condition loads", _then_keeps),),
    lemma="if_splitting",
    shape=_order("then"),
)
ELSE_FIRST = Theorem(
    "White 4.2.4",
    "An if is its else arm under the opposite condition, and its then arm under the condition after that.",
    (Clause("condition-kept", "the else arm sets nothing that the condition loads", _else_keeps),),
    lemma="if_splitting_other_first",
    shape=_order("else"),
)


def opposite(condition: Expr) -> Expr:
    """The condition that holds when another does not."""
    return condition.args[0] if condition.op == "not" else operator("not", condition)


def apply(kernel: Kernel, path: Path, *, first: str = "then", **_: Any) -> Applied:
    """Two branches with one arm each."""
    test = branch(at(kernel.body, path))
    new: Block = (If(test.condition, test.then), If(opposite(test.condition), test.orelse))
    last = first == "else"

    def inside(_: int, below: Path) -> tuple[int, Path]:
        arm = below[0][0] if below else 0
        return (1 - arm if last else arm), ((0, below[0][1]), *below[1:]) if below else below

    return replaced(kernel, path, 1, new[::-1] if last else new, inside)


MOVE = Move(
    "split_if", "Make two ifs with one arm each of an if with two.", find, apply, (THEN_FIRST, ELSE_FIRST)
)
