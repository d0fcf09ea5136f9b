"""The column `zero_sign` of every row, on operands that are zeros of either sign."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from pellucid.backends.conformance import domain_bounds, same_bits, signatures
from pellucid.base.errors import IrError
from pellucid.ir.prim import Prim

from .conftest import ROWS, combinations, compute, named


@pytest.mark.parametrize("prim", ROWS, ids=named)
def test_the_sign_of_a_zero_changes_what_the_row_says(prim: Prim):
    """Where zeros among the operands turn their signs, results differ in nothing, in the sign of a zero, or in more."""
    worst = "kill"
    for types, attr in signatures(prim):
        floats = [k for k, t in enumerate(types) if t.is_float]
        bounds = domain_bounds(prim, types, attr)
        assert bounds is not None
        for turned in [c for c in product((False, True), repeat=len(floats)) if any(c)]:
            columns = combinations(types, 1000)
            other = list(columns)
            for k, turn in zip(floats, turned, strict=True):
                if turn:
                    columns[k] = np.where(
                        np.arange(len(columns[k])) % 3 > 0, columns[k].dtype.type(0), columns[k]
                    )
                    other[k] = np.where(columns[k] == 0, -columns[k], columns[k])
            inside = np.all(
                [
                    (b.lo <= c) & (c <= b.hi) | np.isnan(c) & b.nan
                    for b, c in zip(bounds, columns, strict=True)
                ],
                axis=0,
            )
            first, second = (
                compute(prim, types, attr, [c[inside] for c in side]) for side in (columns, other)
            )
            if same_bits(first, second):
                continue
            same = (first == second) | np.isnan(first) & np.isnan(second)
            worst = "observe" if worst == "observe" or not same.all() else "pass"
    assert prim.zero_sign == worst


def test_a_row_says_one_of_three_things_of_zeros():
    with pytest.raises(IrError, match="write kill, pass or observe"):
        replace(ROWS[0], zero_sign="perhaps")
