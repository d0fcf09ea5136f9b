"""What it takes to write pictures of the gallery down as shaders and as PTX.

Run as `python bench/texts.py [NAME ...]`. Of each picture: tracing it and making it fast for GPUs, then its text as a
fragment shader of WebGL2 and as a compute shader in WGSL; and its PTX, from the picture to the text. Each is made once
in a process, as when it is exported, and must hold what such a text begins with.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

from examples import gallery

from pellucid.driver.ptx import ptx
from pellucid.driver.shading import shading

MARKS = {"WebGL2": "#version 300 es", "WGSL": "@compute", "PTX, whole": ".entry"}


def main() -> None:
    """Print the least, the median and the largest time of each kind, in milliseconds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="pictures of the gallery (all)")
    words = parser.parse_args()
    times: dict[str, list[float]] = {}

    def timed(kind: str, make: Callable[[], Any]) -> Any:
        began = time.perf_counter()
        made = make()
        times.setdefault(kind, []).append(1e3 * (time.perf_counter() - began))
        return made

    for path in gallery.files():
        if words.names and path.stem not in words.names:
            continue
        shown = gallery.load(path)
        texts = {"PTX, whole": timed("PTX, whole", lambda s=shown: ptx(s.picture, s.view))}
        ready = timed("traced for a GPU", lambda s=shown: shading(s.picture))
        texts["WebGL2"] = timed("WebGL2", ready.fragment).text
        texts["WGSL"] = timed("WGSL", ready.compute).text
        for kind, text in texts.items():
            assert MARKS[kind] in text, (path.stem, kind)
    print(f"{'ms':20}{'least':>9}{'median':>9}{'most':>9}")
    for kind, found in times.items():
        print(f"{kind:20}{min(found):9.2f}{statistics.median(found):9.2f}{max(found):9.2f}")


if __name__ == "__main__":
    main()
