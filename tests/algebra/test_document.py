"""The page on the image algebra shows what is printed."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pellucid import algebra as alg

PAGE = Path(__file__).parents[2] / "docs/algebra.md"


def sharper() -> alg.Program:
    a = alg.array("a", (480, 640), "f32")
    kernel = np.outer([1, 2, 1], [1, 2, 1]) / 16
    return alg.compile(a + alg.scalar("amount") * (a - alg.convolve(a, kernel, border="reflect")))


def test_the_page_shows_the_program_that_runs():
    shown = PAGE.read_text(encoding="utf-8").split("```text\n")[1].split("```")[0]
    program = sharper()
    lanes = max(s.how.count for s in loops(program))
    # Another processor has wider or narrower vectors.
    assert program.explain().stages["placed"].replace(f"by {lanes} lanes", "by 16 lanes") == shown


def loops(program: alg.Program):
    from pellucid.ir.nest import For, walk

    return [s for s in walk(program.optimized.body) if isinstance(s, For)]


def test_the_page_names_the_moves_that_are_made():
    made = {s.move for s in sharper().stages.ledger.steps if s.applied}
    page = PAGE.read_text(encoding="utf-8")
    assert not [m for m in made - {"simplify", "expand", "place"} if f"`{m}`" not in page]


def test_the_page_names_every_word():
    page = PAGE.read_text(encoding="utf-8")
    assert not [word for word in alg.__all__ if word not in page and word not in {"Array", "Coordinates"}]
