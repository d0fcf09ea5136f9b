"""The page of the studio in Chromium, as people use it, and the tests of its own logic."""

from __future__ import annotations

import signal
import subprocess

import pytest
from playwright.sync_api import expect
from tools import page as built

from .conftest import TEXT, Studio, free_port
from .hands import drag, pixels, put_cursor, text_of, until


@pytest.mark.slow
def test_the_page_passes_its_own_tests_and_types():
    built.install()
    for tool in ("vitest/vitest.mjs run", "typescript/bin/tsc --noEmit"):
        name, *words = tool.split()
        program = built.FRONTEND / "node_modules" / name
        done = subprocess.run(
            [built.node(), program, *words],
            cwd=built.FRONTEND,
            check=False,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_what_is_typed_is_drawn_and_saved_and_undone_to_the_same_bytes(page, file):
    before, shown = file.read_bytes(), pixels(page)
    put_cursor(page, 3)
    page.keyboard.type("1")
    until(lambda: pixels(page) != shown)
    until(lambda: file.read_bytes() == before.replace(b"0.6", b"0.61"))
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    page.keyboard.press("Control+z")
    until(lambda: file.read_bytes() == before)
    until(lambda: pixels(page) == shown)


def test_a_drag_of_a_slider_is_one_step(page, file):
    put_cursor(page, 3)
    slider = page.get_by_role("slider", name="turns")
    drag(page, slider, 48)
    assert "0.6\n" not in text_of(page)
    page.get_by_role("button", name="Undo", exact=True).click()
    assert "turns = 0.6" in text_of(page)


def test_an_exact_number_is_taken_as_it_is_written(page, file):
    put_cursor(page, 3)
    field = page.get_by_label("turns, exactly")
    field.fill("0.12345")
    field.press("Enter")
    until(lambda: b"turns = 0.12345\n" in file.read_bytes())


def test_a_mistake_is_told_and_the_last_picture_stays(page):
    shown = pixels(page)
    put_cursor(page, 3)
    page.keyboard.type(" +")
    expect(page.get_by_text("this is the last picture that it made")).to_be_visible()
    expect(page.get_by_role("list", name="Mistakes")).not_to_be_empty()
    # The blank before it was drawn first, in the quality of what moves.
    until(lambda: pixels(page) == shown)
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    expect(page.get_by_text("this is the last picture that it made")).to_have_count(0)


def test_two_tabs_have_one_text(page, file):
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector('.pellucid[data-exact="true"]')
    put_cursor(page, 3)
    put_cursor(other, 4)
    page.keyboard.type("1")
    other.keyboard.type("  # both")
    until(lambda: text_of(page) == text_of(other) and "0.61" in text_of(other) and "# both" in text_of(page))
    until(lambda: b"0.61" in file.read_bytes() and b"# both" in file.read_bytes())


def test_a_file_that_another_program_changes_is_read_again_or_asked_about(page, file):
    file.write_text(TEXT.replace("0.6", "0.2"), "utf-8")
    until(lambda: "0.2" in text_of(page))
    put_cursor(page, 3)
    page.keyboard.type("5")
    file.write_text(TEXT.replace("0.6", "0.9"), "utf-8")
    page.get_by_role("button", name="Keep the text here").click()
    until(lambda: b"0.25" in file.read_bytes())


def test_the_page_waits_for_a_server_that_is_gone_and_goes_on(browser, tmp_path):
    file = tmp_path / "picture.py"
    file.write_text(TEXT, "utf-8")
    port = free_port()
    first = Studio(file, port)
    page = browser.new_page()
    page.goto(first.address)
    page.wait_for_selector('.pellucid[data-exact="true"]')
    first.stop(signal.SIGKILL)
    expect(page.get_by_text("The studio does not answer")).to_be_visible()
    put_cursor(page, 3)
    page.keyboard.type("7")
    again = Studio(file, port)
    try:
        # The token of the new server lets the same browser in.
        page.context.request.get(again.address)
        expect(page.get_by_text("The studio does not answer")).to_have_count(0)
        until(lambda: b"0.67" in file.read_bytes())
    finally:
        again.stop()
        page.close()


def test_everything_goes_by_keyboard(page, file):
    page.keyboard.press("Control+k")
    page.keyboard.type("go to the pic")
    page.keyboard.press("Enter")
    shown = pixels(page)
    expect(page.locator("canvas")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("+")
    until(lambda: pixels(page) != shown)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Alt+2")
    page.keyboard.press("Control+Home")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Alt+3")
    page.keyboard.press("ArrowRight")
    until(lambda: b"turns = 0.6\n" not in file.read_bytes())


def test_the_studio_ends_cleanly_and_writes_what_was_not_saved(browser, studio):
    file = studio.folder / "picture.py"
    page = browser.new_page()
    page.goto(studio.address)
    page.wait_for_selector('.pellucid[data-exact="true"]')
    put_cursor(page, 3)
    page.keyboard.type("4")
    expect(page.get_by_text("Not saved yet")).to_be_visible()
    until(lambda: list(file.parent.glob(".*.unsaved")))
    status, said = studio.stop()
    page.close()
    assert (status, said.splitlines()[-1]) == (130, "pellucid: interrupted")
    assert "Traceback" not in said
    assert b"0.64" in file.read_bytes()
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_a_text_that_was_read_is_shown_also_if_it_is_changed_since(page):
    page.add_init_script("""
      const Plain = window.WebSocket;
      window.WebSocket = class extends Plain { constructor(...given) { super(...given); window.socket = this; } };
    """)
    page.reload()
    page.wait_for_selector('.pellucid[data-exact="true"]')
    before = page.get_attribute(".pellucid", "data-frames")
    page.evaluate("socket.onmessage({ data: JSON.stringify({ kind: 'reading', version: -1, ok: true }) })")
    until(lambda: page.get_attribute(".pellucid", "data-frames") != before)
