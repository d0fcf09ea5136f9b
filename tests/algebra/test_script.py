"""What the script makes of programs: which moves, and what is left; every proof holds when it is asked again."""

from __future__ import annotations

import numpy as np
import pytest

from pellucid import algebra as alg
from pellucid.ir.expr import topological
from pellucid.ir.nest import For, all_roots, scratch, walk

BOX = np.ones((3, 3)) / 9


def unsharp(shape: tuple[int, ...], kernel: np.ndarray = BOX) -> alg.Array:
    a = alg.array("a", shape)
    return a + alg.scalar("amount") * (a - alg.convolve(a, kernel))


def made(program: alg.Program) -> list[str]:
    return [s.move for s in program.stages.ledger.steps if s.applied]


def loops(program: alg.Program) -> list[For]:
    return [s for s in walk(program.optimized.body) if isinstance(s, For)]


def rows(program: alg.Program, name: str = "") -> set[str]:
    """The rows of the table in the loops by lanes, or in all."""
    found = [s for s in loops(program) if s.how.kind == "lanes"]
    return {n.op for s in found for n in topological(all_roots(s.body))}


def test_the_naive_nest_has_a_loop_and_an_array_for_every_operation():
    program = alg.compile(unsharp((20, 60)), optimize=False)
    nests = [s for s in loops(program) if s.index.attr == "y"]
    assert len(nests) == 4
    assert len(scratch(program.optimized.body)) == 3


@pytest.mark.parametrize("shape", [(20, 60), (20, 60, 3), (9, 20, 60)], ids=str)
def test_an_unsharp_mask_is_one_nest_without_arrays(shape: tuple[int, ...]):
    program = alg.compile(unsharp(shape))
    outer = [s for s in program.optimized.body if isinstance(s, For)]
    assert len(outer) == len(program.optimized.body) == 1
    assert outer[0].how.kind == "spread"
    left = scratch(program.optimized.body)
    assert len(left) == 1
    assert left[0].size == np.prod(shape[1:])


def test_the_middle_is_free_of_borders():
    program = alg.compile(unsharp((20, 60, 3)))
    longest = max(loops(program), key=lambda s: s.how.kind == "lanes" and s.hi.attr - s.lo.attr)
    inside = {n.op for n in topological(all_roots(longest.body)) if n.free & longest.index.free}
    assert not inside & {"abs", "min", "max", "mod", "choose"}


@pytest.mark.parametrize("border", ["reflect", "clamp", "wrap", "constant"])
def test_no_border_is_left_in_the_middle(border: str):
    a = alg.array("a", (20, 90), "i32")
    program = alg.compile(alg.correlate(a, [[1, 2, 3], [4, 5, 7], [7, 1, 9]], border, 5))
    middle = [s for s in loops(program) if s.how.kind == "lanes" and s.hi.attr - s.lo.attr == 88]
    inside = {n.op for s in middle for n in topological(all_roots(s.body)) if n.free & s.index.free}
    assert middle
    # Whether a row above or below is outside is asked once per row, not here.
    assert not inside & {"abs", "min", "max", "mod", "lt", "le"}


def test_bytes_go_in_more_lanes_than_floats():
    widths = {}
    for type_ in ("u8", "u16", "f32", "f64"):
        program = alg.compile(alg.dilate(alg.array("a", (20, 300), type_), 3))
        widths[type_] = max(s.how.count for s in loops(program) if s.how.kind == "lanes")
    assert widths["u8"] == 2 * widths["u16"] == 4 * widths["f32"] == 8 * widths["f64"]


def test_only_relaxed_numerics_split_sums_of_floats():
    assert "separate_window" in made(alg.compile(unsharp((20, 60))))
    assert "separate_window" not in made(alg.compile(unsharp((20, 60)), numerics="exact"))
    for e in (
        alg.dilate(alg.array("a", (20, 60), "f32"), 5),
        alg.convolve(alg.array("a", (20, 60), "i32"), np.ones((3, 3), int)),
    ):
        assert "separate_window" in made(alg.compile(e, numerics="exact"))


def test_exact_numerics_give_the_bits_of_the_naive_nest():
    a = np.random.default_rng(1).normal(size=(40, 70, 3)).astype(np.float32)
    kernel = np.random.default_rng(2).normal(size=(3, 5))
    e = unsharp(a.shape, kernel)
    naive = alg.compile(e, optimize=False)(a=a, amount=0.3)
    assert np.array_equal(alg.compile(e, numerics="exact")(a=a, amount=0.3), naive)


def test_a_kernel_that_is_no_product_stays_whole_and_the_ledger_says_why():
    program = alg.compile(unsharp((20, 60), np.array([[0, 1, 0], [1, 4, 1], [0, 1, 0]])))
    (step,) = (s for s in program.stages.ledger.steps if s.move == "separate_window")
    assert step.verdict.clause == "rank-one"


def test_every_proof_holds_again():
    for e in (
        unsharp((20, 60, 3)),
        alg.median(alg.array("a", (20, 60), "u8")),
        alg.dilate(alg.erode(alg.array("a", (20, 60), "u8"), 5), 5),
        alg.sum(alg.array("a", (20, 60)), axis=0),
    ):
        alg.compile(e).stages.ledger.recheck()


def test_a_long_program_becomes_one_loop_in_few_steps():
    a = alg.array("a", (30, 40))
    e = a
    for k in range(300):
        e = e * 0.5 + a if k % 2 else alg.maximum(e, a - k)
    program = alg.compile(e)
    assert len([s for s in loops(program) if s.index.attr == "y"]) == 1
    assert len(program.stages.ledger.steps) < 20


def test_report_shows_the_stages_and_the_steps():
    text = str(alg.compile(unsharp((20, 60))).explain())
    assert "Naive: every operation" in text
    assert "separate_window" in text
    assert "rank-one: the table of weights is a product" in text


@pytest.mark.parametrize("backend", ["numpy", "c", "llvm"])
def test_back_ends_agree_bit_for_bit(backend: str):
    a = np.random.default_rng(1).normal(size=(6, 40, 3)).astype(np.float32)
    e = unsharp(a.shape)
    found = alg.compile(e, backend=backend)(a=a, amount=0.3)
    np.testing.assert_allclose(found, alg.compile(e)(a=a, amount=0.3), rtol=0, atol=1e-6)
    exact = alg.compile(e, backend=backend, numerics="exact")(a=a, amount=0.3)
    assert np.array_equal(exact, alg.compile(e, numerics="exact")(a=a, amount=0.3))


def test_rows_that_do_not_fit_on_the_stack_stay_in_arrays():
    a = alg.array("a", (5, 12_000), "f32")
    edges = [alg.convolve(a, np.outer(u, v)) for u in ([1, 2, 1], [1, 3, 1]) for v in ([1, 0, -1], [2, 5, 2])]
    picture = np.random.default_rng(1).random((5, 12_000), dtype=np.float32)
    program = alg.compile(edges[0] * edges[1] + edges[2] * edges[3])
    assert 2 <= len(scratch(program.optimized.body)) <= 4
    naive = alg.compile(edges[0] * edges[1] + edges[2] * edges[3], optimize=False)
    np.testing.assert_allclose(program(a=picture), naive(a=picture), rtol=0, atol=1e-3)


def test_a_long_line_is_handed_out_in_strips():
    line = alg.array("a", (1 << 18) + 5)
    sharper = alg.convolve(line, np.array([1, 2, 1]) / 4) + line
    program = alg.compile(sharper, numerics="exact")
    assert [s.how.kind for s in loops(program) if s.hi.op != "const"] == ["lanes"]
    assert [s.how.kind for s in program.optimized.body if isinstance(s, For)].count("spread") == 1
    values = np.random.default_rng(1).random((1 << 18) + 5, dtype=np.float32)
    naive = alg.compile(sharper, numerics="exact", optimize=False)
    np.testing.assert_array_equal(program(a=values), naive(a=values))
    short = alg.compile(alg.array("a", 1000) + 1)
    assert [s.how.kind for s in loops(short)] == ["lanes"]
