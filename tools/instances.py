"""Read off a place of a program what the lemma that licenses a move is about there: the lemma at its arguments.

`tools.corpus` has Coq compute what the hypotheses of the lemma come to for these arguments; where the optimizer says
"Proved", all of them must hold. One function for each lemma, which takes the site as the theorem's shape has shown it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from tools.terms import (
    Beyond,
    block,
    called,
    condition,
    expression,
    loop_terms,
    number,
    placed,
    searching,
    statement,
    target,
)

from pellucid.ir import expr as E
from pellucid.ir import types as T
from pellucid.ir.expr import Expr, load, substitute
from pellucid.ir.nest import Block, For, If, Let, Store, blocks, erase, is_place
from pellucid.ir.path import Path, at
from pellucid.ir.path import walk as paths
from pellucid.loops.analysis.adjacent import after, assignment, branch, here, loop, moved
from pellucid.loops.analysis.lookups import lookups
from pellucid.loops.analysis.stages import stages
from pellucid.loops.analysis.substitution import original
from pellucid.loops.core.build import with_values
from pellucid.loops.core.theorem import Site, Theorem
from pellucid.loops.moves import branch_store, place, tabulate, unswitch
from pellucid.reasoning.bounds import decide
from pellucid.reasoning.known import known_at
from pellucid.reasoning.span import span


@dataclass(frozen=True, slots=True)
class Instance:
    """A lemma at a place: the statements that it is about, `count` of them from a path on, and its arguments.

    `back` says that the place is what the lemma comes to, and the move goes the other way.
    """

    path: Path
    count: int
    arguments: tuple[str, ...]
    back: bool = False


OLD = E.index("old", T.i64)
"""Stands for the old value in the function of an update."""
TABLE = (called("held"), called("table"))
"""The names of a value and of its table."""


def _pair(site: Site) -> Instance:
    return Instance(site.path, 2, (statement(here(site)), statement(after(site))))


def _updates(site: Site) -> Instance:
    first, second = assignment(here(site)), assignment(after(site))
    old = load(first.buffer, first.position)

    def function(s: Store) -> str:
        (value,) = substitute([s.value], {old: OLD})
        return f"(fun σ n => eval (bind {called('old')} n ρ) σ {expression(value)})"

    values = (expression(first.value), expression(second.value))
    return Instance(site.path, 2, (target(first), *values, function(first), function(second)))


def _assigned_first(site: Site) -> Instance:
    store = assignment(here(site))
    arguments = (called(store.buffer.name), expression(store.value), statement(after(site)))
    return Instance(site.path, 2, arguments)


def _copied(site: Site) -> tuple[str, str]:
    copy = assignment(after(site))
    x = original(copy)
    assert x is not None  # noqa: S101 - the shape
    return called(x.buffer.name), target(copy)


def _copy_of_assigned(site: Site) -> Instance:
    (x, w), store = _copied(site), assignment(here(site))
    return Instance(site.path, 2, (x, target(store), expression(store.value), w))


def _copy(site: Site) -> Instance:
    return Instance(site.path, 2, (*_copied(site), statement(here(site))))


def _two_values(site: Site) -> Instance:
    first, second = assignment(here(site)), assignment(after(site))
    return Instance(site.path, 2, (target(first), expression(first.value), expression(second.value)))


def _nullable(site: Site) -> Instance:
    return Instance(site.path, 1, (statement(here(site)), "Null"))


def _arms(s: If) -> tuple[str, str, str]:
    return condition(s.condition), block(s.then), block(s.orelse)


def _into_arms(site: Site) -> Instance:
    if site.after() is None:
        raise IndexError(site)
    b, then, orelse = _arms(branch(after(site)))
    return Instance(site.path, 2, (b, statement(here(site)), then, orelse))


def _from_front(site: Site) -> Instance:
    s = branch(here(site))
    arguments = (condition(s.condition), statement(s.then[0]), block(s.then[1:]), block(s.orelse[1:]))
    return Instance(site.path, 1, arguments, back=True)


def _onto_arms(site: Site) -> Instance:
    b, then, orelse = _arms(branch(here(site)))
    return Instance(site.path, 2, (b, statement(after(site)), then, orelse))


def _from_back(site: Site) -> Instance:
    s = branch(here(site))
    arguments = (condition(s.condition), statement(s.then[-1]), block(s.then[:-1]), block(s.orelse[:-1]))
    return Instance(site.path, 1, arguments, back=True)


def _assigned_to_test(site: Site) -> Instance:
    store = assignment(here(site))
    arguments = (called(store.buffer.name), expression(store.value), *_arms(branch(after(site))))
    return Instance(site.path, 2, arguments)


def _branch(site: Site) -> Instance:
    return Instance(site.path, 1, _arms(branch(here(site))))


def _known_branch(site: Site) -> Instance:
    s = branch(here(site))
    outcome = "false" if decide(s.condition, site.known) is False else "true"
    return Instance(site.path, 1, (*_arms(s), outcome))


def _loop(site: Site) -> Instance:
    return Instance(site.path, 1, loop_terms(loop(site)))


def _constant_loop(site: Site) -> Instance:
    s = loop(site)
    ends = (f"({s.lo.attr})", f"({s.hi.attr - 1})")
    return Instance(site.path, 1, (called(s.index.attr), *ends, block(s.body)))


def _rolled_last(site: Site) -> Instance:
    s = loop(site)
    x, lo, _, body = loop_terms(s)
    return Instance(site.path, 1 + len(s.body), (x, lo, expression(s.hi), body), back=True)


def _rolled_first(site: Site) -> Instance:
    s = loop(site)
    x, lo, hi, body = loop_terms(s)
    first = f"(Num ({s.lo.attr - 1}))" if s.lo.op == "const" else f"(Bin Sub {lo} (Num 1))"
    path = moved(site.path, -len(s.body))
    return Instance(path, 1 + len(s.body), (x, first, hi, body), back=True)


def _in_parts(site: Site) -> Instance:
    x, lo, hi, body = loop_terms(loop(site))
    (cut,) = site.options["cuts"]
    return Instance(site.path, 1, (x, lo, hi, f"(Num ({cut - 1}))", body))


def _strips(site: Site) -> Instance:
    x, lo, hi, body = loop_terms(loop(site))
    return Instance(site.path, 1, (x, called("strip"), lo, hi, f"({site.options['size']})", body))


def _nested(site: Site) -> tuple[tuple[str, ...], tuple[str, ...]]:
    outer = loop(site)
    inner = outer.body[0]
    assert isinstance(inner, For)  # noqa: S101 - the shape
    return loop_terms(outer), loop_terms(inner)


def _tiles(site: Site) -> Instance:
    (x, lo, hi, _), (y, lo2, hi2, body) = _nested(site)
    sizes = (f"({site.options['rows']})", f"({site.options['columns']})")
    return Instance(site.path, 1, (x, y, called("strip"), called("band"), lo, hi, lo2, hi2, *sizes, body))


def _exchanged(site: Site) -> Instance:
    (x, lo, hi, _), (y, lo2, hi2, body) = _nested(site)
    return Instance(site.path, 1, (x, y, lo, hi, lo2, hi2, body))


def _two_loops(site: Site) -> Instance:
    second = after(site)
    assert isinstance(second, For)  # noqa: S101 - the shape
    (x, lo, hi, body), (y, lo2, hi2, body2) = loop_terms(loop(site)), loop_terms(second)
    return Instance(site.path, 2, (x, y, lo, hi, lo2, hi2, body, body2))


def _inside_loop(site: Site) -> tuple[For, Path, int]:
    s = at(site.kernel.body, site.path[:-1])
    assert isinstance(s, For)  # noqa: S101 - the shape
    return s, site.path[:-1], site.path[-1][1]


def _cut_body(site: Site) -> Instance:
    s, path, k = _inside_loop(site)
    x, lo, hi, _ = loop_terms(s)
    return Instance(path, 1, (x, lo, hi, block(s.body[:k]), block(s.body[k:])))


def _moved_out(site: Site) -> Instance:
    s, path, k = _inside_loop(site)
    x, lo, hi, _ = loop_terms(s)
    parts = (statement(s.body[k]), block(s.body[:k]), block(s.body[k + 1 :]))
    return Instance(path, 1, (x, lo, hi, *parts))


def _unswitched(site: Site) -> Instance:
    s = loop(site)
    x, lo, hi, body = loop_terms(s)
    after_move = at(unswitch.MOVE.apply(site.kernel, site.path, **site.options).kernel.body, site.path)
    choice = branch(after_move)
    (yes,), (no,) = choice.then, choice.orelse
    assert isinstance(yes, For) and isinstance(no, For)  # noqa: S101, PT018 - what the move makes
    arms = (block(yes.body), block(no.body))
    return Instance(site.path, 1, (x, lo, hi, condition(choice.condition), body, *arms))


def _branched(site: Site) -> Instance:
    store = assignment(here(site))
    choice = branch(
        at(branch_store.MOVE.apply(site.kernel, site.path, **site.options).kernel.body, site.path)
    )
    (yes,), (no,) = choice.then, choice.orelse
    values = (expression(s.value) for s in (store, assignment(yes), assignment(no)))
    return Instance(site.path, 1, (condition(choice.condition), target(store), *values))


def _spanned(site: Site, *, cut: bool, search: bool) -> Instance:
    s = loop(site)
    test = s.body[0]
    assert isinstance(test, If)  # noqa: S101 - the shape
    known = known_at(site.kernel.body, site.path, site.ranges)
    part = span(test.condition, s, known.facts, known.inside((s,)).facts, search=search)
    x, lo, hi, _ = loop_terms(s)
    b, then, orelse = _arms(test)
    if part is not None and not part.holds:
        b, then, orelse = f"(Not {b})", orelse, then
    first, last = "(Num 0)", "(Num 0)"
    if part is not None:
        first, last = (f"(Num {number(e)})" if searching(e) else expression(e) for e in (part.lo, part.hi))
        last = last if cut else f"(Bin Sub {last} (Num 1))"
    return Instance(site.path, 1, (x, lo, hi, b, first, last, then, *((orelse,) if cut else ())))


def _places(site: Site) -> Instance:
    options = {key: site.options[key] for key in ("hoist", "threshold") if key in site.options}
    made = place.MOVE.apply(site.kernel, (), **options).kernel
    return Instance(((0, 0),), len(site.kernel.body), (placed(made.body, {}),))


def _held(value: Expr) -> dict[Expr, Expr]:
    """The name that stands for a value that has a place, or a table."""
    return {value: E.index("held", value.type)}


def _hoisted(site: Site) -> Instance:
    """A place in a loop: the loop is as it is without its places, and reads the value by a name."""
    value, s = here(site), at(site.kernel.body, site.path[:-1])
    assert isinstance(value, Let) and isinstance(s, For)  # noqa: S101, PT018 - the shape
    x, lo, hi, _ = loop_terms(replace(s, body=()))
    named = block(with_values(erase(s.body), _held(value.value)))
    parts = ("(Truth true)", called("held"), f"(Values.Plain {expression(value.value)})", named, "Null", "0")
    return Instance(erased(site.kernel.body, site.path[:-1]), 1, (x, lo, hi, *parts))


def _columns(site: Site) -> Instance:
    """The first column that has a table, at the loop right around its own; out of others goes the filled table."""
    picked = tabulate.pick(loop(site), site.options["dear"])
    assert picked is not None  # noqa: S101 - the shape
    inner, (value, *_) = picked
    path = next(p for p, s in paths(site.kernel.body) if s is inner)
    outer, k = at(site.kernel.body, path[:-1]), path[-1][1]
    if not isinstance(outer, For):
        raise Beyond(type(outer).__name__)
    (x, lo, hi, _), (y, lo2, hi2, _) = (loop_terms(replace(s, body=())) for s in (outer, inner))
    named = block(with_values(inner.body, _held(value)))
    parts = (expression(value), named, block(outer.body[:k]), block(outer.body[k + 1 :]))
    return Instance(path[:-1], 1, (x, y, *TABLE, lo2, hi2, lo, hi, *parts), back=True)


def _numbers(site: Site) -> Instance:
    """The first value that has a table, at the first of its places."""
    table = lookups(site.kernel, site.ranges, site.options["dear"])[0]
    value, number = next(iter(table.places.items()))
    body = block(with_values(site.kernel.body, _held(value)))
    parts = (f"({table.size - 1})", expression(table.value), expression(number), body)
    return Instance(((0, 0),), len(site.kernel.body), (called("number"), *TABLE, *parts), back=True)


def _staged(site: Site) -> Instance:
    """Two loops in scratch memory, which is the whole program but for its arrays."""
    found = stages(here(site))
    assert found is not None  # noqa: S101 - the shape
    (x, lo, hi, first), (*_, second) = loop_terms(found.first), loop_terms(found.second)
    parts = "; ".join(f"({called(b.name)}, ({n}))" for b, n in found.lengths.items())
    return Instance(((0, 0),), 2, (x, lo, hi, f"[{parts}]", first, second))


def erased(body: Block, path: Path) -> Path:
    """Where a statement stands once the places are gone."""
    found: list[tuple[int, int]] = []
    for arm, k in path:
        around = at(body, tuple(path[: len(found)])) if found else None
        inside = body if around is None else blocks(around)[arm]
        found.append((arm, sum(not is_place(s) for s in inside[:k])))
    return tuple(found)


READERS: dict[str, Callable[[Site], Instance]] = {
    "interchange_equal": _pair,
    "interchange": _pair,
    "interchange_updates": _updates,
    "interchange_with_substitution": _assigned_first,
    "interchange_with_backward_substitution": _copy_of_assigned,
    "backward_substitution_for_statements": _copy,
    "compression_of_assignments": _two_values,
    "compression_of_nullable": _nullable,
    "absorption_before": _into_arms,
    "absorption_after": _onto_arms,
    "absorption_with_substitution": _assigned_to_test,
    "if_splitting": _branch,
    "if_splitting_other_first": _branch,
    "if_of_known_condition": _known_branch,
    "if_of_nullable_arms": _branch,
    "if_of_equal_arms": _branch,
    "loop_elimination": _loop,
    "single_iteration": _loop,
    "unroll_last": _loop,
    "unroll_first": _loop,
    "unroll_tested": _loop,
    "full_unrolling": _constant_loop,
    "peeling": _loop,
    "loop_in_parts": _in_parts,
    "strip_mining": _strips,
    "tiling": _tiles,
    "loop_joining": _two_loops,
    "loop_splitting": _cut_body,
    "loop_interchange": _exchanged,
    "code_motion": _moved_out,
    "unswitching": _unswitched,
    "branching": _branched,
    "iterations_in_any_order": _loop,
    "iterations_in_lanes": _loop,
    "places_change_no_value": _places,
    "code_motion_under_guard": _hoisted,
    "table_of_a_column": _columns,
    "table_of_numbers": _numbers,
    "computed_at": _staged,
    "loop_conditional_joining": lambda s: _spanned(s, cut=False, search=False),
    "condition_joining": lambda s: _spanned(s, cut=False, search=True),
    "loop_cutting": lambda s: _spanned(s, cut=True, search=True),
}
"""How the arguments of each lemma are read off a site; theorems of inverse moves have their own readers."""

BACKWARDS: dict[str, Callable[[Site], Instance]] = {
    "absorption_before": _from_front,
    "absorption_after": _from_back,
    "unroll_last": _rolled_last,
    "unroll_first": _rolled_first,
}
"""The same where the theorem reads the lemma backwards, which its name says."""


def read(theorem: Theorem, site: Site) -> Instance:
    """The lemma of a theorem at a site that the theorem's shape fits."""
    assert theorem.lemma is not None  # noqa: S101 - asked of theorems that have one
    readers = {**READERS, **BACKWARDS} if theorem.name.endswith(", backwards") else READERS
    return readers[theorem.lemma](site)
