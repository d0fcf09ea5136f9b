"""What hands and eyes do on the page of the studio."""

from __future__ import annotations

import time

from tools.browser import PATIENCE


def pixels(page):
    """What the picture shows, as text."""
    return page.evaluate("document.querySelector('canvas').toDataURL()")


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
