"""The column `monotone` of every row, on ordered operands, where its facts rule out NaN and wrapping."""

from __future__ import annotations

import numpy as np
import pytest

from pellucid.ir.facts import exactly, top
from pellucid.ir.prim import Prim

from .conftest import TYPED, compute, named, random_pairs

CLAIMS = [(p, t, a) for p, t, a in TYPED if p.monotone]


@pytest.mark.parametrize(("prim", "types", "attr"), CLAIMS, ids=named)
def test_the_result_follows_the_operand(prim: Prim, types, attr):
    """Two values of one operand, the others the same: the results stand in the order that the column says."""
    assert len(prim.monotone) == prim.arity
    result = prim.result_type(types, attr)
    draw = np.random.default_rng(len(prim.name))
    compared = 0
    for _, columns in random_pairs(prim, types, 8):
        for k, sign in enumerate(prim.monotone):
            if sign == ".":
                continue
            other = list(columns)
            other[k] = draw.permutation(columns[k])
            found = [compute(prim, types, attr, c).tolist() for c in (columns, other)]
            for a, b, x, y in zip(zip(*columns, strict=True), zip(*other, strict=True), *found, strict=True):
                pairs = zip(types, a, b, strict=True)
                facts = [exactly(t, u.item()).union(exactly(t, v.item())) for t, u, v in pairs]
                claim = prim.transfer(result, types, *facts)
                wide = result.is_integer and claim[:2] == top(result)[:2] and all(t.is_integer for t in types)
                if claim.nan or wide or any(f.nan for f in facts) or not prim.proved(result, types, facts):
                    continue
                factor = 1 if sign == "+" else -1 if sign == "-" else int(np.sign(a[1 - k].item()))
                low, high = (x, y) if a[k] <= b[k] else (y, x)
                compared += 1
                assert low <= high if factor > 0 else low >= high if factor < 0 else low == high, (a, b, x, y)
    assert compared
