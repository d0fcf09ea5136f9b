"""What programs are given: computed positions in tuples and in arrays, through all tiers, and the errors of both."""

import random
import time

import numpy as np
import pytest
from tests.staging.front.agreeing import agrees

import pellucid
from pellucid.base.errors import InputError, StagingError
from pellucid.staging import DYNAMIC, STATIC, Memory, cogen, interpreter
from pellucid.staging.front.vectors import dynamic_data

TIERS = ("machine", "quick", "llvm")

# ---- a spreadsheet: a row of the table is computed ----


def evaluate(sheet, formula, rows, row):
    if isinstance(formula, int):
        return formula
    if isinstance(formula, str):
        return evaluate(sheet, sheet[formula], rows, row)
    op = formula[0]
    if op == "column":
        return rows[row][formula[1]]
    if op == "row":
        line = rows[evaluate(sheet, formula[1], rows, row)]
        return line[formula[2]]
    a = evaluate(sheet, formula[1], rows, row)
    b = evaluate(sheet, formula[2], rows, row)
    return max(a, b) if op == "max" else a + b


@interpreter
def spreadsheet(sheet, out, rows, row):
    return evaluate(sheet, sheet[out], rows, row)


SHEET = {"a": ("+", ("column", 1), 2), "b": ("max", "a", ("row", ("column", 0), 1))}


def test_rows_whose_items_are_taken_are_tuples_without_an_annotation() -> None:
    random_ = random.Random(1)
    rows = tuple((random_.randrange(5), random_.randrange(-9, 9)) for _ in range(5))
    program = agrees(
        spreadsheet, {"sheet": SHEET, "out": "b"}, [{"rows": rows, "row": at} for at in (*range(5), 7)]
    )
    for tier in TIERS:
        compiled = pellucid.compile_code(program.code, "data", "integer", tier=tier)
        found = [compiled(dynamic_data(rows, "rows"), at) for at in range(5)]
        assert found == [spreadsheet(SHEET, "b", rows, at) for at in range(5)]


def test_rows_are_no_array() -> None:
    program = cogen(spreadsheet, sheet=STATIC, out=STATIC, rows=DYNAMIC, row=DYNAMIC)(SHEET, "b")
    with pytest.raises(
        InputError, match=r"rows is an array, and is used as a tuple in 'rows\[row\]'"
    ) as error:
        program(np.zeros(4, np.uint32), 0)
    assert "write rows: Memory in the parameters of spreadsheet, or give a tuple" in str(error.value)


# ---- a column of one, in a spreadsheet that returns what may be part of the program ----


def total(formula, values, row):
    if isinstance(formula, int):
        return formula
    if formula[0] == "row":
        return values[total(formula[1], values, row) + 1]
    if formula[0] == "here":
        return values[row]
    return total(formula[1], values, row) + total(formula[2], values, row)


@interpreter
def column(formula, values, row):
    return total(formula, values, row)


TOTAL = ("+", ("here",), ("row", ("+", ("here",), 2)))


def test_values_at_computed_positions_are_an_array() -> None:
    values = np.array([0, 1, 2, 5, 6, 7], np.uint32)
    program = agrees(column, {"formula": TOTAL}, [{"values": values, "row": at} for at in range(6)])
    began = time.process_time()
    with pytest.raises(InputError) as error:
        program((0, 1, 2, 5), 1)
    assert time.process_time() - began < 5
    place, _, message = str(error.value).partition(": ")
    line = total.__code__.co_firstlineno + 4
    assert place.endswith(f"test_givens.py:{line}")
    assert message == (
        "values is (0, 1, 2, 5), and is used as an array in 'values[total(formula[1], values, row) + 1]'; "
        "give values an array of uint8, uint16 or uint32, or write values: tuple in the parameters of column"
    )


def test_the_annotation_that_the_message_names_is_enough() -> None:
    @interpreter
    def annotated(formula, values: tuple[int, ...], row):
        return total(formula, values, row)

    values = (0, 1, 2, 5, 6, 7)
    program = agrees(annotated, {"formula": TOTAL}, [{"values": values, "row": at} for at in range(6)])
    for tier in TIERS:
        compiled = pellucid.compile_code(program.code, "data", "integer", tier=tier)
        assert compiled(dynamic_data(values, "values"), 1) == annotated(TOTAL, values, 1)


def test_an_array_that_is_annotated_is_asked_for_without_a_word_on_tuples() -> None:
    @interpreter
    def first(count, words: Memory):
        return words[count]

    program = cogen(first, count=STATIC, words=DYNAMIC)(2)
    with pytest.raises(InputError, match=r"give words an array of uint8, uint16 or uint32$"):
        program((1, 2, 3))


def test_an_array_in_a_loop_is_annotated() -> None:
    @interpreter
    def ends(table, state, events):
        for event in events:
            for wanted, target in table:
                if event == wanted:
                    state = target
        return state

    table = ((1, 7), (2, 9))
    agrees(ends, {"table": table}, [{"state": 0, "events": one} for one in ((1, 2, 1), (3,), ())])
    program = cogen(ends, table=STATIC, state=DYNAMIC, events=DYNAMIC)(table)
    with pytest.raises(InputError, match="write events: Memory in the parameters of ends"):
        program(0, np.array([1, 2], np.uint32))


# ---- a machine with a stack, whose arguments are a tuple ----


@interpreter
def stack_machine(code, args: tuple):
    stack = []
    local = [0] * 2
    pc = 0
    while pc < len(code):
        op, arg = code[pc]
        pc += 1
        if op == "push":
            stack.append(arg)
        elif op == "arg":
            stack.append(args[arg])
        elif op == "dynamic arg":
            stack.append(args[stack.pop()])
        elif op == "load":
            stack.append(local[arg])
        elif op == "store":
            local[arg] = stack.pop()
        elif op == "add":
            stack.append(stack.pop() + stack.pop())
        elif op == "less":
            other = stack.pop()
            stack.append(int(stack.pop() < other))
        elif op == "jump" or (op == "branch" and stack.pop() == 0):
            pc = arg
    return stack.pop()


LOOP = (
    ("load", 1), ("arg", 0), ("less", None), ("branch", 13),
    ("load", 0), ("load", 1), ("dynamic arg", None), ("add", None), ("store", 0),
    ("load", 1), ("push", 1), ("add", None), ("jump", 15),
    ("load", 0), ("jump", 17),
    ("store", 1), ("jump", 0),
)  # fmt: skip


def test_a_machine_whose_arguments_are_a_tuple() -> None:
    cases = [(1, 5), (3, -4, 11), (0,), (9, 1)]
    program = agrees(stack_machine, {"code": LOOP}, [{"args": one} for one in cases])
    for tier in TIERS:
        compiled = pellucid.compile_code(program.code, "data", tier=tier)
        assert [compiled(dynamic_data(one, "args")) for one in cases[:3]] == [
            stack_machine(LOOP, one) for one in cases[:3]
        ]


# ---- a query of a document ----


@interpreter
def query(path, document):
    node = document
    for step in path:
        node = node[step] if isinstance(step, int) else node[document[0]]
    return node


def test_a_query_goes_down_a_tuple_of_tuples() -> None:
    document = (1, (2, (3, 4)), 7)
    program = agrees(query, {"path": (1, "first", 1)}, [{"document": document}])
    for tier in TIERS:
        compiled = pellucid.compile_code(program.code, "data", tier=tier)
        assert compiled(dynamic_data(document, "document")) == 4


# ---- dictionaries for dynamic parameters ----


@interpreter
def plainly(p, d, x):
    return d * x + p


@interpreter
def over(p, d, x):
    found = p
    for key in d:
        found += x * key
    return found


@interpreter
def by_key(p, d, x):
    return (len(d) + p) * d["a"] + x


@interpreter
def under_a_key(p, d, x):
    one = d[p]
    return one["a"] + x


def test_a_dictionary_for_a_dynamic_parameter_is_one_error_with_line_and_parameter() -> None:
    for function, used in ((plainly, ""), (over, ", and d is used in 'd'")):
        line = function.source.tree.lineno + (2 if used else 0)
        program = cogen(function, p=STATIC, d=DYNAMIC, x=DYNAMIC)(1)
        with pytest.raises(InputError) as error:
            program({"a": 3}, 2)
        place, _, message = str(error.value).partition(": ")
        assert place.endswith(f"test_givens.py:{line}")
        assert message == (
            f"{function.source.name}: {{'a': 3}} is no value for d{used}; "
            "give d=STATIC to cogen, or its values as a tuple"
        )


def test_a_dictionary_in_a_tuple_is_one_error_with_line_and_parameter() -> None:
    @interpreter
    def second(p, d: tuple, x):
        return d[1] + x + p

    program = cogen(second, p=STATIC, d=DYNAMIC, x=DYNAMIC)(1)
    assert program((5, 7), 2) == 10
    line = second.source.tree.lineno + 1
    with pytest.raises(
        InputError,
        match=rf"test_givens.py:{line}: second: {{'a': 3}} in d is no data, and d is used in 'd\[1\]'; "
        "give d=STATIC to cogen, or the values of the dictionary as a tuple",
    ):
        program((5, (7, {"a": 3})), 2)
    with pytest.raises(InputError, match=r"second: 2.5 in d is no data.*; give integers, truth values, None"):
        program((2.5, 7), 2)


def test_an_entry_of_what_is_dynamic_is_refused_when_the_compiler_is_made() -> None:
    for function, text in ((by_key, """"d['a']\""""), (under_a_key, """"one['a']\"""")):
        with pytest.raises(StagingError) as error:
            cogen(function, p=STATIC, d=DYNAMIC, x=DYNAMIC)
        assert str(error.value).partition(": ")[2] == (
            f"d is dynamic, and is used as a dictionary in {text}; "
            "give d=STATIC, or make d a tuple, and take its items by their positions"
        )
        assert cogen(function, p=STATIC, d=STATIC, x=DYNAMIC) is not None


def test_dictionaries_that_the_program_makes_keep_their_keys() -> None:
    @interpreter
    def made(p, x):
        found = {"a": x, "b": p}
        return found["a"] * found["b"]

    agrees(made, {"p": 3}, [{"x": 4}, {"x": -1}])
