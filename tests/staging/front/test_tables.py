"""Static tables that are read at positions which the program computes: in every tier, as the interpreter reads them."""

import random
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
from tests.staging.front.agreeing import FAILURES, agrees

import pellucid
from pellucid.base.errors import PellucidError, StagingError
from pellucid.staging import DYNAMIC, STATIC, Memory, cogen, interpreter, lift
from pellucid.staging.front.vectors import Listed, Vector, result
from pellucid.staging.root.program import Const
from pellucid.staging.root.reading import read_sugar
from pellucid.staging.root.writing import write

TIERS = ("machine", "quick", "llvm", "nest")


def compared(function: Any, table: Any, cases: Any, *, tiers: Any = TIERS) -> Any:
    """The program of a table, after each tier gave for all positions what the interpreter gives, or failed as it."""
    program = cogen(function, [STATIC, DYNAMIC, DYNAMIC])(table)
    for tier in tiers:
        compiled = pellucid.compile_code(program.code, "integer", "integer", tier=tier)
        for row, column in cases:
            try:
                wanted = function(table, row, column)
            except FAILURES:
                with pytest.raises(PellucidError):
                    compiled(row, column)
                continue
            found = result(compiled(row, column), program._kind)
            assert repr(found) == repr(wanted), (tier, row, column)
    return program


EVERYWHERE = [(row, column) for row in range(-5, 6) for column in range(-5, 6)]


@interpreter
def cell(table, row, column):
    return table[row][column]


@interpreter
def chosen(table, row, column):
    line = table[row]
    if column > 1:
        line = table[column]
    return len(line) * 10 + line[column]


@interpreter
def first_of_some(table, row, column):
    line = table[row]
    if line:
        return line[0] + column
    return -7


@interpreter
def scaled(table, row, column):
    return table[row][column] * 2.5


@interpreter
def is_none(table, row, column):
    found = table[row][column]
    if found is None:
        return -1
    return 1


@interpreter
def deep(table, row, column):
    return table[row][column][row]


@interpreter
def line_of(table, row, column):
    return table[row]


def test_a_table_of_tables_is_read_in_every_tier() -> None:
    compared(cell, [[1, 2, 0], [2, 0, 1], [0, 1, 2]], EVERYWHERE)
    compared(chosen, ((1, 2, 0), (2, 0, 1), (0, 1, 2)), EVERYWHERE)


def test_rows_may_have_any_lengths() -> None:
    compared(cell, [[1], [2, 0, 1], [], [-3, 4]], EVERYWHERE)
    compared(chosen, [[1], [2, 0, 1], [], [-3, 4]], EVERYWHERE)
    compared(first_of_some, [[1], [2, 0, 1], [], [-3, 4]], EVERYWHERE)


def test_items_may_be_any_integers_truth_values_and_reals() -> None:
    compared(cell, [[2**63 - 1, -(2**63)], [2**40, 5]], EVERYWHERE)
    compared(cell, [[True, False], [False, True]], EVERYWHERE)
    compared(cell, [[1.5, -0.0], [2.25, 1e300]], EVERYWHERE)
    compared(scaled, [[1.5, -0.0], [2.25, 1e300]], EVERYWHERE, tiers=("machine", "llvm", "nest"))


def test_items_of_several_kinds_have_tags() -> None:
    compared(is_none, [[None, 1], [0, None, 2]], EVERYWHERE)
    compared(cell, [[None, 1, True], ["a", 2.5, (1, 2)]], EVERYWHERE, tiers=("machine", "quick", "llvm"))


def test_a_row_is_a_value() -> None:
    compared(line_of, [[1], [2, 0, 1], []], EVERYWHERE, tiers=("machine", "quick", "llvm"))
    compared(line_of, ((1,), (2, 0, 1), ()), EVERYWHERE, tiers=("machine", "quick", "llvm"))
    compared(deep, [[[1, 2], [3, 4]], [[5, 6], [7]]], EVERYWHERE)


@interpreter
def summed(table, row, column):
    total = 0
    for item in table[row]:
        total = total * 3 + item
        if item == column:
            break
    return total


@interpreter
def backwards(table, row, column):
    total = column
    for at, item in enumerate(reversed(table[row])):
        total = total * 3 + at * item
    return total


@interpreter
def together(table, row, column):
    total = 0
    for one, other in zip(table[row], table[column], strict=False):
        total = total * 3 + one - other
    return total


@interpreter
def all_of_them(table, row, column):
    """The rows are known, and so is each of the loops in them."""
    total = 0
    for line in table:
        for item in line:
            total = total * row + item * column
    return total


@pytest.mark.parametrize("function", [summed, backwards, together, all_of_them], ids=lambda f: f.source.name)
def test_a_loop_goes_over_a_row_that_the_program_chooses(function) -> None:
    compared(function, [[1], [2, 0, 1], [], [-3, 4, 5, 5]], EVERYWHERE)
    compared(function, ((1, 2, 0), (2, 0, 1), (0, 1, 2)), EVERYWHERE)


def test_a_loop_over_a_row_that_the_program_chooses_is_a_loop_of_the_program() -> None:
    """The program does not grow with the rows; a loop over rows that are known is unrolled."""

    def size(function: Any, length: int) -> int:
        table = [list(range(length)), list(range(length + 1))]
        return write(cogen(function, [STATIC, DYNAMIC, DYNAMIC])(table).code).count("(prim ")

    assert size(summed, 40) == size(summed, 4) > 0
    assert size(all_of_them, 40) > size(all_of_them, 4) * 5


@dataclass
class Operation:
    name: str
    cost: int
    rate: float
    steps: tuple[int, ...]


@dataclass
class Other:
    cost: int
    name: str


class State(NamedTuple):
    then: int
    out: int


@interpreter
def cost_of(table, row, column):
    total = table[row].cost * column
    for step in table[row].steps:
        total = total * 2 + step
    return total


@interpreter
def rate_of(table, row, column):
    return table[row].rate * column


@interpreter
def name_of(table, row, column):
    return table[row].name


@interpreter
def walked(table, row, column):
    state = row
    total = 0
    while column > 0:
        total = total * 3 + table[state].out
        state = table[state].then
        column = column - 1
    return total


OPERATIONS = [
    Operation("add", 3, 1.5, (1, 2)),
    Operation("sub", 5, -2.5, ()),
    Operation("mul", -7, 0.25, (4,)),
]


def test_fields_of_an_object_that_the_program_chooses() -> None:
    compared(cost_of, OPERATIONS, EVERYWHERE)
    compared(rate_of, OPERATIONS, EVERYWHERE, tiers=("machine", "llvm", "nest"))
    compared(name_of, OPERATIONS, EVERYWHERE, tiers=("machine", "quick", "llvm"))
    compared(walked, (State(1, 5), State(2, 6), State(0, 7)), EVERYWHERE)


@pytest.mark.parametrize("tier", ["quick", "llvm", "nest"])
def test_fields_at_several_positions_have_no_machine_code(tier: str) -> None:
    program = cogen(name_of, table=STATIC, row=DYNAMIC, column=DYNAMIC)([*OPERATIONS, Other(1, "other")])
    assert program(3, 0) == "other"
    line = name_of.source.tree.lineno + 1
    with pytest.raises(
        StagingError, match=rf"^name_of:{line}: name may be read of values of several classes"
    ):
        pellucid.compile_code(program.code, "integer", "integer", tier=tier)


def test_random_tables() -> None:
    random_ = random.Random(5)
    functions = (cell, chosen, first_of_some, deep)
    for _ in range(12):
        table = [
            [random_.randrange(-3, 4) for _ in range(random_.choice([3, random_.randrange(5)]))]
            for _ in range(random_.randrange(1, 5))
        ]
        if not any(table):
            continue
        cases = random_.sample(EVERYWHERE, 20)
        compared(random_.choice(functions[:3]), table, cases)


# ---- a state machine over bytes ----


@interpreter
def machine(table, classes, events: Memory):
    state = 0
    for i in range(len(events)):
        state = table[state][classes[events[i]]]
    return state


TABLE = ((1, 0, 3), (2, 0, 3), (2, 1, 0), (3, 3, 3))
CLASSES = tuple(min(byte % 5, 2) for byte in range(256))


def test_a_state_machine_over_bytes() -> None:
    random_ = np.random.default_rng(3)
    cases = [{"events": random_.integers(0, 256, n, np.uint8)} for n in (0, 1, 2, 50, 300)]
    program = agrees(machine, {"table": TABLE, "classes": CLASSES}, cases)
    assert program.problem == ""
    events = Memory("events", 8)
    for tier in TIERS:
        compiled = pellucid.compile_code(program.code, events, "integer", tier=tier)
        for one in cases:
            words = one["events"]
            wanted = machine(TABLE, CLASSES, Memory("events", 8, words))
            if len(words):
                assert compiled(words, len(words)) == wanted, tier


# ---- what has no machine code ----


@interpreter
def entry(table, row, column):
    return table[row] + column


@pytest.mark.parametrize("tier", ["quick", "llvm", "nest"])
def test_a_dictionary_with_other_keys_is_one_error_with_line_and_variable(tier: str) -> None:
    program = cogen(entry, table=STATIC, row=DYNAMIC, column=DYNAMIC)({3: 4, (5, 6): 6})
    assert program(3, 1) == 5
    line = entry.source.tree.lineno + 1
    with pytest.raises(StagingError) as error:
        pellucid.compile_code(program.code, "integer", "integer", tier=tier)
    assert (
        str(error.value)
        == program.problem
        == (
            f"entry:{line}: the dictionary {{3: 4, (5, 6): 6}} has no word in machine code, and item reads it at row; "
            "let all keys be numbers or all be texts, with no sequence where it stands, or run the program by the "
            "machine"
        )
    )


@pytest.mark.parametrize(("table", "rule"), [
    ("abc", "item reads a text at row, which has no machine code"),
    ([1 << 70, 2], "an item of more than 64 bits, and item reads it at row"),
])  # fmt: skip
def test_what_has_no_word_names_its_line(table: Any, rule: str) -> None:
    program = cogen(line_of, table=STATIC, row=DYNAMIC, column=DYNAMIC)(table)
    line = line_of.source.tree.lineno + 1
    for tier in ("quick", "llvm", "nest"):
        with pytest.raises(StagingError, match=rf"^line_of:{line}: {rule}"):
            pellucid.compile_code(program.code, "integer", "integer", tier=tier)
    assert program(1, 0) == table[1]


def test_vref_counts_from_0_only() -> None:
    code = read_sugar("main(k n) {\nv = (vref n n)\n(car k)(k v)\n}")["main"]
    prim, *rest = code.body
    code.body = (Const("table", Vector([4, 5])), prim._replace(args=("table", "n")), *rest)
    for tier in TIERS:
        compiled = pellucid.compile_code(code, "integer", tier=tier)
        assert [compiled(0), compiled(1)] == [4, 5]
        for missing in (-1, 2):
            with pytest.raises(PellucidError):
                compiled(missing)


def test_lists_and_tuples_stay_what_they_are() -> None:
    program = cogen(line_of, table=STATIC, row=DYNAMIC, column=DYNAMIC)([(1,), [1], (), []])
    compiled = pellucid.compile_code(program.code, "integer", "integer", tier="quick")
    assert [type(compiled(row, 0)) for row in range(4)] == [Vector, Listed, Vector, Listed]


# ---- instructions at a computed counter ----


@interpreter
def instructions(code, row, column):
    counter = lift(row)
    found = column
    while True:
        name, left, right = code[counter]
        if name == "end":
            return found
        found = found + left if name == "add" else found * left
        counter = right


def test_a_row_is_unpacked() -> None:
    code = (("add", 3, 2), ("times", 2, 3), ("times", -1, 1), ("end", 0, 0))
    compared(instructions, code, [(row, column) for row in range(4) for column in (-2, 5)])
    with pytest.raises(PellucidError, match="unpacked: another number of values"):
        cogen(instructions, code=STATIC, row=DYNAMIC, column=DYNAMIC)((("end", 1), ("add", 1, 0)))(0, 1)


class Opaque:
    def __init__(self, left, right):
        self.left = left
        self.right = right


def test_an_object_is_not_unpacked() -> None:
    @interpreter
    def both(table, row, column):
        left, right = table[row]
        return left + right * column

    compared(both, [(1, 2), (3, 4)], EVERYWHERE[:40])
    program = cogen(both, table=STATIC, row=DYNAMIC, column=DYNAMIC)([Opaque(1, 2), (3, 4)])
    line = both.source.tree.lineno + 1
    with pytest.raises(StagingError, match=rf"^both:{line}: unpacked may read objects or sequences"):
        pellucid.compile_code(program.code, "integer", "integer", tier="quick")
    assert program(1, 1) == 7
