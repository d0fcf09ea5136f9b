"""Every limit that `docs/limits.md` states is that of the program. What is past each is in `test_exceeding.py`."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

from .exceeding import BEYOND, EXCEED
from .parsed import ROOT, SOURCE, nodes, sources, tree

PAGE = ROOT / "docs/limits.md"
ROWS = re.findall(
    r'^\| ([^|]+) \| `([\w.]+)(?:\["(\w+)"\])?` \| ([^|]+) \| ([^|]+) \|$',
    PAGE.read_text("utf-8"),
    re.MULTILINE,
)
NO_LIMITS = {
    "driver.card.FORMAT": "the number of the form of cards",
    "backends.flow.frame.PAIR_BYTES": "the size of a pair; an arena bounds how many there are",
    "staging.front.interpreter._MAX_WORD": "the bytes of the largest word of a memory",
    "backends.rows.loops.HALT": "the number of the block in which a graph ends",
    "driver.cache.KEY_BYTES": "the size of the secret of a cache",
    "staging.growth.SEEN": "how many values are told of what grows",
}
"""Numbers that a refusal depends on and that bound nothing, and what they are."""


def test_the_page_about_security_names_tests_that_there_are():
    named_there = set(re.findall(r"`(test_\w+)`", (ROOT / "SECURITY.md").read_text("utf-8")))
    defined = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text("utf-8"), re.MULTILINE)
    }
    assert named_there
    assert named_there <= defined, named_there - defined


def test_the_page_is_read():
    assert len(ROWS) == len(EXCEED) + len(BEYOND)
    assert {row[1] for row in ROWS} == {*EXCEED, *BEYOND}


def named(path: Path) -> str:
    """A module as rows name it."""
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


def imported(module: str) -> ModuleType:
    """A module of the project by the name that rows have for it."""
    return importlib.import_module("pellucid" if module == "__init__" else f"pellucid.{module}")


def numbers() -> dict[str, dict[str, str]]:
    """The constants of each module that are numbers: the name there, and the name of the row that it would have."""
    found: dict[str, dict[str, str]] = {}
    for path in sources():
        module = named(path)
        found[module] = {
            target.id: f"{module}.{target.id}"
            for node in tree(path).body
            if isinstance(node, ast.Assign) and not isinstance(node.value, ast.Name | ast.Attribute)
            for target in node.targets
            if isinstance(target, ast.Name)
            and target.id.isupper()
            and isinstance(getattr(imported(module), target.id), int | float)
        }
    own = {module: dict(names) for module, names in found.items()}
    for path in sources():
        parts = path.relative_to(SOURCE).with_suffix("").parts
        for node in nodes(path):
            if isinstance(node, ast.ImportFrom):
                around = [*parts[: len(parts) - node.level], *(node.module or "").split(".")]
                origin = ".".join(around if node.level else around[len(parts) :]).removeprefix("pellucid.")
                for alias in node.names:
                    if alias.name in own.get(origin, {}):
                        found[named(path)][alias.asname or alias.name] = own[origin][alias.name]
    return found


def bounds(path: Path) -> set[str]:
    """The names that stand in what a refusal depends on, tells, or asks a caller to keep to."""
    read: list[ast.AST] = []
    for node in nodes(path):
        match node:
            case ast.Raise():
                read.append(node)
            case ast.If(test=test, body=body, orelse=other) if any(
                isinstance(each, ast.Raise) for each in (*body, *other)
            ):
                read += [each for each in ast.walk(test) if isinstance(each, ast.Compare)]
            case ast.Call(func=ast.Name(id="whole" | "checked_whole")):
                read.append(node)
            case ast.keyword(arg="max_bytes"):
                read.append(node.value)
    return {each.id for top in read for each in ast.walk(top) if isinstance(each, ast.Name)}


def test_every_number_that_a_refusal_depends_on_has_a_row():
    constants = numbers()
    wanted = {
        constants[named(path)][name]
        for path in sources()
        for name in bounds(path)
        if name in constants[named(path)]
    }
    assert len(wanted) > len(EXCEED) // 2
    assert wanted - {row[1] for row in ROWS} - set(NO_LIMITS) == set()
    assert set(NO_LIMITS) <= wanted


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[1])
def test_a_limit_is_what_the_page_says(row: tuple[str, ...]):
    module, _, name = row[1].rpartition(".")
    found = getattr(imported(module), name)
    assert (found[row[2]] if row[2] else found) == eval(row[3])
