"""Values and facts on which every row of the table is tried; no row is named in this folder, except new ones."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from pellucid.backends.conformance import signatures, spicy
from pellucid.backends.tiles.tape import rows as rows_of_tapes
from pellucid.ir import expr as E
from pellucid.ir import prim as table
from pellucid.ir import types as T
from pellucid.ir.facts import Facts, top
from pellucid.ir.interp import evaluate
from pellucid.ir.prim import Prim

ROWS = list(table.table().values())
assert set(rows_of_tapes.ROWS) <= set(ROWS)
TYPED = [(p, types, attr) for p in ROWS for types, attr in signatures(p)]


def named(value: object) -> str:
    if isinstance(value, Prim):
        return value.name
    if isinstance(value, tuple):
        return "-".join(map(str, value))
    return str(value) if isinstance(value, T.Type) else ""


def combinations(types: tuple[T.Type, ...], most: int, seed: int = 5) -> list[np.ndarray]:
    """Columns of operands: every combination of spicy values, or a sample."""
    columns = [c.ravel() for c in np.meshgrid(*(spicy(t) for t in types), indexing="ij")]
    if len(columns[0]) <= most:
        return columns
    picked = np.random.default_rng(seed).choice(len(columns[0]), most, replace=False)
    return [c[picked] for c in columns]


def compute(
    prim: Prim, types: tuple[T.Type, ...], attr: T.Type | None, columns: list[np.ndarray]
) -> np.ndarray:
    """The meaning of a row on columns of operands."""
    params = [E.param(f"p{k}", t) for k, t in enumerate(types)]
    (found,) = evaluate([E.apply(prim.name, *params, attr=attr)], dict(zip(params, columns, strict=True)))
    return np.broadcast_to(found, columns[0].shape)


def random_facts(type_: T.Type, draw: np.random.Generator) -> Facts:
    """Facts of some kind: a point, a narrow or a wide interval, with or without NaN, minus zero or a residue."""
    if type_ is T.boolean:
        return [Facts(0, 0, modulus=0, residue=0), Facts(1, 1, modulus=0, residue=1), Facts(0, 1)][
            draw.integers(3)
        ]
    values = spicy(type_)
    if type_.is_float:
        values = values[~np.isnan(values)]
        a, b = (float(v) for v in draw.choice(values, 2))
        if draw.integers(3) == 0:
            with np.errstate(over="ignore"):
                a, b = (float(type_.dtype.type(v)) for v in draw.normal(0, 10.0 ** draw.integers(-3, 5), 2))
        lo, hi = sorted((a, b)) if draw.integers(6) else (a, a)
        zero = lo <= 0 <= hi
        signed = zero and bool(draw.integers(2))
        # A zero bound has no sign of its own: whether it may be -0.0 is told apart.
        return Facts(lo + 0.0, hi + 0.0, bool(draw.integers(2)), signed)
    a, b = (int(v) for v in draw.choice(values, 2))
    if draw.integers(2):
        b = min(max(a + int(draw.integers(-40, 40)), int(type_.low)), int(type_.high))
    lo, hi = min(a, b), max(a, b)
    kind = draw.integers(4)
    if kind == 0:
        return Facts(lo, lo, modulus=0, residue=lo)
    if kind == 1:
        modulus = int(draw.choice([2, 3, 4, 8, 10, 64]))
        residue = int(draw.integers(modulus))
        return Facts(lo, hi, modulus=modulus, residue=residue)
    return Facts(lo, hi)


def values_within(type_: T.Type, facts: Facts, draw: np.random.Generator, count: int = 12) -> np.ndarray:
    """Values that the facts allow, their ends among them; possibly none."""
    values = [v.item() for v in spicy(type_)]
    if type_ is not T.boolean:
        ends = [facts.lo, facts.hi]
        if math.isfinite(facts.lo) and math.isfinite(facts.hi):
            for share in draw.random(count):
                inner = (
                    facts.lo + (facts.hi - facts.lo) * share
                    if type_.is_float
                    else facts.lo + int((facts.hi - facts.lo) * share)
                )
                ends.append(float(type_.dtype.type(inner)) if type_.is_float else inner)
        values += ends
        if type_.is_integer and facts.modulus > 1:
            base = facts.lo + (facts.residue - facts.lo) % facts.modulus
            values += [base + k * facts.modulus for k in range(6)]
    allowed = [v for v in values if facts.contains(v)]
    chosen = [allowed[k] for k in draw.integers(len(allowed), size=count)] if allowed else []
    return np.array([*chosen, *allowed[-3:]], dtype=type_.dtype)


def random_pairs(
    prim: Prim, types: tuple[T.Type, ...], rounds: int
) -> Iterator[tuple[list[Facts], list[np.ndarray]]]:
    """Facts of the operands, with columns of operands that they allow."""
    draw = np.random.default_rng(len(prim.name) * 1000 + rounds)
    for k in range(rounds):
        facts = [top(t) if k == 0 else random_facts(t, draw) for t in types]
        choices = [values_within(t, f, draw) for t, f in zip(types, facts, strict=True)]
        if all(len(c) for c in choices):
            count = 60
            yield facts, [c[draw.integers(len(c), size=count)] for c in choices]


def broken_claim(prim: Prim, types: tuple[T.Type, ...], attr: T.Type | None, rounds: int) -> str | None:
    """The first result that the row's own facts do not allow, or None."""
    result = prim.result_type(types, attr)
    for facts, columns in random_pairs(prim, types, rounds):
        claim = prim.transfer(result, types, *facts)
        for *operands, value in zip(*columns, compute(prim, types, attr, columns).tolist(), strict=True):
            if not claim.contains(value):
                return f"{prim.name} {types}: {operands} gives {value}, from {facts} only {claim} is allowed"
    return None
