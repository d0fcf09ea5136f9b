"""The clauses shared by the moves that change the order of iterations: join, split, interchange and move code.

All of them say that what changes places is interchangeable, "in all states" and not only at entry (White's 5.1.1 as
printed asks less, and is wrong), and that no bound is computed from what the loop stores.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...ir.expr import Expr, apply, const, index
from ...ir.nest import Block, For
from ...reasoning import separate
from ...reasoning.effects import Access, Guard, effects, loads
from ...reasoning.known import Around, Known, known_at
from ...reasoning.linear import folded
from ...reasoning.prove import Verdict, decided
from ..core.build import with_value
from ..core.theorem import Clause, Site
from .commuting import exchangeable


def is_loop(site: Site, statement: object, words: str = "the site is a loop that runs in order") -> Verdict:
    """Whether a statement is a loop that runs in order."""
    return decided(isinstance(statement, For) and statement.how.kind == "seq", words, f"{site} is not")


def known(site: Site, *inner: Around) -> Known:
    """The facts at a site, inside of some loops and conditions that stand there."""
    return known_at(site.kernel.body, site.path, site.ranges).inside(inner)


def apart(first: Iterable[Access], second: Iterable[Access], here: Known) -> Verdict:
    """Whether no access of the first is to an element of the second, while what they store to changes."""
    one, other = tuple(first), tuple(second)
    return separate.apart(one, other, here.while_changing(x.buffer for x in (*one, *other) if x.store))


def kept(expressions: Iterable[Expr], block: Block, here: Known) -> Verdict:
    """Whether a block leaves every element alone that the expressions load."""
    return apart(effects(block).sets, loads(expressions), here)


def later(loop: For) -> For:
    """A loop over the iterations that come after the present one of a loop."""
    x = loop.index
    # No index of a program is named like that.
    return For(index(f"{x.attr}'", x.type), folded("add", x, const(1, x.type)), loop.hi, loop.body)


def cross(first: Block, second: Block, loop: For, site: Site) -> Verdict:
    """Whether `first` in any iteration of a loop may change places with `second` in any earlier one."""
    after = later(loop)
    return exchangeable(with_value(first, loop.index, after.index), second, known(site, loop, after))


def pair(site: Site) -> tuple[For, For]:
    """The two loops of a site that is a loop with one other as its body."""
    outer = site.statement
    assert isinstance(outer, For) and isinstance(outer.body[0], For)  # noqa: S101, PT018 - the theorem's shape
    return outer, outer.body[0]


def _interchangeable(site: Site) -> Verdict:
    outer, inner = pair(site)
    down, across = later(outer), later(inner)
    # The one of the two iterations is within the bounds of its own row, and the other within those of its own.
    (own,) = with_value((inner,), outer.index, down.index)
    assert isinstance(own, For)  # noqa: S101 - the inner loop with other bounds
    begun = Guard(apply("le", inner.lo, across.index), True)
    right = with_value(inner.body, inner.index, across.index)
    return exchangeable(right, own.body, known(site, outer, down, own, begun, across))


INTERCHANGEABLE = Clause(
    "iterations-interchangeable",
    "an iteration may change places with one that is later in the outer loop and earlier in the inner one",
    _interchangeable,
)
