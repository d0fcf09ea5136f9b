"""Truth values among numbers: `min` and `max` give one of their operands, and a truth value stays one in every tier."""

import pytest

import pellucid
from pellucid.base.errors import StagingError
from pellucid.staging import DYNAMIC, STATIC, cogen, interpreter


@interpreter
def least(program, x, y):
    return min(x == y, x)


@interpreter
def greatest(program, x, y):
    return max(x, x < y, 1)


@interpreter
def of_truths(program, x, y):
    return max(x == y, x < y)


@interpreter
def as_numbers(program, x, y):
    return min(x == y, x) + max(x < y, y) * 2


@pytest.mark.parametrize("tier", ["machine", "quick", "llvm", "nest"])
@pytest.mark.parametrize("function", [least, greatest, of_truths, as_numbers], ids=lambda f: f.source.name)
def test_the_lesser_or_greater_of_a_truth_value_and_a_number(function, tier: str) -> None:
    program = cogen(function, program=STATIC, x=DYNAMIC, y=DYNAMIC)(0)
    if tier == "nest" and function in (least, greatest):
        with pytest.raises(StagingError, match="results that are no numbers have no nest"):
            pellucid.compile_code(program.code, "integer", "integer", tier=tier)
        return
    compiled = pellucid.compile_code(program.code, "integer", "integer", tier=tier)
    for x in range(-2, 4):
        for y in range(-2, 4):
            assert repr(compiled(x, y)) == repr(function(0, x, y)), (x, y)
