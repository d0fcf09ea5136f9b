"""The programs in scripts/ explain themselves, work from any directory, and refuse what they do not know."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted(path for path in (ROOT / "scripts").iterdir() if path.is_file())
NAMES = ["bench", "check", "demo", "docs", "fuzz", "matrix", "prove", "sanitize", "setup", "test"]


def run(script: Path, *arguments: str, within: Path) -> subprocess.CompletedProcess[str]:
    command = [str(script), *arguments]
    return subprocess.run(command, check=False, cwd=within, capture_output=True, text=True, timeout=60)


def test_the_usual_ones_are_there():
    assert [path.name for path in SCRIPTS] == NAMES


@pytest.mark.parametrize("script", [*SCRIPTS, ROOT / ".ci/run"], ids=lambda path: path.name)
def test_a_script_stops_at_the_first_error(script: Path):
    text = script.read_text(encoding="utf-8")
    assert os.access(script, os.X_OK)
    assert text.startswith("#!/usr/bin/env bash\n")
    assert "\nset -euo pipefail\n" in text


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_explains_itself_anywhere(script: Path, tmp_path: Path):
    done = run(script, "--help", within=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"usage: scripts/{script.name}")


@pytest.mark.parametrize("name", ["check", "demo", "docs", "fuzz", "matrix", "prove", "setup"])
def test_a_script_refuses_what_it_does_not_know(name: str, tmp_path: Path):
    done = run(ROOT / "scripts" / name, "--sideways", within=tmp_path)
    assert done.returncode == 2
    assert "--sideways" in done.stderr


def test_the_integration_runs_the_tests_and_the_proofs_and_nothing_else():
    commands = [
        line
        for line in (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()
        if line and not line.startswith(("#", "set ", "top="))
    ]
    assert commands == ['"$top/scripts/test"', 'exec "$top/scripts/prove"']
