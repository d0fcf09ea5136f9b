"""move_code: a statement that does the same in every iteration is done once, before the loop (White's 5.3.1).

The condition as printed both forbids too much (``t := 7; a[x] := t``) and is not met by White's own Figure 6.1; the one
here is sufficient: the rest of the body must set nothing that the statement sets or uses, and doing it twice must be
doing it once. A loop that may not run at all gets the statement under a test that it does.
A loop without bounds has no index, and its condition stands for the bounds.
Made of smaller moves: unroll, move every copy to the front, compress the copies to one, roll the rest.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir import expr as E
from ...ir.nest import Block, For, If, Kernel, Statement, While, all_roots, roots
from ...ir.path import Path, at, replace_at
from ...ir.path import walk as paths
from ...reasoning.effects import Access, effects
from ...reasoning.prove import Verdict, decided
from ..analysis.reorder import apart, is_loop, kept, known
from ..core import derive
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Statements in loops that the loop's index does not occur in."""
    for path, s in paths(kernel.body):
        loop = at(kernel.body, path[:-1]) if len(path) > 1 else None
        if isinstance(loop, For | While) and len(loop.body) > 1 and not _mentions(s, loop):
            yield path


def _mentions(s: Statement, loop: For | While) -> bool:
    return isinstance(loop, For) and any(r.free & loop.index.free for r in all_roots((s,)))


def _parts(site: Site) -> tuple[For | While, Statement, Block, Block]:
    """The loop, the statement, and what stands before and after it in the body."""
    loop, s, position = site.around[-1], site.statement, site.path[-1][1]
    assert isinstance(loop, For | While) and s is not None  # noqa: S101, PT018 - the theorem's shape
    return loop, s, loop.body[:position], loop.body[position + 1 :]


def _in_loop(site: Site) -> Verdict:
    return is_loop(
        site, site.around[-1] if site.around else None, "it stands directly in a loop that runs in order"
    )


def _in_while(site: Site) -> Verdict:
    fits = bool(site.around) and isinstance(site.around[-1], While)
    return decided(fits, "it stands directly in a loop without bounds", f"{site} does not")


def _apart(site: Site, first: Iterable[Access], second: Iterable[Access]) -> Verdict:
    """Whether two sets of accesses never meet, in any iterations."""
    # The path leads into the loop.
    return apart(first, second, known(site))


def _same(site: Site) -> Verdict:
    loop, s, _, _ = _parts(site)
    return decided(not _mentions(s, loop), "it is the same statement every time", "it does")


def _index(site: Site) -> str:
    loop = _parts(site)[0]
    return str(loop.index.attr) if isinstance(loop, For) else ""


def _bounds_kept(site: Site) -> Verdict:
    loop, s, _, _ = _parts(site)
    return kept(roots(loop), (s,), known(replace(site, path=site.path[:-1])))


def _undisturbed(site: Site) -> Verdict:
    _, s, before, after = _parts(site)
    own, rest = effects((s,)), effects((*before, *after))
    return _apart(site, rest.sets, (*own.sets, *own.uses))


def _not_awaited(site: Site) -> Verdict:
    _, s, before, _ = _parts(site)
    return _apart(site, effects((s,)).sets, effects(before).uses)


def _once(site: Site) -> Verdict:
    own = effects((_parts(site)[1],))
    return _apart(site, own.sets, own.uses)


UNDISTURBED = Clause(
    "undisturbed",
    "the rest of the body stores to nothing that the statement stores to or loads",
    _undisturbed,
)
NOT_AWAITED = Clause("not-awaited", "nothing before it in the body loads what it stores to", _not_awaited)
IDEMPOTENT = Clause("idempotent", "it loads nothing that it stores to, so that twice is once", _once)
CODE_MOTION = Theorem(
    "White 5.3.1",
    "A statement that does the same in every iteration may be done once, before the loop, if that runs at all.",
    (
        Clause("index-absent", lambda s: f"{_index(s)} does not occur in the statement", _same),
        Clause("bounds-kept", "the statement stores to nothing that the bounds load", _bounds_kept),
        UNDISTURBED,
        NOT_AWAITED,
        IDEMPOTENT,
    ),
    lemma="code_motion",
    shape=Clause("in-a-loop", "the site is a statement directly in a loop that runs in order", _in_loop),
)
CODE_MOTION_OUT_OF_WHILE = Theorem(
    "White 5.3.1 for loops without bounds",
    "A statement that does the same in every turn may be done once, before the loop, if that runs at all.",
    (
        Clause("condition-kept", "the statement stores to nothing that the condition loads", _bounds_kept),
        UNDISTURBED,
        NOT_AWAITED,
        IDEMPOTENT,
    ),
    shape=Clause("in-a-while", "the site is a statement directly in a loop without bounds", _in_while),
)


def apply(kernel: Kernel, path: Path, **options: Any) -> Applied:
    """The statement before the loop, under a test unless the loop is known to run."""
    site = Site(kernel, path, options.get("ranges") or {})
    loop, s, before, after = _parts(site)
    facts = known(replace(site, path=path[:-1])).facts
    test = E.apply("lt", loop.lo, loop.hi) if isinstance(loop, For) else loop.condition
    runs = facts(test).lo == 1
    first: Statement = s if runs else If(test, (s,))
    body = replace_at(kernel.body, path[:-1], (first, replace(loop, body=(*before, *after))))
    return Applied(replace(kernel, body=body))


MOVE = Move(
    "move_code",
    "Do a statement once, before the loop.",
    find,
    apply,
    (CODE_MOTION, CODE_MOTION_OUT_OF_WHILE),
    derive.move_code,
)
