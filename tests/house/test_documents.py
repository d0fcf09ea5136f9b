"""The documents keep their word: links lead somewhere, Python in them runs, commands in them work."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import pellucid as pl

ROOT = Path(__file__).parents[2]
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if not page.parts[-2].startswith("_")),
]

FENCE = re.compile(r"^```(\S+)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+?)(?:#[^)]*)?\)")
OPTION = re.compile(r"^:[a-z]+:.*\n", re.MULTILINE)
RUN = ("python", "{picture}", "{prints}")


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path, *languages: str) -> list[str]:
    """The fenced blocks of a page in those languages, without the options of directives."""
    text = page.read_text(encoding="utf-8")
    return [OPTION.sub("", body) for language, body in FENCE.findall(text) if language in languages]


def commands(page: Path) -> list[str]:
    """What a reader is told to type, one command per line that begins with a dollar sign."""
    lines = "".join(blocks(page, "console")).splitlines()
    return [line[2:].partition("  #")[0].strip() for line in lines if line.startswith("$ ")]


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page: Path):
    targets = [target for target in LINK.findall(page.read_text(encoding="utf-8")) if "://" not in target]
    assert not [target for target in targets if not (page.parent / target).exists()]


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, *RUN)], ids=named)
def test_python_in_the_documents_runs(page: Path, tmp_path: Path):
    program = tmp_path / "page.py"
    program.write_text("\n".join(blocks(page, *RUN)), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", str(program)],
        check=False,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},  # pages may import examples, as where they are built
    )
    assert done.returncode == 0, done.stderr


TYPED = sorted({command for page in PAGES for command in commands(page)})


def test_there_are_commands_to_type():
    assert any(command.startswith("pellucid ") for command in TYPED)


@pytest.mark.parametrize("command", [command for command in TYPED if command.startswith("pellucid ")])
def test_commands_in_the_documents_work(command: str, tmp_path: Path):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    # What an earlier command of the page has made.
    pl.render_audio(pl.signals.count() * 0.0, str(tmp_path / "pluck.wav"), seconds=0.1)
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(command)],
        check=False,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONWARNINGS": "error"},
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", [command for command in TYPED if command.startswith("scripts/")])
def test_scripts_in_the_documents_exist(command: str):
    assert (ROOT / shlex.split(command)[0]).is_file()


def test_every_public_name_is_in_the_reference():
    import pellucid

    page = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    assert pellucid.__all__
    assert not [name for name in pellucid.__all__ if not re.search(rf"\b{re.escape(name)}\b", page)]
