"""Plans of conversions: what they say is what the program does, and `explain` shows both."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as pl
from pellucid.base.errors import InputError
from pellucid.pixels import FORMATS, layout_of

SIZE = (48, 8)
PLANNED = {
    ("rgb24", "rgb565"): [("samples B G R", "block")],
    ("v210", "nv12"): [("rows of samples", "rows"), ("colors", "block"), ("samples Y", "block")],
    ("raw16", "bgra"): [("lines of a mosaic", "rows"), ("colors", "block")],
    ("pal8", "rgbaf16"): [("curved entries", "picture"), ("colors", "block")],
    ("nv12", "rgbaf16"): [("curved numbers", "rows"), ("colors", "block")],
    ("gray1", "v210"): [
        ("rows of samples", "rows"), ("colors", "block"), ("rows of packed samples", "rows")
    ],
}  # fmt: skip


@pytest.mark.parametrize("pair", PLANNED, ids=" to ".join)
def test_a_plan_says_what_is_computed_where(pair: tuple[str, str]):
    plan = pl.plan_conversion(*pair, SIZE)
    assert [(step.value, step.place) for step in plan.steps()] == PLANNED[pair]
    assert str(plan).startswith(f"{pair[0]} to {pair[1]}, 48 x 8, in blocks of ")


@pytest.mark.parametrize("pair", PLANNED, ids=" to ".join)
def test_every_value_of_a_row_of_blocks_is_brought_there_by_a_move(pair: tuple[str, str]):
    plan = pl.plan_conversion(*pair, SIZE)
    moves = [step.move for step in pl.explain(plan).ledger.steps]
    assert moves.count("compute_at") == sum(step.place == "rows" for step in plan.steps())


def test_the_report_begins_with_the_plan_and_ends_with_the_ledger():
    plan = pl.plan_conversion("gray1", "v210", SIZE)
    report = pl.explain(plan, numerics="exact")
    assert [*report.stages][:2] == ["staged", "inlined"]
    page = str(report)
    assert page.index(str(plan)) < page.index("Staged") < page.index("Inlined") < page.index("compute_at")
    assert "own-part" in page or "its own part" in page
    assert str(plan) in report.markdown()
    assert report.markdown().count("```") % 2 == 0


def test_sums_are_looked_up_where_that_pays():
    small, large = (pl.plan_conversion("raw12", "rgb24", size) for size in ((16, 8), (1920, 1080)))
    assert (small.colors, large.colors) == ("samples", "sums")


def test_precision_decides_what_fits():
    narrow, wide = (pl.plan_conversion("nv12", "rgbaf16", (1920, 8), precision=p) for p in ("f32", "f64"))
    assert narrow.numbers
    assert not wide.numbers
    assert "curved numbers" not in str(pl.explain(narrow, precision="f64"))


def test_the_mosaic_may_be_in_any_plane():
    data = np.random.default_rng(2).integers(0, 256, 2 * 12 * 6, np.uint8)
    want = pl.convert(data[72:], "raw8", "rgb24", (12, 6), numerics="exact")
    found = pl.convert(data, "A:8; M:8 | rggb linear", "rgb24", (12, 6), numerics="exact")
    assert np.array_equal(found, want)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("pcm_u8", "rgb24", SIZE), "are no colors"),
        (("rgb24", "pal8", SIZE), "palette of pal8"),
        (("rgb24", "rgb565", (0, 1)), "no size"),
        (("rgb25", "rgb565", SIZE), "rgb25"),
    ],
)
def test_refusals(arguments: tuple, words: str):
    with pytest.raises(InputError, match=words):
        pl.plan_conversion(*arguments)


def test_a_plan_has_no_view():
    with pytest.raises(InputError, match="give the size to plan_conversion"):
        pl.explain(pl.plan_conversion("rgb24", "rgb565", SIZE), (4, 4))


def test_there_is_a_plan_for_every_pair():
    for source in (f for f in FORMATS.values() if f.model != "samples"):
        for target in ("rgb24", "v210", "raw10", "rgbaf16"):
            assert [*pl.plan_conversion(source, layout_of(target), SIZE).steps()]
