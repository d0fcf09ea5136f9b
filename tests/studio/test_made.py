"""Pictures made in the studio without text: by hand alone, and by keys alone."""

from __future__ import annotations

import subprocess
import sys

import pytest
from playwright.sync_api import expect

from .hands import PATIENCE, card, choose, select_card, until

WORDS = ("swirl", "turn", "mirror", "kaleidoscope", "tile", "stretch", "move")
MADE = (
    "picture = im.move((0.5, 0), im.stretch((1, 1), im.tile((1, 1), im.kaleidoscope(5, im.mirror(im.turn(1, "
    "im.swirl(1, im.checkerboard(1, im.black, im.white)))))))).framed(width=8)\n"
)

# What the page says last to the server, by its kind.
SAID = """() => {
    const send = WebSocket.prototype.send;
    window.said = {};
    WebSocket.prototype.send = function (data) {
        const message = JSON.parse(data);
        window.said[message.kind] = message;
        return send.call(this, data);
    };
}"""


def made_by_hand(page):
    page.get_by_role("button", name="Gallery", exact=True).click()
    choose(page, "checkerboard")
    card(page, "turn").wait_for(state="detached")
    select_card(page, "checkerboard")
    for word in WORDS:
        page.locator('.tools [data-edit="wrap"]').click()
        choose(page, word)
        page.locator(f'.card.at .title > span:text-is("{word}")').wait_for()


def made_by_keys(page):
    page.keyboard.press("Alt+g")
    page.locator('[role="option"][data-name="checkerboard"]').wait_for()
    page.keyboard.type("checkerboard")
    page.keyboard.press("Enter")
    card(page, "turn").wait_for(state="detached")
    page.keyboard.press("Alt+4")
    for at in ("framed", "checkerboard"):
        page.keyboard.press("ArrowRight")
        page.locator(f'.card.at .title > span:text-is("{at}")').wait_for()
    for word in WORDS:
        page.locator('.tools [data-edit="wrap"]').wait_for()
        page.keyboard.press("w")
        page.keyboard.type(word)
        page.keyboard.press("Enter")
        page.locator(f'.card.at .title > span:text-is("{word}")').wait_for()


def without_program(data: bytes) -> bytes:
    """The bytes of a PNG without the chunk behind the first, which carries the text that made it."""
    assert data[37:41] == b"iTXt"
    return data[:33] + data[33 + 12 + int.from_bytes(data[33:37], "big") :]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("make", [made_by_hand, made_by_keys])
def test_a_picture_of_eight_words_is_made_and_its_file_draws_the_same_bytes(page, file, tmp_path, make):
    make(page)
    until(lambda: file.read_text("utf-8").endswith(MADE))
    page.wait_for_selector('.pellucid[data-exact="true"]')
    page.evaluate(SAID)
    page.get_by_role("button", name="Export", exact=True).click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Make the file").click()
    asked = page.evaluate("said.export")
    width, height, zoom, (x, y) = (asked[name] for name in ("width", "height", "zoom", "center"))
    # The page counts in a view of 768 pixels.
    view = [
        f"--size={width}x{height}",
        f"--center={x!r},{y!r}",
        f"--zoom={zoom * width / 768!r}",
    ]
    drawn = tmp_path / "drawn.png"
    subprocess.run(
        [sys.executable, "-m", "pellucid", "render", file, "-o", drawn, "--samples=2", *view],
        check=True,
        timeout=PATIENCE,
    )
    assert drawn.read_bytes() == without_program(waiting.value.path().read_bytes())


def test_a_word_is_completed_by_what_fits_and_explained_under_the_pointer(page, file):
    # The library comes after the first picture; the gallery shows when it is there.
    page.keyboard.press("Alt+g")
    page.locator('[role="option"][data-name="checkerboard"]').wait_for()
    page.keyboard.press("Escape")
    page.locator(".cm-line:nth-child(3)").click()
    page.keyboard.press("End")
    page.keyboard.type("\nmore = im.fill(im.gold, im.")
    listed = page.locator(".cm-tooltip-autocomplete li")
    listed.first.wait_for()
    # A region is wanted, and noise is none.
    expect(listed.filter(has_text="wedge_annulus")).to_have_count(1)
    expect(listed.filter(has_text="noise")).to_have_count(0)
    page.keyboard.type("rad_reg")
    expect(page.locator(".cm-completionInfo .word b")).to_have_text("rad_reg")
    page.keyboard.press("Enter")
    until(lambda: b"im.rad_reg" in file.read_bytes())
    page.locator('.cm-line span:text-is("checkerboard")').hover()
    expect(page.locator(".cm-tooltip-hover .word b")).to_have_text("checkerboard")


def test_a_picture_of_the_gallery_is_a_step_of_the_history(page, file):
    before = file.read_bytes()
    page.get_by_role("button", name="Gallery", exact=True).click()
    choose(page, "hyperbolic_checker")
    until(lambda: b"im.hyperbolic_checker(7, 3).framed(" in file.read_bytes())
    page.get_by_role("button", name="Undo", exact=True).click()
    until(lambda: file.read_bytes() == before)
