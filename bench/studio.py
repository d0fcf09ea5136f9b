"""The studio in a browser: how soon the page is there, a key is seen, a slider is followed, and what many edits leave.

A browser without a window opens `pellucid studio`, and keys and a mouse do what people do. What is counted are the frames
that the page has painted. The browser, the server and the hands, which are this program, share the processors of this
machine. Each number is a median, with the least in brackets; the goals are in brackets behind.
"""

from __future__ import annotations

import argparse
import itertools
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from examples import gallery
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from tests.studio.conftest import Studio
from tools.browser import PATIENCE, chromium

SIDES = (768, 1024)
DRAG_SECONDS = 3.0
SETTLED = 0.4
"""Seconds after which nothing is on its way any more."""
SIMPLE = """from pellucid import images as im

turns = 0.6
picture = im.swirl(3, im.checkerboard(0.5, im.midnightblue, im.gold)).turn(turns).framed(width=6)
"""
REST = '.pellucid[data-exact="true"]'
WATCH = """
window.painted = [];
window.thumbnails = [];
for (const name of ["drawImage", "putImageData", "transferFromImageBitmap"]) {
  for (const kind of [CanvasRenderingContext2D, ImageBitmapRenderingContext]) {
    const paint = kind.prototype[name];
    if (paint) kind.prototype[name] = function (...all) {
      if (this.canvas.closest(".pellucid")) window.painted.push([performance.now(), this.canvas.width, this.canvas.height]);
      return paint.apply(this, all);
    };
  }
}
addEventListener("keydown", () => (window.pressed = performance.now()), true);
new MutationObserver((all) => {
  if (all.some((each) => each.target.matches?.(".card .thumbnail"))) window.thumbnails.push(performance.now());
}).observe(document, { subtree: true, attributes: true, attributeFilter: ["style"] });
"""
"""Has a page note when its picture is painted, when its thumbnails change, and when a key is pressed."""


@contextmanager
def studio(browser: Browser, text: str) -> Iterator[tuple[BrowserContext, int]]:
    """A browser that was let into a studio that shows a text, and the number of the process of that."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "picture.py"
        file.write_text(text, "utf-8")
        served = Studio(file)
        try:
            address = f"http://127.0.0.1:{served.port}/"
            context = browser.new_context(base_url=address)
            context.set_default_timeout(1000 * PATIENCE)
            name, _, value = served.admitted().partition("=")
            context.add_cookies([{"name": name, "value": value, "url": address}])
            context.add_init_script(WATCH)
            yield context, served.process.pid
            context.close()
        finally:
            served.stop()


@contextmanager
def opened(context: BrowserContext, side: int = SIDES[0]) -> Iterator[Page]:
    """A page whose picture has about that many pixels along each side, at rest."""
    page = context.new_page()
    # The picture has 58 of 100 parts of the width and 60 of the height, which are those of a page that was never used.
    page.set_viewport_size({"width": round(side / 0.58) + 40, "height": round(side / 0.6) + 70})
    page.goto("/")
    page.wait_for_selector(REST)
    yield page
    page.close()


def shown(times: list[float], goal: str) -> str:
    """The median of some times, the least, and the goal."""
    return f"{statistics.median(times):7.1f} ({min(times):.1f})   [{goal}]"


def ready(context: BrowserContext) -> float:
    """Milliseconds from the visit to the first picture."""
    with opened(context) as page:
        return page.evaluate("window.painted[0][0]")


def put_cursor_behind_number(page: Page) -> None:
    """Where a digit changes the picture little: behind the number of turns."""
    page.locator(".cm-line", has_text=re.compile("^turns = ")).click()
    page.keyboard.press("End")


def typed(page: Page, count: int) -> tuple[list[float], list[float]]:
    """Milliseconds from a key in a number to the picture, and to the last of the thumbnails that it changes."""
    put_cursor_behind_number(page)
    seen: list[float] = []
    small: list[float] = []
    for k in range(2 * count):
        page.wait_for_selector(REST)
        time.sleep(SETTLED)
        page.evaluate("() => (window.painted.length = window.thumbnails.length = 0)")
        page.keyboard.press("Backspace" if k % 2 else "5")
        time.sleep(SETTLED)
        page.wait_for_selector(REST)
        time.sleep(SETTLED)
        pressed, painted, changed = page.evaluate(
            "[window.pressed, window.painted.map((each) => each[0]), window.thumbnails]"
        )
        seen += [each - pressed for each in painted if each > pressed][:1]
        small += [max(changed) - pressed] if changed else []
    return seen, small


HAND = """([slider, seconds]) => new Promise((done) => {
  const put = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
  const [low, high, begin] = [Number(slider.min), Number(slider.max), performance.now()];
  window.painted.length = 0;
  const step = () => {
    const at = (performance.now() - begin) / 1000 / seconds;
    if (at < 1) {
      put.call(slider, low + (high - low) * (0.3 + 0.4 * at));
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      return requestAnimationFrame(step);
    }
    const canvas = document.querySelector(".pellucid canvas");
    done([window.painted.map((each) => each[0]), canvas.width, canvas.height]);
    slider.dispatchEvent(new PointerEvent("pointerup", { bubbles: true }));
  };
  step();
})"""
"""Moves a slider at each frame of the page. A mouse of the driver waits for all that follows from each of its moves."""


def dragged(page: Page) -> tuple[float, list[float], str]:
    """Frames a second while a slider is dragged, the milliseconds between them, and the pixels."""
    put_cursor_behind_number(page)
    slider = page.get_by_role("slider", name="turns", exact=True).first.element_handle()
    moving, width, height = page.evaluate(HAND, [slider, DRAG_SECONDS])
    page.wait_for_selector(REST)
    return len(moving) / DRAG_SECONDS, [b - a for a, b in itertools.pairwise(moving)], f"{width} x {height}"


def memory(pid: int) -> float:
    """MiB that a process has in memory."""
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else float("nan")


def grown(page: Page, pid: int, edits: int) -> tuple[float, float]:
    """MiB by which the server and the heap of the page grow over so many edits, after a hundred."""
    put_cursor_behind_number(page)

    def edit(count: int) -> None:
        for k in range(count):
            page.keyboard.press("Backspace" if k % 2 else "5")
        page.wait_for_selector(REST)
        time.sleep(1)

    def heap() -> float:
        page.request_gc()
        return page.evaluate("performance.memory.usedJSHeapSize") / 2**20

    edit(100)
    before = memory(pid), heap()
    edit(edits)
    return memory(pid) - before[0], heap() - before[1]


def large(nodes: int) -> str:
    """A document of about so many nodes."""
    parts = ",\n    ".join(
        f"im.fill(im.hsv({k / 50:.2f}, 0.8, 0.9), im.move(({k % 9 - 4}, {k // 9 - 2}), im.disk(0.3)))"
        for k in range(nodes // 12)
    )
    return f"from pellucid import images as im\n\nturns = 0.1\npicture = im.stack(\n    {parts}\n).turn(turns).framed(width=10)\n"


def say(name: str, value: str) -> None:
    """Print a figure."""
    print(f"{name:56} {value}", flush=True)


def main() -> int:
    """Print each of the figures as it is there."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--edits", type=int, default=500, help="edits over which memory is watched (500)")
    parser.add_argument(
        "--keys", type=int, default=10, help="pairs of keys that are pressed for a median (10)"
    )
    words = parser.parse_args()
    with sync_playwright() as playwright:
        browser = chromium(playwright, ["--enable-precise-memory-info"])
        with studio(browser, SIMPLE) as (context, pid):
            say("page ready, ms", shown([ready(context) for _ in range(5)], "1000"))
            for side, goal in zip(SIDES, ("30", "15"), strict=True):
                with opened(context, side) as page:
                    if side == SIDES[0]:
                        say("key to picture, ms", shown(typed(page, words.keys)[0], "50"))
                    rate, gaps, size = dragged(page)
                    say(f"slider at {size}, frames a second", f"{rate:7.1f}   [{goal}]")
                    say("  milliseconds between two frames", shown(gaps, f"{1000 // int(goal)}"))
            with opened(context) as page:
                server, heap = grown(page, pid, words.edits)
                say(f"memory over {words.edits} edits, MiB", f"server {server:.1f}, page {heap:.1f}   [50]")
        for name in ("stained_glass", "bump_swirl"):
            (path,) = [each for each in gallery.files() if each.stem == name]
            text = f"{path.read_text('utf-8')}\n\nturns = 0.6\npicture = picture.turn(turns)\n"
            with studio(browser, text) as (context, _), opened(context) as page:
                seen, small = typed(page, words.keys // 2)
                say(f"key to picture of {name}, ms", shown(seen, "60"))
                if small:
                    say("  to the last thumbnail, ms", shown(small, "150"))
        with studio(browser, large(300)) as (context, _), opened(context) as page:
            rate, gaps, _ = dragged(page)
            say("slider of a document of 300 nodes, ms between frames", shown(gaps, "50"))
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
