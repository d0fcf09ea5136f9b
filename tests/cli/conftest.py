"""Picture files for the command line: one that needs no compiler, so that these tests are about words and files."""

from __future__ import annotations

import sys

import pytest

KERNEL = '''
import numpy as np

class Ramp:
    """Red from x, green from y, blue from time; a kernel as canvas sees it."""
    time_varying = True
    params = {"twist": 1.0}
    def render(self, size, center=(0.0, 0.0), zoom=1.0, time=0.0, samples=1, threads=None, params=None, out=None):
        width, height = size
        pixels = np.full((height, width, 4), 255, np.uint8)
        pixels[..., 0] = np.clip(128 + center[0] + np.arange(width) / zoom, 0, 255)
        pixels[..., 1] = np.clip(128 + center[1] - np.arange(height) / zoom, 0, 255)[:, None]
        pixels[..., 2] = int(100 * time + 10 * (params or {}).get("twist", 0)) % 256
        return pixels
    premultiplied = render
'''


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write a Python file into the current, otherwise empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))

    def write(name, text="", kernel=True):
        (tmp_path / name).write_text((KERNEL if kernel else "") + text, encoding="utf-8")
        return name

    return write


@pytest.fixture
def ramp(written):
    return written("ramp.py", "picture = Ramp()\n")


@pytest.fixture
def pellucid(capfd):
    """Run the command line; its status, standard output and standard error."""
    from pellucid.cli import main

    def run(*words):
        status = main(list(words))
        return (status, *capfd.readouterr())

    return run
