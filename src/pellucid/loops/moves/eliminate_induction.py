"""eliminate_induction: a scalar that every iteration changes by the same amount is computed from the index instead.

Iterations then no longer wait for each other, and can be told apart by the positions they access. The opposite of
`strength_reduce`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...base.record import record
from ...ir import expr as E
from ...ir.expr import Expr, const, topological
from ...ir.nest import SEQ, For, Kernel, Statement, Store, roots, walk
from ...ir.path import Path, at, replace_at
from ...ir.path import walk as paths
from ...reasoning.effects import shown, untouched
from ...reasoning.linear import folded
from ...reasoning.prove import Proved, Refuted, Verdict, decided
from ..analysis.bounds import BOUNDS_UNCHANGED, COUNTED
from ..core.build import with_value
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


@record
class Induction:
    """A store ``k[0] := k[0] + step`` directly in a loop's body, at a position in it."""

    loop: For
    position: int
    store: Store
    step: Expr


def induction(loop: Statement | None, buffer: str | None = None) -> Induction | None:
    """The first scalar of whole numbers that a statement of the loop's body changes so; None if there is none."""
    if not isinstance(loop, For) or loop.how != SEQ:
        return None
    for position, s in enumerate(loop.body):
        if not isinstance(s, Store) or s.buffer.size != 1 or not s.buffer.type.is_integer:
            continue
        own = E.load(s.buffer, s.position)
        if s.value.op == "add" and own in s.value.args and s.position.op == "const" and s.position.attr == 0:
            step = s.value.args[1] if s.value.args[0] is own else s.value.args[0]
            if buffer in (None, s.buffer.name) and step is not own:
                return Induction(loop, position, s, step)
    return None


def find(kernel: Kernel, *, buffer: str | None = None, **_: Any) -> Iterable[Path]:
    """Loops with such a scalar."""
    for path, s in paths(kernel.body):
        if induction(s, buffer) is not None:
            yield path


def _found(site: Site) -> Induction:
    found = induction(site.statement, site.options.get("buffer"))
    assert found is not None  # noqa: S101 - the theorem's shape
    return found


def _step_fixed(site: Site) -> Verdict:
    found = _found(site)
    if found.step.free & found.loop.index.free:
        return Refuted("the step is fixed", f"{found.loop.index.attr} occurs in {shown(found.step)}")
    return untouched([found.step], found.loop.body)


def _only_update(site: Site) -> Verdict:
    found = _found(site)
    name = found.store.buffer.name
    for s in walk(found.loop.body):
        if isinstance(s, Store) and s.buffer is found.store.buffer and s is not found.store:
            return Refuted("nothing else stores to it", f"{name}[{shown(s.position)}] is stored to as well")
    return Proved("nothing else stores to it")


def _one_name(site: Site) -> Verdict:
    found = _found(site)
    own = E.load(found.store.buffer, found.store.position)
    for s in walk((found.loop,)):
        for n in topological(roots(s)):
            if n.op == "load" and n.attr is found.store.buffer and n is not own:
                return Refuted("it goes by one name", f"{shown(n)} is another")
    return Proved("it goes by one name")


INDUCTION = Theorem(
    "a scalar that grows evenly is an expression of the index",
    "Modulo the width of its type, what every iteration adds is known without running them.",
    (
        Clause("step-fixed", lambda s: f"{shown(_found(s).step)} is the same in all iterations", _step_fixed),
        Clause(
            "only-update", lambda s: f"nothing else stores to {_found(s).store.buffer.name}", _only_update
        ),
        Clause("one-name", lambda s: f"{_found(s).store.buffer.name} is loaded by one name", _one_name),
        BOUNDS_UNCHANGED,
        COUNTED,
    ),
    shape=Clause(
        "even-scalar",
        "the site is a loop in order whose body adds something to a scalar of whole numbers",
        lambda s: decided(
            induction(s.statement, s.options.get("buffer")) is not None, "a scalar grows", f"none does in {s}"
        ),
    ),
)


def apply(kernel: Kernel, path: Path, *, buffer: str | None = None, **_: Any) -> Applied:
    """Expressions of the index in place of the scalar, which is set once after the loop."""
    found = induction(at(kernel.body, path), buffer)
    assert found is not None  # noqa: S101 - checked
    loop, store, step = found.loop, found.store, found.step
    own, type_ = E.load(store.buffer, store.position), store.buffer.type
    index = loop.index.type

    def after(count: Expr) -> Expr:
        whole = count if index is type_ else E.apply("convert", count, attr=type_)
        return folded("add", own, folded("mul", whole, step))

    done = folded("sub", loop.index, loop.lo)
    above, below = loop.body[: found.position], loop.body[found.position + 1 :]
    body = (
        *with_value(above, own, after(done)),
        *with_value(below, own, after(folded("add", done, const(1, index)))),
    )
    trips = folded("max", folded("sub", loop.hi, loop.lo), const(0, index))
    new = (replace(loop, body=body), replace(store, value=after(trips)))
    return Applied(replace(kernel, body=replace_at(kernel.body, path, new)))


MOVE = Move(
    "eliminate_induction",
    "Compute a scalar that grows evenly from the loop's index.",
    find,
    apply,
    (INDUCTION,),
)
