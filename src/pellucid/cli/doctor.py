"""The command `doctor`: what pellucid found on this machine, and whether each back end really draws.

A back end is checked by drawing with it, not by looking for its parts, and its bytes are compared with those of NumPy,
which are the meaning of a picture.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pellucid import __version__
from pellucid.backends.registry import maker, names
from pellucid.base.errors import PellucidError

if TYPE_CHECKING:
    from pellucid.images import Image

_NEEDED = ("numpy", "llvmlite", "Pillow")
#: What the extras bring.
_EXTRAS = {
    "video": ("av",),
    "notebook": ("ipywidgets", "anywidget"),
    "progress": ("rich",),
    "studio": ("starlette", "uvicorn", "websockets"),
    "text": ("fonttools",),
    "tiff": ("tifffile",),
    "scale": ("dask", "distributed", "numcodecs", "tifffile", "zarr"),
    "exr": ("OpenEXR",),
    "gpu": ("wgpu",),
}
#: Vector features of LLVM, the widest first, as people call them.
_VECTORS = {
    "avx512f": "AVX-512",
    "avx2": "AVX2",
    "avx": "AVX",
    "sse4.2": "SSE4.2",
    "sve": "SVE",
    "neon": "NEON",
}


def doctor(words: Namespace) -> int:
    """Print what was found; 1 if a back end that every machine has does not draw."""
    if words.clear_cache:
        return _clear()
    if words.calibrate:
        return _calibrate()
    _print("pellucid", _software())
    _print("extras", _extras())
    _print("machine", _machine())
    _print("cache", _cached())
    fine = True
    rows: list[tuple[str, str]] = []
    wanted: bytes | None = None
    # The others are compared with the meaning.
    for name in ("numpy", *(n for n in names() if n != "numpy")):
        pixels, said = _drawn(name)
        wanted = pixels if name == "numpy" else wanted
        if pixels is not None and pixels != wanted and maker(name).EXACT:
            said, fine = "draws other bytes than numpy: please report this", False
        fine = fine and (pixels is not None or not maker(name).EVERYWHERE)
        rows.append((name, said))
    _print("back ends", rows)
    _print("exports", [(kind, _exported(kind)) for kind in ("wasm", "ptx")])
    return 0 if fine else 1


def _print(title: str, rows: list[tuple[str, str]]) -> None:
    print(title)
    for name, text in rows:
        print(f"  {name:<10} {text}")


def _software() -> list[tuple[str, str]]:
    python = f"{platform.python_implementation()} {platform.python_version()}, {sys.executable}"
    packages = ", ".join(f"{name} {_version(name) or 'is missing'}" for name in _NEEDED)
    home = str(Path(__file__).resolve().parent.parent)
    return [("version", __version__), ("folder", home), ("python", python), ("packages", packages)]


def _extras() -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for extra, names_ in _EXTRAS.items():
        found = {name: _version(name) for name in names_}
        missing = [name for name, version in found.items() if version is None]
        there = ", ".join(f"{name} {version}" for name, version in found.items())
        wanted = f"not installed: pip install 'pellucid[{extra}]'"
        if missing and len(missing) < len(names_):
            wanted = f"{', '.join(missing)} {wanted}"
        rows.append((extra, wanted if missing else there))
    return rows


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _machine() -> list[tuple[str, str]]:
    from pellucid.base.memory import available_memory, readable_bytes
    from pellucid.driver.threads import available

    memory = available_memory()
    return [
        ("system", f"{platform.system()} {platform.release()}, {platform.machine()}"),
        ("processor", _or_why(_processor)),
        ("vectors", _or_why(_vectors)),
        ("threads", f"{available()} of {os.cpu_count() or 1}"),
        ("memory", f"{readable_bytes(memory)} available" if memory is not None else "unknown"),
        ("timer", _or_why(_timer)),
    ]


def _or_why(find: Callable[[], str]) -> str:
    """The result of a check, or its error as text: the doctor goes on."""
    try:
        return find()
    except Exception as error:  # noqa: BLE001 - whatever it is, it belongs into the report
        return f"unknown: {error if isinstance(error, PellucidError) else repr(error)}"


def _processor() -> str:
    from pellucid.backends.jit.engine import machine

    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return f"{line.partition(':')[2].strip()} ({machine().cpu})"
    return machine().cpu


def _vectors() -> str:
    from pellucid.backends.jit.engine import machine
    from pellucid.driver import Options
    from pellucid.driver.lanes import lanes_of
    from pellucid.driver.lending import make_backend

    present = {feature[1:] for feature in machine().features.split(",") if feature.startswith("+")}
    widest = next((spoken for feature, spoken in _VECTORS.items() if feature in present), "none known")
    fused = "with" if present & {"fma", "neon"} else "without"
    lanes = " and ".join(
        f"{lanes_of(make_backend('llvm'), Options(precision=name))} of {name}" for name in ("f32", "f64")
    )
    return f"{widest}, {fused} fused multiply-add; lanes: {lanes}"


# --- the timer -----------------------------------------------------------------------------------------------------


def _timer() -> str:
    from pellucid.driver.calibration import measured
    from pellucid.reasoning.machine import PROCESSOR

    found = measured()
    return (
        found.name
        if found is not None
        else f"{PROCESSOR.name}; to measure this one: pellucid doctor --calibrate"
    )


def _calibrate() -> int:
    """Measure the timer's table, keep it, and print it."""
    from pellucid.driver.calibration import calibrate, keep
    from pellucid.reasoning.machine import CHARGES

    print("measuring what each kind of work costs; this takes some seconds", flush=True)
    machine = calibrate()
    kept = keep(machine)
    print(machine.name)
    for word, meaning in CHARGES.items():
        print(f"  {word:<14} {machine.charges[word]:>8.2f}  {meaning}")
    print("operators, for one vector")
    for name, cost in sorted(machine.operators.items(), key=lambda item: item[1]):
        print(f"  {name:<14} {cost:>8.2f}")
    print("not kept: the cache is turned off by PELLUCID_CACHE" if kept is None else f"kept in {kept}")
    return 0


# --- the cache -----------------------------------------------------------------------------------------------------


def _cached() -> list[tuple[str, str]]:
    from pellucid.base.memory import readable_bytes
    from pellucid.driver.cache import cache

    folder = cache().folder
    if folder is None:
        return [("folder", "none: it is turned off by PELLUCID_CACHE")]
    sizes = [size for _, size in _entries(folder)]
    limit = readable_bytes(cache().limit)
    return [
        ("folder", str(folder)),
        ("holds", f"{len(sizes)} programs, {readable_bytes(sum(sizes))} of {limit}"),
    ]


def _clear() -> int:
    from pellucid.base.memory import readable_bytes
    from pellucid.driver.cache import cache

    folder = cache().folder
    if folder is None:
        print("the cache is turned off by PELLUCID_CACHE")
        return 0
    count = total = 0
    for path, size in _entries(folder):
        with suppress(FileNotFoundError):
            path.unlink()
            count += 1
            total += size
    print(f"removed {count} programs, {readable_bytes(total)}, from {folder}")
    return 0


def _entries(folder: Path) -> Iterator[tuple[Path, int]]:
    """The files that the cache has written, and their sizes; nothing else in the folder is ours."""
    from pellucid.driver.cache import ENTRY, REMAINS

    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        if (ENTRY.match(path.name) or REMAINS.match(path.name)) and not path.is_symlink():
            with suppress(FileNotFoundError):
                yield path, path.stat().st_size


# --- the back ends -------------------------------------------------------------------------------------------------


def _drawn(backend: str) -> tuple[bytes | None, str]:
    """The bytes of a small picture, and what to say; no bytes if it cannot be drawn."""
    from pellucid.canvas.draw import render

    began = time.perf_counter()
    numerics = "exact" if maker(backend).EXACT else "relaxed"
    try:
        pixels = render(_picture(), (96, 64), zoom=24.0, numerics=numerics, backend=backend)
    except Exception as error:  # noqa: BLE001 - whatever it is, it belongs into the report
        return None, f"does not draw: {error if isinstance(error, PellucidError) else repr(error)}"
    spent = 1000 * (time.perf_counter() - began)
    of = "" if numerics == "exact" else ", relaxed alone"
    return pixels.tobytes(), f"draws ({spent:.0f} ms with compiling{of})"


def _exported(kind: str) -> str:
    """Whether a picture can be exported as what LLVM has a target for."""
    from pellucid.canvas.exporting import export

    with tempfile.TemporaryDirectory() as folder:
        try:
            export(_picture(), Path(folder, f"picture.{kind}"), 64)
        except Exception as error:  # noqa: BLE001 - whatever it is, it belongs into the report
            return f"is not written: {error if isinstance(error, PellucidError) else repr(error)}"
    return "is written"


def _picture() -> Image:
    """Waves over a ring: arithmetic, an elementary function, a choice and partial alpha."""
    from pellucid.images import Color, image
    from pellucid.tracing import Point, functions, where

    @image
    def waves(p: Point) -> Color:
        ring = p.x * p.x + p.y * p.y
        wave = 0.5 + 0.5 * functions.sin(3.0 * ring)
        return where(ring < 1.5, Color(wave, 0.25, 1.0 - wave, 1.0), Color(0.0, 0.25 * wave, 0.0, 0.5))

    return waves
