"""Makes the pictures of the README and the landing page: a sheet of the twelve best pictures, and one animation.

Run by `scripts/docs --pictures`, which writes them into `docs/images`; they are committed, so that a README shows them
where no program can run.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

FOLDER = ROOT / "docs" / "images"
BEST = (
    "hyperbolic_lilies",
    "dahlia",
    "sphere_spirals",
    "julia",
    "double_spiral",
    "ringed_planet",
    "modular",
    "rose_window",
    "contour_map",
    "wreath",
    "mountains",
    "spheres",
)
COLUMNS = 4
TILE = 300
GAP = 8


def thumbnail(name: str, side: int = TILE) -> np.ndarray:
    """The middle of a picture of the gallery, as a square of so many pixels."""
    from examples import gallery

    import pellucid as pl

    (path,) = (path for path in gallery.files() if path.stem == name)
    picture = gallery.load(path).picture
    width, height = picture.view.size
    short = min(width, height)
    view = picture.view.replace(side, zoom=picture.view.zoom * side / short, samples=4)
    return pl.render(picture, view=view)


def sheet() -> Image.Image:
    """The twelve best pictures, three rows of four."""
    rows = -(-len(BEST) // COLUMNS)
    step = TILE + GAP
    page = Image.new("RGBA", (COLUMNS * step - GAP, rows * step - GAP))
    for number, name in enumerate(BEST):
        at = number % COLUMNS * step, number // COLUMNS * step
        page.paste(Image.fromarray(thumbnail(name)), at)
    return page


def main() -> None:
    """Write both files."""
    from examples import gallery

    import pellucid as pl

    FOLDER.mkdir(exist_ok=True)
    sheet().save(FOLDER / "sheet.webp", quality=88, method=6)
    waves = gallery.load(gallery.FOLDER / "motion" / "two_sources.py")
    look = {"seconds": waves.loop or 1.0, "fps": 24, "quality": 70, "samples": 2}
    pl.animate(waves.picture, FOLDER / "waves.webp", (480, 320), **look)
    for path in sorted(FOLDER.glob("*.webp")):
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size >> 10} KB")


if __name__ == "__main__":
    main()
