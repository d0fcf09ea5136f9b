"""The page on staging shows what is printed, and names what there is."""

from __future__ import annotations

from pathlib import Path

from pellucid import signals as sg
from pellucid import staging
from pellucid.ir.text import print_nest
from pellucid.staging import Memory, cyclic, specialize

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/staging.md").read_text(encoding="utf-8")


def total(memory, start, stop, size, stride):
    return sg.reduce(sg.memory(memory, start, stop, size, stride), 0, lambda r, x: r + x)


def test_the_page_shows_the_residual_program():
    shown = PAGE.split("```text\n")[1].split("```")[0]
    residual = specialize(total, Memory("m"), cyclic(32, "start"), cyclic(32, "stop"), 12, 12)
    assert print_nest(residual.kernel).strip() == shown.strip()


def test_the_page_names_every_word_of_control():
    for name in ("loop", "choose", "fork", "dynamic_call", "lift", "set_base", "unknown", "cyclic", "stream"):
        assert callable(getattr(staging, name))
        assert f"`{name}" in PAGE


def test_the_page_lists_every_example_of_staged_programs():
    staged = [
        p.name
        for p in (ROOT / "examples").glob("*.py")
        if "pellucid.staging" in p.read_text(encoding="utf-8")
    ]
    assert staged
    assert not [name for name in staged if f"`{name}`" not in PAGE]
