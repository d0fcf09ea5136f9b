"""Cellular automata of three bits (Draves 1998, introduction): rules that evolve are programs, in tiles."""

import random
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from pellucid.backends.flow.frame import outlines
from pellucid.backends.flow.templates import assembled
from pellucid.backends.jit.executable import is_possible
from pellucid.driver.codes import compile_code
from pellucid.staging import Memory
from pellucid.staging.root.lowering import lowered
from pellucid.staging.root.sets import INTEGERS

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
import automata as A

sys.path.pop(0)

GIVEN = (Memory("old", 32), Memory("new", 32))
BINARY = {
    "+": np.add, "-": np.subtract, "&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor,
    "min": np.minimum, "max": np.maximum, "=": np.equal, "<": np.less,
}  # fmt: skip


def meant(rule, around: np.ndarray) -> np.ndarray:
    """The next states by NumPy; `around` has a line of cells more on each side."""
    if rule[0] == "number":
        return np.full_like(around[1:-1, 1:-1], rule[1])
    if rule[0] == "cell":
        height, width = around.shape
        return around[1 + rule[1] : height - 1 + rule[1], 1 + rule[2] : width - 1 + rule[2]]
    values = [meant(one, around) for one in rule[1:]]
    if rule[0] == "if":
        return np.where(values[0] != 0, values[1], values[2])
    return BINARY[rule[0]](*values).astype(np.int64) & 7


def turned(rule, states: np.ndarray, turns: int, border: int | None) -> np.ndarray:
    for _ in range(turns):
        around = (
            np.pad(states, 1, mode="wrap") if border is None else np.pad(states, 1, constant_values=border)
        )
        states = meant(rule, around)
    return states


def random_states(rows: int, columns: int) -> np.ndarray:
    return np.random.default_rng(7).integers(0, 8, (rows, columns), dtype=np.int64)


@pytest.mark.parametrize("border", [None, 0, 5])
def test_T11_rules_over_nine_cells_are_programs_on_cells_packed_in_tiles(border: int | None) -> None:
    draw = random.Random(border)
    states = random_states(16, 64)
    rules = [
        (op, ("cell", -1, 1), *[("cell", 0, 0), ("cell", 1, -1)][: n - 1]) for op, n in A.ARITIES.items()
    ]
    for rule in [*rules, *(A.grown(draw) for _ in range(6))]:
        program = A.compiler()(rule, border is None)
        after, _ = A.run(rule, states, 2, border, program)
        assert np.array_equal(after, turned(rule, states, 2, border)), rule
        assert program.tier


def test_T11_cells_take_three_bits_and_tiles_lie_one_after_another() -> None:
    states = random_states(24, 96)
    words = A.packed(states)
    assert words.size * 32 == 3 * states.size
    tile = A.packed(states[8:16, 32:64])
    at = (1 * 3 + 1) * A.TILE  # of three tiles a row, the second of the second row
    assert np.array_equal(words[at : at + A.TILE], tile)
    assert np.array_equal(A.unpacked(words, 24, 96), states)
    assert np.array_equal(A.unpacked(A.packed(states, 3), 24, 96, 3), states)


def test_T11_a_program_is_small_where_a_table_has_48_mebibytes() -> None:
    draw = random.Random(4)
    bits = 3 * 8**9
    assert bits == 3 * 2**27
    assert bits // 8 == 48 << 20  # not 192 megabytes, as the text says
    for _ in range(3):
        code = A.compiler()(A.grown(draw), True).code
        graph = lowered(code, [*GIVEN, INTEGERS, INTEGERS]).graph
        assert len(assembled(graph, outlines(graph))[0]) < 64 << 10


def test_T11_tiers_agree() -> None:
    states = random_states(16, 64)
    rule = (
        "if",
        ("<", ("cell", 0, -1), ("cell", 0, 1)),
        ("max", ("cell", -1, 0), ("number", 6)),
        ("cell", 1, 1),
    )
    expected = turned(rule, states, 1, None)
    code = A.compiler()(rule, True).code
    for tier in ("machine", *(["quick"] if is_possible() else []), "llvm"):
        old = A.packed(states)
        new = np.zeros_like(old)
        compile_code(code, *GIVEN, "integer", "integer", tier=tier)(old, new, 2, 2)
        assert np.array_equal(A.unpacked(new, 16, 64), expected), tier


def test_T11_rules_are_mutated_crossed_over_and_get_fitter() -> None:
    draw = random.Random(3)
    one, other = A.grown(draw), A.grown(draw)
    children = [A.child(draw, one, other) for _ in range(20)]
    assert len(set(children)) > 10
    assert any(A.part(made, place) in [A.part(other, p) for p in A.parts(other) if p] for made in children
               for place in A.parts(made) if place)  # fmt: skip
    found = A.evolved(4, size=6, generations=2)
    assert all(a[1] >= b[1] for a, b in pairwise(found))
    assert found[0][1] >= max(A.fitness(rule, 4) for rule in first_of(4, 6))
    assert 0 < found[0][1] <= 1


def first_of(seed: int, size: int) -> list:
    """The rules that a population begins with."""
    draw = random.Random(seed)
    return [A.grown(draw) for _ in range(size)]
