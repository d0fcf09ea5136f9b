"""Truth values among numbers: `min` and `max` give one of their operands, and a truth value stays one in every tier."""

from enum import Enum

import pytest
from tests.staging.front.agreeing import agrees

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


class Color(Enum):
    RED = 1
    BLUE = 2


@interpreter
def painted(program, x, y):
    if program is Color.RED:
        return x
    return y if program is not Color.BLUE else x - y


def test_members_of_enumerations_are_compared_by_is() -> None:
    for member in (*Color, 5):
        agrees(painted, {"program": member}, [{"x": 3, "y": 5}])


@interpreter
def same_number(program, x, y):
    return x is y


def test_other_values_are_not_compared_by_is() -> None:
    with pytest.raises(
        StagingError, match="`is` compares with None and members of enumerations only; write =="
    ):
        cogen(same_number, program=STATIC, x=DYNAMIC, y=DYNAMIC)
