"""What the tests of whole pictures share: a photograph."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

NAME = "rgb_small.png"


@pytest.fixture(scope="session")
def photograph(root, tmp_path_factory) -> Path:
    """The file of a photograph in color: a real one where there is a folder of test data, else one made up."""
    named = os.environ.get("PELLUCID_TEST_DATA", "")
    for folder in (Path(named) if named else None, root.parent / "shared" / "data"):
        if folder is not None and (folder / NAME).is_file():
            return folder / NAME
    from PIL import Image

    path = tmp_path_factory.mktemp("photograph") / NAME
    Image.fromarray(made_up(192, 320)).save(path)
    return path


def made_up(width: int, height: int) -> np.ndarray:
    """A landscape of smooth light, sharp edges and the noise of a sensor."""
    chance = np.random.default_rng(7)
    y, x = np.mgrid[0:height, 0:width]
    sky = 0.55 + 0.4 * (1 - y / height)
    hills = y > height * 0.6 + 18 * np.sin(x / 23) + 7 * np.sin(x / 6.1)
    sun = np.hypot(x - width * 0.7, y - height * 0.25) < width / 9
    light = np.stack([0.7 * sky, 0.85 * sky, sky], axis=-1)
    light[hills] = (0.2, 0.4, 0.15) * (0.6 + 0.4 * np.sin(0.31 * (x + y)))[hills][:, None]
    light[sun] = (1.0, 0.93, 0.6)
    noisy = light + chance.normal(0, 0.03, light.shape)
    return np.floor(255 * np.clip(noisy, 0, 1) + 0.5).astype(np.uint8)
