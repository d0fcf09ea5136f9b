"""Modern moves: programs before and after, as text, in `tests/loops/modern_moves`.

A file says in its first line which move is made at which statement, counted from 1 down the page (0 is the whole
kernel), and with which options. To write the second half of a file, delete it and run the test with
PELLUCID_WRITE_GOLDENS=1; then read it.
"""

import os
import re
from pathlib import Path

import numpy as np
import pytest

from pellucid.ir import nest as N
from pellucid.ir.interp import run
from pellucid.ir.parse import parse_expr, parse_nest
from pellucid.ir.path import walk
from pellucid.ir.text import print_nest
from pellucid.ir.verify import verify_kernel
from pellucid.loops.core.registry import named
from pellucid.reasoning.prove import Proved

FILES = sorted((Path(__file__).parent / "modern_moves").glob("*.nest"))
BECOMES = "\nbecomes\n\n"
MODERN = {
    "accumulate",
    "branch_store",
    "eliminate_dead",
    "eliminate_induction",
    "eliminate_redundant",
    "grid",
    "guard_store",
    "lanes",
    "lockstep",
    "peel",
    "privatize",
    "replace_scalar",
    "skip_arm",
    "spread",
    "strength_reduce",
    "strip_mine",
    "tile",
    "unroll_and_jam",
    "unswitch",
}


def option(word: str) -> tuple[str, object]:
    """An option as written in the first line of a file."""
    name, _, text = word.partition("=")
    if name == "by":
        # Commas stand between expressions, and inside of calls.
        return name, tuple(parse_expr(t)[0] for t in re.split(r",(?![^(]*\))", text))
    if name == "live":
        return name, tuple(text.split(","))
    return name, int(text) if text.isdigit() else text


def made(text: str) -> tuple[N.Kernel, N.Kernel]:
    """The program of a text, and what the move that its first line names makes of it."""
    found = re.match(r"# (\w+) at (\d+)((?: \w+=\S+)*): ", text)
    assert found, "the first line says '# move at number options: why'"
    kernel = parse_nest(text.split("\n", 1)[1])
    move, options = named(found[1]), dict(option(w) for w in found[3].split())
    path = [(), *(p for p, _ in walk(kernel.body))][int(found[2])]
    assert path in list(move.find(kernel, **options))
    verdict = move.check(kernel, path, **options)
    assert isinstance(verdict, Proved), verdict
    applied = move.apply(kernel, path, **options)
    verify_kernel(applied.kernel)
    return kernel, applied.kernel


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_golden(file: Path):
    before, _, after = file.read_text().partition(BECOMES)
    found = print_nest(made(before)[1])
    if not after and os.environ.get("PELLUCID_WRITE_GOLDENS"):
        file.write_text(before.rstrip("\n") + "\n" + BECOMES + found)
        after = found
    assert found == after


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_a_golden_means_the_same(file: Path):
    before, after = made(file.read_text().partition(BECOMES)[0])
    rng = np.random.default_rng(5)
    given = {
        b.name: rng.integers(0, 9, b.size).astype(b.type.dtype) for b in (*before.outputs, *N.inputs(before))
    }
    ends = []
    for kernel in (before, after):
        memory = {b: given[b.name].copy() for b in (*before.outputs, *N.inputs(before))}
        run(kernel, {p.attr: 7 for p in before.params}, memory)
        ends.append([memory[b].tobytes() for b in after.outputs])
    assert ends[0] == ends[1]


def test_every_modern_move_has_a_golden():
    assert {re.match(r"# (\w+)", f.read_text())[1] for f in FILES} == MODERN


def test_tiling_is_made_of_smaller_moves():
    text = next(f for f in FILES if f.stem.startswith("tile")).read_text()
    before, after = made(text.partition(BECOMES)[0])
    ledger = named("tile").derive(before, ((0, 0),), rows=8, columns=4)
    assert [(s.move, s.applied) for s in ledger.steps] == [
        ("strip_mine", True),
        ("strip_mine", True),
        ("interchange_loops", True),
    ]
    assert N.same(ledger.steps[-1].new.body, after.body)
