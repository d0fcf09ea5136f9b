"""What each pane of the studio looks like, in light and in dark: small pictures that are compared with those kept here.

Fonts and the edges of letters are those of the machine, so the panes are compared from afar: as pictures of few pixels,
each the mean of many. `PELLUCID_WRITE_GOLDENS=1` writes them anew; look at them.
"""

from __future__ import annotations

import io
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from .hands import select

HERE = Path(__file__).parent / "looks"
SIZE = (60, 40)
FAR, MANY, MEAN = 48, 0.04, 6.0
"""Levels that a pixel may be off, the part of all that may be farther off, and the mean of all differences."""
PANES = {
    "picture": ".pane.picture",
    "tree": ".pane.tree",
    "outline": ".pane.tree",
    "text": ".pane.text",
    "numbers": ".pane.panes",
    "variations": ".pane.panes",
    "history": ".pane.panes",
    "see-through": ".pane.panes",
    "keys": "dialog",
    "palette": "dialog",
}
TABS = {"numbers": "Numbers", "variations": "Variations", "history": "History", "see-through": "See through"}
DIALOGS = {"keys": "?", "palette": "Control+k"}


def prepare(page, pane: str) -> None:
    """Bring a pane into sight, in a state that is always the same; those before it were seen."""
    if pane == "tree":
        page.locator('.card .thumbnail[style*="blob:"]').first.wait_for()
        page.wait_for_timeout(600)
    if pane == "outline":
        page.get_by_role("button", name="Outline", exact=True).click()
        page.locator(".outline").wait_for()
    if pane in TABS:
        page.get_by_role("tab", name=TABS[pane]).click()
    if pane == "see-through":
        page.locator(".costs").wait_for()
    if pane in DIALOGS:
        page.keyboard.press("Escape")
        page.locator("dialog").wait_for(state="detached")
        page.locator(".pellucid canvas").focus()
        page.keyboard.press(DIALOGS[pane])
        page.locator("dialog[open]").wait_for()


def look(page, pane: str) -> np.ndarray:
    data = page.locator(PANES[pane]).screenshot(animations="disabled", caret="hide")
    with Image.open(io.BytesIO(data)) as picture:
        return np.asarray(picture.convert("RGB").resize(SIZE, Image.Resampling.BOX))


def differs(found: np.ndarray, wanted: np.ndarray) -> str:
    """How far a look is from the one that is kept; nothing if it is near."""
    off = np.abs(found.astype(int) - wanted).max(axis=2)
    far, mean = float((off > FAR).mean()), float(off.mean())
    return (
        ""
        if far <= MANY and mean <= MEAN
        else f"{far:.1%} of it are far off, and {mean:.1f} levels in the mean"
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_panes_look_as_they_did(page, scheme: str, tmp_path: Path):
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    select(page, "swirl")
    page.locator('.tools [data-edit="wrap"]').wait_for()
    page.mouse.move(1, 1)
    wrong: list[str] = []
    for pane in PANES:
        prepare(page, pane)
        found, kept = look(page, pane), HERE / f"{pane}-{scheme}.png"
        if os.environ.get("PELLUCID_WRITE_GOLDENS"):
            HERE.mkdir(exist_ok=True)
            Image.fromarray(found).save(kept)
        with Image.open(kept) as file:
            why = differs(found, np.asarray(file))
        if why:
            Image.fromarray(found).save(tmp_path / f"{pane}.png")
            wrong.append(f"{pane}: {why}; see {tmp_path / pane}.png")
    assert not wrong


def test_panes_are_told_apart():
    """No pane is as near to another one as it has to be to itself, nor light to dark."""
    looks: dict[str, np.ndarray] = {}
    for path in sorted(HERE.glob("*.png")):
        with Image.open(path) as file:
            looks[path.stem] = np.asarray(file)
    assert len(looks) == 2 * len(PANES)
    near = {frozenset((a, b)) for a in looks for b in looks if a != b and not differs(looks[a], looks[b])}
    # The picture is the same in any light.
    assert near <= {frozenset(("picture-dark", "picture-light"))}
