"""The picture of the demo, through the command line, against the same picture computed here with NumPy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

ROOT = Path(__file__).parents[2]


def swirl(size: int) -> np.ndarray:
    """A checkerboard of squares 10 wide, turned by a full turn at distance 100: 0 black, 255 white."""
    along = np.arange(size) + 0.5 - size / 2
    x, y = np.meshgrid(along, -along)
    angle = -np.hypot(x, y) * 2 * np.pi / 100
    turned_x = x * np.cos(angle) - y * np.sin(angle)
    turned_y = y * np.cos(angle) + x * np.sin(angle)
    return np.where((np.floor(turned_x / 10) + np.floor(turned_y / 10)) % 2 == 0, 0, 255)


@pytest.mark.smoke
def test_the_demo_draws_what_it_says(tmp_path: Path):
    file = tmp_path / "swirl.png"
    command = ["render", str(ROOT / "examples/swirl.py"), "-o", str(file), "--size", "512x512"]
    subprocess.run([sys.executable, "-m", "pellucid", *command, "--center", "0,0", "--zoom", "1"], check=True)
    with Image.open(file) as picture:
        pixels = np.asarray(picture.convert("RGBA"))
    assert pixels.shape == (512, 512, 4)
    assert (pixels[..., 3] == 255).all()
    assert (pixels[..., :3] == pixels[..., :1]).all()
    # Single precision may decide otherwise on the very edge of a square, and nowhere else.
    assert np.mean(pixels[..., 0] != swirl(512)) < 0.001
