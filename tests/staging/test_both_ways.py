"""What both specializers take: equal values, and of the compiler generator no more loads and operations a turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
import pytest
from tests.staging.both_ways import PROGRAMS, Both

from pellucid.ir import nest as N
from pellucid.reasoning.counting import count
from pellucid.staging import Residual

_NO_OPERATION = {"constant", "variable", "load"}
_ARITHMETIC = ("add", "mul", "and", "or", "shift_left", "shift_right")


def _ran(
    residual: Residual, row: Both, values: Mapping[str, float]
) -> tuple[int, dict[str, list[int]], Counter[str]]:
    """What a residual program gives, the memories that it leaves, and what it does for that."""
    random = np.random.default_rng(1)
    arrays = {name: random.integers(0, 1 << 32, 200, dtype=np.uint32) for name in row.memories}
    given = {name: values[name.split("_")[0]] for name in (str(p.attr) for p in residual.kernel.params)}
    scratch = {
        x: np.zeros(x.size, x.type.dtype) if x.name not in arrays else arrays[x.name].copy()
        for x in {*N.inputs(residual.kernel), *residual.kernel.outputs}
    }
    work = count(residual.kernel, given, scratch).work
    value = residual({name: arrays[name] for name in residual.memories}, **given)
    return value, {name: array.tolist() for name, array in arrays.items()}, work


def _operations(work: Counter[str]) -> int:
    """How many operations there are, but for loads."""
    return sum(many for kind, many in work.items() if kind not in _NO_OPERATION)


@pytest.mark.parametrize("name", PROGRAMS)
def test_both_ways_give_equal_values_and_cogen_does_no_more_a_turn(name: str) -> None:
    row = PROGRAMS[name]
    online, generated = row.online(), row.generated()
    work: list[tuple[Counter[str], Counter[str]]] = []
    for values in row.runs:
        (one, left, done), (other, kept, less) = (_ran(one, row, values) for one in (online, generated))
        assert (one, left) == (other, kept)
        work.append((done, less))
    # The difference of a long and a short run has the turns, and nothing that is done once; without turns it is empty.
    turns = [work[1][at] - work[0][at] for at in (0, 1)]
    one, other = turns if any(turns) else work[1]
    if row.states:
        # The online way follows all branches up to the next word. It has more code, and jumps less.
        assert sum(other[kind] for kind in _ARITHMETIC) <= sum(one[kind] for kind in _ARITHMETIC)
        return
    assert other["load"] <= one["load"]
    assert _operations(other) <= _operations(one)
