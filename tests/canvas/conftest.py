"""What tests of `canvas` share: a kernel that is a formula, workers that draw stores, and a window of a browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pellucid.canvas import workers

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@dataclass
class FormulaKernel:
    """Colors from the coordinates: x in red, y in green, time in blue, a ramp of alpha."""

    time_varying: bool = True
    opaque: bool = False
    params: dict[str, object] = field(default_factory=lambda: {"twist": 1.0, "radius": 2.0})
    calls: list[dict] = field(default_factory=list)

    def render(
        self, size, center=(0.0, 0.0), zoom=1.0, time=0.0, samples=1, threads=None, params=None, out=None
    ):
        self.calls.append(
            {"size": size, "center": center, "zoom": zoom, "time": time, "samples": samples,
             "threads": threads, "params": dict(params or {})}
        )  # fmt: skip
        width, height = size
        x = center[0] + (np.arange(width) + 0.5 - width / 2) / zoom
        y = center[1] - (np.arange(height) + 0.5 - height / 2) / zoom
        pixels = np.empty((height, width, 4), np.uint8) if out is None else out
        pixels[..., 0] = np.clip(128 + x * 3, 0, 255)[None, :]
        pixels[..., 1] = np.clip(128 + y * 3, 0, 255)[:, None]
        pixels[..., 2] = int(time * 100) % 256
        pixels[..., 3] = 255 if self.opaque else np.linspace(0, 255, width)[None, :]
        return pixels

    def premultiplied(self, *args, **named):
        pixels = self.render(*args, **named)
        alpha = pixels[..., 3:].astype(np.uint16)
        pixels[..., :3] = (pixels[..., :3] * alpha + 127) // 255
        return pixels


@dataclass
class FlatKernel(FormulaKernel):
    """A dot that walks one pixel per frame of a tenth of a second over an empty or black ground."""

    ground: tuple[int, int, int, int] = (0, 0, 0, 0)

    def render(
        self, size, center=(0.0, 0.0), zoom=1.0, time=0.0, samples=1, threads=None, params=None, out=None
    ):
        width, height = size
        pixels = np.empty((height, width, 4), np.uint8) if out is None else out
        pixels[:] = self.ground
        pixels[height // 2, round(time * 10) % width] = (250, 10, 20, 255)
        return pixels


@pytest.fixture(scope="session")
def client() -> Iterator[Any]:
    """Two workers of this machine, for all tests of stores."""
    with workers.local(2) as made:
        yield made


@pytest.fixture
def kernel():
    return FormulaKernel()


@pytest.fixture
def opaque_kernel():
    return FormulaKernel(opaque=True)


@pytest.fixture
def walker():
    return FlatKernel()


@pytest.fixture
def walker_on_black():
    return FlatKernel(ground=(0, 0, 0, 255))


def frames_of(path):
    """Every frame of a moving picture as a browser would show it, and how long, in milliseconds."""
    from PIL import Image, ImageSequence

    shown, times = [], []
    with Image.open(path) as picture:
        for frame in ImageSequence.Iterator(picture):
            shown.append(np.asarray(frame.convert("RGBA")).copy())
            # WebP knows how long a frame lasts only after decoding it.
            times.append(frame.info.get("duration", 0))
    return shown, times


@pytest.fixture
def decode():
    return frames_of


SIZE = (96, 64)
"""The size of a window, and of the picture in it."""


@pytest.fixture
def window(browser: Browser) -> Iterator[Page]:
    """A new page of the browser."""
    from tools.browser import sized

    with closing(sized(browser, SIZE)) as found:
        yield found
