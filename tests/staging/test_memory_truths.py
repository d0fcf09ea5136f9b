"""A truth value as an address is the number 0 or 1, in memories, cells and tables: a comparison gives such values."""

from __future__ import annotations

import numpy as np
import pytest

from pellucid.staging import Memory, Table
from pellucid.staging.cells import Cells


@pytest.mark.parametrize("truth", [False, True])
def test_a_truth_is_an_address_of_a_memory(truth: bool):
    memory = Memory("m", 32, np.uint32([10, 20, 30]))
    assert memory.load(truth) == [10, 20][truth]
    memory.store(truth, 7)
    assert memory.data.tolist() == [[7, 20, 30], [10, 7, 30]][truth]


@pytest.mark.parametrize("truth", [False, True])
def test_a_truth_is_an_address_of_cells(truth: bool):
    made = Cells("c", np.float64([10.0, 20.0, 30.0]))
    assert made.load(truth) == [10.0, 20.0][truth]
    made.store(truth, 7.0)
    assert made.load(int(truth)) == 7.0
    assert made.load(2) == 30.0


@pytest.mark.parametrize("truth", [False, True])
def test_a_truth_is_an_index_of_a_table(truth: bool):
    assert Table(np.uint8([3, 4, 5]))(truth) == [3, 4][truth]
