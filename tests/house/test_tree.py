"""The shape of the source tree: sizes, names, docstrings, and nothing of the machine it was written on."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

from .parsed import ROOT, tree

SOURCES = sorted((ROOT / "src").rglob("*.py"))
PROGRAMS = [
    *SOURCES,
    *(
        path
        for folder in ("bench", "docs/_ext", "examples", "tools")
        for path in sorted((ROOT / folder).rglob("*.py"))
    ),
]

ROWS = ROOT / "src/pellucid/ir/prims"

MAX_FILE = 500
MAX_MOVE = 150
WHOLE_IR = 4300
NO_IDEA = {"common", "core", "helper", "helpers", "manager", "misc", "util", "utils"}


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def tracked() -> list[Path]:
    """Files of the project, committed or about to be."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return [path for name in listing.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def test_there_is_something_to_look_at():
    assert len(SOURCES) > 1


@pytest.mark.parametrize("path", SOURCES, ids=named)
def test_a_file_holds_one_idea(path: Path):
    limit = MAX_MOVE if path.parent.name == "moves" and path.name != "__init__.py" else MAX_FILE
    assert lines(path) <= limit, f"{named(path)} has more than {limit} lines; which two ideas are in it?"


def test_the_ir_can_be_read_in_one_sitting():
    # All but the rows, which are as many as there are operators.
    read = [path for path in (ROOT / "src/pellucid/ir").rglob("*.py") if path.parent != ROWS]
    assert sum(map(lines, read)) <= WHOLE_IR


@pytest.mark.parametrize("path", sorted(ROWS.glob("[!_]*.py")), ids=named)
def test_what_stands_beside_the_rows_is_rows(path: Path):
    assigned = {
        target.id
        for node in tree(path).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    assert "ROWS" in assigned, f"{named(path)} has no rows, and would not count"


@pytest.mark.parametrize("path", PROGRAMS, ids=named)
def test_a_file_says_what_it_is(path: Path):
    assert ast.get_docstring(tree(path)), f"{named(path)} opens without a docstring"


@pytest.mark.parametrize("path", SOURCES, ids=named)
def test_a_file_is_named_for_its_idea(path: Path):
    assert path.stem not in NO_IDEA, f"{named(path)}: the name says nothing about what is inside"


@pytest.mark.parametrize("folder", sorted({path.parent for path in SOURCES}), ids=named)
def test_every_folder_is_a_package(folder: Path):
    assert folder == ROOT / "src" or (folder / "__init__.py").is_file()


def test_nothing_of_this_machine_is_in_the_tree():
    # The pattern is written so that it does not match its own text.
    private = re.compile(
        r"(?<![\w.$}~-])/(?:work|tmp|home|root|mnt|Users)/|[.]{2}/shared|index-u[r]l|find-link[s]"
    )
    found: list[str] = []
    for path in tracked():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [
            f"{named(path)}:{number}: {line.strip()}"
            for number, line in enumerate(text.splitlines(), 1)
            if private.search(line)
        ]
    assert not found, "\n".join(found)


def test_no_generated_file_is_committed():
    generated = {".pyc", ".so", ".o", ".swp", ".orig", ".rej"}
    assert not [named(path) for path in tracked() if path.suffix in generated]
