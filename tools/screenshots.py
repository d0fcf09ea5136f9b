"""Screenshots of the studio for the documents: `python -m tools.screenshots` draws those of `docs/images` anew.

By the studio as people start it, on a copy of a picture of the gallery, in Chromium without a window. Run after a
change of the page that is seen; the pictures are committed.
"""

from __future__ import annotations

import io
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright
from tests.studio.conftest import Studio
from tests.studio.hands import select
from tools.browser import PATIENCE, chromium

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs/images"
PICTURE = ROOT / "examples/gallery/scenes/stained_glass.py"
WORD = "ramp"
"""The word of the picture that is selected."""
BEFORE, AFTER = "seed=3", "seed=5"
"""What is changed of it while it is compared with what it was."""
LARGE, PHONE = (1440, 900), (390, 844)
QUALITY = 88


def at_rest(page: Page) -> None:
    """Wait until the picture is exact and the thumbnails are there."""
    page.mouse.move(1, 1)
    page.wait_for_selector('.pellucid[data-exact="true"]')
    page.locator('.card .thumbnail[style*="blob:"]').first.wait_for()
    page.wait_for_timeout(500)


def edited(page: Page, _: Path) -> None:
    """A part is selected: its card, its numbers and its handles."""
    select(page, WORD)
    page.locator('.tools [data-edit="wrap"]').wait_for()


def compared(page: Page, file: Path) -> None:
    """A picture beside what it was, with the grid, and what its parts cost."""
    page.locator(".pellucid canvas").focus()
    page.keyboard.press("b")
    page.keyboard.press("g")
    file.write_text(file.read_text("utf-8").replace(BEFORE, AFTER), "utf-8")
    page.get_by_text(AFTER).first.wait_for()
    page.get_by_role("tab", name="See through").click()
    page.locator(".costs").wait_for()


def as_it_opens(page: Page, _: Path) -> None:
    """Nothing is done."""


SHOTS: dict[str, tuple[tuple[int, int], str, Callable[[Page, Path], None]]] = {
    "studio": (LARGE, "light", edited),
    "studio-dark": (LARGE, "dark", compared),
    "studio-phone": (PHONE, "light", as_it_opens),
    "studio-phone-dark": (PHONE, "dark", as_it_opens),
}


def shot(browser: Browser, address: str, name: str, file: Path) -> None:
    """Make one of the screenshots."""
    (width, height), scheme, prepare = SHOTS[name]
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    page.goto(address)
    at_rest(page)
    prepare(page, file)
    at_rest(page)
    with Image.open(io.BytesIO(page.screenshot())) as picture:
        picture.convert("RGB").save(IMAGES / f"{name}.webp", quality=QUALITY, method=6)
    context.close()


def main() -> None:
    """Make all of them."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        for name in SHOTS:
            file = Path(folder) / PICTURE.name
            shutil.copy(PICTURE, file)
            made = Studio(file)
            try:
                browser = chromium(playwright)
                shot(browser, made.address, name, file)
                browser.close()
            finally:
                made.stop()
            print(f"screenshots: {name}", flush=True)


if __name__ == "__main__":
    main()
