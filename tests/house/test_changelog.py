"""News fragments are named so that the change log can be put together from them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
FRAGMENTS = sorted(path for path in (ROOT / "changelog.d").iterdir() if path.name != "README.md")


def test_fragments_have_a_kind():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["towncrier"]
    kinds = "|".join(kind["directory"] for kind in settings["type"])
    form = re.compile(rf"\+[a-z0-9-]+\.(?:{kinds})\.md")
    assert not [path.name for path in FRAGMENTS if not form.fullmatch(path.name)]


def test_fragments_say_something():
    assert not [path.name for path in FRAGMENTS if not path.read_text(encoding="utf-8").strip()]
