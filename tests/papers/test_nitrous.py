"""Rows N14 and N15 of the lineage: the programs of Figure 15, and what it costs to make an instruction.

Times are for `bench/nitrous.py`; here are the values, and what is done for them.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from tests.staging.programs import file_of

from pellucid.staging import Memory
from pellucid.staging.cogen import tidy
from pellucid.staging.root.machine import run

ROWS = ("atree", "even", "append", "nybble 4", "nybble 12", "filter 3", "filter 7")


@pytest.fixture(scope="module")
def bench():
    return file_of("bench", "nitrous")


@pytest.fixture(scope="module")
def rows(bench):
    return bench.kernels(None, words=21)


@pytest.mark.parametrize("name", ROWS)
def test_N14_special_programs_do_a_part_of_what_general_ones_do(bench, rows, name) -> None:
    row = rows[name]
    residual = tidy(row.compiler(*row.statics))
    done: list[Counter[str]] = [Counter(), Counter()]
    results = []
    for code, args, counts in ((row.general, row.args, done[0]), (residual, row.rest, done[1])):
        stored = np.zeros(40, np.uint32)
        memories = {"m": Memory("m", 32, bench._WORDS[:40]), "out": Memory("out", 32, stored)}
        found = bench.plain(run(code, *args, counts=counts, memories=memories))
        results.append((found, stored.tolist()))
    assert results[0] == results[1]
    assert done[0].total() > (8 if name.startswith(("nybble", "filter")) else 20) * done[1].total(), done


def test_N14_figure_15_is_printed_beside_what_is_measured(bench, rows, capsys) -> None:
    bench.table({name: rows[name] for name in ("append", "nybble 12")})
    told = capsys.readouterr().out
    assert "int" in told
    for row in bench.PAPER.values():
        for number in row:
            assert f" {number}" in told or not number
    assert set(bench.PAPER) == set(ROWS) == set(rows)


def test_N15_cycles_of_an_instruction_are_told_for_each_tier_beside_others(bench, rows, capsys) -> None:
    found = bench.costs({"even": rows["even"]})["even"]
    assert all(cycles > 0 for cycles in found.values())
    assert {"cogen", "tidy", "llvm", "nest"} <= found.keys()
    told = capsys.readouterr().out
    for figure in ("a budget of 2,000", "DCG 300 to 1,000", "Fabius 7", "gcc 200,000", *found):
        assert figure in told
