"""Pairs: two rows of one operand that share most of their bodies, a sine and a cosine, which are made at once.

In `tilevm` between `kernels` and `running`. An instruction has one result, so the first of a pair leaves the other's
beside it, in the place of an input that nobody has, and the second, which comes right behind it, takes it from there.
Each remains an instruction with a box of its own: where boxes know the first, the second makes its result alone.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from ...ir import prim as table
from ...ir import types as T
from ...ir.expr import Expr, topological
from .kernels import Key
from .lines import leaf
from .tape import Tape
from .words import BESIDE, INPUTS

DEAR = 12
"""Cycles of a row from which on it is worth looking for its like."""


def paired(tape: Tape) -> Tape:
    """The tape with pairs side by side; samples have no place beside, and no pairs."""
    dear = {k for k, key in enumerate(tape.keys) if _is_dear(key)}
    if len(dear) < 2 or any(key.op == "keep" for key in tape.keys):
        return tape
    found: list[tuple[int, int]] = []
    waiting: dict[int, list[int]] = {}
    codes: list[int] = tape.codes.tolist()
    for i, code in enumerate(codes):
        if code not in dear:
            continue
        others = waiting.setdefault(int(tape.operands[i, 0]), [])
        like = next((k for k in others if _alike(tape.keys[codes[k]], tape.keys[code])), None)
        if like is None:
            others.append(i)
        else:
            others.remove(like)
            found.append((like, i))
    return _side_by_side(tape, found) if found else tape


def _is_dear(key: Key) -> bool:
    row = table.table().get(key.op)
    return row is not None and row.body is not None and row.cost >= DEAR and len(key.types) == 1


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


def _side_by_side(tape: Tape, pairs: list[tuple[int, int]]) -> Tape:
    """Each second one right behind its first, with the keys of pairs."""
    keys, operands = list(tape.keys), tape.operands.copy()
    codes: list[int] = tape.codes.tolist()
    numbers: dict[Key, int] = {}
    turns = np.arange(len(codes), dtype=np.float64)
    for first, second in pairs:
        one, two = keys[codes[first]], keys[codes[second]]
        (type_,) = one.types
        turns[second] = first + 0.5
        operands[first, 1] = operands[second, 2] = BESIDE
        operands[second, 1] = INPUTS + first
        made = (
            (first, one._replace(types=(type_, type_), beside=two.op)),
            (second, two._replace(types=(type_, one.result, type_), beside=one.op)),
        )
        for place, key in made:
            if key not in numbers:
                numbers[key] = len(keys)
                keys.append(key)
            codes[place] = numbers[key]
    order = np.argsort(turns, kind="stable")
    places = np.arange(INPUTS + len(codes), dtype=np.int32)
    places[INPUTS + order] = np.arange(INPUTS, INPUTS + len(codes))
    moved = operands[order]
    moved = np.where(moved < 0, moved, places[np.maximum(moved, 0)]).astype(np.int32)
    # Keys of which nothing is left need no kernels.
    used = sorted(set(codes))
    new = {code: k for k, code in enumerate(used)}
    kept, numbered = [keys[k] for k in used], np.array([new[codes[k]] for k in order.tolist()], np.int64)
    return Tape(tape.field, kept, numbered, tape.flags[order], moved, tape.pool, tape.width, tape.inner)
