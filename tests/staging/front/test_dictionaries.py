"""Static dictionaries and membership at keys that the program computes: every tier finds what the interpreter finds."""

import random
from typing import Any

import pytest
from tests.staging.front.agreeing import agrees
from tests.staging.front.test_tables import TIERS, compared, entry

import pellucid
from pellucid.base.errors import StagingError
from pellucid.staging import DYNAMIC, STATIC, cogen, interpreter

CASES = [(row, column) for row in range(-3, 12) for column in (-1, 0, 4, 7)]


@interpreter
def is_key(table, row, column):
    if row in table:
        return column
    return -1


@interpreter
def is_key_of_some(table, row, column):
    held = table[row % 4]
    return 1 if column in held else 0


@interpreter
def entry_of_some(table, row, column):
    return table[row % 4].get(column, -7) + len(table[row % 4])


@interpreter
def entry_of_entry(table, row, column):
    return table[row][column]


@interpreter
def cell_of_entry(table, row, column):
    line = table[row]
    if not line:
        return -5
    return line[0] * 2 + line[column % 2]


@interpreter
def named(table, row, column):
    names, numbers = table
    name = names[row]
    if name in numbers:
        return numbers[name] + column
    return -1


@interpreter
def half(table, row, column):
    return table[row] / 2


@interpreter
def something(table, row, column):
    found = table[row]
    if found is None:
        return -1
    return found


def some_keys(generator: random.Random, count: int) -> list[int]:
    return generator.sample(range(-3, 12), count)


@pytest.mark.parametrize("count", [*range(9), 15])
def test_keys_of_dictionaries_and_items_of_sequences(count: int) -> None:
    keys = some_keys(random.Random(count), count)
    given = {key: index for index, key in enumerate(keys)}
    for table in (given, keys, tuple(keys * 2)):
        compared(is_key, table, CASES)
    compared(entry, given, CASES)


def test_keys_at_the_ends_of_a_word() -> None:
    ends = (-(1 << 63), -1, 0, 1, (1 << 63) - 1)
    compared(is_key, ends, [(end, 1) for end in ends])
    compared(is_key, dict.fromkeys(ends[1:4], 1), [(end, 1) for end in ends])


@pytest.mark.parametrize("seed", range(6))
def test_one_of_several_dictionaries_or_sequences(seed: int) -> None:
    generator = random.Random(seed)
    lines = [some_keys(generator, generator.choice((0, 1, 2, 5, 9))) for _ in range(4)]
    compared(is_key_of_some, lines, CASES)
    dictionaries = [{key: key * key for key in line} for line in lines]
    compared(is_key_of_some, dictionaries, CASES)
    compared(entry_of_some, dictionaries, CASES)
    compared(entry_of_entry, dict(enumerate(dictionaries)), CASES)


def test_entries_are_numbers_texts_or_sequences() -> None:
    compared(cell_of_entry, {1: (4, 5), 2: (), 7: (6, 7, 8), -1: [9, 9]}, CASES)
    compared(half, {3: 2.5, 4: -0.0, 9: 1e300}, CASES, tiers=("machine", "llvm", "nest"))
    compared(something, {0: 5, 1: None, 3: 2}, CASES)
    compared(is_key, (True, 3, 7), CASES)
    table = (("add", "mul", "sub", "pop"), {"mul": 3, "pop": 0, "add": 41})
    compared(named, table, [(row, 1) for row in range(-5, 5)])
    compared(named, (("add", 5, None, 0, "mul"), {"mul": 3, "add": 41}), [(row, 1) for row in range(-5, 5)])
    compared(named, (("add", 5, None, 0, True), {1: 3, 5: 41}), [(row, 1) for row in range(-5, 5)])


def test_a_dictionary_is_given_back_as_it_was() -> None:
    @interpreter
    def line(table, row, column):
        return table[row]

    program = cogen(line, table=STATIC, row=DYNAMIC, column=DYNAMIC)([{2: 1, 1: 5}, {}])
    for tier in ("machine", "quick", "llvm"):
        compiled = pellucid.compile_code(program.code, "integer", "integer", tier=tier)
        assert list(compiled(0, 0).items()) == [(2, 1), (1, 5)]


@interpreter
def loop(table, row, column):
    total = 0
    for key in table[row % 2]:
        total = total + key
    return total


@interpreter
def of_real(table, row, column):
    return 1 if row * 0.5 in table else 0


@pytest.mark.parametrize(("function", "table", "rule"), [
    (loop, ({1: 2}, {3: 4}), "item-at reads a dictionary at"),
    (of_real, (1, 2), "has compares values of several kinds"),
    (is_key, (1, 2.5), "has compares values of several kinds"),
    (is_key_of_some, ((1, 2), ("a",), (), ()), "has compares values of several kinds"),
    (is_key_of_some, ((1, 2), {4: 5}, (), ()), "the dictionary {4: 5} has no word"),
])  # fmt: skip
def test_what_has_no_machine_code_says_so_and_runs(function: Any, table: Any, rule: str) -> None:
    program = compared(function, table, CASES, tiers=("machine",))
    for tier in TIERS[1:]:
        with pytest.raises(StagingError, match=f"{rule}.*or run the program by the machine"):
            pellucid.compile_code(program.code, "integer", "integer", tier=tier)


@interpreter
def scoped(program, x):
    return valued(program, {"x": x})


def valued(tree, names):
    if isinstance(tree, int):
        return tree
    if isinstance(tree, str):
        return names[tree]
    if tree[0] == "let":
        inner = dict(names)
        inner[tree[1]] = valued(tree[2], names)
        return valued(tree[3], inner)
    return valued(tree[1], names) + valued(tree[2], names)


def test_a_copy_of_a_dictionary_gets_entries_of_its_own() -> None:
    inner = ("let", "x", ("+", "x", 1), ("+", "x", "x"))
    trees = [("let", "y", ("+", "x", "x"), ("+", "y", inner)), ("+", inner, "x"), ("let", "x", 3, inner)]
    for tree in trees:
        program = agrees(scoped, {"program": tree}, [{"x": one} for one in (0, 5, -7)])
        assert program.tier != "machine"


@interpreter
def kept(program, x):
    found = {}
    for name in program:
        found[name] = x
    other = found
    other["a"] = 1
    return found["a"]


def test_a_second_name_for_a_dictionary_that_is_changed_says_how_to_copy_it() -> None:
    with pytest.raises(
        StagingError, match=r"found is changed, and would have two names; copy it: dict\(found\)"
    ):
        cogen(kept, program=STATIC, x=DYNAMIC)
