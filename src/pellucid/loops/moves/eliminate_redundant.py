"""eliminate_redundant: a value that several statements compute is computed once, before the first, into a scalar.

Available are the values whose memory nobody has stored to meanwhile. Values that load nothing that is stored to are
shared by `place` without any memory; this move is for those that are not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...base.record import record
from ...ir import expr as E
from ...ir import types as T
from ...ir.expr import LEAVES, Expr, const, topological
from ...ir.nest import Alloc, Block, Kernel, Statement, Store, all_roots, blocks, scratch
from ...ir.path import Path, at, replace_at
from ...ir.path import walk as paths
from ...reasoning.effects import shown, stored
from ...reasoning.prove import Proved, Refuted, Verdict, decided
from ..core.build import fresh_buffer, index_bits, with_value
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem

ZERO, NO_VALUES = const(0, T.i32), LEAVES | {"iterate"}


def _block(kernel: Kernel, path: Path) -> Block:
    """The block that a statement stands in."""
    return blocks(at(kernel.body, path[:-1]))[path[-1][0]] if len(path) > 1 else kernel.body


def _memory(node: Expr) -> set[object]:
    return {n.attr for n in topological([node]) if n.op == "load"}


@record
class Redundancy:
    """A value that a statement computes, and how many statements, from that one on, are to use the same."""

    value: Expr
    statements: Block


def redundancy(kernel: Kernel, path: Path, count: int | None = None) -> Redundancy | None:
    """The largest value that a statement and a later one of its block compute, from memory that the kernel changes.

    The statements go as far as the value is available, or are `count`; if it is not available where it is computed
    again, they go there all the same.
    """
    block = _block(kernel, path)[path[-1][1] :]
    changed, bound = stored(kernel.body), index_bits(block[:1])
    own = set(scratch(block))
    computed = [set(topological(all_roots((s,)))) for s in block]
    first: Redundancy | None = None
    for node in sorted(computed[0], key=lambda n: -n.id):
        memory = _memory(node)
        if node.op in NO_VALUES or node.free & bound or E.in_iteration(node) or memory & own:
            continue
        again = [k for k in range(1, len(block)) if node in computed[k]]
        if not again or not memory & changed:
            continue
        good = [k for k in again if _changes(block[: k + 1], node) is None]
        if count is not None:
            return Redundancy(node, block[:count])
        if good:
            return Redundancy(node, block[: good[-1] + 1])
        first = first or Redundancy(node, block[: again[0] + 1])
    return first


def _changes(block: Block, node: Expr) -> Statement | None:
    """The first statement of a block that changes what a value is for a statement after it, or for parts of itself."""
    memory = _memory(node)
    for k, s in enumerate(block):
        # A store computes what it needs before it writes.
        if memory & stored((s,)) and not (k == len(block) - 1 and isinstance(s, Store)):
            return s
    return None


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Statements with a value that is available in a later one."""
    for path, _s in paths(kernel.body):
        found = redundancy(kernel, path)
        if found is not None and _changes(found.statements, found.value) is None:
            yield path


def _found(site: Site) -> Redundancy:
    found = redundancy(site.kernel, site.path, site.options.get("count"))
    assert found is not None  # noqa: S101 - the theorem's shape
    return found


def _computed_twice(site: Site) -> Verdict:
    found = redundancy(site.kernel, site.path, site.options.get("count")) if site.path else None
    return decided(found is not None, "a value is computed again", f"none of {site} is")


def _available(site: Site) -> Verdict:
    found = _found(site)
    odd = _changes(found.statements, found.value)
    if odd is None:
        return Proved("the value stays available")
    names = sorted(b.name for b in stored((odd,)) if b in _memory(found.value))
    return Refuted("the value stays available", f"{', '.join(names)} is stored to on the way")


AVAILABLE = Theorem(
    "a value is the same as long as its memory is",
    "What was computed before need not be computed again while nobody stores to what it loads.",
    (
        Clause(
            "available",
            lambda s: f"nothing stores to what {shown(_found(s).value)} loads before it is used again",
            _available,
        ),
    ),
    shape=Clause(
        "computed-twice",
        "the site and a later statement of its block compute the same from memory that is stored to",
        _computed_twice,
    ),
)


def apply(kernel: Kernel, path: Path, *, count: int | None = None, **_: Any) -> Applied:
    """A scalar for the value, set before the first statement."""
    found = redundancy(kernel, path, count)
    assert found is not None  # noqa: S101 - checked
    scalar = fresh_buffer(kernel, "value", found.value.type, 1)
    uses = with_value(found.statements, found.value, E.load(scalar, ZERO))
    inside: Block = (Store(scalar, ZERO, found.value), *uses)
    body = kernel.body
    # The last statement goes first, so that the path stays what it is.
    for k in reversed(range(1, len(found.statements))):
        body = replace_at(body, (*path[:-1], (path[-1][0], path[-1][1] + k)), ())
    body = replace_at(body, path, (Alloc({scalar: const(1, T.i32)}, inside),))
    return Applied(replace(kernel, body=body))


MOVE = Move(
    "eliminate_redundant",
    "Compute a value once that several statements compute from memory that stays as it is.",
    find,
    apply,
    (AVAILABLE,),
)
