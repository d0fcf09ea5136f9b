"""The page of the studio for everybody: axe-core finds nothing, in light and dark, on a phone and at 200 % zoom."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from tools import page as built

from .hands import select_card

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


def faults(page):
    """What axe-core finds, each as its rule and the first element."""
    if not page.evaluate("'axe' in window"):
        built.install()
        page.evaluate((built.FRONTEND / "node_modules/axe-core/axe.min.js").read_text("utf-8"))
    # Cards are for eyes and hands; the outline says the same, and is looked at as well.
    found = page.evaluate("rules => axe.run({ exclude: ['.graph'] }, rules)", RULES)
    return [(each["id"], [node["html"][:150] for node in each["nodes"]]) for each in found["violations"]]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_pane_and_no_dialog_has_a_fault(page, scheme):
    page.emulate_media(color_scheme=scheme)
    select_card(page, "swirl")
    for name in ("History", "Variations", "See through", "Numbers"):
        page.get_by_role("tab", name=name).click()
        if name == "Variations":
            page.get_by_role("button", name="Nine variations").click()
            page.locator(".choices button").first.wait_for()
        if name == "See through":
            page.locator(".costs li").first.wait_for()
        assert faults(page) == [], name
    page.get_by_role("button", name="Outline").click()
    assert faults(page) == []
    for name in ("Export", "Commands", "Keys", "Gallery"):
        page.get_by_role("button", name=name, exact=True).click()
        page.get_by_role("dialog").wait_for()
        assert faults(page) == [], name
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)


# A window of 1440 by 900 has 720 by 450 pixels at 200 %.
@pytest.mark.parametrize("size", [(390, 844), (720, 450), (320, 640)], ids=["phone", "zoomed", "narrow"])
def test_nothing_is_cut_off_where_there_is_little_room(page, size):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    for name in ("Text of the picture", "Outline"):
        if name == "Outline":
            page.get_by_role("button", name=name).click()
        shown = page.get_by_label(name).first
        shown.scroll_into_view_if_needed()
        box = shown.bounding_box()
        assert box["width"] >= 200
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= size[0]
    for tab in page.get_by_role("tab").all():
        tab.scroll_into_view_if_needed()
        tab.click()
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    assert faults(page) == []
    canvas = page.locator("canvas")
    canvas.scroll_into_view_if_needed()
    assert canvas.bounding_box()["height"] >= 120
