"""A text as 7,866 operators over x and y: time to compile, time of a frame, and no pixel different from NumPy.

The program is a file of the fidget project, which is not part of this one: give its path, or the folder that holds
``prospero.vm`` in PELLUCID_TEST_DATA.
"""

from __future__ import annotations

import ctypes
import gc
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ["PELLUCID_CACHE"] = "off"

import numpy as np
from harness import Race

import pellucid as pl
from pellucid import images as im
from pellucid.backends.llvm import LlvmBackend
from pellucid.driver import forget

SIDE = 1024
INFIX = {"add": "+", "sub": "-", "mul": "*"}
FUNCTIONS = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
    "neg": np.negative,
    "sqrt": np.sqrt,
    "square": np.square,
}


def program() -> Path | None:
    """The path of the program, if it was told."""
    if len(sys.argv) > 1:
        return Path(sys.argv[1])
    folder = os.environ.get("PELLUCID_TEST_DATA")
    path = Path(folder) / "prospero.vm" if folder else None
    return path if path and path.exists() else None


def lines(text: str) -> list[list[str]]:
    """The program's instructions, split."""
    return [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def by_numpy(text: str, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The program's value in float32, row by row to stay in the caches."""
    rows = [_one_row(text, x, np.float32(v)) for v in y]
    return np.stack(rows)


def _one_row(text: str, x: np.ndarray, y: np.float32) -> np.ndarray:
    known: dict[str, np.ndarray] = {}
    result = x
    for name, op, *args in lines(text):
        if op == "const":
            result = np.float32(args[0])
        elif op in ("var-x", "var-y"):
            result = x if op == "var-x" else y
        else:
            a = [known[k] for k in args]
            result = FUNCTIONS[op](*a)
        known[name] = result
    return np.broadcast_to(result < 0, x.shape)


def c_source(text: str, bits: int) -> str:
    """The program as straight-line C over vectors of 256 or 512 bits."""
    mm, lanes = f"_mm{bits}", bits // 32
    body: list[str] = []
    for name, op, *args in lines(text):
        v = f"v{name.strip('_')}"
        a = [f"v{k.strip('_')}" for k in args]
        if op == "const":
            right = f"{mm}_set1_ps({float(args[0])!r}f)"
        elif op in ("var-x", "var-y"):
            right = "x" if op == "var-x" else "y"
        elif op in INFIX:
            right = f"{a[0]} {INFIX[op]} {a[1]}"
        elif op == "square":
            right = f"{a[0]} * {a[0]}"
        elif op == "neg":
            right = f"-{a[0]}"
        else:
            right = f"{mm}_{op}_ps({', '.join(a)})"
        body.append(f"const __m{bits} {v} = {right};")
    last = f"v{lines(text)[-1][0].strip('_')}"
    inner = "\n".join(body)
    # White is all ones, black those of alpha.
    black = f"{mm}_set1_epi32(0xff000000)"
    stored = (
        f"__mmask16 inside = _mm512_cmp_ps_mask({last}, _mm512_setzero_ps(), _CMP_LT_OQ);\n"
        f"_mm512_storeu_si512(to, _mm512_mask_mov_epi32({black}, inside, _mm512_set1_epi32(-1)));"
        if bits == 512
        else f"__m256i inside = _mm256_castps_si256(_mm256_cmp_ps({last}, _mm256_setzero_ps(), _CMP_LT_OQ));\n"
        f"_mm256_storeu_si256((__m256i *)to, _mm256_or_si256(inside, {black}));"
    )
    return f"""#include <immintrin.h>
#include <stdint.h>
void draw(uint32_t *out, const float *xs, const float *ys, int side, int threads) {{
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
for (int j = 0; j < side; j++) for (int i = 0; i < side; i += {lanes}) {{
uint32_t *to = out + (long)j * side + i;
const __m{bits} x = {mm}_loadu_ps(xs + i), y = {mm}_set1_ps(ys[j]);
{inner}
const {stored} }} }}
"""


def main() -> None:
    """Check, measure, print."""
    path = program()
    if path is None:
        print("\nprospero: not measured; give the path of prospero.vm, or its folder in PELLUCID_TEST_DATA")
        return
    text = path.read_text()
    center = (np.arange(SIDE) + 0.5 - SIDE / 2).astype(np.float32) * np.float32(2 / SIDE)
    truth = by_numpy(text, center, -center)
    pl.render(im.checkerboard(1, im.red, im.blue), size=(16, 16))
    picture = im.read_vm(str(path)) < 0
    print()
    for numerics in ("relaxed", "exact"):
        took: list[float] = []
        for _ in range(5):
            # Linked code lives as long as somebody has it: nothing of the round before may be left.
            forget()
            gc.collect()
            start = time.perf_counter()
            pl.compile(picture, numerics=numerics, backend="llvm")
            took.append(1e3 * (time.perf_counter() - start))
        print(
            f"prospero, compile {numerics}: median {statistics.median(took):.0f} ms, min {min(took):.0f} ms"
        )
    race = Race(f"prospero, {SIDE} x {SIDE}")

    def check(pixels: np.ndarray) -> str:
        wrong = int(((pixels.reshape(SIDE, SIDE, 4)[..., 0] > 0) != truth).sum())
        assert wrong == 0, wrong
        return "no pixel differs from NumPy"

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "prospero.c"
        source.write_text(c_source(text, max(256, LlvmBackend().vector_bits)))
        flags = ["-O1", "-march=native", "-ffp-contract=off", "-fopenmp", "-fPIC", "-shared"]
        start = time.perf_counter()
        compiler = shutil.which("gcc") or "cc"
        subprocess.run([compiler, *flags, str(source), "-o", str(source.with_suffix(".so"))], check=True)
        print(f"  the C compiler took {1e3 * (time.perf_counter() - start):.0f} ms")
        lib = ctypes.CDLL(str(source.with_suffix(".so")))
    out = np.empty((SIDE, SIDE), np.uint32)
    xs, ys = center, -center
    for threads in (1, 2):

        def by_hand(threads: int = threads) -> None:
            pointers = (ctypes.c_void_p(a.ctypes.data) for a in (out, xs, ys))
            lib.draw(*pointers, SIDE, threads)

        by_hand()
        race.add(f"C straight line, {threads} thread(s)", by_hand, check(out.view(np.uint8)))
    pixels = np.empty((SIDE, SIDE, 4), np.uint8)
    for name, options in (
        ("exact", {"numerics": "exact", "backend": "llvm"}),
        ("relaxed", {"backend": "llvm"}),
        ("by default", {}),
    ):
        kernel = pl.compile(picture, **options)
        for threads in (1, 2):

            def ours(threads: int = threads, kernel: object = kernel) -> None:
                kernel.render((SIDE, SIDE), zoom=SIDE / 2, threads=threads, out=pixels)

            ours()
            race.add(f"pellucid {name}, {threads} thread(s)", ours, check(pixels))
    race.run("C straight line, 2 thread(s)", rounds=5, calls=2)


if __name__ == "__main__":
    main()
