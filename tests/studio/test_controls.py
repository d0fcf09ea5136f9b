"""The controls of the inspector of the studio: colors as OKLCH, the stops of a gradient, a pad for a point, a die."""

from __future__ import annotations

import re
import signal

from .conftest import TEXT, Studio
from .hands import begin, drag, has, put_cursor, select, text_of, until

GRADIENT = """from pellucid import images as im

picture = im.linear_gradient((-1.0, 0.0), (1.0, 0.0), [(0.0, im.red), (1.0, im.gold)]).framed(width=4)
"""
NOISE = """from pellucid import images as im

picture = im.ramp([(0.0, im.black), (1.0, im.white)], im.perlin_noise(seed=3)).framed(width=4)
"""


def undone(page, text):
    page.get_by_role("button", name="Undo", exact=True).click()
    until(lambda: has(page, text))


def test_stops_of_a_gradient_are_dragged_added_and_removed(page, file):
    begin(page, file, GRADIENT)
    select(page, "linear_gradient")
    page.locator(".stops .bar").wait_for()
    drag(page, '[data-stop="0"]', 60, 0)
    until(lambda: re.search(r"\[\(0\.[1-9]\d*, im\.red", text_of(page)))
    undone(page, GRADIENT)
    drag(page, '[data-stop="0"]', 2000, 0)
    until(lambda: "[(0.99, im.red), (1.0, im.gold)]" in text_of(page))
    undone(page, GRADIENT)
    page.get_by_role("button", name="Add a stop").click()
    until(lambda: text_of(page).count("im.gold") == 2)
    page.get_by_role("button", name="Remove the last stop").click()
    until(lambda: has(page, GRADIENT))


def test_nothing_is_completed_while_a_number_is_slid(page, file):
    begin(page, file, GRADIENT)
    select(page, "linear_gradient")
    slider = page.get_by_role("slider", name="start x", exact=True)
    drag(page, slider, 30)
    until(lambda: "(-1.0, 0.0)" not in text_of(page))
    # A list of words would come a moment after what is typed.
    page.wait_for_timeout(400)
    assert page.locator(".cm-tooltip-autocomplete").count() == 0


def test_a_point_is_dragged_on_a_pad(page, file):
    begin(page, file, GRADIENT)
    select(page, "linear_gradient")
    drag(page, '[data-pad="end"]', 10, -10)
    until(lambda: re.search(r"\(1\.[1-9]\d*, 0\.[1-9]\d*\)", text_of(page)))
    undone(page, GRADIENT)


def test_a_color_is_slid_by_lightness_chroma_and_hue_as_one_step(page, file):
    begin(page, file, GRADIENT)
    select(page, "linear_gradient")
    page.get_by_role("button", name="stops 0 1", exact=True).click()
    hue = page.get_by_role("slider", name=re.compile("hue of stops 0 1"))
    hue.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    until(lambda: "im.red" not in text_of(page))
    assert re.search(r"#[0-9a-f]{6}", text_of(page))
    while not has(page, GRADIENT):
        page.get_by_role("button", name="Undo", exact=True).click()


def test_a_seed_is_rolled(page, file):
    begin(page, file, NOISE)
    select(page, "perlin_noise")
    page.get_by_role("button", name="Roll seed").click()
    until(lambda: "seed=3)" not in text_of(page))
    assert re.search(r"seed=\d+\)", text_of(page))
    undone(page, NOISE)


def test_what_is_entered_before_the_text_is_read_is_neither_lost_nor_put_elsewhere(browser, studio: Studio):
    page = browser.new_page()
    page.goto(studio.address)
    page.wait_for_selector('.pellucid[data-exact="true"]')
    put_cursor(page, 3)
    exact, slider = page.get_by_label("turns, exactly"), page.get_by_role("slider", name="turns", exact=True)
    exact.wait_for()
    studio.process.send_signal(signal.SIGSTOP)
    try:
        # The number becomes 0.65, of which the page knows no place yet.
        page.keyboard.type("5")
        slider.first.focus()
        page.keyboard.press("ArrowRight")
        exact.fill("0.9")
        exact.press("Enter")
        assert has(page, TEXT.replace("0.6", "0.65"))
    finally:
        studio.process.send_signal(signal.SIGCONT)
    until(lambda: has(page, TEXT.replace("0.6", "0.9")))
    page.keyboard.press("Control+z")
    until(lambda: has(page, TEXT.replace("0.6", "0.65")))
    page.close()


def test_steps_of_a_number_go_on_before_the_text_is_read(browser, studio: Studio):
    page = browser.new_page()
    page.goto(studio.address)
    page.wait_for_selector('.pellucid[data-exact="true"]')
    put_cursor(page, 3)
    exact = page.get_by_label("turns, exactly")
    exact.wait_for()
    exact.focus()
    studio.process.send_signal(signal.SIGSTOP)
    try:
        for _ in range(3):
            page.keyboard.press("ArrowUp")
        until(lambda: has(page, TEXT.replace("0.6", "0.9")))
    finally:
        studio.process.send_signal(signal.SIGCONT)
    page.close()
