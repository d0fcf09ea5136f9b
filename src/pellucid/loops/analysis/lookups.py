"""Lookups: which dear values change with one small whole number alone, so that a table of them all is soon made.

Part of the move `look_up`, which makes the tables: the curve that brings intensities to bytes, for a sample of 12 bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ...ir import expr as E
from ...ir import nest as N
from ...ir import types as T
from ...ir.expr import Expr, apply, substitute, topological
from ...ir.facts import Facts
from ...ir.nest import Block, For, Kernel, Store, blocks
from ...reasoning.infer import FactsOf
from ...reasoning.work import costs
from .columns import TABLE_THRESHOLD

MAX_ELEMENTS = 1 << 18
"""Maximum elements of a table: the number of sums of four samples of 16 bits of a mosaic."""
MIN_TURNS = 4
"""Minimum lookups of an element, on average."""
WHOLE, BITS = (
    frozenset(("convert", "to_integer", "truncate_in")),
    frozenset(("convert", "and", "shift_left_in", "shift_right_in")),
)
"""Operators that make a whole number of a float, and those that take some bits of it."""
NUMBER = E.index("number")
"""The index of all tables while they are compared: it stands for any number."""


@dataclass(slots=True, eq=False)
class LookupTable:
    """A table: its value by its index, how many elements it has, how often it is read, and where, at which number."""

    value: Expr
    size: int = 0
    uses: float = 0
    places: dict[Expr, Expr] = field(default_factory=dict[Expr, Expr])


def small(node: Expr, facts: FactsOf) -> bool:
    """Whether a node is a float that was a whole number from 0 on to less than `MAX_ELEMENTS`."""
    if node.op != "convert" or not node.type.is_float or not node.args[0].type.is_integer:
        return False
    f = facts(node.args[0])
    return f.lo >= 0 and f.hi < MAX_ELEMENTS


def dear_of(roots: list[Expr], facts: FactsOf, dear: float) -> dict[Expr, Expr]:
    """The largest dear nodes below some roots that change with one small whole number alone, and that number."""
    nodes = topological(roots)
    if not any(n.op == "convert" and n.free and small(n, facts) for n in nodes):
        return {}
    by: dict[Expr, Expr | None] = {}
    for n in nodes:
        if not n.free:
            continue
        if small(n, facts):
            by[n] = n.args[0]
            continue
        numbers = {by.get(a) for a in n.args if a.free} if n.op not in E.STRUCTURAL else {None}
        by[n] = numbers.pop() if len(numbers) == 1 else None
    used = {a for n in by if by[n] is None for a in n.args} | {r for r in roots if r.free}
    found: dict[Expr, Expr] = {}
    for n in nodes:
        number = by.get(n)
        if number is not None and n in used and costs(n, dear, (number,)):
            found[n] = number
    return found


_last: list[tuple[Kernel, Mapping[Expr, Facts], float, list[LookupTable]]] = []
"""The last question and its answer: a move is found, checked and made on one kernel."""


def lookups(kernel: Kernel, ranges: Mapping[Expr, Facts], dear: float = TABLE_THRESHOLD) -> list[LookupTable]:
    """The tables that pay in a kernel."""
    for known, facts, cost, found in _last:
        if known is kernel and facts is ranges and cost == dear:
            return found
    tables: dict[Expr, LookupTable] = {}
    groups: dict[tuple[For, ...], tuple[float, list[Expr]]] = {}
    for store, loops, turns in _stores(kernel.body, (), 1):
        groups.setdefault(loops, (turns, []))[1].append(store.value)
    for loops, (turns, values) in groups.items():
        inside = _facts(loops, ranges)
        for e, number, value in _wanted(dear_of(values, inside, dear), inside):
            table = tables.setdefault(value, LookupTable(value))
            table.size = max(table.size, int(inside(number).hi) + 1)
            table.uses += turns
            table.places[e] = number
    paying = [t for t in tables.values() if t.uses >= MIN_TURNS * t.size]
    _last[:] = [(kernel, ranges, dear, _long_enough(paying, kernel, ranges))]
    return _last[0][3]


def _long_enough(
    tables: list[LookupTable], kernel: Kernel, ranges: Mapping[Expr, Facts]
) -> list[LookupTable]:
    """The tables as long as every use of their values asks for: in conditions, bounds and positions as well.

    Another loop may have an index of the same name and further numbers; where there is no end to them, the table goes.
    """
    left = {e: (table, number) for table in tables for e, number in table.places.items()}
    gone: set[LookupTable] = set()
    stack: list[tuple[Block, tuple[For, ...]]] = [(kernel.body, ())] if tables else []
    while stack:
        block, loops = stack.pop()
        facts = _facts(loops, ranges)
        for node in topological([r for s in block for r in N.roots(s)]):
            if node in left:
                table, number = left[node]
                known = facts(number)
                table.size = max(table.size, int(min(known.hi, MAX_ELEMENTS)) + 1)
                if known.lo < 0 or known.hi >= MAX_ELEMENTS or table.uses < MIN_TURNS * table.size:
                    gone.add(table)
        for s in block:
            inner = (*loops, s) if isinstance(s, For) else loops
            stack += [(b, inner) for b in blocks(s)]
    return [t for t in tables if t not in gone]


def _wanted(found: dict[Expr, Expr], facts: FactsOf) -> list[tuple[Expr, Expr, Expr]]:
    """Dear nodes, with their numbers and their values by `NUMBER`.

    Where several are bits of one small whole number, it is that number: one table then serves them all. So it is where
    one is, if the number is narrower: the table is then smaller. And where several are multiples of one value by
    constants, it is that value.
    """
    made: list[tuple[Expr, Expr, Expr, Expr, Expr, T.Type | None]] = []
    kinds: dict[Expr, set[Expr]] = {}
    # What is the same of numbers of which the same is known has the same facts.
    types: dict[tuple[Expr, Facts], T.Type | None] = {}
    for e, number in found.items():
        whole = _whole(e)
        kind, of = substitute([e, e if whole is None else whole], {number: _number(number.type)})
        type_ = None
        if whole is not None:
            key = (of, facts(number))
            if key not in types:
                types[key] = _small_type(facts(whole))
            type_ = types[key]
        if whole is None or type_ is None:
            whole, of = e, kind
        made.append((e, number, kind, whole, of, type_))
        kinds.setdefault(of, set()).add(kind)
    multiples: dict[Expr, set[Expr]] = {}
    for _, _, kind, _, _, _ in made:
        value = _multiplied(kind)
        multiples.setdefault(kind if value is None else value, set()).add(kind)
    wanted: list[tuple[Expr, Expr, Expr]] = []
    for e, number, kind, whole, of, type_ in made:
        inner, value = _multiplied(e), _multiplied(kind)
        if inner is not None and value is not None and len(multiples[value]) > 1:
            wanted.append((inner, number, value))
        elif type_ is None or (len(kinds[of]) == 1 and e.type.bits <= type_.bits):
            wanted.append((e, number, kind))
        else:
            wanted.append((whole, number, apply("convert", of, attr=type_)))
    return wanted


def _whole(node: Expr) -> Expr | None:
    """The whole number, just made of a float, that a node is some bits of; None if there is none."""
    while node.type.is_integer:
        rest = [a for a in node.args if a.op != "const"]
        if len(rest) != 1:
            return None
        if rest[0].type.is_float:
            return node if node.op in WHOLE else None
        if node.op not in BITS:
            return None
        node = rest[0]
    return None


def _multiplied(node: Expr) -> Expr | None:
    """The float that a node is a multiple of by a constant; None if it is no such node."""
    if node.op != "mul" or not node.type.is_float:
        return None
    rest = [a for a in node.args if a.op != "const"]
    return rest[0] if len(rest) == 1 else None


def _small_type(facts: Facts) -> T.Type | None:
    """The smallest type that holds such numbers, if it is small."""
    return next((t for t in (T.u8, T.u16) if facts.within(0, t.high)), None)


def _number(type_: T.Type) -> Expr:
    return NUMBER if type_ is NUMBER.type else apply("convert", NUMBER, attr=type_)


def _facts(loops: tuple[For, ...], ranges: Mapping[Expr, Facts]) -> FactsOf:
    known = dict(FactsOf.handed_on(ranges).known)
    for s in loops:
        facts = FactsOf(known)
        lo, hi = facts(s.lo), facts(s.hi)
        known[s.index] = Facts(lo.lo, max(lo.lo, hi.hi - 1))
    return FactsOf(known)


def _stores(
    block: Block, loops: tuple[For, ...], turns: float
) -> Iterator[tuple[Store, tuple[For, ...], float]]:
    """Every store with the loops around it, and how often it is surely made."""
    for s in block:
        if isinstance(s, Store):
            yield s, loops, turns
        elif isinstance(s, For):
            fixed = s.lo.op == s.hi.op == "const"
            yield from _stores(s.body, (*loops, s), turns * max(0, s.hi.attr - s.lo.attr) if fixed else 0)
        else:
            for b in blocks(s):
                yield from _stores(b, loops, turns)
