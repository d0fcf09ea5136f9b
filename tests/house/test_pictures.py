"""The pictures of the README are those that the program makes, small enough to commit, and its figures are one."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import pellucid as pl
from pellucid import images as im

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
README = (ROOT / "README.md").read_text(encoding="utf-8")

sys.path.insert(0, str(ROOT / "tools"))

import chart  # noqa: E402
import sheet  # noqa: E402


@pytest.mark.parametrize(("name", "most"), [("sheet.webp", 400_000), ("waves.webp", 1_000_000)])
def test_a_picture_is_small_and_stands_in_the_readme(name, most):
    assert (IMAGES / name).stat().st_size < most
    assert f"docs/images/{name}" in README


@pytest.mark.parametrize("number", [0, 6, 11])
def test_the_sheet_shows_the_gallery_as_it_is(number):
    drawn = sheet.thumbnail(sheet.BEST[number], 100)[..., :3].astype(int)
    step = sheet.TILE + sheet.GAP
    x, y = number % sheet.COLUMNS * step, number // sheet.COLUMNS * step
    with Image.open(IMAGES / "sheet.webp") as page:
        shown = page.convert("RGB").crop((x, y, x + sheet.TILE, y + sheet.TILE)).resize((100, 100))
    assert abs(drawn - np.asarray(shown)).mean() < 12, "run scripts/docs --pictures and commit what it makes"


def test_the_animation_moves():
    with Image.open(IMAGES / "waves.webp") as film:
        assert film.n_frames > 10


def test_the_chart_is_that_of_the_table():
    found = chart.rows(README)
    assert len(found) >= 10
    text = (IMAGES / "measured.svg").read_text(encoding="utf-8")
    assert text == chart.drawn(found), "run scripts/bench --chart and commit what it draws"


def test_a_cell_without_a_time_is_refused():
    with pytest.raises(ValueError, match="no time in 'soon'"):
        chart.milliseconds("soon")


def test_the_stages_that_the_readme_shows_are_those_of_the_program():
    stages = pl.explain(im.cond(im.r % 1 < 0.5, im.navy, im.gold)).stages
    first, last = (block for block in re.findall(r"```text\n(.*?)```", README, re.DOTALL) if "for j" in block)
    for shown, stage in ((first, "inlined"), (last, "placed")):
        # How many lanes there are depends on the machine.
        known = {re.sub(r"\d+ lanes", "lanes", line.strip()) for line in stages[stage].splitlines()}
        assert {re.sub(r"\d+ lanes", "lanes", line.strip()) for line in shown.splitlines()} <= known
