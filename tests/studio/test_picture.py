"""What lies over the picture and beside it in the studio: handles, the probe, the timeline and the history."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from .conftest import TEXT
from .hands import begin, drag, has, pixels, put_cursor, select, text_of, until

SHAPES = """from pellucid import images as im

picture = im.fill(im.tomato, im.move((1.0, 0.5), im.disk(0.8))).turn(0.3).framed(width=6)
"""
MOVING = """from pellucid import images as im

picture = im.checkerboard(0.5, im.black, im.white).turn(im.seconds).framed(width=6)
"""


def test_handles_are_dragged_on_the_picture_and_a_drag_is_one_step(page, file):
    begin(page, file, SHAPES)
    shown = pixels(page)
    select(page, "disk")
    drag(page, '[data-handle="radius"]', 40, 0)
    until(lambda: "disk(0.8)" not in text_of(page))
    until(lambda: pixels(page) != shown)
    page.keyboard.press("Control+z")
    until(lambda: has(page, SHAPES))
    select(page, "move")
    drag(page, '[data-handle="offset"]', 30, -30)
    moved = re.search(r"move\(\(([^,]+), ([^)]+)\)", text_of(page))
    assert moved
    # The point lies in a plane that is turned to the left: what goes up on the screen goes to the right in it too.
    assert float(moved[1]) > 1.2
    page.keyboard.press("Control+z")
    until(lambda: has(page, SHAPES))
    select(page, "turn")
    drag(page, '[data-handle="angle"]', -40, -60)
    until(lambda: "turn(0.3)" not in text_of(page))
    angle = re.search(r"turn\(([^)]+)\)", text_of(page))
    assert angle
    assert float(angle[1]) > 0.8


def test_handles_go_by_keys(page, file):
    begin(page, file, SHAPES)
    select(page, "disk")
    handle = page.get_by_role("slider", name="radius of disk", exact=True)
    handle.focus()
    page.keyboard.press("ArrowRight")
    until(lambda: "disk(0.8)" not in text_of(page))
    page.keyboard.press("Control+z")
    until(lambda: "disk(0.8)" in text_of(page))


def test_the_probe_tells_the_point_its_color_and_the_value_of_what_is_selected(page, file):
    begin(page, file, SHAPES)
    select(page, "disk")
    box = page.locator("canvas").bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    probe = page.get_by_label("Probe")
    expect(probe).to_contain_text("disk: outside")
    scale = box["width"] / 6
    # The middle of the disk after it is moved and turned.
    page.mouse.move(box["x"] + box["width"] / 2 + 0.81 * scale, box["y"] + box["height"] / 2 - 0.77 * scale)
    expect(probe).to_contain_text("disk: inside")
    expect(probe).to_contain_text("#ff6347")
    page.mouse.move(1, 1)
    expect(probe).to_have_count(0)


def test_a_picture_that_moves_is_played_scrubbed_and_stepped(page, file):
    expect(page.get_by_role("group", name="Timeline")).to_have_count(0)
    begin(page, file, MOVING)
    time = page.get_by_role("slider", name="Time", exact=True)
    expect(time).to_have_value("0")
    page.locator("body").press("Space")
    until(lambda: float(time.input_value()) > 0.2)
    page.locator("body").press("Space")
    stopped = time.input_value()
    page.locator("body").press(".")
    until(lambda: 0 < float(time.input_value()) - float(stopped) <= 0.06)
    time.fill("2")
    expect(page.get_by_text("2.00 s")).to_be_visible()
    page.get_by_label("Seconds of a round").fill("0.3")
    page.get_by_role("button", name="Loop").click()
    page.get_by_label("Speed").select_option("0.5")
    page.get_by_role("button", name="Play", exact=True).click()
    # A round without another one ends where it ends.
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    expect(time).to_have_value("0.3")


def test_the_history_lists_its_steps_and_goes_to_any_of_them(page, file):
    put_cursor(page, 3)
    page.keyboard.type("5")
    page.get_by_label("turns, exactly").fill("0.9")
    page.get_by_label("turns, exactly").press("Enter")
    page.get_by_role("tab", name="History").click()
    steps = page.get_by_role("list", name="Steps").get_by_role("button")
    expect(steps).to_have_text(["As it was opened", "Type “5”", "turns: 0.65 → 0.9"])
    steps.nth(0).click()
    until(lambda: "turns = 0.6\n" in text_of(page))
    expect(steps.nth(0)).to_have_attribute("aria-current", "step")
    steps.nth(2).click()
    until(lambda: "turns = 0.9\n" in text_of(page))


def test_variations_are_chosen_and_kept_as_snapshots(page, file):
    page.get_by_role("tab", name="Variations").click()
    page.get_by_role("button", name="Nine variations").click()
    choices = page.get_by_role("group", name="Variations").get_by_role("button")
    expect(choices).to_have_count(9)
    choices.nth(4).click()
    until(lambda: not has(page, TEXT))
    chosen = text_of(page)
    page.get_by_role("button", name="Keep this one").click()
    page.get_by_role("textbox", name="Name of the snapshot").fill("the fifth")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+z")
    until(lambda: has(page, TEXT))
    page.get_by_role("button", name="the fifth", exact=True).click()
    until(lambda: has(page, chosen))
    page.reload()
    page.get_by_role("tab", name="Variations").click()
    expect(page.get_by_role("list", name="Snapshots")).to_contain_text("the fifth")
    page.get_by_role("button", name="Forget the fifth").click()
    expect(page.get_by_role("list", name="Snapshots")).to_be_empty()


def test_the_picture_is_seen_through_to_its_stages_its_ledger_and_its_costs(page, file):
    page.get_by_role("tab", name="See through").click()
    costs = page.get_by_role("list", name="Costs").get_by_role("listitem")
    expect(costs.first).to_contain_text("swirl")
    expect(page.locator(".card .heat").first).to_be_attached()
    expect(page.get_by_role("list", name="Ledger").get_by_role("listitem").first).to_be_attached()
    page.locator("summary", has_text="Simplified: rules").first.click()
    expect(page.locator("details[open] pre")).to_contain_text("kernel")
    costs.first.get_by_role("button").click()
    expect(page.locator(".card.at")).to_contain_text("swirl")


def test_a_word_is_inserted_on_a_line_of_the_tree(page, file):
    line = page.locator(".react-flow__edge").last
    line.locator("path").last.click(force=True)
    page.locator('[role="option"][data-name="mirror"]').click()
    until(lambda: "mirror(" in text_of(page))


@pytest.mark.parametrize("reduced", ["reduce", "no-preference"])
def test_nothing_plays_by_itself(page, file, reduced):
    page.emulate_media(reduced_motion=reduced)
    begin(page, file, MOVING)
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
