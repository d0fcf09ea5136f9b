"""A walk over all single-precision floats in long steps; `tools.walk_floats.py` takes every one."""

from __future__ import annotations

import pytest
from tests.elementary import reference as R
from tests.elementary.test_accuracy import UNARY

from pellucid.ir.prim import row


@pytest.mark.slow
@pytest.mark.parametrize("name", UNARY)
def test_every_few_thousandth_float(name):
    worst, place = R.walk(name, 0, 1 << 32, 6143)
    assert worst <= row(name).ulp["f32"], (name, place)
