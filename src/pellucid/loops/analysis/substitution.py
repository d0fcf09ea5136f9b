"""An assignment whose value takes the place of its variable: the clauses that the moves with substitution share.

White substitutes for simple variables. Here an element of an array may be substituted for as well, if it is surely
inside of its array (a store outside stores nothing) and every other load of the array is of another element; with its
own position among the other loads, it cannot refer to itself.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...ir import types as T
from ...ir.expr import Expr, const, load
from ...ir.nest import Block, Statement, Store, transform
from ...reasoning.bounds import inside
from ...reasoning.effects import Access, effects
from ...reasoning.known import Known
from ...reasoning.prove import Verdict
from ...reasoning.separate import apart
from ..core.build import with_values
from ..core.theorem import Clause, Site
from .adjacent import assignment, here


def is_scalar(store: Statement | None) -> bool:
    """Whether a statement assigns to a scalar: to the element 0 of an array of one."""
    return isinstance(store, Store) and store.buffer.size == 1 and store.position.op == "const"


def element(store: Store) -> Access:
    """The element that an assignment sets."""
    return Access(store.buffer, store.position, store=True)


def its_loads(store: Store) -> set[Expr]:
    """The expressions that are written as loads of the very element that an assignment sets."""
    p = store.position
    same = [const(p.attr, t) for t in (T.i32, T.i64)] if p.op == "const" else [p]
    return {load(store.buffer, position) for position in same}


def substituted(block: Block, store: Store) -> Block:
    """The block with the value that was assigned in place of the variable."""
    return with_values(block, dict.fromkeys(its_loads(store), store.value))


def original(copy: Statement | None) -> Store | None:
    """The scalar of which a statement is a copy, as an assignment to itself; None if it is no copy of a scalar."""
    if not isinstance(copy, Store) or copy.value.op != "load":
        return None
    buffer, position = copy.value.attr, copy.value.args[0]
    if buffer.size != 1 or position.op != "const" or copy.buffer is buffer:
        return None
    return Store(buffer, position, copy.value)


def renamed(block: Block, x: Store, v: Store) -> Block:
    """The block with v wherever x was."""
    new = load(v.buffer, v.position)

    def change(s: Statement) -> Block:
        own = isinstance(s, Store) and s.buffer is x.buffer
        return (Store(v.buffer, v.position, s.value),) if isinstance(s, Store) and own else (s,)

    return transform(with_values(block, dict.fromkeys(its_loads(x), new)), change)


def knowing(site: Site, *blocks: Block) -> Known:
    """The facts at a site while the assignment and some blocks run."""
    changed = {a.buffer for block in blocks for a in effects(block).sets}
    return site.known.while_changing({*changed, assignment(here(site)).buffer})


def other_loads_apart(site: Site, accesses: Iterable[Access], *blocks: Block) -> Verdict:
    """Whether what loads from the variable's array, and is not written as the variable, is another element."""
    store = assignment(here(site))
    own = {e.args[0] for e in its_loads(store)}
    others = [a for a in accesses if a.buffer is store.buffer and a.position not in own]
    return apart([element(store)], others, knowing(site, *blocks))


def _inside(site: Site) -> Verdict:
    store = assignment(here(site))
    return inside(store.position, store.buffer, site.known)


INSIDE = Clause("inside", "the variable is an element that its array surely has", _inside)
