"""Floors and doors: which folder may import what, and what `import pellucid` leaves alone."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOUSE = ROOT / "src/pellucid"
HEAVY = ("IPython", "OpenEXR", "PIL", "av", "ipywidgets", "llvmlite", "rich", "tifffile")


def contracts() -> list[dict[str, object]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return settings["tool"]["importlinter"]["contracts"]


def floors() -> list[str]:
    (layers,) = (contract["layers"] for contract in contracts() if contract.get("containers") == ["pellucid"])
    assert isinstance(layers, list)
    return [part.strip() for layer in layers for part in layer.split("|")]


def folders() -> set[str]:
    return {path.parent.name for path in HOUSE.glob("*/__init__.py")}


def test_every_folder_has_a_floor_and_every_floor_a_folder():
    assert folders() == {name for name in floors() if not name.startswith("__")}


def test_floors_are_explained():
    page = (ROOT / "docs/house.md").read_text(encoding="utf-8")
    assert not [name for name in floors() if not name.startswith("__") and f"`{name}`" not in page]


def test_every_heavy_package_has_a_door():
    kept = {name for contract in contracts() for name in contract.get("forbidden_modules", [])}
    assert set(HEAVY) <= kept


@pytest.mark.smoke
def test_import_is_light():
    probe = "import json, sys, pellucid; print(json.dumps([name.partition('.')[0] for name in sys.modules]))"
    loaded = subprocess.run([sys.executable, "-c", probe], check=True, capture_output=True, text=True).stdout
    assert not set(HEAVY) & set(json.loads(loaded))
