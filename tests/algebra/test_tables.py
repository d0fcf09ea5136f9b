"""Definitions by cases become one visit of each point, in parts for threads; the derivation is in the ledger."""

from __future__ import annotations

import numpy as np
import pytest

from pellucid import algebra as alg
from pellucid.algebra.tables import tables
from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir.path import walk
from pellucid.loops.core.ledger import Ledger
from pellucid.loops.core.tactic import State

DERIVATION = [
    "inline_array",
    "interchange_with_back_substitution",
    "guard_store",
    "split_loop",
    "interchange_loops",
    "join_conditional",
    "eliminate_loop",
    "strip_mine",
    "privatize",
    "unroll_and_jam",
    "spread",
]


def histogram(shape: tuple[int, ...], count: int = 256, kind: str = "i64") -> alg.Array:
    a, h, i = alg.array("a", shape, "u8"), alg.array("h", count, kind), alg.index("i", count)
    h[i] = alg.sum(alg.chi(a == i)).astype(kind)
    return h


@pytest.mark.parametrize("backend", ["llvm", "c", "numpy"])
@pytest.mark.parametrize("shape", [(256, 160), (37, 1001), (40000,)])
def test_a_histogram_in_bands_counts(backend: str, shape: tuple[int, ...]):
    if backend == "numpy":
        shape = (shape[0], 3) if len(shape) > 1 else (300,)
    a = np.random.default_rng(1).integers(0, 256, shape, dtype=np.uint8)
    program = alg.compile(histogram(shape), backend=backend)
    for threads in (1, 2, 3):
        assert np.array_equal(program(a=a, threads=threads), np.bincount(a.ravel(), minlength=256))


def test_the_ledger_has_the_derivation():
    ledger = alg.compile(histogram((256, 160)), numerics="exact").stages.ledger
    made = list(dict.fromkeys(s.move for s in ledger.steps if s.applied))
    assert [m for m in made if m in DERIVATION] == DERIVATION
    ledger.recheck()


def test_every_point_is_visited_once():
    kernel = alg.compile(histogram((256, 160))).optimized
    loops = {p: s for p, s in walk(kernel.body) if isinstance(s, N.For)}
    nested = max(loops, key=len)
    assert [s.index.attr for p, s in loops.items() if nested[: len(p)] == p] == ["y_block", "y", "x_group"]


def test_a_histogram_of_a_filtered_picture_filters_it_once():
    a, h, i = alg.array("a", (130, 140), "u8"), alg.array("h", 256, "i64"), alg.index("i", 256)
    h[i] = alg.sum(alg.chi(alg.dilate(alg.erode(a, 5), 5) == i))
    program = alg.compile(h)
    loads = [n for n in E.topological(N.all_roots(program.optimized.body)) if n.op == "load"]
    assert len(loads) < 300, "25 for each filter, and again at its borders"
    picture = np.random.default_rng(1).integers(0, 256, (130, 140), dtype=np.uint8)
    found = program(a=picture)
    assert found.sum() == picture.size
    filtered = alg.run(alg.dilate(alg.erode(a, 5), 5), a=picture)
    assert np.array_equal(found, np.bincount(filtered.ravel(), minlength=256))


def test_cases_that_no_point_is_of_and_points_of_no_case():
    a = np.full((256, 160), 200, np.uint8)
    found = alg.run(histogram((256, 160), 100), a=a)
    assert found.shape == (100,)
    assert not found.any()


def test_what_is_no_search_stays_as_it_is():
    a, h, i = alg.array("a", (50, 60), "u8"), alg.array("h", 9, "i64"), alg.index("i", 9)
    h[i] = alg.sum(a * i)
    naive = alg.compile(h, optimize=False).kernel
    state = tables(State(naive, {}, Ledger()))
    assert not state.ledger.steps
    assert state.kernel is naive
    picture = np.random.default_rng(1).integers(0, 200, (50, 60), dtype=np.uint8)
    assert np.array_equal(alg.run(h, a=picture), [k * picture.astype(np.int64).sum() for k in range(9)])
