"""Parts of static sequences that the program chooses: in every tier, the items that the interpreter finds."""

import random
from typing import Any, NamedTuple

import pytest
from tests.staging.front.test_tables import EVERYWHERE, TIERS, Opaque, compared

import pellucid
from pellucid.base.errors import PellucidError, StagingError
from pellucid.staging import interpreter
from pellucid.staging.front.vectors import Vector
from pellucid.staging.root.program import Const
from pellucid.staging.root.reading import read_sugar

CODE = ((1, 2, 3), (4,), (5, 6, 7, 8), (-9, 0))
GIVING = TIERS[:3]
"""The tiers that hand sequences back."""


@interpreter
def instruction(code, row, column):
    op, *args = code[row]
    total = op * column
    for arg in args:
        total = total * 3 + arg
    return total * 10 + len(args)


@interpreter
def middle(code, row, column):
    line = code[row]
    total = 0
    for item in line[1:-1]:
        total = total * 5 + item
    for item in line[-2:]:
        total = total * 5 + item
    return total + len(line[:2]) + len(line[:]) * column


@interpreter
def between(code, row, column):
    total = 1
    for item in code[row % 4][row:column]:
        total = total * 5 + item
    return total


@interpreter
def from_on(code, row, column):
    """One sequence that is known, and bounds that the program computes."""
    end = code[column:]
    begin = code[:row]
    total = len(end) * 100 + len(begin)
    for line in end:
        total = total * 2 + line[0]
    for line in begin:
        total = total * 2 + line[-1]
    return total


@interpreter
def one_by_one(code, row, column):
    items = code[row]
    total = column
    while items:
        first, *items = items
        total = total * 3 + first
    return total


@interpreter
def by_two(code, row, column):
    items = code[row]
    total = column
    while len(items) > 1:
        total = total * 3 + items[0] * items[1]
        items = items[2:]
    return total


@interpreter
def matched(code, row, column):
    match code[row]:
        case (one,):
            return one
        case (one, other):
            return one - other * column
        case (one, *rest):
            return one + len(rest) + rest[-1]
    return -1


@interpreter
def matched_item(code, row, column):
    match code[row][column]:
        case (one, other):
            return one - other
        case 5:
            return 55
    return -1


@interpreter
def nested(code, row, column):
    name, *parts = code[row]
    total = name
    for part in parts:
        for item in part[1:]:
            total = total * 7 + item
    return total + column


@interpreter
def cut(code, row, column):
    return code[row][column:]


@interpreter
def after(code, row, column):
    _, *more = code[row]
    return more[column:]


@interpreter
def tail(code, row, column):
    _, *more = code[row]
    return more


@interpreter
def is_among(code, row, column):
    return 1 if column in code[row][1:] else 0


BOUNDS = (None, -1, True, 2, "a")


@interpreter
def maybe(code, row, column):
    end = BOUNDS[column]
    return len(code[row % 4][:end]) * 10 + len(code[row % 4][end:])


@pytest.mark.parametrize(
    "function", [instruction, middle, between, from_on, one_by_one, by_two, matched, maybe]
)
@pytest.mark.parametrize(
    "code", [CODE, [list(row) for row in CODE], ((1, 2, 3), (4, 5, 6), (7, 8, 9), (0, 1, 2))]
)
def test_parts_of_sequences(function: Any, code: Any) -> None:
    compared(function, code, EVERYWHERE)


def test_parts_of_empty_and_of_ragged_sequences() -> None:
    ragged = ((), (1,), (), (3, 4), ())
    for function in (instruction, middle, one_by_one, by_two, matched):
        compared(function, ragged, EVERYWHERE)
    compared(between, ragged[:4], EVERYWHERE)


def test_parts_hold_what_the_whole_holds() -> None:
    compared(nested, ((1, (2, 3), (4, 5, 6)), (7,), (8, (), (9,))), EVERYWHERE)
    compared(instruction, ((1.5, 2.5), (0.5,)), EVERYWHERE, tiers=("machine",))
    compared(matched_item, ((5, (1, 2), None), ((3, 4), (1,), True)), EVERYWHERE)
    compared(matched_item, (((3, 4), 5), ("a", (2, 3))), EVERYWHERE, tiers=GIVING)


class Step(NamedTuple):
    op: int
    arg: int


def test_parts_are_given_back_as_lists_or_tuples() -> None:
    for code in (CODE, [list(row) for row in CODE], [Step(1, 2), Step(3, 4)], [(), (1,), ()]):
        for function in (cut, after, tail):
            compared(function, code, EVERYWHERE, tiers=GIVING)
    compared(cut, (((1, 2), (3,)), ((), (4,))), EVERYWHERE, tiers=GIVING)


def test_random_parts() -> None:
    random_ = random.Random(11)
    for _ in range(10):
        lines = [[random_.randrange(-3, 4) for _ in range(random_.randrange(6))] for _ in range(4)]
        function = random_.choice([instruction, middle, between, one_by_one, by_two, matched])
        compared(function, lines, random_.sample(EVERYWHERE, 20))


def test_bounds_at_the_ends_of_a_word() -> None:
    ends = (-(1 << 63), -(1 << 32), -1, 0, 1, 1 << 31, (1 << 63) - 1)
    compared(between, CODE, [(row, column) for row in ends for column in ends])
    compared(cut, CODE, [(row, column) for row in range(4) for column in ends], tiers=GIVING)


@pytest.mark.parametrize("count", [-1, 0, 2, 3])
def test_rest_begins_within_a_sequence(count: int) -> None:
    code = read_sugar("main(k n) {\nv = (rest n n)\nm = (vlen v)\n(car k)(k m)\n}")["main"]
    prim, *more = code.body
    code.body = (Const("table", Vector([4, 5])), prim._replace(args=("table", "n")), *more)
    for tier in TIERS:
        compiled = pellucid.compile_code(code, "integer", tier=tier)
        if 0 <= count <= 2:
            assert compiled(count) == 2 - count
            continue
        with pytest.raises(PellucidError):
            compiled(count)


@pytest.mark.parametrize(("function", "code", "rule"), [
    (is_among, CODE, "has looks for an item in a part of a sequence"),
    (tail, [Opaque(1, 2), (3, 4)], "unpacked may read objects or sequences"),
    (cut, [Opaque(1, 2), (3, 4)], "slice may read objects or sequences"),
    (cut, ({1: 2}, {3: 4}), "slice reads a dictionary at column"),
    (cut, ("abc", "de"), "slice reads a text at column"),
])  # fmt: skip
def test_what_has_no_machine_code_says_so_and_runs(function: Any, code: Any, rule: str) -> None:
    program = compared(function, code, EVERYWHERE, tiers=("machine",))
    for tier in TIERS[1:]:
        with pytest.raises(StagingError, match=f"{rule}.*or run the program by the machine"):
            pellucid.compile_code(program.code, "integer", "integer", tier=tier)
