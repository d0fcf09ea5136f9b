"""`pellucid studio --watch` and `show --live`: the picture alone, as another editor saves its file."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from .conftest import Studio
from .hands import pixels, until

TEXT = """import pellucid as pl
from pellucid import images as im

turns = pl.param("turns", 0.5, low=0.0, high=2.0)
picture = im.checkerboard(0.5, im.black, im.white).turn(turns).framed(width=6)
"""


@pytest.fixture
def watched(tmp_path, request):
    file = tmp_path / "picture.py"
    file.write_text(TEXT, "utf-8")
    made = Studio(file, words=request.param)
    yield made, file
    made.stop(signal.SIGKILL)


@pytest.mark.parametrize("watched", [["studio", "--watch", "--no-browser"]], indirect=True)
def test_the_picture_follows_its_file_and_its_sliders_and_nothing_is_written(browser, watched):
    studio, file = watched
    page = browser.new_page()
    page.goto(studio.address)
    page.wait_for_selector('.pellucid[data-exact="true"]')
    expect(page.get_by_role("region", name="Tree")).to_have_count(0)
    expect(page.get_by_role("textbox", name="Text of the picture")).to_be_hidden()
    shown = pixels(page)
    slider = page.get_by_role("slider", name="turns")
    slider.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    until(lambda: pixels(page) != shown)
    turned = pixels(page)
    file.write_text(
        TEXT.replace("im.white", "im.gold").replace("low=0.0, high=2.0", "low=0.0, high=4.0"), "utf-8"
    )
    until(lambda: pixels(page) not in {shown, turned})
    expect(slider).to_have_attribute("max", "4")
    # What was slid stays where it is.
    assert float(slider.input_value()) > 0.5
    saved = file.read_text("utf-8").replace("im.gold)", "im.gold")
    file.write_text(saved, "utf-8")
    expect(page.get_by_text("this is the last picture that it made")).to_be_visible()
    expect(page.get_by_role("list", name="Mistakes")).not_to_be_empty()
    page.wait_for_timeout(3000)
    page.close()
    studio.stop()
    assert file.read_text("utf-8") == saved
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def run(*words):
    done = subprocess.run(
        [sys.executable, "-m", "pellucid", *words], capture_output=True, text=True, check=False, timeout=120
    )
    return done.returncode, done.stderr


def test_what_cannot_be_watched_is_told(tmp_path):
    missing = str(tmp_path / "none.py")
    status, said = run("studio", "--watch", missing)
    assert (status, "is no file to watch" in said) == (1, True), said
    status, said = run("show", "--live", missing)
    assert (status, "is no file of Python" in said) == (2, True), said
    (tmp_path / "a.py").write_text(TEXT, "utf-8")
    status, said = run("show", "--live", str(tmp_path / "a.py"), "--seconds", "2")
    assert (status, "--seconds: has no meaning for a live picture" in said) == (2, True), said


@pytest.mark.parametrize("watched", [["show", "--live"]], indirect=True)
def test_a_live_picture_is_run_as_show_runs_it(browser, watched):
    studio, file = watched
    file.write_text(TEXT + "import os\npicture = picture if os.sep else None\n", "utf-8")
    page = browser.new_page()
    page.goto(studio.address)
    page.wait_for_selector('.pellucid[data-exact="true"]')
    expect(page.get_by_text("Watched")).to_be_visible()
    expect(page.get_by_role("list", name="Mistakes")).to_have_count(0)
    page.close()
