"""Beside the picture of the studio: one to compare it with, the grid, the whole screen, and what is dropped."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import expect

from .conftest import TEXT, Studio
from .hands import begin, choose, drag, has, pixels, text_of, until
from .test_exporting import ask
from .test_security import heard, tab

OTHER = """from pellucid import images as im

picture = im.fill(im.tomato, im.disk(1.5)).framed(width=6)
"""
DROP = """([name, data]) => {
  const bytes = Uint8Array.from(atob(data), (each) => each.charCodeAt(0));
  const files = new DataTransfer();
  files.items.add(new File([bytes], name));
  document.querySelector(".cm-content").dispatchEvent(
    new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
}"""
PIXEL = """([selector, x, y]) => {
  const canvas = document.querySelector(selector);
  const at = [Math.floor(x * canvas.width), Math.floor(y * canvas.height)];
  return [...canvas.getContext("2d").getImageData(...at, 1, 1).data];
}"""


def drop(page, name: str, data: bytes) -> None:
    page.evaluate(DROP, [name, base64.b64encode(data).decode()])


def colors(page, x: float, y: float) -> tuple[list[int], list[int]]:
    """The colors of A and of B at a point, in parts of the width and the height."""
    return tuple(page.evaluate(PIXEL, [each, x, y]) for each in (".comparison canvas", ".pellucid canvas"))


def close(one: list[int], other: list[int]) -> bool:
    """Whether colors are equal up to what is rounded: A may be smaller than B, and what moves is sent in haste."""
    return all(abs(a - b) <= 2 for a, b in zip(one, other, strict=True))


def same(page) -> bool:
    """Whether A and B have the same colors."""
    return all(close(*colors(page, *each)) for each in [(0.2, 0.3), (0.5, 0.5), (0.71, 0.42), (0.3, 0.8)])


def test_a_picture_is_compared_with_what_it_was(page, file):
    page.locator(".pellucid canvas").focus()
    page.keyboard.press("b")
    page.wait_for_selector('.comparison canvas[data-fresh="true"]')
    until(lambda: same(page))
    begin(page, file, OTHER)
    until(lambda: not same(page))
    # A follows the view of B: far in, at the middle of the disk, B is of one color.
    a, b = colors(page, 0.5, 0.5)
    assert a != b
    for _ in range(4):
        page.keyboard.press("+")
    page.wait_for_selector('.comparison canvas[data-fresh="true"]')
    until(lambda: close(colors(page, 0.5, 0.5)[1], b))
    # The bar goes by keys and by hand.
    bar = page.get_by_role("separator", name="Between A and B")
    bar.focus()
    page.keyboard.press("ArrowLeft")
    expect(bar).to_have_attribute("aria-valuenow", "48")
    drag(page, bar, 90)
    until(lambda: int(bar.get_attribute("aria-valuenow")) > 55)
    # What it was is there again, and both are one.
    begin(page, file, TEXT)
    page.wait_for_selector('.comparison canvas[data-fresh="true"]')
    until(lambda: same(page))
    page.locator(".pellucid canvas").focus()
    page.keyboard.press("b")
    expect(page.locator(".comparison")).to_have_count(0)


def test_a_snapshot_is_compared_with(page, file):
    page.get_by_role("tab", name="Variations").click()
    page.get_by_role("button", name="Keep this one").click()
    page.keyboard.press("Enter")
    begin(page, file, OTHER)
    page.get_by_role("button", name="Compare with Snapshot 1").click()
    page.wait_for_selector('.comparison canvas[data-fresh="true"]')
    assert not same(page)


def test_what_cannot_be_compared_is_told(shared, cookie):
    asked = {
        "kind": "compare",
        "ask": 1,
        "size": [40, 30],
        "center": [0, 0],
        "zoom": 96,
        "time": 0,
        "text": OTHER,
    }
    wrong = [
        {"text": "picture = "}, {"text": "import os\npicture = os.getcwd()"}, {"text": 7}, {"text": "x" * 200_000},
        {"size": [10**6, 10**6]}, {"size": "a"}, {"center": "a"}, {"zoom": "far"}, {"center": [1e400, 0]},
    ]  # fmt: skip
    with tab(shared, cookie) as socket:
        heard(socket, "document")
        for each in wrong:
            socket.send(json.dumps({**asked, **each}))
            assert heard(socket, "refused")["text"], each
        # Names of parameters that the other picture does not have are none of its own.
        for params in ({"turns": 2.0}, [1], None):
            socket.send(json.dumps({**asked, "params": params}))
            while isinstance(message := socket.recv(timeout=20), str):
                assert json.loads(message)["kind"] != "refused", message
            line, _, data = message.partition(b"\n")
            assert json.loads(line)["kind"] == "compared"
            assert len(data) == 40 * 30 * 4


def test_a_grid_has_the_round_numbers_of_the_view(page):
    expect(page.locator(".grid")).to_have_count(0)
    page.locator(".pellucid canvas").focus()
    page.keyboard.press("g")
    labels = page.locator(".grid text")
    assert {"-2", "0", "2"} <= set(labels.all_text_contents())
    box = page.locator(".pellucid canvas").bounding_box()
    axis = page.locator(".grid .axis line").first.bounding_box()
    assert abs(axis["x"] - (box["x"] + box["width"] / 2)) < 2
    for _ in range(6):
        page.keyboard.press("+")
    until(lambda: {"0.2", "0.5"} & set(labels.all_text_contents()))
    # It is remembered.
    page.reload()
    expect(page.locator(".grid")).to_be_visible()
    page.locator(".pellucid canvas").focus()
    page.keyboard.press("g")
    expect(page.locator(".grid")).to_have_count(0)


def test_the_picture_fills_the_screen(page):
    before = page.locator(".pellucid canvas").bounding_box()
    page.locator(".pellucid canvas").focus()
    page.keyboard.press("Alt+Enter")
    until(lambda: page.evaluate("document.fullscreenElement?.ariaLabel") == "Picture")
    until(lambda: page.locator(".pellucid canvas").bounding_box()["width"] > before["width"] + 100)
    page.wait_for_selector('.pellucid[data-exact="true"]')
    page.keyboard.press("Alt+Enter")
    until(lambda: page.evaluate("document.fullscreenElement") is None)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("format", ["png", "png16", "apng"])
def test_an_exported_png_is_dropped_and_is_the_text_again(page, file, format, tmp_path):
    ask(page, format)
    if format == "apng":
        page.get_by_label("Seconds").fill("0.1")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Make the file").click()
    exported = Path(waiting.value.path()).read_bytes()
    (tmp_path / "a.png").write_bytes(exported)
    with Image.open(tmp_path / "a.png") as picture:
        picture.load()
        assert picture.text["pellucid"] == TEXT
    shown = pixels(page)
    begin(page, file, OTHER)
    until(lambda: pixels(page) != shown)
    drop(page, "picture.png", exported)
    until(lambda: has(page, TEXT))
    until(lambda: pixels(page) == shown)
    # It is one step of the history.
    page.keyboard.press("Control+z")
    until(lambda: has(page, OTHER))


def test_a_program_is_chosen_by_name_too(page, tmp_path):
    (tmp_path / "star.py").write_text(OTHER, "utf-8")
    page.keyboard.press("Control+k")
    with page.expect_file_chooser() as waiting:
        choose(page, "Begin with the program of a PNG or a file of Python")
    waiting.value.set_files(tmp_path / "star.py")
    until(lambda: has(page, OTHER))


def test_a_file_without_a_program_changes_nothing(page, tmp_path):
    Image.new("RGB", (3, 2)).save(tmp_path / "plain.png")
    drop(page, "plain.png", (tmp_path / "plain.png").read_bytes())
    expect(page.get_by_text("plain.png carries no program")).to_be_visible()
    drop(page, "a.jpg", b"\xff\xd8\xff\xe0")
    expect(page.get_by_text("a.jpg carries no program")).to_be_visible()
    assert has(page, TEXT)


def test_nothing_is_dropped_where_code_is_run(browser, tmp_path):
    """A program from elsewhere would be run as the code of the user."""
    path = tmp_path / "picture.py"
    path.write_text(TEXT, "utf-8")
    mark = tmp_path / "ran"
    evil = f"import pathlib\npathlib.Path({str(mark)!r}).touch()\n{OTHER}"
    for words, told in ((["--trust"], "is run as it is written"), ([], None)):
        made = Studio(path, words=["studio", "--no-browser", *words])
        try:
            page = browser.new_page()
            page.goto(made.address)
            page.wait_for_selector('.pellucid[data-exact="true"]')
            drop(page, "evil.py", evil.encode())
            if told:
                expect(page.get_by_text(told)).to_be_visible()
                assert has(page, TEXT)
            else:
                until(lambda page=page: "pathlib" in text_of(page))
                page.wait_for_selector('.pellucid[data-exact="true"]')
            page.close()
        finally:
            made.stop()
        assert not mark.exists()
