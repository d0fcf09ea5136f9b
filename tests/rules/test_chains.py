"""Chains of one operator: any three operands, complements and duals among them, keep their values together."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from pellucid.ir import expr as E
from pellucid.ir import interp
from pellucid.ir import types as T
from pellucid.rewriting.chains import DUALS
from pellucid.rewriting.simplify import simplify

CASES = [
    (op, type_)
    for op in DUALS
    for type_ in (T.u8, T.i8, T.boolean)
    if type_ is not T.boolean or op not in ("min", "max")
]
"""Truth values have no order."""


def _pairs(type_: T.Type) -> np.ndarray:
    """Values of two variables: all pairs of numbers that are near an end, zero, or a power of two."""
    if type_ is T.boolean:
        some = np.array([False, True])
    else:
        ends = [type_.low, type_.low + 1, 0, 1, 2, 63, 64, 100, type_.high - 1, type_.high]
        some = np.array(sorted(set(ends)), type_.dtype)
    return np.stack([v.reshape(-1) for v in np.meshgrid(some, some)])


@pytest.mark.parametrize(("op", "type_"), CASES, ids=str)
def test_chains_keep_their_values(op: str, type_: T.Type) -> None:
    x, y = E.param("x", type_), E.param("y", type_)
    operands = [x, y, E.apply("not", x), E.apply("not", y), E.const(1, type_), E.const(0, type_)]
    operands += [E.apply(DUALS[op], x, y), E.apply(DUALS[op], y, E.apply("not", x))] if DUALS[op] else []
    chains = [
        chain
        for a, b, c in itertools.product(operands, repeat=3)
        for chain in (E.apply(op, E.apply(op, a, b), c), E.apply(op, a, E.apply(op, b, c)))
    ]
    first, second = _pairs(type_)
    values = {x: first, y: second}
    simple = [simplify([chain], numerics="exact")[0] for chain in chains]
    wanted, found = interp.evaluate(chains, values), interp.evaluate(simple, values)
    for chain, after, a, b in zip(chains, simple, wanted, found, strict=True):
        assert (np.broadcast_to(a, first.shape) == np.broadcast_to(b, first.shape)).all(), (
            f"{chain!r} became {after!r}"
        )
