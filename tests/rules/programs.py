"""Random expressions over the whole operator table, as directed acyclic graphs with much sharing."""

from __future__ import annotations

import random

from tests.rules.instances import Draw

from pellucid.base.errors import IrError
from pellucid.ir import expr as E
from pellucid.ir import prim as table
from pellucid.ir import types as T
from pellucid.ir.expr import Expr

TYPES = (T.f32, T.f32, T.i32, T.u8, T.boolean, T.i8, T.f64)
CONTINUOUS = ("add", "sub", "mul", "neg", "abs", "min", "max", "fma", "lerp", "sin", "cos")
"""Rows whose value changes little where their operands do, however they are nested."""


def program(rng: random.Random, size: int, *, continuous: bool = False) -> tuple[list[Expr], Draw]:
    """Some roots of a random graph of about that many operators, and the ranges of its parameters."""
    draw = Draw(rng, tame=continuous)
    types = (T.f32,) if continuous else TYPES
    pool = [draw.leaf(f"p{k}", rng.choice(types)) for k in range(4)]
    rows = [
        r for r in table.table().values() if r.domain is None and (not continuous or r.name in CONTINUOUS)
    ]
    while len(pool) < 4 + size:
        row = rng.choice(rows)
        node = _node(draw, row, pool)
        if node is not None:
            pool.append(node)
    used = {a for n in pool for a in n.args}
    roots = [n for n in pool if n not in used and n.args]
    return roots[-3:], draw


def _node(draw: Draw, row: table.Prim, pool: list[Expr]) -> Expr | None:
    rng = draw.rng
    letters: dict[str, T.Type] = {"B": T.boolean}
    args: list[Expr] = []
    for letter in row.letters:
        wanted = (letters[letter],) if letter in letters else table.CLASSES[letter]
        # The latest nodes are the likeliest operands, so that graphs grow deep.
        fitting = [n for n in pool if n.type in wanted]
        if not fitting or rng.random() < 0.15:
            type_ = letters.get(letter) or rng.choice([t for t in wanted if t in TYPES] or wanted)
            operand = draw.constant(type_)
        else:
            operand = fitting[max(rng.randrange(len(fitting)), rng.randrange(len(fitting)))]
        letters.setdefault(letter, operand.type)
        args.append(operand)
    if row.name == "bitcast" and args[0].type.is_float:
        # It would tell one NaN from another.
        return None
    target = None
    if row.result == "@":
        target = rng.choice(
            [t for t in T.ALL if t.bits == args[0].type.bits] if row.name == "bitcast" else TYPES
        )
    try:
        return E.apply(row.name, *args, attr=target)
    except IrError:
        return None
