"""replace_scalar: an element that a loop works on all the time is kept in a scalar of its own, and put back after.

A scalar is one element of scratch memory; `accumulate` turns it into an expression where the loop is simple enough.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir import expr as E
from ...ir import types as T
from ...ir.expr import Expr, const
from ...ir.nest import Alloc, Block, For, Kernel, Statement, Store, transform
from ...ir.path import Path, at, replace_at
from ...ir.path import walk as paths
from ...reasoning.effects import Access, effects, untouched
from ...reasoning.known import known_at
from ...reasoning.prove import Proved, Verdict, both, decided
from ...reasoning.separate import separate
from ..analysis.independence import IN_ORDER
from ..core.build import fresh_buffer, index_bits, with_value
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem

ZERO = const(0, T.i32)


def element(loop: Statement | None, buffer: str | None = None) -> Access | None:
    """The first element that a loop stores to whose position depends on no index of the loop or inside; or None."""
    if not isinstance(loop, For):
        return None
    inside = index_bits((loop,))
    for a in effects(loop.body).sets:
        if not a.position.free & inside and buffer in (None, a.buffer.name):
            return a
    return None


def find(kernel: Kernel, *, buffer: str | None = None, **_: Any) -> Iterable[Path]:
    """Loops that store to a fixed element, outermost first; not those that have a scalar for it already."""
    for path, s in paths(kernel.body):
        found = element(s, buffer)
        if found is not None and found.buffer.size > 1:
            yield path


def _element(site: Site) -> Access:
    found = element(site.statement, site.options.get("buffer"))
    assert found is not None  # noqa: S101 - the theorem's shape
    return found


def _has_element(site: Site) -> Verdict:
    order = IN_ORDER.test(site)
    if not isinstance(order, Proved):
        return order
    found = element(site.statement, site.options.get("buffer"))
    return decided(found is not None, "an element is fixed", f"{site} stores to none that is")


def _position_unchanged(site: Site) -> Verdict:
    loop = site.statement
    assert isinstance(loop, For)  # noqa: S101 - the theorem's shape
    return untouched([_element(site).position], loop.body)


def _inside(site: Site) -> Verdict:
    return site.iterations.inside(Access(_element(site).buffer, _element(site).position))


def _others_separate(site: Site) -> Verdict:
    loop, mine = site.statement, _element(site)
    assert isinstance(loop, For)  # noqa: S101 - the theorem's shape
    found = effects((loop,))
    known = known_at(site.kernel.body, site.path, site.ranges).while_changing({a.buffer for a in found.sets})
    fixed = Access(mine.buffer, mine.position, store=True)
    others = [
        a for a in (*found.sets, *found.uses) if a.buffer is mine.buffer and a.position is not mine.position
    ]
    return (
        both(*(separate(fixed, a, known) for a in others)) if others else Proved("there is no other access")
    )


SCALARS = Theorem(
    "an element that nothing else reaches may be kept in a scalar",
    "A loop may work on a copy of an element, if it reaches the element by one name only.",
    (
        Clause(
            "position-unchanged",
            lambda s: f"the loop stores to nothing that the position of {_element(s)} loads",
            _position_unchanged,
        ),
        Clause("inside", lambda s: f"{_element(s)} is inside of its buffer", _inside),
        Clause(
            "others-separate",
            lambda s: f"every other access of {_element(s).buffer.name} is to another element",
            _others_separate,
        ),
    ),
    shape=Clause(
        "fixed-element", "the site is a loop in order with a store whose position is fixed", _has_element
    ),
)


def apply(kernel: Kernel, path: Path, *, buffer: str | None = None, **_: Any) -> Applied:
    """Load the element, work on the scalar, store it back."""
    loop = at(kernel.body, path)
    mine = element(loop, buffer)
    assert mine is not None  # noqa: S101 - checked
    scalar = fresh_buffer(kernel, f"{mine.buffer.name}_scalar", mine.buffer.type, 1)
    old, new = E.load(mine.buffer, mine.position), E.load(scalar, ZERO)

    def moved(s: Statement) -> Block:
        if isinstance(s, Store) and s.buffer is mine.buffer and s.position is mine.position:
            return (replace(s, buffer=scalar, position=ZERO),)
        return (s,)

    body = (
        Store(scalar, ZERO, old),
        *_moved((loop,), old, new, moved),
        Store(mine.buffer, mine.position, new),
    )
    new_body = replace_at(kernel.body, path, (Alloc({scalar: const(1, T.i32)}, body),))
    return Applied(
        replace(kernel, body=new_body),
        lambda p: (*path, (0, 1), *p[len(path) :]) if p[: len(path)] == path else p,
    )


def _moved(block: Block, old: Expr, new: Expr, change: Any) -> Block:
    return with_value(transform(block, change), old, new)


MOVE = Move(
    "replace_scalar", "Keep an element that a loop works on in a scalar of its own.", find, apply, (SCALARS,)
)
