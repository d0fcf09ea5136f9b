"""The tree of the studio in Chromium: cards and outline, the edits that fit, and the inspector."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from .hands import card, choose, pixels, put_cursor, select_card, text_of, until


def tool(page, edit):
    return page.locator(f'.tools [data-edit="{edit}"]')


def selected(page):
    """The letters that are selected in the text."""
    return page.evaluate("getSelection().toString()")


def test_the_tree_has_a_card_for_each_word_and_a_picture_in_it(page):
    for title in ("framed", "turn", "swirl", "checkerboard"):
        expect(card(page, title)).to_have_count(1)
        expect(card(page, title).locator('.thumbnail[style*="blob:"]')).to_have_count(1)
    # The names of the document: the number, and the picture.
    expect(page.locator(".card b")).to_have_text(["picture", "turns"])


def test_a_part_is_wrapped_by_hand_and_undone_to_the_same_bytes(page, file):
    before, shown = file.read_bytes(), pixels(page)
    select_card(page, "checkerboard")
    tool(page, "wrap").click()
    choose(page, "kaleidoscope")
    until(lambda: b"im.kaleidoscope(5, im.checkerboard(" in file.read_bytes())
    until(lambda: pixels(page) != shown)
    expect(card(page, "kaleidoscope")).to_have_class(re.compile(r"\bat\b"))
    tool(page, "unwrap").click()
    until(lambda: file.read_bytes() == before)
    page.get_by_role("button", name="Undo", exact=True).click()
    until(lambda: "kaleidoscope" in text_of(page))
    page.get_by_role("button", name="Undo", exact=True).click()
    until(lambda: file.read_bytes() == before)
    until(lambda: pixels(page) == shown)


def test_tree_text_and_inspector_have_one_selection(page):
    put_cursor(page, 3)
    heading = page.get_by_role("tabpanel", name="Numbers").get_by_role("heading")
    expect(heading).to_contain_text("turns")
    expect(page.locator(".card.at b")).to_have_text("turns")
    select_card(page, "checkerboard")
    expect(heading).to_contain_text("checkerboard")
    page.get_by_role("button", name="size", exact=True).click()
    expect(page.locator(".row.at .role")).to_have_text("size")
    page.keyboard.press("Alt+2")
    assert selected(page) == "0.5"


def test_the_outline_does_by_keys_what_cards_do_by_hand(page, file):
    before = file.read_bytes()
    page.get_by_role("button", name="Outline", exact=True).click()
    page.keyboard.press("Alt+4")
    tree = page.get_by_role("tree", name="Outline")
    expect(tree).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(tree.get_by_role("treeitem", selected=True)).to_contain_text("framed")
    for name in ("turn", "angle", "swirl"):
        page.keyboard.press("ArrowDown")
        expect(tree.get_by_role("treeitem", selected=True)).to_contain_text(name)
    tool(page, "wrap").wait_for()
    page.keyboard.press("w")
    page.keyboard.type("mirror")
    page.keyboard.press("Enter")
    until(lambda: b"im.mirror(im.swirl(3, " in file.read_bytes())
    expect(tree.get_by_role("treeitem", selected=True)).to_contain_text("mirror")
    expect(tree).to_be_focused()
    tool(page, "delete").wait_for()
    page.keyboard.press("Delete")
    until(lambda: b"picture = (...).turn(turns)" in file.read_bytes())
    expect(tree.get_by_role("treeitem", selected=True)).to_contain_text("a hole")
    tool(page, "use").wait_for()
    page.keyboard.press("/")
    page.keyboard.type("xorgon")
    page.keyboard.press("Enter")
    until(lambda: b"im.xorgon(" in file.read_bytes())
    for _ in range(3):
        page.keyboard.press("Control+z")
    until(lambda: file.read_bytes() == before)


def test_lines_of_the_outline_open_and_close(page):
    page.get_by_role("button", name="Outline", exact=True).click()
    page.keyboard.press("Alt+4")
    tree = page.get_by_role("tree", name="Outline")
    every = tree.get_by_role("treeitem").count()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")
    expect(tree.get_by_role("treeitem", expanded=False)).to_have_count(1)
    assert tree.get_by_role("treeitem").count() < every
    page.keyboard.press("ArrowRight")
    expect(tree.get_by_role("treeitem")).to_have_count(every)


def test_a_word_tells_what_it_takes_and_a_color_is_picked_as_one_step(page, file):
    before = file.read_bytes()
    select_card(page, "checkerboard")
    swatch = page.get_by_label("first", exact=True)
    # As a picker does: colors while it is open, and one more when it closes.
    for color in ("#102030", "#203040", "#ff8800"):
        swatch.evaluate(
            """(field, color) => {
                Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, color);
                field.dispatchEvent(new Event("input", { bubbles: true }));
            }""",
            color,
        )
    until(lambda: b"#ff8800" in file.read_bytes())
    swatch.evaluate("field => field.dispatchEvent(new Event('change', { bubbles: true }))")
    expect(swatch).to_have_value("#ff8800")
    page.get_by_role("button", name="Undo", exact=True).click()
    until(lambda: file.read_bytes() == before)


def test_an_angle_is_turned_on_a_dial_and_made_to_move(page, file):
    select_card(page, "swirl")
    tool(page, "wrap").click()
    choose(page, "turn")
    until(lambda: b"im.turn(1, im.swirl(" in file.read_bytes())
    dial = page.locator(".dial")
    dial.wait_for()
    box = dial.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y - 8)
    page.mouse.down()
    page.mouse.up()
    until(lambda: b"im.turn(1.57, im.swirl(" in file.read_bytes())
    page.get_by_role("button", name="angle", exact=True).first.click()
    numbers = page.get_by_role("tabpanel", name="Numbers")
    numbers.get_by_role("button", name="Make a parameter").click()
    until(lambda: b'angle = pl.param("angle", 1.57, ' in file.read_bytes())
    page.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_role("button", name="angle", exact=True).first.click()
    numbers.get_by_role("button", name="Animate").click()
    until(lambda: b"im.turn(1.57 + im.seconds, " in file.read_bytes())
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def test_the_tree_stays_while_the_text_is_wrong(page):
    put_cursor(page, 3)
    page.keyboard.type(" +")
    expect(page.get_by_role("list", name="Mistakes")).not_to_be_empty()
    expect(card(page, "checkerboard")).to_have_count(1)
    card(page, "checkerboard").locator(".head").click()
    page.keyboard.press("Control+z")
    expect(page.locator(".problems li")).to_have_count(0)
