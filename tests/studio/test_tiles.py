"""Pages that show tiles, in a browser as people open them."""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page

import pellucid as pl
from pellucid import images as im

# Dask leaves sockets to the collector of garbage.
pytestmark = pytest.mark.filterwarnings("ignore")

HALVES = im.cond(im.half_plane(0), im.red, im.blue)


def colors(page: Page) -> set[str]:
    """What is seen on the left and on the right of the middle."""
    with Image.open(io.BytesIO(page.screenshot())) as image:
        seen = np.asarray(image.convert("RGB"))
    height, width = seen.shape[:2]
    names = {(255, 0, 0): "red", (0, 0, 255): "blue"}
    row = seen[height // 2]
    return {names.get(tuple(row[width // 2 + step].tolist()), "other") for step in (-40, 40)}


def show_and_zoom(page: Page, address: str) -> list[int]:
    """Open a page of tiles, see both halves, zoom in and see them again; gives the levels that were asked for."""
    asked: list[int] = []
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)

    def note(address: str) -> None:
        if found := re.search(r"/(\d+)/\d+_\d+\.png$", address):
            asked.append(int(found[1]))

    page.on("request", lambda request: note(request.url))
    page.goto(address)
    settled = "() => document.querySelector('#picture').dataset.settled === 'true'"
    page.wait_for_function(settled)
    assert colors(page) == {"red", "blue"}
    before = max(asked)
    page.mouse.move(250, 200)
    for _ in range(6):
        page.mouse.wheel(0, -400)
        page.wait_for_timeout(60)
    page.wait_for_function(settled)
    assert colors(page) == {"red", "blue"}
    assert max(asked) > before, "finer tiles were asked for"
    page.mouse.move(250, 200)
    page.mouse.down()
    page.mouse.move(400, 200, steps=5)
    page.mouse.up()
    page.wait_for_timeout(600)
    page.wait_for_function(settled)
    assert len(colors(page)) == 1, "one half was moved away"
    assert complaints == []
    return asked


def test_the_page_beside_deep_zoom_shows_it_without_a_server(browser: Browser, tmp_path: Path):
    import distributed

    target = tmp_path / "a 'b' & <c>.dzi"
    with distributed.Client(
        processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None
    ) as client:
        pl.store(HALVES, target, (3000, 2000), client=client, shard=512, chunk=256)
    page = browser.new_page(viewport={"width": 500, "height": 400})
    asked = show_and_zoom(page, target.with_suffix(".html").as_uri())
    assert page.title() == "a 'b' & <c>"
    assert max(asked) <= 12
    page.close()
