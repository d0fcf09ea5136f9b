"""The C that pictures are exported as, compiled by gcc or clang for this machine, beside machine code, on one thread each.

Run as `python bench/exporting.py [--flags "..."] [--compiler CC] [--lanes N] [NAME ...]`. Every picture of the gallery is drawn at
its view, 512 pixels wide. Pixels that differ are counted. A ratio above 1 is the time of the C over that of machine code.
"""

from __future__ import annotations

import argparse
import ctypes
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from examples import gallery

import pellucid as pl
from pellucid.driver.view import checked_view

FLAGS = "-O3 -march=native -ffp-contract=off -fno-math-errno -fno-trapping-math -fopenmp-simd"
SIDE = 512
TYPES = {
    "float": ctypes.c_float,
    "int32_t": ctypes.c_int32,
    "int64_t": ctypes.c_int64,
    "uint32_t *": ctypes.c_void_p,
}


def function_of(
    picture: Any, compiler: str, flags: str, lanes: int, folder: Path
) -> tuple[Any, list[tuple[Any, str]], float]:
    """The exported function of a picture, the type and the name of each parameter, and the seconds of the compiler."""
    header, source = pl.export_c(picture, lanes=lanes)
    (folder / "picture.h").write_text(header)
    (folder / "picture.c").write_text(source)
    library = folder / f"{time.monotonic_ns()}.so"
    words = [
        compiler,
        *shlex.split(flags),
        "-fPIC",
        "-shared",
        str(folder / "picture.c"),
        "-o",
        str(library),
        "-lm",
    ]
    began = time.perf_counter()
    subprocess.run(words, check=True)
    took = time.perf_counter() - began
    signature = re.search(r"bool picture\((.*)\);", header)
    assert signature is not None
    parameters = [re.fullmatch(r"(.*?[ *])(\w+)", one) for one in signature[1].split(", ")]
    function = ctypes.CDLL(str(library)).picture
    function.restype = ctypes.c_bool
    return function, [(TYPES[one[1].strip()], one[2]) for one in parameters if one], took


def best(call: Callable[[], object], seconds: float = 0.15) -> float:
    """The least milliseconds of the calls that fit into some seconds, at least three."""
    found: list[float] = []
    end = time.perf_counter() + seconds
    while len(found) < 3 or time.perf_counter() < end:
        began = time.perf_counter()
        call()
        found.append(1e3 * (time.perf_counter() - began))
    return min(found)


def main() -> int:
    """Print a row for each picture, and the median and the worst ratio."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="pictures of the gallery (all)")
    parser.add_argument("--compiler", default="gcc")
    parser.add_argument("--flags", default=FLAGS, help="(%(default)s)")
    parser.add_argument(
        "--lanes", type=int, default=16, help="pixels that the C takes together (%(default)s)"
    )
    options = parser.parse_args()
    ratios: dict[str, float] = {}
    print(f"{'picture':28}{'machine ms':>11}{'C ms':>9}{'ratio':>7}{'differ':>8}{'gcc s':>7}")
    for path in gallery.files():
        if options.names and path.stem not in options.names:
            continue
        shown = gallery.load(path)
        with tempfile.TemporaryDirectory() as folder:
            function, parameters, took = function_of(
                shown.picture, options.compiler, options.flags, options.lanes, Path(folder)
            )
        smaller = SIDE / shown.view.size[0]
        size = (SIDE, round(shown.view.size[1] * smaller))
        view = shown.view.replace(size, zoom=shown.view.zoom * smaller)
        kernel = pl.compile(shown.picture, backend="llvm")
        out = np.zeros((size[1], size[0], 4), np.uint8)
        arguments = kernel.values(checked_view(view=view))
        given = {"out": out.ctypes.data, "out_size": out.size // 4, **arguments}
        values = [type_(given[name]) for type_, name in parameters]
        right = np.zeros_like(out)
        theirs = best(lambda f=function, v=values: f(*v))
        ours = best(lambda k=kernel, v=view, o=right: k.render(view=v, out=o, threads=1))
        ratios[path.stem] = theirs / ours
        off = int((out != right).any(axis=2).sum())
        print(f"{path.stem:28}{ours:11.2f}{theirs:9.2f}{theirs / ours:7.2f}{off:8}{took:7.1f}", flush=True)
    worst = max(ratios, key=ratios.__getitem__)
    print(f"median {statistics.median(ratios.values()):.2f}, worst {ratios[worst]:.2f} ({worst})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
