"""Words of the vocabulary of pictures, used by programs that are specialized."""

from __future__ import annotations

import pytest

import pellucid as pl
from pellucid.ir import types as T
from pellucid.staging import specialize, unknown


@pytest.mark.parametrize("word", [pl.fraction, lambda x: pl.smoothstep(0.0, 4.0, x), pl.floor])
@pytest.mark.parametrize("x", [-2.75, -0.5, 0.0, 1.25, 9.5])
def test_a_word_of_numbers_takes_numbers_that_wait_for_run_time(word, x: float):
    residual = specialize(word, unknown("x", T.f64), name="word")
    assert residual(x=x) == pytest.approx(word(x))
