"""The tutorial of `pellucid hops`: every line in it is typed again, and the answers are those on the page.

To write the answers anew, run this with PELLUCID_WRITE_GOLDENS=1; then read them.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pellucid.cli.hops import PROMPT, colors
from pellucid.cli.hops.edits import opened
from pellucid.cli.hops.repl import ReplState
from pellucid.ir.text import print_nest
from pellucid.loops.hops import read
from pellucid.loops.hops.session import RefusedError

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/hops.md"
STEPS = ROOT / "examples/histogram.steps"
PROGRAM = ROOT / "examples/histogram.hops"
WIDTH = 88
BLOCK = re.compile(rf"(?<=```text\n){re.escape(PROMPT)}.*?(?=```\n)", re.DOTALL)


def typed(text: str) -> list[str]:
    """The lines that a reader is told to type."""
    return [line.removeprefix(PROMPT) for line in text.splitlines() if line.startswith(PROMPT)]


def lines() -> list[str]:
    """Those of the whole page."""
    return [line for block in BLOCK.findall(PAGE.read_text(encoding="utf-8")) for line in typed(block)]


def answered(folder: Path) -> list[str]:
    """Each line of the page with its answer, by a process of its own, as a reader would have it."""
    script = folder / "page.steps"
    script.write_text("\n".join(lines()) + "\n", encoding="utf-8")
    options = ["--script", str(script), "--keep-going", "--width", str(WIDTH)]
    command = [sys.executable, "-m", "pellucid", "hops", str(PROGRAM), *options]
    done = subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8")
    return re.split(rf"^(?={PROMPT})", done.stdout, flags=re.MULTILINE)[1:]


def test_the_page_shows_what_the_session_answers(tmp_path: Path):
    page = PAGE.read_text(encoding="utf-8")
    answers = iter(answered(tmp_path))
    new = BLOCK.sub(lambda found: "".join(next(answers) for _ in typed(found[0])), page)
    if new != page and os.environ.get("PELLUCID_WRITE_GOLDENS"):
        PAGE.write_text(new, encoding="utf-8")
        page = new
    assert new == page, "write the answers anew as the head of this file says, and read them"


def test_the_page_arrives_at_white_s_figure():
    repl = ReplState.of(opened(str(PROGRAM)), width=WIDTH)
    for line in lines()[: lines().index("reset")]:
        with contextlib.suppress(RefusedError):  # the page shows one refusal
            repl.say(line)
    figure = read((ROOT / "tests/loops/programs/figure_6_4.hops").read_text(encoding="utf-8"))
    # The two loops over i in the figure get names of their own when they are read.
    wanted = re.sub(r"\bi_*2\b", "i", print_nest(figure))
    assert print_nest(repl.session.kernel).partition(":\n")[2] == wanted.partition(":\n")[2]
    visits = colors.plain(repl.say("run"))
    assert "i / j: 1,048,576" in visits
    assert repl.session.recheck() == len(repl.session.steps)


@pytest.mark.smoke
def test_the_steps_of_the_example_are_those_of_the_page():
    by_hand = lines()[: lines().index("reset")]
    edits = [line for line in by_hand if line.split()[0] in ("try", "simplify")]
    refused = "try join_conditional i"
    edits.remove(refused)
    steps = [
        line for line in STEPS.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")
    ]
    assert [line for line in steps if line.split()[0] in ("try", "simplify")] == edits
