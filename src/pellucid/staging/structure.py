"""Structure: the graph of a loop's variants as loops and branches without jumps.

A variant that is jumped to once is put in place: so the prologue before the cache is warm, and the preludes of
misaligned starts, are ordinary code before the loop. What is left is one loop tested at its head - counted, if its test
compares what advances by static steps with what stays - or a machine of several states, where layouts are irregular.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..base.record import record
from ..ir import expr as E
from ..ir import types as T
from ..ir.expr import Expr, const, substitute, topological
from . import residual as R
from .folding import node, number, opposite
from .session import Fault, SpecializerSession


def structured(
    session: SpecializerSession,
    entry: R.Code,
    variants: list[R.Variant],
    exits: list[R.Code],
    endless: Fault,
    *,
    closed: bool = False,
) -> R.Code:
    """The code of a loop: `entry` jumps into `variants`, whose ways out are followed by `exits`.

    A counted loop whose test would be stepped over at run time has no turns, and notes the fault `endless`. Where each
    variant and exit is `closed`, and reads no names of other variants, loops may stand inside of each other.
    """
    entry, variants, exits = _without_constants(session, entry, variants, exits, closed=closed)
    jumps = [0] * len(variants)
    for code in (entry, *(v.code for v in variants)):
        for s in R.walk(code):
            if isinstance(s, R.Goto):
                jumps[s.variant] += 1

    def inline(code: R.Code) -> R.Code:
        def jump(s: R.Statement) -> R.Code:
            if isinstance(s, R.Goto) and jumps[s.variant] == 1:
                v = variants[s.variant]
                sets: R.Code = [R.Set(n, x) for n, x in zip(v.names, s.values, strict=True)]
                return sets + inline(v.code)
            return [s]

        return R.rewrite(code, lambda e: e, jump)

    entry = inline(entry)
    # A variant that only its own body jumps to is never reached, and a jump to itself is not put in place.
    loops = {k: R.Variant(v.names, inline(v.code)) for k, v in enumerate(variants) if jumps[k] > 1}
    exits = [*exits, []]
    while closed and len(loops) > 1:
        inner = _inner(session, entry, loops, exits, endless)
        if inner is None:
            break
        entry, loops = inner
    if not loops:
        return _ended(entry, exits)
    if len(loops) == 1:
        ((number_, only),) = loops.items()
        found = _tested_at_head(session, entry, number_, only, exits, endless)
        if found is not None:
            return found
    return _machine(session, entry, loops, exits)


def _without_constants(
    session: SpecializerSession,
    entry: R.Code,
    variants: list[R.Variant],
    exits: list[R.Code],
    *,
    closed: bool,
) -> tuple[R.Code, list[R.Variant], list[R.Code]]:
    """The graph without names that are given one and the same value at every jump.

    That comes from outside of the loop; or, in a closed graph, it is a name of another variant: no jump to this one
    changes that, and nothing else reads this one's.
    """
    known: dict[Expr, Expr] = {}
    owner = {name: k for k, v in enumerate(variants) for name in v.names}
    changed = True
    while changed:
        changed = False
        given: dict[Expr, set[Expr]] = {}
        for code in (entry, *(v.code for v in variants)):
            for s in _jumps(code):
                for name, value in zip(variants[s.variant].names, s.values, strict=True):
                    meant = known.get(value, value)
                    if meant is not name:
                        given.setdefault(name, set()).add(meant)
        for name, values in given.items():
            (one, *more) = values
            one = known.get(one, one)
            if name in known or more or one is name:
                continue
            if session.depth_of(one) <= session.depth or (
                closed and owner.get(one, owner[name]) != owner[name]
            ):
                known = {n: one if v is name else v for n, v in known.items()} | {name: one}
                changed = True

    def put(e: Expr) -> Expr:
        return substitute([e], known)[0]

    def clean(code: R.Code) -> R.Code:
        def jump(s: R.Statement) -> R.Code:
            if isinstance(s, R.Goto):
                names = variants[s.variant].names
                return [
                    R.Goto(
                        s.variant, tuple(v for n, v in zip(names, s.values, strict=True) if n not in known)
                    )
                ]
            return [s]

        return R.rewrite(code, put, jump)

    kept = [R.Variant(tuple(n for n in v.names if n not in known), clean(v.code)) for v in variants]
    return clean(entry), kept, [clean(code) for code in exits]


def _ended(code: R.Code, exits: list[R.Code]) -> R.Code:
    return R.rewrite(code, lambda e: e, lambda s: exits[s.way] if isinstance(s, R.Leave) else [s])


def _jumps(code: R.Code) -> list[R.Goto]:
    return [s for s in R.walk(code) if isinstance(s, R.Goto)]


def _reads(codes: list[R.Code], exits: list[R.Code]) -> set[Expr]:
    """All that codes compute with, and what follows them where they leave."""
    statements = [s for code in codes for s in R.walk(code)]
    after = [s for way in statements if isinstance(way, R.Leave) for s in R.walk(exits[way.way])]
    return set(topological([root for s in (*statements, *after) for root in R.roots(s)]))


def _leaves(code: R.Code) -> bool:
    return any(isinstance(s, R.Leave) for s in R.walk(code))


def _assign(session: SpecializerSession, names: tuple[Expr, ...], values: tuple[Expr, ...]) -> R.Code:
    """Assign all names at once: every value is computed before any name changes."""
    moves = [(n, v) for n, v in zip(names, values, strict=True) if n is not v]
    if len(moves) == 1:
        return [R.Set(*moves[0])]
    held = [(n, session.fresh("next", v.type), v) for n, v in moves]
    return [*(R.Set(h, v) for _, h, v in held), *(R.Set(n, h) for n, h, _ in held)]


# ---- one loop, tested at its head ----


def _inner(
    session: SpecializerSession,
    entry: R.Code,
    loops: dict[int, R.Variant],
    exits: list[R.Code],
    endless: Fault,
) -> tuple[R.Code, dict[int, R.Variant]] | None:
    """The graph with a loop put into the one place outside of it that enters it; None if there is no such loop.

    What follows an exit reads the loop's names, so it is put there too. The last exit has nothing left to do. A loop
    whose names another one reads waits until that is put into it, for after a counted loop they are expressions.
    """
    for number_, loop in loops.items():
        others = [v.code for k, v in loops.items() if k != number_]
        sites = [s for code in (entry, *others) for s in _jumps(code) if s.variant == number_]
        if len(sites) != 1 or _reads(others, exits) & set(loop.names):
            continue
        ways: list[R.Code] = []

        def leave(s: R.Statement, own: int = number_, ways: list[R.Code] = ways) -> R.Code:
            if not isinstance(s, R.Goto | R.Leave) or (isinstance(s, R.Goto) and s.variant == own):
                return [s]
            ways.append([s] if isinstance(s, R.Goto) else [*exits[s.way], R.Leave(len(exits) - 1)])
            return [R.Leave(len(ways) - 1)]

        only = R.Variant(loop.names, R.rewrite(loop.code, lambda e: e, leave))
        found = _tested_at_head(session, [*sites], number_, only, ways, endless)
        if found is None:
            continue

        def enter(s: R.Statement, own: int = number_, found: R.Code = found) -> R.Code:
            return found if isinstance(s, R.Goto) and s.variant == own else [s]

        rest = {k: v for k, v in loops.items() if k != number_}
        return (
            R.rewrite(entry, lambda e: e, enter),
            {k: R.Variant(v.names, R.rewrite(v.code, lambda e: e, enter)) for k, v in rest.items()},
        )
    return None


def _tested_at_head(
    session: SpecializerSession,
    entry: R.Code,
    number_: int,
    loop: R.Variant,
    exits: list[R.Code],
    endless: Fault,
) -> R.Code | None:
    """The loop as `Count` or `While`, if the only way out of it is its first statement; else None."""
    if len(loop.code) != 1:
        return None
    (head,) = loop.code
    if isinstance(head, R.ResidualBranch) and _leaves(head.orelse) and not _leaves(head.then):
        head = R.ResidualBranch(opposite(head.condition), head.orelse, head.then)
    if not isinstance(head, R.ResidualBranch) or _jumps(head.then) or _leaves(head.orelse):
        return None
    sites = _jumps(entry)
    if len(sites) > 1 and _leaves(entry):
        return None
    counted = _count(session, loop, head, sites)
    if counted is None:
        # The names are assigned before the loop and at the end of each turn.
        def again(s: R.Statement) -> R.Code:
            return _assign(session, loop.names, s.values) if isinstance(s, R.Goto) else [s]

        body = R.rewrite(head.orelse, lambda e: e, again)
        turns = session.unless_refused([R.ResidualWhile(opposite(head.condition), body)])
        whole: R.Code = [*turns, *_ended(head.then, exits)]
    else:
        exits = [R.rewrite(e, counted.after, lambda s: [s]) for e in exits]
        guard = session.guard(counted.never, endless)
        whole = [*guard, counted.loop, *_ended(R.rewrite(head.then, counted.after, lambda s: [s]), exits)]

    def start(s: R.Statement) -> R.Code:
        if isinstance(s, R.Goto):
            sets: R.Code = [R.Set(n, v) for n, v in zip(loop.names, s.values, strict=True)]
            return sets + whole if len(sites) == 1 else sets
        return exits[s.way] if isinstance(s, R.Leave) else [s]

    code = R.rewrite(entry, lambda e: e, start)
    return code if len(sites) == 1 else code + whole


@dataclass(slots=True)
class _Counted:
    """A counted loop, what its names are after it, and where its test never becomes true."""

    loop: R.Count
    final: dict[Expr, Expr]
    never: Expr

    def after(self, e: Expr) -> Expr:
        """An expression over the names, after the loop."""
        return substitute([e], self.final)[0]


def advanced(value: Expr) -> tuple[Expr, int]:
    """A value as a name and the static amount added to it.

    >>> advanced(node("add", E.param("i", T.i64), number(3)))
    ($i:i64, 3)
    """
    # Reals are rounded at each step, and are not so many steps at once.
    if value.type.is_integer and value.op in ("add", "sub") and value.args[1].op == "const":
        amount = value.args[1].attr
        name, more = advanced(value.args[0])
        return name, more + (amount if value.op == "add" else -amount)
    return value, 0


def _count(
    session: SpecializerSession, loop: R.Variant, head: R.ResidualBranch, sites: list[R.Goto]
) -> _Counted | None:
    """The loop as a counted one, if its test compares what advances by static steps with what stays.

    `sites` are the jumps into it from outside.
    """
    steps: dict[Expr, int] = {}
    changed: set[Expr] = {s.name for s in R.walk(head.orelse) if isinstance(s, R.Set)}
    for k, name in enumerate(loop.names):
        found = {advanced(s.values[k]) for s in _jumps(head.orelse)}
        if len(found) == 1 and next(iter(found))[0] is name:
            ((_, steps[name]),) = found
        else:
            changed.add(name)
    moving = changed | {n for n, d in steps.items() if d}
    trips: list[_Trip] = []
    for test in _conjuncts(head.condition):
        found_trip = _trips(test, steps, moving)
        if found_trip is None:
            return None
        trips.append(found_trip)
    if not trips:
        return None
    starts = {n: sites[0].values[k] for k, n in enumerate(loop.names)} if len(sites) == 1 else {}

    def plus(name: Expr, step: int, turns: Expr) -> Expr:
        start = starts.get(name)
        if step not in (1, -1) and start is not None and session.depth_of(start) <= session.depth:
            part = _quotient(start, abs(step))
            if part is not None:
                # A multiple of the step: one product for all, and none for where the loop begins.
                return node("mul", _plus(part, step // abs(step), turns), number(abs(step)))
        return _plus(name, step, turns)

    never, turns, bound = _all_of(trips)
    first, step = trips[0].name, trips[0].step
    index = E.index(session.label(first), T.i64)
    advancing = {n: d for n, d in steps.items() if d}
    if len(trips) == 1 and step == 1:
        # The quotient itself counts.
        lo, hi = (
            first,
            node("add", first, bound) if bound.op != "sub" or bound.args[1] is not first else bound.args[0],
        )
        offset = node("sub", index, first)
        inside = {n: index if n is first else plus(n, d, offset) for n, d in advancing.items()}
        end = hi if turns is bound else node("max", hi, first)
        passed = node("sub", end, first)
        final = {n: end if n is first else plus(n, d, passed) for n, d in advancing.items()}
    else:
        lo, hi = number(0), bound
        inside = {n: plus(n, d, index) for n, d in advancing.items()}
        final = {n: plus(n, d, turns) for n, d in advancing.items()}

    kept = [k for k, n in enumerate(loop.names) if n not in steps]

    def again(s: R.Statement) -> R.Code:
        if not isinstance(s, R.Goto):
            return [s]
        return _assign(session, tuple(loop.names[k] for k in kept), tuple(s.values[k] for k in kept))

    body = R.rewrite(head.orelse, lambda e: substitute([e], inside)[0], again)
    return _Counted(R.Count(index, lo, hi, body), final, never)


def _plus(name: Expr, step: int, turns: Expr) -> Expr:
    if step in (1, -1):
        return node("add" if step == 1 else "sub", name, turns)
    return node("add", name, node("mul", turns, number(step)))


def _quotient(value: Expr, base: int) -> Expr | None:
    """A value without a number that it is a product with, and that its other addends are multiples of; else None.

    >>> _quotient(node("sub", node("mul", E.param("i", T.i64), number(3)), number(6)), 3)
    $i:i64 - 2:i64
    """
    product, more = advanced(value)
    if product.op != "mul" or product.args[1].op != "const" or product.args[1].attr != base or more % base:
        return None
    return node("add", product.args[0], number(more // base))


def _conjuncts(test: Expr) -> list[Expr]:
    if test.op == "and":
        return [c for a in test.args for c in _conjuncts(a)]
    return [test]


@record
class _Trip:
    """After how many turns a test holds: the name that it follows, and its step.

    `exact` tests hold after so many turns only, and never where `never` is true; others hold from then on, and from the
    beginning if the count is negative.
    """

    name: Expr
    step: int
    count: Expr
    exact: bool
    never: Expr


def _all_of(trips: list[_Trip]) -> tuple[Expr, Expr, Expr]:
    """Where tests never hold together; after how many turns they do; and a number that is as good as a loop's bound.

    The bound may be negative where there are no turns.
    """
    never = const(value=False, type_=T.boolean)
    for trip in trips:
        never = _either(never, trip.never)
    exact = list(dict.fromkeys(t.count for t in trips if t.exact))
    later = list(dict.fromkeys(t.count for t in trips if not t.exact))
    if exact:
        (total, *others) = exact
        for other in others:
            never = _either(never, node("ne", total, other))
        for other in later:
            never = _either(never, node("lt", total, other))
        return never, total, total
    (bound, *others) = later
    for other in others:
        bound = node("max", bound, other)
    return never, node("max", bound, number(0)), bound


def _either(a: Expr, b: Expr) -> Expr:
    if a.op == "const":
        return const(value=True, type_=T.boolean) if a.attr else b
    return a if a is b or (b.op == "const" and not b.attr) else node("or", a, b)


def _trips(test: Expr, steps: dict[Expr, int], moving: set[Expr]) -> _Trip | None:
    """After how many turns a test holds; None if that cannot be told."""
    if test.op not in ("eq", "lt", "le"):
        return None
    for side, (a, b) in enumerate((test.args, test.args[::-1])):
        name, more = advanced(a)
        step = steps.get(name, 0)
        if not step or any(n in moving for n in topological([b])):
            continue
        # name + more + step * turns meets b.
        way = node("sub", b, node("add", name, number(more))) if more else node("sub", b, name)
        if more and b.op != "const":
            way = node("sub", _moved(b, -more), name)
        if test.op == "eq":
            count = way
            if step == -1:
                count = node("sub", node("add", name, number(more)), b)
            elif step != 1:
                count = node("floor_div", way, number(step))
            below = count.op == "sub" and count.args[1].op != "const"
            never = node("lt", *(count.args if below else (count, number(0))))
            if step not in (1, -1):
                never = _either(node("ne", node("mul", count, number(step)), way), never)
            return _Trip(name, step, count, exact=True, never=never)
        # b <= name, or b < name, while name grows; the other way round it would shrink.
        if side == 1 and step > 0:
            bound = _moved(b, 1 - more if test.op == "lt" else -more)
            way = node("sub", bound, name)
            count = way if step == 1 else node("floor_div", _moved(way, step - 1), number(step))
        elif side == 0 and step < 0:
            bound = _moved(b, -1 - more if test.op == "lt" else -more)
            way = node("sub", name, bound)
            count = way if step == -1 else node("floor_div", _moved(way, -step - 1), number(-step))
        else:
            continue
        return _Trip(name, step, count, exact=False, never=const(value=False, type_=T.boolean))
    return None


def _moved(value: Expr, amount: int) -> Expr:
    name, more = advanced(value)
    return node("add", name, number(more + amount))


# ---- a machine of several states ----


def _machine(
    session: SpecializerSession, entry: R.Code, loops: dict[int, R.Variant], exits: list[R.Code]
) -> R.Code:
    """One loop around the variants, which say at their ends which is next: 0 ends."""
    at = session.fresh("at")
    numbers = {k: i + 1 for i, k in enumerate(loops)}

    def jump(s: R.Statement) -> R.Code:
        if isinstance(s, R.Goto):
            return [
                *_assign(session, loops[s.variant].names, s.values),
                R.Set(at, number(numbers[s.variant])),
            ]
        return [*exits[s.way], R.Set(at, number(0))] if isinstance(s, R.Leave) else [s]

    bodies = [R.rewrite(v.code, lambda e: e, jump) for v in loops.values()]
    whole: R.Code = bodies[-1]
    for i in range(len(bodies) - 2, -1, -1):
        whole = [R.ResidualBranch(node("eq", at, number(i + 1)), bodies[i], whole)]
    turns = session.unless_refused([R.ResidualWhile(node("ne", at, number(0)), whole)])
    # Where the loop is not run, what it results in is zero.
    results = dict.fromkeys(s.name for code in exits for s in R.walk(code) if isinstance(s, R.Set))
    zeros = [R.Set(n, const(0, n.type)) for n in results] if isinstance(turns[0], R.ResidualBranch) else []
    return [*zeros, *R.rewrite(entry, lambda e: e, jump), *turns]
