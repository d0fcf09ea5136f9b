"""Sincos fusion: two rows of one operand that share most of their bodies, a sine and a cosine, which are made at once.

An instruction has one result, so the first of a pair leaves the other's beside it, in the place of an input that
nobody has, and the second, which comes right behind it, takes it from there. Each remains an instruction with a box
of its own: where boxes know the first, the second makes its result alone.
"""

from __future__ import annotations

from functools import cache

from ....ir import prim as table
from ....ir import types as T
from ....ir.expr import Expr, topological
from ..abi import BESIDE, INPUTS
from .key import Key, leaf

MIN_FUSED_COST = 12
"""Cycles of a row from which on it is worth looking for its like."""


def pair(keys: list[Key], codes: list[int], operands: list[int]) -> list[int] | None:
    """Bring pairs of a tape side by side: its keys, their numbers, and three operands of each instruction in a row.

    Tells which instruction stands where now, or None if there is no pair.
    """
    rows = table.table()
    expensive = {
        k
        for k, key in enumerate(keys)
        if len(key.types) == 1 and key.op in rows and _is_expensive(rows[key.op])
    }
    if len(expensive) < 2:
        return None
    behind: dict[int, int] = {}
    waiting: dict[int, list[int]] = {}
    for i, code in enumerate(codes):
        if code not in expensive:
            continue
        others = waiting.setdefault(operands[3 * i], [])
        partner = next((k for k in others if _alike(keys[codes[k]], keys[code])), None)
        if partner is None:
            others.append(i)
        else:
            others.remove(partner)
            behind[partner] = i
    if not behind:
        return None
    numbers: dict[Key, int] = {}
    for first, second in behind.items():
        operands[3 * first + 1] = operands[3 * second + 2] = BESIDE
        operands[3 * second + 1] = INPUTS + first
        one, two = keys[codes[first]], keys[codes[second]]
        (type_,) = one.types
        for place, key in (
            (first, Key(one.op, (type_, type_), one.result, beside=two.op)),
            (second, Key(two.op, (type_, one.result, type_), two.result, beside=one.op)),
        ):
            if key not in numbers:
                numbers[key] = len(keys)
                keys.append(key)
            codes[place] = numbers[key]
    return _ordered(behind, keys, codes, operands)


def _ordered(behind: dict[int, int], keys: list[Key], codes: list[int], operands: list[int]) -> list[int]:
    """Put each second one right behind its first; keys of which nothing is left need no kernels."""
    seconds = set(behind.values())
    order: list[int] = []
    for i in range(len(codes)):
        if i not in seconds:
            order.append(i)
            if i in behind:
                order.append(behind[i])
    places = list(range(INPUTS + len(order)))
    for place, i in enumerate(order):
        places[INPUTS + i] = INPUTS + place
    moved = [operands[3 * i + k] for i in order for k in range(3)]
    operands[:] = [x if x < 0 else places[x] for x in moved]
    used = sorted(set(codes))
    numbers = {code: k for k, code in enumerate(used)}
    codes[:] = [numbers[codes[i]] for i in order]
    keys[:] = [keys[k] for k in used]
    return order


def _is_expensive(row: table.Prim) -> bool:
    return row.body is not None and row.cost >= MIN_FUSED_COST


def _alike(first: Key, second: Key) -> bool:
    return first.types == second.types and _share(first.op, second.op, first.types[0], table.edition())


@cache
def _share(first: str, second: str, type_: T.Type, _: int) -> bool:
    """Whether two rows have more than half of their bodies in common."""
    if first == second:
        return False
    one, two = _nodes(first, type_), _nodes(second, type_)
    return 2 * len(one & two) > max(len(one), len(two))


def _nodes(op: str, type_: T.Type) -> set[Expr]:
    body = table.row(op).body
    return set() if body is None else set(topological([body(leaf("0", type_))]))
