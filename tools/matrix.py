"""Run the tests on other Pythons, other packages and other processors: what `scripts/matrix` calls.

    pythons    the quick tests on each Python from 3.11 on that is found here
    packages   the quick tests with the oldest and with the newest NumPy, llvmlite and Pillow that are allowed
    nehalem    the quick tests, with Python itself on an emulated processor without AVX
    sse2, avx2, aarch64
               the suite of back ends, 300 random programs and every picture of the gallery, on code that LLVM makes for
               that processor, run by an emulator: the same bits as the interpreter's

A part whose programs are not installed fails: nothing is left out in silence. Run by `python -m tools.matrix`.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
WORK = ROOT / "build/matrix"
SUPPORTED = ("3.11", "3.12", "3.13", "3.14")
PROGRAMS = 300
"""Random programs that each emulated processor runs."""
QUICK = (
    "tests/backends/test_conformance.py",
    "tests/diff/test_back_ends.py",
    "tests/ir",
    "tests/rules",
    "tests/images",
)
"""Tests that touch every floor; with those marked `smoke` they are run on every Python and all packages."""
EMULATED = (
    "-k", "(llvm or tiles or lesser or agree) and not sse2 and not avx2",
    "tests/backends/test_conformance.py", "tests/backends/test_tiles_random.py",
    "tests/diff/test_back_ends.py::test_lesser_processors_agree_on_larger_programs",
)  # fmt: skip
"""Tests that are run by a Python that is emulated itself, which takes thirty times as long."""


class Failed(Exception):  # noqa: N818 - it is said as a sentence, and the next thing is tried
    """Something of the matrix does not hold, or cannot be run here."""


Said = str | Failed
"""What a part tells of one thing that it tried: a line, or what failed."""


def tried(title: str, run: Callable[[], str]) -> Said:
    """What a run says, or how it failed, under a title: one failure does not keep the next run from being tried."""
    try:
        return f"{title}: {run()}"
    except Failed as problem:
        return Failed(f"{title}: {problem}")


def ran(*command: str | Path, **environment: str) -> str:
    """The output of a command; raises Failed if the command fails, which names what failed and where all is written."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        failures = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        said = "\n".join(failures) if failures else done.stdout[-3000:]
        WORK.mkdir(parents=True, exist_ok=True)
        descriptor, whole = tempfile.mkstemp(".log", "failed-", WORK)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(done.stdout)
        raise Failed(f"{' '.join(map(str, command))}\n{said}\nall that it wrote: {whole}")
    return done.stdout


def last_line(text: str) -> str:
    """What pytest says at its end."""
    return text.strip().splitlines()[-1].strip("= ")


def interpreters() -> dict[str, str]:
    """A program for each version of Python that is found on the path or among those of pyenv."""
    found: dict[str, str] = {}
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in SUPPORTED:
        versions = [shutil.which(f"python{version}"), *sorted(pyenv.glob(f"{version}.*/bin/python"))]
        for each in versions:
            command = [str(each), "-c", "import sys, venv; print('%d.%d' % sys.version_info[:2])"]
            if (
                each
                and subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
                == version
            ):
                found[version] = str(each)
                break
    return found


def environment(name: str, python: str, *requirements: str) -> Path:
    """The interpreter of a fresh environment with the project and what the tests need."""
    folder = WORK / name
    ran(python, "-m", "venv", "--clear", folder)
    own = folder / "bin/python"
    tests = [each for each in extra("dev") if re.match(r"hypothesis|mpmath|pytest|z3|fonttools|av\b", each)]
    tests += [each for name in ("exr", "text", "tiff", "video") for each in extra(name)]
    ran(
        own,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "-e",
        ".",
        *tests,
        *requirements,
    )
    return own


def project() -> dict[str, object]:
    """The table `project` of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def extra(name: str) -> list[str]:
    """The requirements of an extra of the project."""
    extras: dict[str, list[str]] = project()["optional-dependencies"]  # type: ignore[assignment]
    return extras[name]


def quick(python: Path | str, *prefix: str) -> str:
    """Run the quick tests by an interpreter; what pytest says at its end."""
    smoke = [
        str(p.relative_to(ROOT))
        for p in sorted(ROOT.glob("tests/**/test_*.py"))
        if "mark.smoke" in p.read_text()
    ]
    smoke = [p for p in smoke if not p.startswith(("tests/house", "tests/notebook"))]
    pytest = (*prefix, python, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    runs = {"smoke": ("-m", "smoke", *smoke), "quick": ("-n", "2", *QUICK)}
    said = [
        tried(name, lambda words=words: last_line(ran(*pytest, *words)))  # type: ignore[misc]
        for name, words in runs.items()
    ]
    line = "; ".join(map(str, said))
    if any(isinstance(each, Failed) for each in said):
        raise Failed(line)
    return line


def pythons() -> Iterator[Said]:
    """Run the quick tests on each Python."""
    found = interpreters()
    if missing := [v for v in SUPPORTED if v not in found]:
        yield f"not here, not tested: Python {', '.join(missing)}"
    if not found:
        raise Failed("there is no Python from 3.11 on")
    for version, python in found.items():
        yield tried(f"Python {version}", lambda: quick(environment(f"python-{version}", python)))  # noqa: B023 - called at once


def packages() -> Iterator[Said]:
    """Run the quick tests with the oldest packages that are allowed, and with the newest."""
    python = next(iter(interpreters().values()))
    lowest = [each.replace(">=", "==") for each in project()["dependencies"]]  # type: ignore[attr-defined]
    for name, requirements in (("oldest", lowest), ("newest", ["--upgrade"])):
        own = environment(name, python, *requirements)
        shown = "import numpy, llvmlite, PIL; print(numpy.__version__, llvmlite.__version__, PIL.__version__)"
        versions = ran(own, "-c", shown).strip()
        yield tried(f"{name} (NumPy, llvmlite, Pillow {versions})", lambda: quick(own))  # noqa: B023 - called at once


def nehalem() -> Iterator[Said]:
    """Run back ends by a Python that is emulated on a processor without AVX.

    The C compiler is not emulated and would compile for the processor at hand, so the back end c stays out.
    """
    needed("qemu-x86_64")
    python = ["qemu-x86_64", "-cpu", "Nehalem", sys.executable]
    told = ran(
        *python, "-c", "from pellucid.backends.jit.engine import machine; print(machine().cpu)", CC="none"
    )
    if told.strip() != "nehalem":
        raise Failed(f"the processor is taken for {told.strip()}")
    yield last_line(ran(*python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *EMULATED, CC="none"))


def needed(*programs: str) -> None:
    """Raise Failed if a program is missing."""
    if missing := [p for p in programs if shutil.which(p) is None]:
        raise Failed(
            f"{', '.join(missing)} missing (Debian: qemu-user, gcc-aarch64-linux-gnu, libc6-dev-arm64-cross)"
        )


def emulated(name: str) -> Iterator[Said]:
    """Run the suite of back ends, random programs and the gallery on an emulated processor."""
    from tests.emulated import PROCESSORS, Emulated

    from pellucid.backends.conformance import backend_suite

    processor = PROCESSORS[name]
    needed(*processor.missing())
    back_end = Emulated(processor)
    suite = backend_suite(lambda: back_end, widths=(1, 3, 4, 16))
    said = [tried(title, lambda check=check: holds(check)) for title, check in suite]  # type: ignore[misc]
    yield from (each for each in said if isinstance(each, Failed))
    yield f"{len(suite)} checks of the suite of back ends"
    yield tried("random programs", lambda: str(random_programs(back_end)))
    yield from gallery_pictures(back_end)


def holds(check: Callable[[], None]) -> str:
    """Run a check; raises Failed with what it says if it fails."""
    try:
        check()
    except Exception as problem:
        raise Failed(str(problem)) from problem
    return "holds"


def random_programs(back_end: object, least: int = PROGRAMS) -> int:
    """Run at least so many random programs on a back end and on the interpreter; how many there were."""
    from hypothesis import HealthCheck, given, settings
    from tests.diff.programs import Program, joined, programs
    from tests.diff.test_back_ends import check

    size, count = 8, [0]

    @settings(
        max_examples=least // size + 1,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(programs(count=size))
    def run(parts: list[Program]) -> None:
        check(*joined(parts), [back_end])  # type: ignore[list-item]
        count[0] += len(parts)

    holds(run)
    return count[0]


def gallery_pictures(back_end: object) -> Iterator[Said]:
    """Draw every picture of the gallery by a back end and by the host's; which differ, and how many there were."""
    import numpy as np
    from examples import gallery

    import pellucid as pl
    from pellucid.driver.frame import OUT, build
    from pellucid.driver.kernel import optimized
    from pellucid.driver.options import Options
    from pellucid.driver.view import checked_view

    files = gallery.files()
    for path in files:
        shown = gallery.load(path)
        view = {"center": shown.center, "zoom": 40 / shown.width, "time": shown.time}
        for numerics in ("exact", "relaxed"):
            options = Options(numerics, "f32", "llvm")
            frame = build(shown.picture, options.real)
            best = optimized(frame, options, back_end)  # type: ignore[arg-type]
            kernel = pl.compile(shown.picture, numerics=numerics)
            pixels = np.zeros((27, 40, 4), np.uint8)
            arguments = kernel.values(checked_view((40, 27), **view))
            back_end.compile(best.kernel, best.ranges).run(
                arguments, {OUT: pixels.reshape(-1).view(np.uint32)}
            )  # type: ignore[attr-defined]
            if not np.array_equal(pixels, kernel.render((40, 27), **view)):
                yield Failed(f"{shown.name}, {numerics}: other pixels than on this processor")
    yield f"{len(files)} pictures of the gallery, exact and relaxed"


PARTS: dict[str, Callable[[], Iterator[Said]]] = {
    "pythons": pythons,
    "packages": packages,
    "nehalem": nehalem,
    "sse2": lambda: emulated("sse2"),
    "avx2": lambda: emulated("avx2"),
    "aarch64": lambda: emulated("aarch64"),
}


def every(lines: Iterator[Said]) -> Iterator[Said]:
    """What a part tells, and at its end the failure that ended it, if one did."""
    try:
        yield from lines
    except Failed as problem:
        yield problem


def main() -> None:
    """Run the parts that were named, or all; the status tells whether all hold."""
    parser = argparse.ArgumentParser(prog="scripts/matrix", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART")
    options = parser.parse_args()
    if unknown := [part for part in options.parts if part not in PARTS]:
        parser.error(f"no part is called {unknown[0]!r}; there are {', '.join(PARTS)}")
    failed: list[str] = []
    for name in options.parts or PARTS:
        began = time.monotonic()
        for line in every(PARTS[name]()):
            if isinstance(line, Failed) and name not in failed:
                failed.append(name)
            print(f"{name}: {'FAILED: ' if isinstance(line, Failed) else ''}{line}", flush=True)
        print(f"{name}: {time.monotonic() - began:.0f} s", flush=True)
    if failed:
        sys.exit(f"matrix: failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
