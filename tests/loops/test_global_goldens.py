"""Global moves: programs before and after, as text, in `tests/loops/global_moves`.

A file says in its first line which move is made at which statement, counted from 1 down the page. To write the second
half of a file, delete it and run the test with PELLUCID_WRITE_GOLDENS=1; then read it.
"""

import os
import re
from pathlib import Path

import pytest

from pellucid.ir.nest import Kernel
from pellucid.ir.parse import parse_nest
from pellucid.ir.path import Path as Place
from pellucid.ir.path import walk
from pellucid.ir.text import print_nest
from pellucid.ir.verify import verify_kernel
from pellucid.loops.core.registry import named
from pellucid.reasoning.prove import Proved

FILES = sorted((Path(__file__).parent / "global_moves").glob("*.nest"))
BECOMES = "\nbecomes\n\n"


def site(text: str) -> tuple[str, Kernel, Place]:
    """The move that the first line names, the program, and where it is made."""
    found = re.match(r"# (\w+) at (\d+): ", text)
    assert found, "the first line says '# move at number: why'"
    kernel = parse_nest(text.split("\n", 1)[1])
    return found[1], kernel, [p for p, _ in walk(kernel.body)][int(found[2]) - 1]


def made(text: str) -> str:
    """The text of the program after the move that its first line names."""
    name, kernel, path = site(text)
    move = named(name)
    assert path in move.find(kernel)
    verdict = move.check(kernel, path)
    assert isinstance(verdict, Proved), verdict
    after = move.apply(kernel, path).kernel
    verify_kernel(after)
    return print_nest(after)


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_golden(file: Path):
    before, _, after = file.read_text().partition(BECOMES)
    found = made(before)
    if not after and os.environ.get("PELLUCID_WRITE_GOLDENS"):
        file.write_text(before.rstrip("\n") + "\n" + BECOMES + found)
        after = found
    assert found == after


def test_every_move_here_has_a_golden():
    moves = {re.match(r"# (\w+)", f.read_text())[1] for f in FILES}
    assert moves == {"join_loops", "split_loop", "interchange_loops", "move_code", "join_conditional"}
