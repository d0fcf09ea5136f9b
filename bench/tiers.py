"""Sessions: the first frame of new pictures, machine code after an edit, and films on one and two threads.

Medians over pictures that are all new: nothing is in the caches of compiled code. Besides, where the time of a first
frame goes, and what compiling as a whole would take.
"""

# ruff: noqa: SLF001
from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

os.environ["PELLUCID_CACHE"] = "off"

import numpy as np

import pellucid as pl
from pellucid import images as im
from pellucid.driver.film import Film
from pellucid.driver.session import LIFTED, WHOLE
from pellucid.driver.view import checked_view
from pellucid.ir.expr import size

SIDE = 1024
RUNS = 32


def disks(count: int, seed: int) -> object:
    """So many translucent disks over each other."""
    numbers = np.random.default_rng(seed).uniform(-1, 1, (count, 6)).tolist()

    @pl.image
    def picture(p):  # noqa: ANN001, ANN202
        r = g = 0.0
        for a, b, c, d, e, _ in numbers:
            distance = pl.sqrt((p.x - a) ** 2 + (p.y - b) ** 2)
            inside = pl.clamp((abs(c) * 0.3 - distance) * 40.0 + 0.5, 0.0, 1.0)
            r = r * (1.0 - inside) + inside * abs(d)
            g = g * (1.0 - inside) + inside * abs(e)
        return im.Color(r, g, 0.25, 1.0)

    return picture


def swirl(seed: int) -> object:
    """The swirl of the paper, with other numbers."""
    return im.swirl(90.0 + seed, im.checkerboard(10.0 + 0.1 * seed, im.black, im.white))


def waves(numbers: list[float]) -> object:
    """Waves of which intervals decide nothing."""

    @pl.image
    def picture(p):  # noqa: ANN001, ANN202
        value = 0.3
        for k, number in enumerate(numbers):
            value = value * 0.7 + pl.sin(p.x * number + p.y * (number + k)) * 0.9
        return value

    return picture


def program() -> str | None:
    """The text of 7,866 operators, if its folder was told in PELLUCID_TEST_DATA."""
    folder = os.environ.get("PELLUCID_TEST_DATA")
    path = Path(folder) / "prospero.vm" if folder else None
    return path.read_text(encoding="utf-8") if path and path.exists() else None


def first_frames() -> None:
    """From a Python function, or from the text of a program, to pixels."""
    pictures: list[tuple[str, Callable[[int], object], float]] = [
        ("swirl", swirl, 1.0),
        ("100 nodes", lambda k: disks(3, k), 512.0),
        ("500 nodes", lambda k: disks(20, k), 512.0),
    ]
    text = program()
    if text:
        # Of a text with other lines than the one before, nothing is known.
        pictures += [
            ("text", lambda k: im.read_vm(text.replace("const 2.95", f"const 2.9{k:02}")) < 0, 512.0),
            ("new text", lambda k: im.read_vm("#\n" * (k % 2) + text) < 0.001 * k, 512.0),
        ]
    for name, make, zoom in pictures:
        rows: list[dict[str, float]] = []
        nodes = 0
        for k in range(RUNS):
            # A session of its own for each: no picture is the edit of another.
            with pl.Session(SIDE) as session:
                began = time.perf_counter()
                picture = make(k)
                made = 1e3 * (time.perf_counter() - began)
                shown = session.update(picture, zoom=zoom)
                all_ = 1e3 * (time.perf_counter() - began)
                rows.append({"make": made, **shown.milliseconds, "all": all_})
                assert session._state is not None
                nodes = size([session._state.frame.pixel])
        spent: list[float] = []
        with pl.Session(SIDE) as session:
            for k in range(RUNS):
                # As somebody edits: what is compiled meanwhile has some time between frames.
                time.sleep(0.03)
                began = time.perf_counter()
                session.update(make(k), zoom=zoom)
                spent.append(1e3 * (time.perf_counter() - began))
        found = {what: statistics.median(row[what] for row in rows[2:]) for what in rows[0]}
        found |= {
            "least": min(row["all"] for row in rows[2:]),
            "in one session": statistics.median(spent[2:]),
        }
        print(
            f"first frame, {name:9} ({nodes:4} nodes)  "
            + "  ".join(f"{w} {ms:6.2f} ms" for w, ms in found.items())
        )


def edits() -> None:
    """From one number that changed deep in a picture to machine code for it."""
    numbers = np.random.default_rng(3).uniform(0.1, 3, 140).tolist()
    with pl.Session(SIDE) as session:
        session.update(waves(numbers), zoom=64.0)
        scene = session._state
        assert scene is not None
        whole, lifted = (session._made(scene, which, lambda: True) for which in (WHOLE, LIFTED))
        scene.group.lifted = lifted
        scene.group.edited = True
        spent: list[float] = []
        for k in range(RUNS):
            numbers[70] = 1.0 + 0.01 * (k + 1)
            began = time.perf_counter()
            edited = session._found(waves(numbers))
            assert edited.group.lifted is lifted
            spent.append(1e3 * (time.perf_counter() - began))
        after = statistics.median(spent)
        print(
            f"an edit of {size([scene.frame.pixel])} nodes: machine code after {after:.2f} ms, compiled as a whole "
            f"{whole.ms:.0f} ms (ratio {after / whole.ms:.4f}), with numbers as parameters {lifted.ms:.0f} ms"
        )


def films() -> None:
    """Sixty frames, of which the dear part stands still."""

    @pl.animation
    def marbled(t):  # noqa: ANN001, ANN202
        def sample(p):  # noqa: ANN001, ANN202
            veins = pl.exp(pl.sin(p.x * 3.1 + pl.sin(p.y * p.x * 1.7) * 2.3) * 0.7)
            return veins * (0.5 + 0.5 * pl.cos(p.y * 0.9 + t * p.x))

        return pl.image(sample)

    kernel = pl.compile(marbled)
    spent: dict[str, list[float]] = {}
    films = {threads: Film(kernel, checked_view(SIDE, zoom=64.0, threads=threads)) for threads in (1, 2)}
    for film in films.values():
        for _ in range(10):
            film.frame(0.0)
    # In turn, and each only for some tenths of a second: the machine's own speed changes within seconds.
    for _ in range(15):
        for threads, film in films.items():
            began = time.perf_counter()
            for k in range(60):
                film.frame(k / 25)
            spent.setdefault(f"film {threads}", []).append(1e3 * (time.perf_counter() - began))
        for threads in films:
            began = time.perf_counter()
            for k in range(60):
                kernel.render((SIDE, SIDE), zoom=64.0, time=k / 25, threads=threads)
            spent.setdefault(f"frames {threads}", []).append(1e3 * (time.perf_counter() - began))
    for what, of in (("least", min), ("median", statistics.median)):
        ms = {name: of(times) for name, times in spent.items()}
        print(
            f"60 frames, {what:6}  "
            + "  ".join(f"{name} threads {x:.0f} ms" for name, x in ms.items())
            + f"  two threads to one {ms['film 2'] / ms['film 1']:.2f}, film to frames {ms['film 1'] / ms['frames 1']:.2f}"
        )


if __name__ == "__main__":
    first_frames()
    edits()
    films()
