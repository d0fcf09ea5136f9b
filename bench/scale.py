"""Pictures and arrays larger than memory: stores that are killed and resumed, and what drawing in parts costs.

`python bench/scale.py [SHOW]... [--small]` runs the shows that are named, or all of them. `--small` takes a hundredth of
the pixels, to see that everything works; its times say nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import http.client
import importlib.util
import math
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import pellucid as pl
from pellucid import algebra as alg
from pellucid import images as im
from pellucid.base.progress import ProgressLine

sys.path.insert(0, str(Path(__file__).parents[1]))

from examples import gallery

SWIRL = im.swirl(100, im.checkerboard(10, im.black, im.white))
NOISE = im.lerp(im.fbm(im.perlin_noise(), 4), im.black, im.white)
SCENE = Path(gallery.__file__).parent / "scenes/mountains.py"
ARCHIVE = {"zoom": 20.0}
ROUNDS = 3


class Scale:
    """How large the shows are, and the folder in which they work."""

    def __init__(self, folder: Path, *, small: bool) -> None:
        self.folder, self.small = folder, small

    def side(self, pixels: int) -> int:
        """A side of so many pixels, or a tenth of it."""
        return pixels // 10 if self.small else pixels

    @property
    def shard(self) -> dict[str, int]:
        """The sides of shards and chunks."""
        return {"shard": 512, "chunk": 128} if self.small else {"shard": 2048, "chunk": 512}


def says(name: str, text: str) -> None:
    """Print a result."""
    print(f"  {name:<52} {text}", flush=True)


def digests(root: Path) -> dict[str, str]:
    """The SHA-256 of each file of a store."""
    files = [path for path in sorted(root.rglob("*")) if path.is_file() and path.name != ".pellucid-writer"]
    return {str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def shards_there(root: Path) -> int:
    """How many shards of a store are written."""
    return sum(1 for path in root.glob("*/c/0/*/*") if path.suffix != ".partial")


def children(process: int) -> list[int]:
    """The processes below a process."""
    found: list[int] = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        for child in (int(word) for word in task.read_text().split()):
            found += [child, *children(child)]
    return found


def is_worker(process: int) -> bool:
    """Whether a process is a worker of a local cluster."""
    try:
        return b"spawn_main" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False


STORE = """
import sys, pellucid as pl
from pellucid import images as im
if __name__ == "__main__":
    side, shard, chunk = (int(x) for x in sys.argv[2:5])
    picture = im.swirl(100, im.checkerboard(10, im.black, im.white))
    pl.store(picture, sys.argv[1], side, workers=2, shard=shard, chunk=chunk, zoom=20.0, progress=lambda done, all: None)
"""


def killed(scale: Scale) -> None:
    """40,000 by 40,000 pixels, killed three times and resumed, have the bytes of an undisturbed run."""
    side, sides = scale.side(40_000), scale.shard
    # The metadata hold the name.
    calm, path = (scale.folder / name / "poster.ome.zarr" for name in ("calm", "killed"))
    arguments = [str(side), *map(str, sides.values())]
    started = time.perf_counter()
    run = subprocess.Popen([sys.executable, "-c", STORE, str(calm), *arguments])
    peak = 0
    while run.poll() is None:
        peak = max([peak, *(memory_of(process) for process in children(run.pid) if is_worker(process))])
        time.sleep(0.1)
    if run.returncode:
        raise SystemExit("the undisturbed run failed")
    seconds, total = time.perf_counter() - started, shards_there(calm)
    says("undisturbed", f"{seconds:.1f} s, {side * side / seconds / 1e6:.0f} Mpx/s, {total} shards")
    says("the most memory of a worker", f"{peak >> 20} MiB (at most 1000)")
    with ProgressLine("shards") as line:
        for part, victim in ((0.2, "worker"), (0.5, "client"), (0.8, "everything")):
            run = subprocess.Popen(
                [sys.executable, "-c", STORE, str(path), *arguments],
                start_new_session=True,
                stderr=subprocess.DEVNULL,
            )
            while run.poll() is None and shards_there(path) < part * total:
                line(shards_there(path), total)
                time.sleep(0.01)
            at = shards_there(path)
            if victim == "worker":
                os.kill(next(p for p in children(run.pid) if is_worker(p)), signal.SIGKILL)
                while run.poll() is None and shards_there(path) < (part + 0.1) * total:
                    time.sleep(0.01)
            if victim == "client":
                run.kill()
                time.sleep(2)
            end(run)
            says(f"killed: {victim}", f"at {at} of {total} shards")
        run = subprocess.Popen([sys.executable, "-c", STORE, str(path), *arguments])
        while run.poll() is None:
            line(shards_there(path), total)
            time.sleep(0.1)
    says("digests of all files are equal", verdict(digests(path) == digests(calm)))
    opened(path, side)


def end(run: subprocess.Popen[bytes]) -> None:
    """Kill a client, its scheduler and its workers."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(run.pid, signal.SIGKILL)
    run.wait()


def opened(path: Path, side: int) -> None:
    """What others say of a store: the validator of OME-Zarr, xarray, Dask, and the reader of napari."""
    place = 100, side // 2, 500, 3
    part = pl.render(SWIRL, side, zoom=20.0, part=place)
    rows, columns = slice(side // 2, side // 2 + 3), slice(100, 600)

    def same(found: Any) -> bool:
        return bool((np.moveaxis(np.asarray(found), 0, 2) == part).all())

    def validated() -> bool:
        import zarr
        from ome_zarr_models.v05.image import Image

        Image.from_zarr(zarr.open_group(str(path), mode="r"))
        return True

    def by_xarray() -> bool:
        import xarray

        # Levels have axes of one name and of different lengths.
        others = [found.name for found in path.iterdir() if found.is_dir() and found.name != "0"]
        level = xarray.open_zarr(str(path), consolidated=False, zarr_format=3, drop_variables=others)
        return same(level["0"][:, rows, columns])

    def by_dask() -> bool:
        import dask.array

        return same(dask.array.from_zarr(str(path / "0"))[:, rows, columns].compute())

    def by_napari() -> bool:
        from napari_ome_zarr._reader import napari_get_reader

        read: Any = napari_get_reader(str(path))
        data, *_ = read()[0]
        found = data[0] if isinstance(data, list) else data
        return same(found[:, rows, columns])

    checks: dict[str, tuple[str, Callable[[], bool]]] = {
        "the validator ome-zarr-models": ("ome_zarr_models", validated),
        "xarray": ("xarray", by_xarray),
        "Dask": ("dask", by_dask),
        "the reader of napari, without a window": ("napari_ome_zarr", by_napari),
    }
    for name, (package, check) in checks.items():
        there = importlib.util.find_spec(package) is not None
        says(name, verdict(check()) if there else f"is not installed ({package})")


def efficiency(scale: Scale) -> None:
    """Two workers against one (at least 1.9), and one against drawing and encoding plainly (at least 0.9)."""
    from pellucid.canvas.workers import local

    side = scale.side(16_384)
    scene = gallery.load(SCENE).picture
    for name, picture in (("swirl", SWIRL), ("fbm", NOISE), (f"the gallery's {SCENE.stem}", scene)):
        with local(1) as one, local(2) as two:
            seconds = {"one": math.inf, "two": math.inf, "plain": math.inf}
            # The first shards of a worker import and compile.
            for client in (one, two):
                warm = fresh(scale, "warm.zarr")
                pl.store(picture, warm, scale.side(4096), client=client, **scale.shard, **ARCHIVE)
            # All three in each round: a machine is faster at one time than at another.
            for _ in range(ROUNDS):
                for which, client in (("one", one), ("two", two)):
                    path = fresh(scale, "a.zarr")
                    began = time.perf_counter()
                    pl.store(picture, path, side, client=client, **scale.shard, **ARCHIVE)
                    seconds[which] = min(seconds[which], time.perf_counter() - began)
                seconds["plain"] = min(seconds["plain"], by_hand(scale, picture, side))
        says(f"{name}: two workers against one", f"{seconds['one'] / seconds['two']:.2f} (at least 1.9)")
        says(
            f"{name}: one worker against plain render",
            f"{seconds['plain'] / seconds['one']:.2f} (at least 0.9)",
        )


def by_hand(scale: Scale, picture: Any, side: int) -> float:
    """Seconds of one process that draws all shards by one thread and writes them to an array of Zarr's."""
    import zarr
    import zarr.codecs

    shard, chunk = scale.shard.values()
    made = pl.compile(picture)
    zarr.config.set({"threading.max_workers": 1, "async.concurrency": 1, "array.write_empty_chunks": True})
    array = zarr.create_array(
        store=str(fresh(scale, "plain.zarr")), shape=(side, side, 4), dtype="uint8", chunks=(chunk, chunk, 4),
        shards=(shard, shard, 4), fill_value=0,
        compressors=zarr.codecs.BloscCodec(cname="zstd", clevel=1, shuffle="bitshuffle", typesize=4),
    )  # fmt: skip
    began = time.perf_counter()
    for top in range(0, side, shard):
        for left in range(0, side, shard):
            width, height = min(shard, side - left), min(shard, side - top)
            part = left, top, width, height
            pixels = made.render(side, part=part, threads=1, **ARCHIVE)
            array[top : top + height, left : left + width] = pixels
    return time.perf_counter() - began


def fresh(scale: Scale, name: str) -> Path:
    """A path at which nothing is."""
    path = scale.folder / name
    shutil.rmtree(path, ignore_errors=True)
    path.unlink(missing_ok=True)
    return path


SAVE = """
import sys, pellucid as pl
from pellucid import images as im
if __name__ == "__main__":
    picture = im.swirl(100, im.checkerboard(10, im.black, im.white))
    verb = pl.save if sys.argv[1].endswith((".png", ".tiff")) else pl.store
    verb(picture, sys.argv[1], int(sys.argv[2]), zoom=20.0, progress=lambda done, all: None)
"""


def memory_of(process: int) -> int:
    """The most bytes that a process held so far; 0 if it has ended."""
    # What `getrusage` says begins with what the process held that made this one.
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return 1024 * int(line.split()[1])
    return 0


def memory(scale: Scale) -> None:
    """20,000 by 20,000 pixels by `store` and `save` take less than 256 MiB; Deep Zoom beside libvips."""
    side = scale.side(20_000)
    for name in ("a.png", "a.tiff", "a.zarr", "a.dzi"):
        path = fresh(scale, name)
        began = time.perf_counter()
        run = subprocess.Popen([sys.executable, "-c", SAVE, str(path), str(side)])
        own = below = 0
        while run.poll() is None:
            own = max(own, memory_of(run.pid) >> 20)
            below = max([below, *(memory_of(process) >> 20 for process in children(run.pid))])
            time.sleep(0.05)
        if run.returncode:
            raise SystemExit(f"{name} failed")
        seconds = time.perf_counter() - began
        rate = f"{side * side / seconds / 1e6:.0f} Mpx/s"
        says(name, f"{seconds:.1f} s, {rate}, {own} MiB, and {below} MiB in the largest process below it")
    if importlib.util.find_spec("pyvips") is None:
        says("libvips dzsave", "is not installed (pyvips)")
        return
    import pyvips

    image: Any = pyvips.Image.new_from_file(str(scale.folder / "a.tiff"), access="sequential")
    began = time.perf_counter()
    # As our tiles: PNG of 512 by 512 pixels without overlap.
    image.dzsave(str(scale.folder / "vips"), tile_size=512, overlap=0, suffix=".png")
    says("libvips dzsave of the TIFF", f"{time.perf_counter() - began:.1f} s (ours takes at most as long)")


def served(scale: Scale) -> None:
    """A tile of 256 by 256 pixels that is drawn when it is asked for, in at most 3 ms."""
    for name, picture in (("swirl", SWIRL), ("fbm", NOISE)):
        with pl.serve(picture, 1 << 20, zoom=4000.0) as server:
            address = server.zarr.split("//", 1)[1]
            host, _, path = address.partition("/")
            line = http.client.HTTPConnection(host)
            times: list[float] = []
            draw = np.random.default_rng(1)
            for _ in range(20 if scale.small else 300):
                row, column = draw.integers(0, 4096, 2)
                began = time.perf_counter()
                line.request("GET", f"/{path}/0/c/0/{row}/{column}")
                answer = line.getresponse()
                answer.read()
                times.append(1e3 * (time.perf_counter() - began))
                if answer.status != http.client.OK:
                    raise SystemExit(f"the server says {answer.status}")
            says(f"{name}: a tile", f"{statistics.median(times):.2f} ms in the median (at most 3)")


BINOMIAL = np.outer([1, 4, 6, 4, 1], [1, 4, 6, 4, 1]) / 256
SOBEL = np.outer([1, 2, 1], [-1, 0, 1]) / 8


def programs() -> dict[str, Any]:
    """Filters of an array of bytes, as programs."""
    a = alg.array("a", (512, 512), "u8")
    gray = a.astype("f32")
    blurred = alg.convolve(gray, BINOMIAL)
    x, y = alg.correlate(gray, SOBEL), alg.correlate(gray, SOBEL.T)
    xx, yy, xy = (alg.convolve(v, BINOMIAL) for v in (x * x, y * y, x * y))
    h, i = alg.array("h", 256, "i64"), alg.index("i", 256)
    h[i] = alg.sum(alg.chi(a == i))
    return {
        "blur": blurred,
        "unsharp": gray + 0.7 * (gray - blurred),
        "harris": xx * yy - xy * xy - 0.05 * (xx + yy) * (xx + yy),
        "median": alg.median(a),
        "opening": alg.dilate(alg.erode(a)),
        "histogram": h,
    }


def peers() -> dict[str, Callable[[Any], Any]]:
    """What dask-image has of it, on an array of Dask's."""
    if importlib.util.find_spec("dask_image") is None:
        return {}
    from dask_image import ndfilters

    return {
        "blur": lambda a: ndfilters.convolve(a.astype("f4"), BINOMIAL.astype("f4"), mode="mirror"),
        "median": lambda a: ndfilters.median_filter(a, size=3, mode="nearest"),
    }


def out_of_core(scale: Scale) -> None:
    """Filters of 30,000 by 30,000 bytes in a Zarr; equal to blocks computed whole, at most 0.2 of dask-image."""
    import dask
    import dask.array
    import zarr

    side = scale.side(30_000)
    path = fresh(scale, "bytes.zarr")
    store = zarr.create_array(str(path), shape=(side, side), chunks=(2048, 2048), dtype="u1")
    draw = np.random.default_rng(1)
    for top in range(0, side, 2048):
        store[top : top + 2048] = draw.integers(0, 256, (min(2048, side - top), side), np.uint8)
    array = dask.array.from_zarr(str(path))
    took: dict[str, float] = {}
    for name, output in programs().items():
        found = alg.map_blocks(alg.compile(output), a=array)
        took[name] = seconds = consumed(found)
        says(name, f"{seconds:.2f} s, {side * side / seconds / 1e6:.0f} Mpx/s, {right(name, found, array)}")
    most = memory_of(os.getpid()) >> 20
    says("the most memory of this process", f"{most} MiB, of an array of {side * side >> 20} MiB")
    known = peers()
    for name, call in known.items():
        says(
            f"{name}, beside dask-image",
            f"{took[name] / consumed(call(array)):.2f} of its time (at most 0.2)",
        )
    if not known:
        says("dask-image", "is not installed (dask_image)")


def consumed(array: Any) -> float:
    """Seconds to compute all blocks of an array, each of which is forgotten."""
    import dask

    blocks = [dask.delayed(touched)(block) for block in array.to_delayed().ravel()]
    began = time.perf_counter()
    dask.compute(blocks, scheduler="threads")
    return time.perf_counter() - began


def touched(block: Any) -> int:
    """The number of elements of a block."""
    return int(np.asarray(block).size)


def right(name: str, found: Any, array: Any) -> str:
    """Whether a corner of the result is that of the program on a larger corner, or the histogram NumPy's."""
    if name == "histogram":
        counts = sum(np.bincount(row.compute().ravel(), minlength=256) for row in array.blocks.ravel())
        return verdict(bool((found.compute() == counts).all()))
    # Across the first cut of both axes.
    low, high = max(0, 2048 - 100), 2048 + 100
    corner = array[: high + 8, : high + 8].compute()
    output = programs()[name]
    blocks = alg.map_blocks(alg.compile(output), a=array)[low:high, low:high].compute()
    import dask.array

    whole = alg.map_blocks(alg.compile(output), a=dask.array.from_array(corner, chunks=-1))
    return verdict(bool((blocks == whole[low:high, low:high].compute()).all()))


def verdict(ok: bool) -> str:
    """A word."""
    return "right" if ok else "WRONG"


SHOWS = {
    "killed": killed,
    "efficiency": efficiency,
    "memory": memory,
    "served": served,
    "out_of_core": out_of_core,
}


def main() -> None:
    """Run the shows."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("shows", nargs="*", help=f"those of the shows to run: {', '.join(SHOWS)}")
    words.add_argument("--small", action="store_true", help="take a hundredth of the pixels")
    chosen = words.parse_args()
    if unknown := [name for name in chosen.shows if name not in SHOWS]:
        words.error(f"there is no show {unknown[0]}")
    with tempfile.TemporaryDirectory(prefix="scale") as folder:
        scale = Scale(Path(folder), small=chosen.small)
        for name in chosen.shows or SHOWS:
            print(f"\n{SHOWS[name].__doc__}")
            SHOWS[name](scale)


if __name__ == "__main__":
    main()
