"""Two updates of one variable by functions that commute: the third case of White's interchange (theorem 4.1.3).

``x := x + a; x := x + b`` may change places, and so may any two functions whose composition is the same sum of products
either way, or that combine the old value by one operator that commutes and associates exactly; floats have none.
"""

from __future__ import annotations

from ...ir.expr import Expr, load, substitute, topological
from ...ir.nest import Store
from ...ir.prim import row
from ...reasoning.bounds import unmarked
from ...reasoning.effects import loads, shown
from ...reasoning.forms import form
from ...reasoning.prove import Proved, Unknown, Verdict, decided
from ...reasoning.separate import apart, not_self_referencing
from ..core.theorem import Clause, Site, Theorem
from .adjacent import after, assignment, here, told
from .substitution import element


def _updates(site: Site) -> tuple[Store, Store]:
    return assignment(here(site)), assignment(after(site))


def _two_updates(site: Site) -> Verdict:
    first, second = site.statement, site.after()
    one = False
    if isinstance(first, Store) and isinstance(second, Store):
        one = first.buffer is second.buffer and first.position is second.position
    return decided(one, "both assign to one variable", f"{told(site)} and what comes after it do not")


def _not_self_referencing(site: Site) -> Verdict:
    first, _ = _updates(site)
    return not_self_referencing(element(first), site.known)


def _no_other_reads(site: Site) -> Verdict:
    first, second = _updates(site)
    # What its own position loads is the matter of the clause before.
    own = {first.position, *(a.position for a in loads([first.position]))}
    read = [a for a in loads([first.value, second.value]) if a.position not in own]
    return apart([element(first)], read, site.known.while_changing([first.buffer]))


def _functions_commute(site: Site) -> Verdict:
    first, second = _updates(site)
    f, g = first.value, second.value
    old = load(first.buffer, first.position)
    one, other = substitute([g], {old: f})[0], substitute([f], {old: g})[0]
    premise = "f(g(v)) is g(f(v))"
    if one is other or _same_operator(f, g, old):
        return Proved(premise)
    if f.type.is_integer:
        facts = site.known.facts
        left, right = (form(e, unmarked, lambda a: facts(a.node)) for e in (one, other))
        if not (left - right).terms:
            return Proved(premise)
    return Unknown(premise, f"that {shown(one)} is {shown(other)}")


def _same_operator(f: Expr, g: Expr, old: Expr) -> bool:
    """Whether both combine the old value with something else by one operator that commutes and associates."""
    if f.op != g.op or len(f.args) != 2:
        return False
    laws = row(f.op).laws
    kind = "integer" if f.type.is_integer else f.type.kind
    if kind not in laws.commutes or kind not in laws.associates:
        return False
    rest = [a for e in (f, g) for a in e.args if a is not old]
    return len(rest) == 2 and old not in topological(rest)


UPDATES = Theorem(
    "White 4.1.3",
    "Updates of one variable by functions that commute may change places.",
    (
        Clause("not-self-referencing", "the variable's own position does not load it", _not_self_referencing),
        Clause(
            "no-other-reads", "the new values load nothing else that may be the variable", _no_other_reads
        ),
        Clause("functions-commute", "the two functions of its old value commute", _functions_commute),
    ),
    lemma="interchange_updates",
    shape=Clause("two-updates", "both statements assign to one variable, written alike", _two_updates),
)
