"""What the timer says of the primitive moves that only take away: that programs become cheaper.

An `if` counts as the mean of its arms, so that one of which the dearer arm is left may look dearer than before.
"""

import random

import pytest
from hypothesis import given
from tests.loops.nests import Maker, everywhere, nests

from pellucid.loops.core.registry import named
from pellucid.reasoning.timer import kernel_cost

SAVING = ("compress", "simplify_if", "eliminate_loop")


@pytest.mark.parametrize("move", ["compress", "eliminate_loop"])
def test_what_takes_away_does_not_cost(move):
    @given(nests())
    def look(kernel):
        for after in everywhere(named(move), kernel):
            assert kernel_cost(after) <= kernel_cost(kernel)

    look()


@pytest.mark.parametrize("move", SAVING)
def test_and_it_mostly_saves(move):
    kernels = [Maker(random.Random(seed)).kernel() for seed in range(60)]
    saved = [kernel_cost(k) - kernel_cost(after) for k in kernels for after in everywhere(named(move), k)]
    assert len(saved) > 3
    assert sum(s > 0 for s in saved) >= len(saved) / 2
