"""What hands and eyes do on the page of the studio."""

from __future__ import annotations

import asyncio
import re
import time
from concurrent.futures import ThreadPoolExecutor

from tools.browser import PATIENCE


def pixels(page):
    """What the picture shows, as text."""
    return page.evaluate("document.querySelector('canvas').toDataURL()")


def in_thread(work):
    """What a coroutine gives, away from the loop that Playwright runs in this thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(work())).result()


def until(met, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


def put_cursor(page, line):
    page.click(f".cm-line:nth-child({line})")
    page.keyboard.press("End")


def text_of(page):
    return "\n".join(page.locator(".cm-line").all_inner_texts()).replace("\n\n", "\n")


def card(page, title):
    """The card of a word in the tree, which is in sight."""
    return page.locator(".card").filter(has=page.locator(f'.title > span:text-is("{title}")'))


def select_card(page, title):
    """Click a card, and wait for the edits that fit it."""
    card(page, title).locator(".head").click()
    page.locator('.tools [data-edit="wrap"]').wait_for()


def choose(page, name):
    """Choose from the palette that is open, without a letter."""
    page.locator(f'[role="option"][data-name="{name}"]').click()


def has(page, text):
    """Whether the page has a text, apart from blanks."""
    return text_of(page).split() == text.split()


def begin(page, file, text):
    """Show another text in the page, as it is read again from its file."""
    file.write_text(text, "utf-8")
    until(lambda: has(page, text))
    page.wait_for_selector('.pellucid[data-exact="true"]')


def select(page, word):
    """Select a call by its word in the text."""
    page.locator(".cm-line span", has_text=re.compile(f"^{word}$")).first.click()


def drag(page, where, right, down=0):
    """Drag what a selector or a locator finds by its middle, by so many pixels."""
    found = page.locator(where) if isinstance(where, str) else where
    found.scroll_into_view_if_needed()
    box = found.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + right, y + down, steps=6)
    page.mouse.up()
