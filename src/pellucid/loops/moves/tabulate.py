"""tabulate: dear values that depend on an inner index alone are computed once, into a table (Pan, section 3.5).

The paper's example: an expression of the column that every row computes again. The table is scratch memory of as many
elements as the inner loop has iterations, filled by a loop before the outer one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ...ir import expr as E
from ...ir import nest as N
from ...ir.expr import Buffer, Expr, substitute
from ...ir.facts import Facts
from ...ir.nest import Alloc, For, Kernel, Store, rewrite, scratch, transform, walk
from ...ir.path import Path, at, enclosing, replace_at
from ...ir.path import walk as paths
from ...reasoning.effects import stored, untouched
from ...reasoning.infer import FactsOf
from ...reasoning.prove import Verdict, decided
from ..analysis.columns import TABLE_THRESHOLD, columns
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def pick(outer: For, dear: float) -> tuple[For, list[Expr]] | None:
    """The first loop inside with such expressions, and those."""
    changing = frozenset(stored(outer.body))
    for s in walk(outer.body):
        if isinstance(s, For):
            found = columns(s, dear, changing)
            if found:
                return s, found
    return None


def find(kernel: Kernel, *, dear: float = TABLE_THRESHOLD, **_: Any) -> Iterable[Path]:
    """Outer loops with such expressions."""
    for path, s in paths(kernel.body):
        outermost = not any(isinstance(x, For) for x in enclosing(kernel.body, path))
        if isinstance(s, For) and outermost and pick(s, dear):
            yield path


def _table(site: Site) -> tuple[For, For, list[Expr]]:
    """The outer loop, the inner one and its dear expressions, once the shape was checked."""
    outer = site.statement
    assert isinstance(outer, For)  # noqa: S101 - the theorem's shape
    picked = pick(outer, site.options.get("dear", TABLE_THRESHOLD))
    assert picked is not None  # noqa: S101 - the theorem's shape
    return outer, *picked


def _has_columns(site: Site) -> Verdict:
    outer, dear = site.statement, site.options.get("dear", TABLE_THRESHOLD)
    found = isinstance(outer, For) and pick(outer, dear) is not None
    return decided(found, "an expression is dear", f"nothing at {site} costs {dear:.0f} cycles")


def _fixed_bounds(site: Site) -> Verdict:
    _, inner, _ = _table(site)
    fixed = not (inner.lo.free | inner.hi.free)
    return decided(fixed, "the bounds are fixed", f"{inner.lo!r} .. {inner.hi!r} depend on one")


def _from_zero(site: Site) -> Verdict:
    _, inner, _ = _table(site)
    zero = inner.lo.op == "const" and inner.lo.attr == 0
    return decided(zero, "it starts at 0", f"it starts at {inner.lo!r}")


def _memory_unchanged(site: Site) -> Verdict:
    outer, inner, found = _table(site)
    return untouched([*found, inner.lo, inner.hi], outer.body)


TABLES = Theorem(
    "a value that a loop does not change can be computed before it",
    "What depends on an inner index alone may be computed into a table, once.",
    (
        Clause("fixed-bounds", "no index of a loop occurs in the bounds of the inner loop", _fixed_bounds),
        Clause("from-zero", "the range of the inner loop starts at 0", _from_zero),
        Clause(
            "memory-unchanged",
            "the loop stores to nothing that the expressions or the bounds load",
            _memory_unchanged,
        ),
    ),
    lemma="table_of_a_column",
    shape=Clause(
        "dear-columns", "the site is a loop around another with a dear expression of its index", _has_columns
    ),
)


def apply(
    kernel: Kernel,
    path: Path,
    *,
    dear: float = TABLE_THRESHOLD,
    ranges: Mapping[Expr, Facts] | None = None,
    **_: Any,
) -> Applied:
    """Fill the tables first, then load from them; of what is loaded is known what was known of the value."""
    outer = at(kernel.body, path)
    assert isinstance(outer, For)  # noqa: S101 - checked
    picked = pick(outer, dear)
    assert picked is not None  # noqa: S101 - checked
    inner, found = picked
    taken = len(scratch(kernel.body))
    tables: dict[Expr, Buffer] = {}
    mapping: dict[Expr, Expr] = {}
    for k, e in enumerate(found):
        tables[e] = Buffer(f"column{taken + k + 1}", e.type, (1 << 31) - 1)
        mapping[e] = E.load(tables[e], inner.index)
    fill = replace(inner, body=tuple(Store(b, inner.index, e) for e, b in tables.items()), how=N.SEQ)

    def loaded(s: N.Statement) -> N.Block:
        # An index is a name, which loops of other ranges may have as well: their values are not in the table.
        if isinstance(s, For) and (s.index, s.lo, s.hi) == (inner.index, inner.lo, inner.hi):
            return (replace(s, body=rewrite(s.body, lambda roots: tuple(substitute(roots, mapping)))),)
        return (s,)

    body: N.Block = (fill, replace(outer, body=transform(outer.body, loaded)))
    around = Alloc(dict.fromkeys(tables.values(), inner.hi), body)
    facts = FactsOf(ranges or {})
    known = {load: facts(e) for e, load in mapping.items()}
    # What is known of more than can be seen is also known of it with loads in it.
    told = [e for e in ranges or {} if e.args]
    anew = zip(told, substitute(told, mapping), strict=True)
    known.update((new, facts(e)) for e, new in anew if new is not e)
    return Applied(replace(kernel, body=replace_at(kernel.body, path, (around,))), known=known)


MOVE = Move(
    "tabulate", "Compute dear values of an inner index alone once, into a table.", find, apply, (TABLES,)
)
