"""The live view in JupyterLab: frames a second while a picture is dragged and while it plays, at 768 x 768.

A browser without a window opens a notebook with `pl.explore`, and a mouse drags. What is counted are the frames that the
page has painted, with the resolution that they came in, and the time of processors that each of those who take part has
spent on a frame: the kernel, the notebook server, the browser, and the mouse, which is a program here. They share the
processors of this machine.

It needs JupyterLab, playwright and Chromium, which the project itself does not: it may be run by the Python of any
environment that has them and pellucid[notebook].
"""

from __future__ import annotations

import importlib.util
import itertools
import json
import math
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SIDE = 768
SECONDS = 5.0
GOAL = 30
START_SECONDS = 120
"""Time that a server, a page or a kernel may take until it is there."""

PREPARED = """
import runpy
import pellucid as pl
from pellucid import images as im
twist = pl.param("twist", 100.0, low=20.0, high=400.0)
"""
PICTURES = {
    "a swirled checkerboard": "im.swirl(twist, im.checkerboard(10, im.black, im.white)).turn(im.seconds)",
    "the same, cut out": "im.crop(im.disk(45), im.swirl(twist, im.checkerboard(10, im.red, im.blue))).turn(im.seconds)",
    "a Mandelbrot set": "runpy.run_path(GALLERY + '/fractals/mandelbrot.py')['picture'].turn(twist / 1000 * im.seconds)",
}
"""Pictures that move, as programs for a notebook: a quick one, one that is sent without compression, and a slow one."""
WATCH = """
window.painted = [];
for (const name of ["drawImage", "putImageData"]) {
  const paint = CanvasRenderingContext2D.prototype[name];
  CanvasRenderingContext2D.prototype[name] = function (image, ...rest) {
    if (this.canvas.isConnected) window.painted.push([performance.now(), image.width]);
    return paint.call(this, image, ...rest);
  };
}
"""
"""Has a page note when canvases on it are painted, and from how many pixels across."""


def missing() -> str | None:
    """What is not here and how to get it, or None."""
    modules = [
        name for name in ("jupyterlab", "playwright", "anywidget") if importlib.util.find_spec(name) is None
    ]
    if modules:
        return f"{', '.join(modules)} not installed in {sys.prefix}; run: pip install {' '.join(modules)}"
    if browser() is None:
        return "there is no Chromium on the path (Debian, Ubuntu: apt-get install chromium)"
    return None


def browser() -> str | None:
    """The path of Chromium or Chrome."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a JupyterLab that serves a folder, in which it keeps its own files as well."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    own = {f"JUPYTER_{name}_DIR": str(folder / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")}
    own |= {f"JUPYTERLAB_{name}_DIR": str(folder / name.lower()) for name in ("SETTINGS", "WORKSPACES")}
    options = [
        "--no-browser", "--expose-app-in-browser", f"--port={port}", "--ServerApp.port_retries=0",
        "--ServerApp.allow_root=True", "--IdentityProvider.token=", f"--ServerApp.root_dir={folder}",
    ]  # fmt: skip
    with (folder / "log.txt").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options],
            env={**os.environ, **own, "IPYTHONDIR": str(folder / "ipython")},
            stdout=log,
            stderr=log,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(START_SECONDS):
            try:
                urllib.request.urlopen(f"{address}/api/status").close()  # noqa: S310 - it is our own server
                break
            except OSError:
                time.sleep(1)
        yield address
    finally:
        server.terminate()
        server.wait(30)


def written(folder: Path, program: str) -> None:
    """Write a notebook of one cell."""
    cell = {
        "cell_type": "code",
        "id": "explored",
        "source": program,
        "metadata": {},
        "outputs": [],
        "execution_count": None,
    }
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    book = {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": [cell]}
    (folder / "explored.ipynb").write_text(json.dumps(book), encoding="utf-8")


def opened(page: Any, address: str) -> Any:
    """Open the notebook in a page, run it, and wait for an exact frame; gives the live view."""
    page.add_init_script(WATCH)
    page.goto(f"{address}/lab/tree/explored.ipynb?reset")
    page.wait_for_function(
        "window.jupyterapp?.shell?.currentWidget?.context?.sessionContext?.session?.kernel?.status == 'idle'",
        timeout=1000 * START_SECONDS,
    )
    page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")
    page.wait_for_selector(".pellucid[data-exact=true]", timeout=1000 * START_SECONDS)
    time.sleep(2)
    return page.locator(".pellucid")


def dragged(page: Any, live: Any) -> None:
    """Drag the picture about in circles."""
    box = live.locator("canvas").bounding_box()
    middle = box["x"] + SIDE / 2, box["y"] + SIDE / 2
    page.mouse.move(*middle)
    page.mouse.down()
    end = time.perf_counter() + SECONDS
    while (left := end - time.perf_counter()) > 0:
        page.mouse.move(middle[0] + 90 * math.sin(2 * left), middle[1] + 90 * math.cos(2 * left))
        time.sleep(0.005)
    page.mouse.up()


def played(page: Any, live: Any) -> None:
    """Press play, and pause after a while."""
    live.locator("button").click()
    time.sleep(SECONDS)
    live.locator("button").click()


def spent() -> dict[str, float]:
    """Seconds of processor time that each part has spent so far."""
    import psutil

    found = dict.fromkeys(("kernel", "server", "browser", "mouse"), 0.0)
    for process in [psutil.Process(), *psutil.Process().children(recursive=True)]:
        words = " ".join(process.cmdline())
        parts = {"ipykernel": "kernel", "jupyterlab": "server", "chrom": "browser"}
        times = process.cpu_times()
        found[next((part for word, part in parts.items() if word in words), "mouse")] += (
            times.user + times.system
        )
    return found


def counted(page: Any, before: dict[str, float]) -> str:
    """Say how many frames were painted since the page was asked the last time, how large they were, and who worked."""
    after = spent()
    frames = page.evaluate("window.painted.splice(0)")
    if len(frames) < 2:
        return f"{len(frames)} frames"
    shares = ", ".join(f"{name} {1000 * (after[name] - before[name]) / len(frames):.1f}" for name in after)
    times = [each[0] for each in frames]
    gaps = [after - before for before, after in itertools.pairwise(times)]
    rate = 1000 * len(gaps) / sum(gaps)
    sizes = sorted({each[1] for each in frames}, reverse=True)
    verdict = "" if rate >= GOAL else f", below {GOAL}"
    return (
        f"{rate:5.1f} frames a second{verdict}; between frames {statistics.median(gaps):.0f} ms, at most "
        f"{max(gaps):.0f}; {' and '.join(map(str, sizes))} pixels across"
        f"\n{'':<16}processor ms a frame: {shares}"
    )


def by_kernel(program: str) -> str:
    """Say how long the kernel takes for a frame, without a browser."""
    import pellucid as pl

    names: dict[str, Any] = {"GALLERY": str(Path(__file__).parents[1] / "examples/gallery")}
    exec(PREPARED, names)  # noqa: S102 - a program of this file
    explorer = pl.notebook.explore(eval(program, names), SIDE).explorer  # noqa: S307 - likewise
    view = explorer.setup()
    times: list[float] = []
    data: list[bytes] = []
    for count in range(100):
        request = {**view, "viewer": "bench", "id": count, "exact": False, "params": {}, "time": count / 30}
        start = time.perf_counter()
        _, data = explorer.answer(request)
        times.append(1000 * (time.perf_counter() - start))
    explorer.close()
    return f"{statistics.median(times[50:]):.1f} ms a frame, {len(data[0]) / 1000:.0f} kB"


def main() -> None:
    """Measure each picture."""
    if (lacks := missing()) is not None:
        print(f"exploring: skipped: {lacks}")
        return
    from playwright.sync_api import sync_playwright

    gallery = Path(__file__).parents[1] / "examples/gallery"
    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory() as name, served(Path(name)) as address, sync_playwright() as tools:
        chromium = tools.chromium.launch(executable_path=browser(), args=root)
        for title, program in PICTURES.items():
            load = os.getloadavg()[0]
            print(f"\n{title}, {SIDE} x {SIDE}   (load before: {load:.1f} on {os.cpu_count()} processors)")
            print(f"  kernel alone  {by_kernel(program)}")
            written(Path(name), f"GALLERY = {str(gallery)!r}\n{PREPARED}\npl.explore({program}, {SIDE})")
            page = chromium.new_page(viewport={"width": 1400, "height": 1200})
            live = opened(page, address)
            for what in (dragged, played):
                page.evaluate("window.painted.splice(0)")
                before = spent()
                what(page, live)
                print(f"  {what.__name__:<13} {counted(page, before)}", flush=True)
                time.sleep(1)
            page.evaluate("jupyterapp.commands.execute('notebook:shutdown-kernel')")
            page.close()
        chromium.close()


if __name__ == "__main__":
    main()
