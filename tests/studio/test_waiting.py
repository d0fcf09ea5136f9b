"""What is entered while the studio is slow to answer is neither lost nor written elsewhere."""

from __future__ import annotations

import json
import re

from playwright.sync_api import expect

from .hands import put_cursor, text_of, until

REST = '.pellucid[data-exact="true"]'


class Between:
    """What stands between the page and the studio, and keeps back what either says."""

    def __init__(self, page):
        self.answers, self.kept = [], None
        page.route_web_socket(re.compile("/socket"), self.connected)
        page.reload()
        page.wait_for_selector(REST)

    def connected(self, page_side):
        self.page_side = page_side
        self.server_side = page_side.connect_to_server()
        page_side.on_message(lambda said: self.say(said) if self.kept is None else self.kept.append(said))
        self.server_side.on_message(self.answered)

    def say(self, said):
        self.server_side.send(said)

    def answered(self, said):
        if isinstance(said, str):
            self.answers.append(said)
        self.page_side.send(said)

    def hold(self):
        """Let the studio hear nothing more for now."""
        self.kept = []

    def go_on(self):
        """Let it hear all that was said meanwhile."""
        kept, self.kept = self.kept, None
        for said in kept:
            self.say(said)

    def last(self, kind):
        """The last answer of a kind."""
        return next(said for said in reversed(self.answers) if json.loads(said)["kind"] == kind)


def test_a_number_waits_for_its_text_to_be_read_whatever_is_read_before(page, file):
    between = Between(page)
    put_cursor(page, 3)
    between.hold()
    page.keyboard.type("5")
    exactly = page.get_by_label("turns, exactly")
    exactly.fill("0.9")
    exactly.press("Enter")
    # Each tab is told each time that the text was read, also for another one that opens it.
    between.page_side.send(between.last("reading"))
    page.wait_for_timeout(200)
    assert "turns = 0.65" in text_of(page)
    between.go_on()
    until(lambda: "turns = 0.9\n" in text_of(page))


def test_a_notice_moves_nothing_from_under_a_hand(page, file):
    where = page.locator(".side")
    before = where.bounding_box()
    file.write_text(file.read_text("utf-8") + "# changed\n", "utf-8")
    notice = page.get_by_text("The file was changed by another program")
    notice.wait_for()
    assert where.bounding_box() == before
    # Nor does it catch a click.
    box = notice.bounding_box()
    middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    hit = page.evaluate("([x, y]) => document.elementFromPoint(x, y).className", middle)
    assert "notice" not in str(hit)


def test_snapshots_are_there_also_if_they_are_looked_at_before_the_document_is(page, file):
    page.get_by_role("tab", name="Variations").click()
    page.get_by_role("button", name="Keep this one").click()
    page.get_by_role("textbox", name="Name of the snapshot").fill("early")
    page.keyboard.press("Enter")
    shown = page.get_by_role("list", name="Snapshots")
    expect(shown).to_contain_text("early")
    sockets = []
    page.route_web_socket(re.compile("/socket"), lambda socket: sockets.append(socket))  # noqa: PLW0108 - a method of a list has no attributes
    page.reload()
    page.get_by_role("tab", name="Variations").click()
    until(lambda: sockets)
    expect(shown).to_be_empty()
    # The page looks for the studio again, which is there now.
    page.unroute_all()
    page.route_web_socket(re.compile("/socket"), lambda socket: socket.connect_to_server())
    sockets[0].close()
    expect(shown).to_contain_text("early")


def test_what_a_studio_that_is_gone_was_asked_is_asked_again(page, file):
    between = Between(page)
    page.locator(".pellucid canvas").focus()
    between.hold()
    page.keyboard.press("b")
    page.get_by_role("tab", name="See through").click()
    page.get_by_text("It is being compiled.").wait_for()
    assert any('"compare"' in said for said in between.kept)
    between.kept = None
    between.server_side.close()
    between.page_side.close()
    page.locator(".costs").wait_for()
    page.wait_for_selector('.comparison canvas[data-fresh="true"]')


def test_an_export_that_a_studio_took_with_it_is_told(page, file):
    between = Between(page)
    page.get_by_role("button", name="Export", exact=True).click()
    between.hold()
    page.get_by_role("button", name="Make the file").click()
    expect(page.get_by_role("progressbar")).to_be_visible()
    between.kept = None
    between.server_side.close()
    between.page_side.close()
    expect(page.get_by_role("alert")).to_have_text("The studio was gone meanwhile; try again.")


def test_what_was_typed_keeps_no_syntax_trees(page, file):
    session = page.context.new_cdp_session(page)
    kind = session.send("Runtime.evaluate", {"expression": "Uint16Array.prototype"})["result"]["objectId"]

    def trees():
        session.send("HeapProfiler.collectGarbage")
        found = session.send("Runtime.queryObjects", {"prototypeObjectId": kind})["objects"]["objectId"]
        counted = {
            "objectId": found,
            "functionDeclaration": "function () { return this.length }",
            "returnByValue": True,
        }
        return session.send("Runtime.callFunctionOn", counted)["result"]["value"]

    put_cursor(page, 3)
    before = trees()
    for _ in range(60):
        page.keyboard.press("5")
        page.keyboard.press("Backspace")
    until(lambda: trees() < before + 30)


def test_a_slider_stays_where_the_hand_has_it_and_the_text_follows(page, file):
    between = Between(page)
    put_cursor(page, 3)
    slider = page.get_by_role("slider", name="turns")
    box = slider.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    between.hold()
    page.mouse.move(x, y)
    page.mouse.down()
    places, texts = [], set()
    for right in range(8, 49, 8):
        page.mouse.move(x + right, y)
        places.append(float(slider.input_value()))
        texts.add(text_of(page))
    assert places == sorted(set(places)), "it never jumps back"
    assert len(texts) == 1, "nobody has read the first of them yet"
    page.mouse.up()
    assert f"turns = {places[-1]:.2f}\n" in text_of(page)
    assert float(slider.input_value()) == round(places[-1], 2)
    between.go_on()
    # Messages pass only while something is asked of the page.
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    assert f"turns = {places[-1]:.2f}\n" in file.read_text("utf-8")
    page.get_by_role("button", name="Undo", exact=True).click()
    assert "turns = 0.6\n" in text_of(page)
