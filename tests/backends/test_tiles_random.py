"""Random fields have the same bits in the tile machine as in the interpreter, and tiled as untiled."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from tests.diff.fields import Frame, Iterations, frame, frames
from tests.turns import NIGHTLY

from pellucid.backends.llvm import LlvmBackend
from pellucid.backends.tiles import TileBackend
from pellucid.ir import expr as E
from pellucid.ir import interp
from pellucid.ir import nest as N
from pellucid.ir.verify import verify_exprs
from pellucid.rewriting.expand import expand


def drawn(one: Frame, backend: object) -> np.ndarray:
    """What a back end fills the frame with; a second time, when everything is in memory, as well."""
    code = backend.compile(one.kernel, {})
    for _ in range(2):
        found = {b: m.copy() for b, m in one.memory.items()}
        code.run(one.arguments, found)
    return found[one.out]


def expected(one: Frame) -> np.ndarray:
    """What the frame means."""
    verify_exprs(N.all_roots(one.kernel.body))
    memory = {b: m.copy() for b, m in one.memory.items()}
    interp.run(one.kernel, one.arguments, memory)
    return memory[one.out]


@settings(max_examples=2000 if NIGHTLY else 150)
@given(frames())
def test_random_fields_have_the_bits_of_the_interpreter(one: Frame):
    assert np.array_equal(drawn(one, TileBackend()), expected(one))


@pytest.mark.parametrize("part", range(8))
def test_iterations_in_iterations_have_the_bits_of_the_interpreter(part):
    for seed in range(1000 if NIGHTLY else 40):
        one = Iterations(1000 * part + seed).frame()
        assert np.array_equal(drawn(one, TileBackend()), expected(one)), seed


@pytest.mark.parametrize("part", range(2))
def test_iterations_in_iterations_have_the_bits_of_llvm(part):
    for seed in range(200 if NIGHTLY else 8):
        found = Iterations(9000 + 1000 * part + seed).frame()
        (value,) = expand([found.value], "exact")
        simple = frame(value, found.arguments["width"], found.arguments["height"])
        assert np.array_equal(drawn(found, TileBackend()), drawn(simple, LlvmBackend())), seed


def test_the_iterations_are_of_every_kind():
    kinds: set[str] = set()
    for seed in range(40):
        one = Iterations(seed).frame()
        for node in E.topological(N.all_roots(one.kernel.body)):
            if node.op == "iterate":
                _, step, stop, limit = E.parts(node)
                kinds |= {f"{len(step)} components", f"depth {node.attr[0]}"}
                kinds |= {
                    "counted" if stop is E.FALSE else "stopped",
                    "fixed" if limit.op == "const" else "varying",
                }
    wanted = {
        "1 components",
        "2 components",
        "3 components",
        "depth 0",
        "depth 1",
        "counted",
        "stopped",
        "varying",
    }
    assert wanted <= kinds
