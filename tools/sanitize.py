"""Run C that pellucid writes under sanitizers of addresses and undefined behavior: what `scripts/sanitize` calls.

The suite of back ends, 300 random programs, and every picture of the gallery in the form that is exported. What a
sanitizer finds ends the process that it is found in, so the checks run in a process of their own, which has the
sanitizer's library loaded before all others. Run by `python -m tools.sanitize`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FLAGS = (
    "-O1", "-g", "-ffp-contract=off", "-fPIC", "-shared",
    "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer",
)  # fmt: skip
PROGRAMS = 300


def inner() -> None:
    """Run all checks in this process, which the sanitizers watch."""
    from examples import gallery
    from tests.backends import test_export
    from tools.matrix import holds, random_programs

    from pellucid.backends.c import CBackend, compiler
    from pellucid.backends.conformance import backend_suite

    compiler.FLAGS = FLAGS
    suite = backend_suite(CBackend, widths=(1,))
    for title, check in suite:
        print(title, flush=True)
        holds(check)
    print(f"sanitize: {len(suite)} checks of the suite of back ends", flush=True)
    print(f"sanitize: {random_programs(CBackend(), PROGRAMS)} random programs", flush=True)
    test_export.FLAGS = FLAGS
    files = gallery.files()
    for k, path in enumerate(files):
        print(path.stem, flush=True)
        test_export.test_every_picture_of_the_gallery_is_exported_and_draws_itself(
            path, ("exact", "relaxed")[k % 2]
        )
    print(f"sanitize: {len(files)} pictures of the gallery, exported", flush=True)


def wrong() -> None:
    """Read one element beyond an array: the sanitizer must end the process."""
    import ctypes
    import tempfile

    from pellucid.backends.c.compiler import find_compiler

    source = "float beyond(const float *a, int n);\nfloat beyond(const float *a, int n) { return a[n]; }\n"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "wrong.so")
        path.write_bytes(find_compiler().compile(source, flags=FLAGS))
        array = ctypes.CDLL(None).malloc
        array.restype = ctypes.c_void_p
        ctypes.CDLL(str(path)).beyond(ctypes.c_void_p(array(400)), 100)


def watched(what: str) -> subprocess.CompletedProcess[str]:
    """A process of this program that the sanitizers watch."""
    found = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)  # noqa: S607
    environment = {
        **os.environ,
        "CC": "gcc",
        "LD_PRELOAD": found.stdout.strip(),
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0:exitcode=99",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        # Python's own allocator would hide where one block ends and the next begins.
        "PYTHONMALLOC": "malloc",
    }
    command = [sys.executable, "-m", "tools.sanitize", what]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def main() -> None:
    """See that the sanitizers are at work, then run the checks."""
    if sys.argv[1:] == ["inner"]:
        inner()
        return
    if sys.argv[1:] == ["wrong"]:
        wrong()
        return
    control = watched("wrong")
    if control.returncode != 99 or "heap-buffer-overflow" not in control.stderr:
        sys.exit(f"sanitize: a read beyond an array was not found:\n{control.stderr[-2000:]}")
    done = watched("inner")
    print("\n".join(line for line in done.stdout.splitlines() if line.startswith("sanitize:")))
    if done.returncode or "runtime error" in done.stderr:
        last = done.stdout.strip().splitlines()[-1:]
        sys.exit(f"sanitize: failed after {last}:\n{done.stderr[-4000:]}")
    print("sanitize: nothing was found")


if __name__ == "__main__":
    main()
