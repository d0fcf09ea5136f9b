"""The example of packed samples prints what it says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_example_agrees_with_itself():
    done = subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "examples/unpack.py")],
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.endswith("all three alike: True\n")
