"""The page of the lineage: each row of the paper has a module that answers and tests that assert the thing itself."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from .parsed import ROOT, tree

NUMBERS = {
    "P": (*range(1, 26), 27),
    "S": range(1, 19),
    "N": range(1, 16),
    "T": range(1, 13),
    "H": range(1, 10),
}
WANTED = [f"{letter}{number}" for letter, numbers in NUMBERS.items() for number in numbers]
ROW = rf"[{''.join(NUMBERS)}]\d+"


def code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@cache
def rows() -> dict[str, tuple[list[str], list[str]]]:
    """The modules and the tests of each row of the table."""
    page = (ROOT / "docs/lineage.md").read_text(encoding="utf-8")
    table = re.findall(rf"^\| ({ROW}) \| (.*) \| (.*) \| (.*) \|$", page, re.MULTILINE)
    return {name: (code(modules), code(tests)) for name, _, modules, tests in table}


@cache
def written() -> list[str]:
    """Every test in tests/papers that is named for a row."""
    return [
        node.name
        for path in sorted((ROOT / "tests/papers").glob("test_*.py"))
        for node in tree(path).body
        if isinstance(node, ast.FunctionDef) and re.match(rf"test_{ROW}_", node.name)
    ]


def test_every_row_is_there_in_order():
    assert list(rows()) == WANTED


@pytest.mark.parametrize("row", WANTED)
def test_a_row_has_modules_and_tests(row: str):
    modules, tests = rows()[row]
    assert modules
    assert [name for name in modules if not (ROOT / "src/pellucid" / name).is_file()] == []
    assert tests
    assert all(name.startswith(f"test_{row}_") for name in tests)
    assert set(tests) <= set(written())


def test_no_test_of_a_paper_is_missing_from_the_page():
    named = [name for _, tests in rows().values() for name in tests]
    assert sorted(named) == sorted(written())
