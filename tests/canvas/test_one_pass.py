"""A sensor's frame through a lens to NV12 in one pass: the picture that float64 gives, and no memory in between."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pellucid as pl

BENCH = Path(__file__).parents[2] / "bench"
PEAK = """
import numpy, onepass, pellucid as pl
print(onepass.peak(lambda: numpy.ones(5_000_000, "u1").sum()))
size = 1200, 900
data = onepass.packed(onepass.scene(*size))
kernel = pl.compile(onepass.picture(data, size))
print(onepass.peak(lambda: pl.render(kernel, size, format="nv12", threads=2)))
"""


def test_a_frame_through_a_lens_is_what_float64_gives(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(BENCH)
    import onepass

    size = 126, 70
    samples = onepass.scene(*size)
    kernel = pl.compile(onepass.picture(onepass.packed(samples), size))
    found = pl.render(kernel, size, format="nv12")
    wanted = onepass.expected(samples)
    assert np.ptp(wanted) > 40
    assert np.abs(found.astype(int) - wanted).max() <= 1


def test_one_pass_takes_no_memory_but_the_output():
    done = subprocess.run(
        [sys.executable, "-c", PEAK], cwd=BENCH, capture_output=True, text=True, check=True, timeout=120
    )
    gauge, found = map(float, done.stdout.split())
    assert gauge == pytest.approx(5.0, abs=0.2)
    assert -0.2 < found - 1200 * 900 * 1.5 / 1e6 <= 1.0
