"""The glossary: every line is whole and in order, and former words do not come back as names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from .parsed import ROOT, SOURCE, nodes, sources

TEXT = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def table(title: str) -> list[list[str]]:
    """The rows of the table under a heading."""
    section = TEXT.partition(f"## {title}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def names(path: Path) -> Iterator[str]:
    """The names that a file defines or uses, and its own."""
    yield path.stem
    for node in nodes(path):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.arg | ast.keyword) and node.arg:
            yield node.arg


@cache
def parts_of(path: Path) -> dict[str, str]:
    """The parts of the names of a file, each with a name that has it."""
    return {part: name for name in {*names(path)} for part in parts(name)}


def parts(name: str) -> set[str]:
    return {part.lower() for part in PART.findall(name)}


def test_terms_are_in_order_and_have_a_meaning():
    terms = [row[0] for row in table("Terms")]
    assert len(terms) > 80
    assert terms == sorted(terms, key=str.lower)
    assert len(set(terms)) == len(terms)
    assert all(len(row) == 3 and row[1] for row in table("Terms"))


def test_names_that_stay_say_why():
    assert all(len(row) == 2 and row[1] for row in table("Names that stay"))


@pytest.mark.parametrize("row", table("Former words"), ids=lambda row: row[0])
def test_former_words_are_no_names(row: list[str]):
    words = set(row[0].split(", "))
    folders = [SOURCE] if row[2] == "all" else [SOURCE / name for name in re.findall(r"`([^`]+)`", row[2])]
    assert folders
    assert all(folder.is_dir() for folder in folders)
    found = [
        f"{path.relative_to(SOURCE)}: {parts_of(path)[word]}"
        for path in sources()
        if any(path.is_relative_to(folder) for folder in folders)
        for word in words & parts_of(path).keys()
    ]
    assert not found, f"say {row[1]}: {found}"


def test_a_name_is_taken_apart():
    assert parts("run_boxesAtOnce") == {"run", "boxes", "at", "once"}
    assert parts("MAX_SLOTS") == {"max", "slots"}
    assert parts("HTTPCare") == {"http", "care"}
