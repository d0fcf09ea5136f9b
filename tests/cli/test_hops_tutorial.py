"""The tutorial of `pellucid hops`: every line in it is typed again, and the answers are those on the page.

To write the answers anew, run this with PELLUCID_WRITE_GOLDENS=1; then read them.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from pellucid.base.errors import PellucidError
from pellucid.cli.hops import PROMPT, colors
from pellucid.cli.hops.changing import opened
from pellucid.cli.hops.desk import Desk
from pellucid.cli.hops.telling import excuse
from pellucid.ir.text import print_nest
from pellucid.loops.hops import read

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/hops.md"
STEPS = ROOT / "examples/histogram.steps"
PROGRAM = ROOT / "examples/histogram.hops"
WIDTH = 88
BLOCK = re.compile(rf"(?<=```text\n){re.escape(PROMPT)}.*?(?=```\n)", re.DOTALL)


def answered(desk: Desk, line: str) -> str:
    """A line with its answer, as a terminal shows them."""
    try:
        answer = colors.plain(desk.say(line))
    except PellucidError as error:
        answer = excuse(error, desk.width)
    return f"{PROMPT}{line}\n{answer}\n" if answer else f"{PROMPT}{line}\n"


def typed(text: str) -> list[str]:
    return [line.removeprefix(PROMPT) for line in text.splitlines() if line.startswith(PROMPT)]


def test_the_page_shows_what_the_session_answers():
    page = PAGE.read_text(encoding="utf-8")
    desk = Desk.of(opened(str(PROGRAM)), width=WIDTH)
    new = BLOCK.sub(lambda found: "".join(answered(desk, line) for line in typed(found[0])), page)
    if new != page and os.environ.get("PELLUCID_WRITE_GOLDENS"):
        PAGE.write_text(new, encoding="utf-8")
        page = new
    assert new == page, "write the answers anew as the head of this file says, and read them"


def test_the_page_arrives_at_white_s_figure():
    lines = [line for block in BLOCK.findall(PAGE.read_text(encoding="utf-8")) for line in typed(block)]
    by_hand = lines[: lines.index("reset")]
    desk = Desk.of(opened(str(PROGRAM)), width=WIDTH)
    for line in by_hand:
        answered(desk, line)
    figure = read((ROOT / "tests/loops/programs/figure_6_4.hops").read_text(encoding="utf-8"))
    # The two loops over i in the figure get names of their own when they are read.
    wanted = print_nest(figure).replace("i__2", "i")
    assert print_nest(desk.session.kernel).partition(":\n")[2] == wanted.partition(":\n")[2]
    visits = colors.plain(desk.say("run"))
    assert "i / j: 1,048,576" in visits
    assert desk.session.recheck() == len(desk.session.steps)


@pytest.mark.smoke
def test_the_steps_of_the_example_are_those_of_the_page():
    page = [line for block in BLOCK.findall(PAGE.read_text(encoding="utf-8")) for line in typed(block)]
    changing = [line for line in page[: page.index("reset")] if line.split()[0] in ("try", "simplify")]
    refused = "try join_conditional i"
    changing.remove(refused)
    steps = [
        line for line in STEPS.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")
    ]
    assert [line for line in steps if line.split()[0] in ("try", "simplify")] == changing
