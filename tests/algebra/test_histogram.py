"""The histogram as White writes it (section 6.5): for i in 0 .. 255 do h(i) := sum(chi(a = i))."""

from __future__ import annotations

import numpy as np
import pytest

from pellucid import algebra as alg


def histogram(shape: tuple[int, ...], count: int = 256) -> alg.Array:
    a, h, i = alg.array("a", shape, "u8"), alg.array("h", count, "i64"), alg.index("i", count)
    h[i] = alg.sum(alg.chi(a == i))
    return h


@pytest.mark.smoke
@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize("shape", [(1,), (7, 9), (5, 4, 3)])
def test_the_naive_histogram_counts(shape: tuple[int, ...], optimize: bool):
    a = np.random.default_rng(1).integers(0, 256, shape, dtype=np.uint8)
    found = alg.compile(histogram(shape), optimize=optimize)(a=a)
    assert np.array_equal(found, np.bincount(a.ravel(), minlength=256))


def test_fewer_cases_count_fewer_gray_levels():
    a = np.random.default_rng(1).integers(0, 256, (8, 8), dtype=np.uint8)
    found = alg.run(histogram((8, 8), 100), a=a)
    assert np.array_equal(found, np.bincount(a.ravel(), minlength=256)[:100])
