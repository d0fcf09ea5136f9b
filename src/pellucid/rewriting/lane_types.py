"""Lane-type selection for streams: tables set apart, steady states in closed form, and the narrowest type for all.

Between `ir.stream` and what writes code for it. Lanes have one type, the narrowest that gives the low bits of all
values; laws are applied first that keep values narrow.
"""

from __future__ import annotations

import numpy as np

from ..base.errors import BackendError
from ..base.record import record
from ..ir import types as T
from ..ir.expr import Buffer, Expr, apply, const, index, make, rebuild, substitute, topological
from ..ir.facts import Facts
from ..ir.interp import evaluate
from ..ir.stream import Stream, position, sample, state
from ..reasoning.infer import FactsOf
from .expand import expand
from .simplify import simplify

MODULAR = frozenset({"add", "sub", "mul", "neg", "and", "or", "xor", "not", "shift_left"})
"""Rows whose low bits depend on the low bits of their operands alone (a shift: on those of the first one)."""
MAX_POSITION = 1 << 48
"""A bound of the positions of samples."""
MAX_REGISTER_TABLE = 256
"""Maximum entries of a table that is kept in registers."""
Known = dict[Expr, Facts]


@record(eq=False)
class Lookup:
    """A read of a table at an index in bounds; `leaf` stands for the entry."""

    leaf: Expr
    table: tuple[int, ...]
    index: Expr


@record
class Plan:
    """The values that the lanes of a stream compute, all of one type, and what is known of the leaves."""

    type: T.Type
    values: tuple[Expr, ...]
    sums: tuple[Expr, ...]
    states: tuple[Expr, ...]
    """The next values of the states."""
    firsts: tuple[int, ...]
    lookups: tuple[Lookup, ...]
    known: Known
    ranges: tuple[Facts, ...]
    """The ranges of the sums."""


def container(bits: int) -> int:
    """The width of the narrowest lanes that hold a number of bits."""
    return next(w for w in (8, 16, 32, 64) if w >= bits)


def leaf(node: Expr, type_: T.Type) -> Expr:
    """A leaf in the type of the lanes."""
    made = make("index", (), type_, node.attr)
    made.free = node.free
    return made


def plan(stream: Stream) -> Plan:
    """The values of a stream in the narrowest lanes that give their low bits."""
    known: Known = {sample(k): s.facts for k, s in enumerate(stream.inputs)}
    known[position()] = Facts(0, MAX_POSITION)
    values, thens, firsts = _closed(stream)
    lookups: list[Lookup] = []
    roots = _without_loads([*values, *thens], lookups, known)
    roots = _through_tables(roots, lookups, known)
    roots = _halved(simplify(roots, numerics="exact", ranges=known), known)
    indices = [k.index for k in lookups]
    count, after = len(stream.values), len(stream.values) + len(stream.sums)
    exact = [*roots[count:after], *indices]
    least = max(s.size for s in (*stream.inputs, *stream.outputs))
    type_ = _type([*roots, *indices], exact, known, least, wide=bool(thens))
    facts = FactsOf(known)
    ranges = tuple(facts(r) for r in roots[count:after])
    narrow = _in_type([*roots, *indices], type_)
    inside = {leaf(n, type_): f for n, f in known.items() if n.op == "index" and _fits(f, type_)}
    proved: Known = {}
    done = expand(simplify(narrow, numerics="exact", ranges=inside), ranges=inside, proved=proved)
    found = tuple(
        Lookup(leaf(k.leaf, type_), k.table, at) for k, at in zip(lookups, done[len(roots) :], strict=True)
    )
    return Plan(
        type_,
        tuple(done[:count]),
        tuple(done[count:after]),
        tuple(done[after : len(roots)]),
        tuple(firsts),
        found,
        {**proved, **inside},
        ranges,
    )


def _fits(facts: Facts, type_: T.Type) -> bool:
    return type_.low <= facts.lo and facts.hi <= type_.high


def _closed(stream: Stream) -> tuple[list[Expr], list[Expr], list[int]]:
    """The values and sums, and the states that are left when those that advance by a constant are products."""
    by: dict[Expr, Expr] = {}
    left: list[int] = []
    for k, s in enumerate(stream.states):
        step = _advance(s.then, state(k))
        if step is None:
            by[state(k)] = state(len(left))
            left.append(k)
        else:
            moved = apply("mul", position(), const(step, T.i64))
            by[state(k)] = apply("add", moved, const(s.first, T.i64))
    roots = [*stream.values, *stream.sums, *(stream.states[k].then for k in left)]
    roots = substitute(roots, by)
    count = len(stream.values) + len(stream.sums)
    return roots[:count], roots[count:], [stream.states[k].first for k in left]


def _advance(then: Expr, leaf_: Expr) -> int | None:
    """The constant by which a state advances; None if it advances by none."""
    if then is leaf_:
        return 0
    if then.op in ("add", "sub") and then.args[0] is leaf_ and then.args[1].op == "const":
        return int(then.args[1].attr) * (1 if then.op == "add" else -1)
    return None


def _without_loads(roots: list[Expr], lookups: list[Lookup], known: Known) -> list[Expr]:
    """The roots with a leaf for each table that is read; the index of each is made to be inside."""
    facts = FactsOf(known)
    done: dict[Expr, Expr] = {}
    for n in topological(roots):
        args = tuple(done[a] for a in n.args)
        if n.op == "load":
            done[n] = _lookup(lookups, known, _table(n.attr), _inside(args[0], n.attr.size, facts))
        elif n.op == "convert" and args[0].type is n.type:
            done[n] = args[0]
        elif n.op == "convert" and n.args[0].type is T.boolean and n.type is T.i64:
            done[n] = apply("choose", args[0], const(1, T.i64), const(0, T.i64))
        elif n.op in ("iterate", "get", "param", "convert", "bitcast") or n.type not in (T.i64, T.boolean):
            raise BackendError("does not run in the lanes of a stream", place=n.op)
        else:
            done[n] = rebuild(n, args)
    return [done[r] for r in roots]


def _table(buffer: Buffer) -> tuple[int, ...]:
    if buffer.data is None or not buffer.type.is_integer or buffer.type.bits > 32:
        raise BackendError(
            "is no table of a stream: integers of up to 32 bits that are known now", place=buffer.name
        )
    return tuple(int(x) for x in buffer.data)


def _inside(at: Expr, size: int, facts: FactsOf) -> Expr:
    if facts(at).within(0, size - 1):
        return at
    return apply("min", apply("max", at, const(0, T.i64)), const(size - 1, T.i64))


def _lookup(lookups: list[Lookup], known: Known, table: tuple[int, ...], at: Expr) -> Expr:
    """A leaf for what a table has at an index: the same one for the same."""
    for found in lookups:
        if found.index is at and found.table == table:
            return found.leaf
    made = index(f"lookup{len(lookups)}", T.i64)
    known[made] = Facts(min(table), max(table))
    lookups.append(Lookup(made, table, at))
    return made


def _through_tables(roots: list[Expr], lookups: list[Lookup], known: Known) -> list[Expr]:
    """f(table[x]) as (f of the table)[x], for what depends on nothing but one table and makes it no wider."""
    origins = list(lookups)
    by_bit = {k.leaf.free: k for k in origins}
    done: dict[Expr, Expr] = {}

    def visit(n: Expr) -> Expr:
        found = done.get(n)
        if found is None:
            found = through(n)
            if found is None:
                found = rebuild(n, tuple(visit(a) for a in n.args))
            done[n] = found
        return found

    def through(n: Expr) -> Expr | None:
        origin = by_bit.get(n.free)
        if n.op == "const" or origin is None or n.type is not T.i64:
            return None
        table = origin.table
        if n is not origin.leaf:
            made = evaluate([n], {origin.leaf: np.array(table, np.int64)})[0]
            table = tuple(int(x) for x in made)
            if len(table) <= MAX_REGISTER_TABLE and _width(table) > _width(origin.table):
                return None
        return _lookup(lookups, known, table, visit(origin.index))

    return _used([visit(r) for r in roots], lookups)


def _width(table: tuple[int, ...]) -> int:
    return container(bits(Facts(min(table), max(table))))


def _used(roots: list[Expr], lookups: list[Lookup]) -> list[Expr]:
    """The roots; tables that are not read any more are dropped."""
    seen: set[Expr] = set()
    todo = list(roots)
    by_leaf = {k.leaf: k for k in lookups}
    while todo:
        for n in topological([todo.pop()]):
            if n in by_leaf and n not in seen:
                todo.append(by_leaf[n].index)
            seen.add(n)
    lookups[:] = [k for k in lookups if k.leaf in seen]
    return roots


def _halved(roots: list[Expr], known: Known) -> list[Expr]:
    """(a + b) >> 1 as (a & b) + ((a ^ b) >> 1), which is as wide as a and b, where the sum is wider."""
    facts = FactsOf(known)
    done: dict[Expr, Expr] = {}
    for n in topological(roots):
        args = tuple(done[a] for a in n.args)
        made = rebuild(n, args) if args else n
        halves = made.op in ("shift_right", "shift_right_in") and made.args[1].attr == 1
        if halves and made.args[0].op == "add":
            a, b = made.args[0].args
            width = max(bits(facts(a)), bits(facts(b)))
            if container(width) < container(bits(facts(made.args[0]))):
                differ = apply("xor", a, b)
                known[differ] = _of_bits(width, signed=min(facts(a).lo, facts(b).lo) < 0)
                made = apply("add", apply("and", a, b), apply("shift_right", differ, const(1, T.i64)))
                known[made] = facts(n)
        done[n] = made
    return [done[r] for r in roots]


def bits(facts: Facts) -> int:
    """The number of bits of the values of a range, with a sign if some are negative.

    >>> bits(Facts(0, 255)), bits(Facts(-1, 255))
    (8, 9)
    """
    low, high = int(facts.lo), int(facts.hi)
    if low >= 0:
        return max(1, high.bit_length())
    return 1 + max(high.bit_length() if high > 0 else 0, (-low - 1).bit_length())


def _of_bits(width: int, *, signed: bool) -> Facts:
    return Facts(-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else Facts(0, (1 << width) - 1)


def _type(roots: list[Expr], sums: list[Expr], known: Known, least: int, *, wide: bool) -> T.Type:
    """The narrowest type of lanes that gives the low bits of all roots.

    Sums and products may overflow, since only low bits are stored; what is shifted right or compared must fit.
    """
    if wide:
        return T.i64
    facts = FactsOf(known)
    nodes = topological(roots)
    exact = {a for n in nodes if n.op not in MODULAR for a in n.args} | set(sums)
    # By how much is shifted matters in all bits.
    exact |= {n.args[1] for n in nodes if n.op == "shift_left"}
    low = min((int(facts(n).lo) for n in exact), default=0)
    high = max((int(facts(n).hi) for n in exact), default=0)
    types = [t for t in (T.UNSIGNED if low >= 0 else T.SIGNED) if t.bits >= container(least)]
    return next((t for t in types if t.low <= min(low, 0) and high <= t.high), T.i64)


def _in_type(roots: list[Expr], type_: T.Type) -> list[Expr]:
    """The roots written in the type of the lanes."""
    done: dict[Expr, Expr] = {}
    for n in topological(roots):
        args = tuple(done[a] for a in n.args)
        if n.type is not T.i64:
            done[n] = make(n.op, args, n.type, n.attr)
        elif n.op == "const":
            done[n] = const(n.attr, type_)
        elif n.op == "index":
            done[n] = leaf(n, type_)
        elif type_.kind == "unsigned" and n.op in ("neg", "abs"):
            # Rows of signed types only; what is exact and has no sign is its own magnitude.
            done[n] = make("sub", (const(0, type_), args[0]), type_) if n.op == "neg" else args[0]
        else:
            done[n] = make(n.op, args, type_, n.attr)
    return [done[r] for r in roots]
