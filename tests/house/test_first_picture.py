"""First pictures: a swirl through the command line, and the same computed here with NumPy; those of the demo."""

from __future__ import annotations

import re
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
def test_the_swirl_is_its_formula(tmp_path: Path):
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


def test_the_demo_draws_a_picture_and_an_animation(tmp_path: Path):
    """The commands of the script, smaller."""
    text = (ROOT / "scripts/demo").read_text(encoding="utf-8")
    names = dict(re.findall(r"^(\w+)=(examples/\S+)$", text, re.MULTILINE))
    commands = re.findall(r"^show_and_run \.venv/bin/pellucid (.*)$", text, re.MULTILINE)
    assert len(commands) == 2
    for command in commands:
        words = [str(ROOT / names[word[1:]]) if word.startswith("$") else word for word in command.split()]
        subprocess.run(
            [sys.executable, "-m", "pellucid", *words, "--size", "60x40"], check=True, cwd=tmp_path
        )
    with Image.open(tmp_path / "lilies.png") as still:
        assert still.size == (60, 40)
        assert len(still.convert("RGB").getcolors(2400)) > 200
    with Image.open(tmp_path / "waves.webp") as film:
        assert film.n_frames == 25
    assert all(f"$PWD/{path.name} " in text for path in tmp_path.iterdir())
