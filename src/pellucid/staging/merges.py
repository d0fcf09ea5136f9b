"""Merges and cases: several ways to go on, each specialized by itself, and what they make merged to one value.

Under `control` and `loop_specializer`. What is alike on all ways stays as it is; numbers that differ become one
dynamic value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.errors import StagingError, brief
from ..base.source_location import caller
from ..ir.expr import Expr
from . import bitcache
from . import residual as R
from .folding import node, number
from .growth import Exhausted
from .real import Real, real
from .same import Flat, canonical, flatten
from .session import MAX_RESIDUES, MAX_WORK, ResidueSplit, SpecializerSession
from .value import Cyclic, Dynamic, expression, integer, of


def join(session: SpecializerSession, arms: list[tuple[Any, Callable[[], Any]]]) -> Any:
    """The result of the first arm whose condition holds (the last one's is not asked), as one value."""
    codes: list[R.Code] = []
    flats: list[Flat] = []
    ends: list[bitcache.Lines] = []
    for _, arm in arms:
        if session.work > session.limit:
            place, line = caller()
            raise Exhausted(
                f"specializing the choices takes more than {MAX_WORK} steps in {line!r}",
                place=place, fix="choose among numbers after which the program goes on once, or write a loop",
            )  # fmt: skip

        def run(arm: Callable[[], Any] = arm) -> None:
            flats.append(flatten(arm()))
            ends.append(session.lines)

        codes.append(session.capture(run))
    # What the arms leave in the cache alike stays there; the rest goes to memory within its arm.
    alike = tuple(x for x in ends[0] if all(any(x is y for y in lines) for lines in ends))
    for code, lines in zip(codes, ends, strict=True):
        rest = tuple(x for x in lines if not any(x is y for y in alike))
        code.extend(session.capture(lambda rest=rest: bitcache.write_back_these(session, rest)))
    session.lines = alike
    if len(arms) == 2 and not any(codes):
        selected = _selected(arms[0][0], *flats)
        if selected is not None:
            return flats[0].build(selected)
    joined, sets = merged(session, flats)
    for code, extra in zip(codes, sets, strict=True):
        code.extend(extra)
    if any(codes):
        whole: R.Code = codes[-1]
        for (condition, _), code in list(zip(arms, codes, strict=True))[-2::-1]:
            whole = [R.ResidualBranch(expression(condition), code, whole)]
        session.block.extend(whole)
    return flats[0].build(joined)


def _selected(condition: Any, one: Flat, other: Flat) -> list[Any] | None:
    """The leaves of two arms that only compute, chosen by value; None where something else than numbers differs."""
    if len(one.leaves) != len(other.leaves):
        return None
    found: list[Any] = []
    for a, b in zip(one.leaves, other.leaves, strict=True):
        x, y = canonical((a,)), canonical((b,))
        if x.key == y.key and x.values == y.values:
            found.append(a)
        elif isinstance(a, int | Cyclic) and isinstance(b, int | Cyclic) and not isinstance(a, bool):
            found.append(of(node("choose", expression(condition), expression(a), expression(b))))
        elif isinstance(a, float | Real) and isinstance(b, float | Real):
            found.append(of(node("choose", expression(condition), real(a), real(b))))
        else:
            return None
    return found


def merged(session: SpecializerSession, flats: list[Flat]) -> tuple[list[Any], list[R.Code]]:
    """One value for each leaf, and what each arm assigns for it; what was known before the arms stays as it is."""
    shared: dict[tuple[Expr, ...], Expr] = {}
    first = flats[0]
    if any(len(f.leaves) != len(first.leaves) for f in flats):
        place, line = caller()
        raise StagingError(
            f"the arms of a choice give structures of different shape in {line!r}", place=place
        )
    joined: list[Any] = []
    sets: list[R.Code] = [[] for _ in flats]
    for k, leaf in enumerate(first.leaves):
        values = [f.leaves[k] for f in flats]
        kinds = [canonical((v,)) for v in values]
        alike = all(x.key == kinds[0].key and x.values == kinds[0].values for x in kinds)
        if alike and all(session.depth_of(q) <= session.depth for q in kinds[0].origins):
            joined.append(leaf)
            continue
        if not all(isinstance(v, int | Cyclic | Dynamic | float) for v in values):
            place, line = caller()
            raise StagingError(
                f"the arms of a choice give {values[0]!r} and {values[-1]!r} in {line!r}",
                place=place,
                fix="only numbers can be chosen at run time; or go on in each arm with fork",
            )
        if all(x.key == kinds[0].key for x in kinds) and isinstance(leaf, Cyclic):
            # Values that share a quotient on all ways share it afterwards.
            shifts = {v.remainder // v.base for v in values}
            parts = [x.origins[0] for x in kinds] if len(shifts) == 1 else [x.values[0] for x in kinds]
            moved = leaf.remainder if len(shifts) == 1 else leaf.remainder % leaf.base
            known = shared.get(tuple(parts))
            name = shared[tuple(parts)] = session.fresh("joined") if known is None else known
            joined.append(integer(((name, leaf.base),), moved))
            if known is not None:
                continue
        else:
            reals = any(isinstance(v, float | Real) for v in values)
            parts = [real(v) if reals else expression(v) for v in values]
            name = session.fresh("joined", parts[0].type)
            joined.append(of(name))
        for code, part in zip(sets, parts, strict=True):
            code.append(R.Set(name, part))
    return joined, sets


def cases(session: SpecializerSession, splits: list[tuple[Expr, int]], then: Callable[[], Any]) -> Any:
    """Run `then` once for each residue of some values, and join the results."""
    splits = [(q, k) for q, k in splits if k > 1]
    if not splits:
        return then()
    (q, factor), *rest = splits
    if factor > MAX_RESIDUES:
        place, line = caller()
        raise StagingError(
            f"{brief(factor)} cases of {q!r} are told apart in {line!r}, and {MAX_RESIDUES} can be",
            place=place, fix="give a smaller base",
        )  # fmt: skip
    quotient, rest_of_q = session.parted(q, factor)

    def arm(residue: int) -> Callable[[], Any]:
        def run() -> Any:
            session.splits[q] = ResidueSplit(factor, quotient, residue)
            bitcache.split_anew(session)
            return cases(session, rest, then)

        return run

    known = session.residue(q, factor)
    if known is not None:
        around = dict(session.splits)
        try:
            return arm(known)()
        finally:
            session.splits = around
    conditions = [Dynamic(node("eq", rest_of_q, number(r))) for r in range(factor)]
    return join(session, [(c, arm(r)) for r, c in enumerate(conditions)])
