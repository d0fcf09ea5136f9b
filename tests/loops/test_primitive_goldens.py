"""Primitive moves: programs before and after, and why the step is allowed, as text, in `tests/loops/primitive_moves`.

A file says in its first line which move is made at which statement, counted from 1 down the page, and with which
options. To write what comes after the first program, delete it and run the test with PELLUCID_WRITE_GOLDENS=1; then
read it.
"""

import os
import re
from pathlib import Path

import numpy as np
import pytest
from tests.loops.primitive import PRIMITIVE

from pellucid.ir import nest as N
from pellucid.ir.interp import run
from pellucid.ir.parse import parse_nest
from pellucid.ir.path import walk
from pellucid.ir.text import print_nest
from pellucid.ir.verify import verify_kernel
from pellucid.loops.core.registry import named
from pellucid.reasoning.prove import Proved

FILES = sorted((Path(__file__).parent / "primitive_moves").glob("*.nest"))
BECOMES, BECAUSE = "\nbecomes\n\n", "\nbecause\n\n"


def made(text: str) -> str:
    """What the move makes of a program that its first line names, and the premises, one in each line."""
    found = re.match(r"# (\w+) at (\d+)((?: \w+=\S+)*): ", text)
    assert found, "the first line says '# move at number options: why'"
    kernel = parse_nest(text.split("\n", 1)[1])
    move, options = named(found[1]), dict(option(w) for w in found[3].split())
    path = [p for p, _ in walk(kernel.body)][int(found[2]) - 1]
    assert path in move.find(kernel, **options)
    verdict = move.check(kernel, path, **options)
    assert isinstance(verdict, Proved), verdict
    after = move.apply(kernel, path, **options).kernel
    verify_kernel(after)
    assert outcome(kernel) == outcome(after)
    return print_nest(after) + BECAUSE + str(verdict).replace("; ", "\n  ") + "\n"


def option(word: str) -> tuple[str, object]:
    """An option as written in the first line of a file."""
    name, _, text = word.partition("=")
    return name, int(text) if text.isdigit() else {"True": True}.get(text, text)


def outcome(kernel: N.Kernel) -> list[bytes]:
    """What a program leaves in its outputs, run on a few arguments."""
    found = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        memory = {
            b: rng.integers(0, 9, b.size).astype(b.type.dtype) for b in (*kernel.outputs, *N.inputs(kernel))
        }
        run(kernel, {p.attr: seed for p in kernel.params}, memory)
        found += [memory[b].tobytes() for b in kernel.outputs]
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_golden(file: Path):
    before, _, after = file.read_text().partition(BECOMES)
    found = made(before)
    if not after and os.environ.get("PELLUCID_WRITE_GOLDENS"):
        file.write_text(before.rstrip("\n") + "\n" + BECOMES + found)
        after = found
    assert found == after


def test_every_primitive_move_has_a_golden():
    assert {re.match(r"# (\w+)", f.read_text())[1] for f in FILES} == set(PRIMITIVE)
