"""Sincos fusion: computes two rows of one operand at once that share most of their bodies, such as a sine and a cosine.

An instruction has one result. So the first of a pair leaves the second's result in the place of a spare input, and the
second, which follows it, takes it from there. Each remains an instruction with its own interval: if the first is a
point, the second computes its result alone.
"""

from __future__ import annotations

from functools import cache

from ....ir import prim as table
from ....ir import types as T
from ....ir.expr import Expr, topological
from ....reasoning.machine import PROCESSOR
from ..abi import BESIDE, INPUTS
from .key import Key, leaf

MIN_FUSED_COST = PROCESSOR.prices["partner"].cost


def pair(keys: list[Key], codes: list[int], operands: list[int]) -> list[int] | None:
    """Bring the instructions of each pair together, in the keys, their numbers, and the operands of a tape.

    Gives the former number of each instruction, or None if there is no pair.
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
    """Put each second one after its first, and drop keys that are no longer used."""
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
    return first.types == second.types and _share(first.op, second.op, first.types[0], table.version())


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
