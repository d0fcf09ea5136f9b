"""Chromium without a window, for the pages that this project writes and serves.

Used by the tests of pages and by `bench/live.py`, through Playwright. It needs Chromium on the path, which
`scripts/setup` installs, or its path in the variable CHROMIUM.
"""

from __future__ import annotations

import base64
import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Browser, Page, Playwright

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Programs that are looked for; the first takes a third less to start and to open pages."""
OPTIONS = (
    "--no-sandbox", "--no-first-run", "--disable-quic", "--disable-sync", "--disable-background-networking",
    "--disable-component-update", "--disable-gpu-watchdog",
)  # fmt: skip
LLVMPIPE = ("--use-gl=angle", "--use-angle=gl-egl", "--ignore-gpu-blocklist")
"""Options for Mesa's renderer in place of Chromium's own, where Mesa is installed."""
PATIENCE = 60.0
"""Seconds for what takes a part of one: the machine may be busy."""


def chromium(playwright: Playwright, options: Sequence[str] = ()) -> Browser:
    """A browser; raises FileNotFoundError if there is none on the path."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        raise FileNotFoundError("there is no Chromium on the path; scripts/setup installs it")
    return playwright.chromium.launch(executable_path=path, args=[*OPTIONS, *options])


def sized(browser: Browser, size: tuple[int, int]) -> Page:
    """A new page of a size in pixels."""
    width, height = size
    return browser.new_page(viewport={"width": width, "height": height})


def visit(page: Page, file: Path, address: str = "") -> None:
    """Load a page from a file, also if only what follows # is new."""
    page.goto("about:blank")
    page.goto(file.resolve().as_uri() + address)


def wait_for(page: Page, condition: str) -> None:
    """Wait until an expression of JavaScript is true; raises TimeoutError if it does not become so.

    Playwright's own way is forbidden by the policy of these pages, which lets nothing be evaluated in them.
    """
    end = time.monotonic() + PATIENCE
    while not page.evaluate(f"Boolean({condition})"):
        if time.monotonic() > end:
            raise TimeoutError(f"never true: {condition}; the page says: {page.inner_text('body')!r}")
        page.wait_for_timeout(20)


def canvas_pixels(page: Page) -> bytes:
    """The pixels of the page's canvas, four bytes each: the lowest row first by WebGL2, and else the highest."""
    found = page.evaluate("""() => { const canvas = document.querySelector("canvas"), gl = canvas.getContext("webgl2");
      let found = new Uint8Array(4 * canvas.width * canvas.height);
      if (gl) gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, found);
      else found = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      let text = "";
      for (let i = 0; i < found.length; i += 8190) text += String.fromCharCode(...found.subarray(i, i + 8190));
      return btoa(text); }""")
    return base64.b64decode(found)
