"""Pages of the gallery in a browser: how many pixels differ from those of the CPU, and how large the pages are.

Run as `python bench/live.py [--shadertoy] [--exact] [--gl-egl] [--size N] [--shots FOLDER] [NAME ...]`. Each picture is exported
as a page and drawn by Chromium, by default with its own software renderer, with --gl-egl by that of Mesa. The pixels are
compared with what the CPU draws in relaxed numerics. With --shadertoy it is the same for shaders, wrapped as that site
does, whose alpha is not shown; those with bitmaps are refused and listed. With --exact the processor draws, and the bits
are those of the CPU's exact numerics; of what is transparent, which a canvas keeps multiplied, only alpha is compared.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np
from examples import gallery
from playwright.sync_api import Page, sync_playwright
from tools.browser import LLVMPIPE, canvas_pixels, chromium, sized, visit, wait_for
from tools.shadertoy import hosted

import pellucid as pl
from pellucid.base.errors import BackendError

Row = tuple[int, int, int, int, int]


def compared(
    window: Page, picture: gallery.Picture, side: int, folder: Path, *, toy: bool = False, exact: bool = False
) -> Row:
    """The bytes of a picture's export; its pixels, those that differ, by more than 1/255, and the largest difference."""
    page, made = folder / f"{picture.name}.html", folder / f"{picture.name}{'.glsl' if toy else '.html'}"
    view = picture.view
    smaller = side / max(view.size)
    size = (round(view.size[0] * smaller), round(view.size[1] * smaller))
    view = view.replace(size, zoom=view.zoom * smaller)
    numerics = "exact" if exact else "relaxed"
    told = {"title": picture.title, "source": picture.code}
    pl.export(picture.picture, made, view=view, numerics=numerics, **told)
    if toy:
        page.write_text(hosted(made.read_text(encoding="utf-8"), size), encoding="utf-8")
    window.set_viewport_size({"width": size[0], "height": size[1]})
    # With an address, what moves stands still.
    visit(window, page, f"#time={view.time!r}")
    wait_for(
        window,
        "document.querySelector('canvas').dataset.frames || document.querySelector('#status').innerText",
    )
    if said := window.evaluate("document.querySelector('#status').innerText"):
        raise RuntimeError(f"{picture.name}: {said}")
    # What takes the processor long is coarse at first.
    wait_for(window, f"document.querySelector('canvas').width === {size[0]}")
    drawn = np.frombuffer(canvas_pixels(window), np.uint8).reshape(size[1], size[0], 4)
    right = pl.render(picture.picture, view=view, numerics=numerics)
    off = np.abs((drawn if exact else drawn[::-1]).astype(int) - right)[..., : 3 if toy else 4]
    if exact:
        off[right[..., 3] < 255, :3] = 0
    off = off.max(axis=2)
    return made.stat().st_size, off.size, int((off > 0).sum()), int((off > 1).sum()), int(off.max())


def main() -> int:
    """Print the table, and its totals."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="pictures of the gallery (all)")
    parser.add_argument("--shadertoy", action="store_true", help="export shaders for Shadertoy, not pages")
    parser.add_argument("--exact", action="store_true", help="draw exact bits, by the processor")
    parser.add_argument("--gl-egl", action="store_true", help="draw with Mesa")
    parser.add_argument("--size", type=int, default=256, help="pixels of the longer side (256)")
    parser.add_argument("--shots", type=Path, help="a folder for what the pages show")
    words = parser.parse_args()
    files = [p for p in gallery.files() if not words.names or p.stem in words.names]
    identical = near = few = refused = 0
    print(f"{'picture':24} {'bytes':>7} {'differ':>7} {'> 1/255':>8} {'largest':>8}")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        window = sized(chromium(playwright, LLVMPIPE if words.gl_egl else ()), (256, 256))
        for path in files:
            picture = gallery.load(path)
            try:
                size, pixels, differ, beyond, largest = compared(
                    window, picture, words.size, Path(folder), toy=words.shadertoy, exact=words.exact
                )
            except BackendError as error:
                refused += 1
                print(f"{picture.name:24} {error.message}", flush=True)
                continue
            identical += differ == 0
            near += beyond == 0
            few += beyond < pixels / 1000
            print(f"{picture.name:24} {size:7} {differ:7} {beyond:8} {largest:8}", flush=True)
            if words.shots:
                words.shots.mkdir(parents=True, exist_ok=True)
                (words.shots / f"{picture.name}.png").write_bytes(window.screenshot())
    print(
        f"{len(files)} pictures: {identical} identical, {near} within 1/255, {few} with less than 0.1 % beyond, "
        f"{refused} refused"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
