"""A report as a page for browsers: a slider over the stages, what differs from the stage before, and the ledger.

All is written ahead: without JavaScript every stage stands below the one before, and `page.js` makes a slider of them.
What would make a page too large to open at once is left out, and a line says so.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.page import escaped, page
from ...reasoning.prove import Proved, Refuted
from ...rewriting.status import Status
from ..core.lemmas import file_of, statement_of
from ..core.rows import LedgerRow, RuleUse, amount, weakest_first
from .coloring import Token
from .differences import DiffLine, differences, unchanged

if TYPE_CHECKING:
    from .report import Report, StageText

MAX_LINES = 1_000
"""Lines of a stage that are shown: more take a browser long to lay out, and nobody reads them."""
MAX_COLUMNS = 8_000
"""Characters of a line that are shown."""
MAX_CHARACTERS = 150_000
"""Characters of a stage beyond which no further line is shown."""
MAX_RULES = 200
"""Rules of a step that are shown."""
_SHORT = {"keyword": "k", "number": "n", "type": "t", "value": "v", "call": "f"}
"""The class of each kind of word that has a color."""
_TAGS = {"same": "span", "kept": "span", "removed": "del", "added": "ins"}


def page_of(report: Report, command: str = "") -> str:
    """The page of a report; `command` is what made it."""
    from .report import summary

    title = report.title or "A program, explained"
    stages, rows = report.told(), report.ledger.rows()
    body = [
        "<header>\n",
        *_picture(report),
        f'<div>\n<h1>{escaped(title)}</h1>\n<p class="summary">{escaped(summary(rows))}</p>\n',
        _sizes(stages),
        _command(command),
        "</div>\n</header>\n<main>\n",
    ]
    if report.plan:
        body.append(
            f'<section aria-labelledby="plan"><h2 id="plan">Plan: what is computed where, and why</h2>\n'
            f'<pre class="plan" tabindex="0">{escaped(report.plan)}</pre></section>\n'
        )
    body += _stages(stages, rows)
    body += _ledger(rows, {s.name: k for k, s in enumerate(stages)})
    body.append(f"</main>\n<footer><p>Made by pellucid {escaped(_version())}.</p></footer>\n")
    return page(title, "".join(body), style=_file("page.css"), script=_file("page.js"))


@cache
def _file(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _version() -> str:
    from pellucid import __version__

    return __version__


# ---- the head ----


def _picture(report: Report) -> Iterator[str]:
    if report.picture is not None:
        data = base64.b64encode(report.picture()).decode()
        yield f'<img class="result" src="data:image/png;base64,{data}" alt="the picture that the program draws">\n'


def _sizes(stages: Sequence[StageText]) -> str:
    first, last = stages[0], stages[-1]
    return (
        f'<p class="summary">{first.operators:,} operators after {escaped(first.name)}, '
        f"{last.operators:,} after {escaped(last.name)}</p>\n"
    )


def _command(command: str) -> str:
    """What made the page: a command, or the lines of a session."""
    if not command:
        return ""
    lines = escaped(command.rstrip("\n"))
    shown = f"<pre>{lines}</pre>" if "\n" in lines else f"<code>{lines}</code>"
    return f'<div class="command">Made by {shown}</div>\n'


# ---- stages ----


def _stages(stages: Sequence[StageText], rows: Sequence[LedgerRow]) -> Iterator[str]:
    """The slider, a list of the stages with their costs, and the stages themselves."""
    yield (
        '<section class="stages" aria-labelledby="stages"><h2 id="stages">The program after every stage</h2>\n'
        '<div class="player" hidden>\n'
        '<button type="button" id="back" aria-label="the stage before">◀</button>\n'
        '<label class="slider"><span id="where"></span>'
        f'<input type="range" id="slider" min="0" max="{len(stages) - 1}" value="0"></label>\n'
        '<button type="button" id="next" aria-label="the next stage">▶</button>\n'
        '</div>\n<p class="hint" hidden><del>removed</del> <ins>added</ins> <ins><mark>words that differ</mark></ins> '
        "<u>only the names of values differ</u> <span><b>«</b> <b>»</b> only further out or in</span> "
        '<label class="marks"><input type="checkbox" id="marks" checked> mark differences</label> '
        "<span>The arrow keys <kbd>←</kbd> and <kbd>→</kbd> go from stage to stage.</span></p>\n"
        '<p class="status" role="status"></p>\n'
    )
    largest = max([s.cost for s in stages] + [1.0])
    yield '<nav aria-label="stages"><ol class="track">\n'
    for k, stage in enumerate(stages):
        wide = max(1.0, 100 * stage.cost / largest)
        same = "" if stage.changed else ' class="same"'
        yield (
            f'<li{same}><a href="#stage-{k + 1}"><span class="name">{_name(stage.name)}</span> '
            f'<span class="cost">{amount(stage.cost)}</span>'
            f'<span class="bar" style="width:{wide:.1f}%"></span></a></li>\n'
        )
    yield '</ol><p class="unit">cost after each stage: cycles, estimated with guessed sizes</p></nav>\n<div>\n'
    before: StageText | None = None
    for k, stage in enumerate(stages, 1):
        yield from _stage(k, stage, before, rows)
        before = stage
    yield "</div>\n</section>\n"


def _stage(
    number: int, stage: StageText, before: StageText | None, rows: Sequence[LedgerRow]
) -> Iterator[str]:
    """One stage: its title, its size, its steps, and its program with the differences marked."""
    title, _, more = stage.title.partition(": ")
    about = f'<p class="about">{escaped(more[:1].upper() + more[1:])}.</p>\n' if more else ""
    steps = [
        f'<a href="#step-{k}">{k}. {escaped(row.move)}</a>'
        for k, row in enumerate(rows, 1)
        if row.stage == stage.name and row.stage
    ]
    led = f" Steps: {', '.join(steps)}." if steps else ""
    same = "" if stage.changed else " Nothing was changed here."
    yield (
        f'<article class="stage" id="stage-{number}" aria-labelledby="title-{number}">\n'
        f'<h3 id="title-{number}">{number}. {_name(title[:1].upper() + title[1:])}</h3>\n{about}'
        f'<p class="size">{stage.operators:,} operators, cost {amount(stage.cost)} cycles.{same}{led}</p>\n'
        f'<pre class="program" tabindex="0" aria-labelledby="title-{number}"><code>'
    )
    shown = _beginning(stage.text)
    yield from map(_line, _compared(shown, before if stage.changed else None))
    yield "</code></pre>\n"
    if left := len(stage.text.splitlines()) - len(shown):
        yield (
            f'<p class="left-out">{left:,} more lines are left out here, and were not compared; '
            "the text of each stage is whole in the other forms of this report.</p>\n"
        )
    yield "</article>\n"


def _compared(lines: list[str], before: StageText | None) -> Iterable[DiffLine]:
    """The lines that are shown, compared with those of the stage before that are."""
    if before is None:
        return unchanged(lines)
    earlier = _beginning(before.text)
    found = list(differences(earlier, lines))
    if len(earlier) < len(before.text.splitlines()):
        # What would come next is not known: at the end, nothing can be said to be gone.
        while found and found[-1].kind == "removed":
            found.pop()
    return found


def _beginning(text: str) -> list[str]:
    """The lines of a program, or as many of them as a page shows."""
    lines = [_shortened(line) for line in text.splitlines()[:MAX_LINES]]
    room = MAX_CHARACTERS
    for number, line in enumerate(lines):
        if room < 0:
            return lines[:number]
        room -= len(line)
    return lines


def _name(text: str) -> str:
    """A name in which a line may end after an underscore."""
    return escaped(text).replace("_", "_<wbr>")


def _shortened(text: str) -> str:
    """A line, or its beginning if it is too long, and how much is left out."""
    if len(text) <= MAX_COLUMNS:
        return text
    return f"{text[:MAX_COLUMNS]} … {len(text) - MAX_COLUMNS:,} more characters are left out here"


def _line(line: DiffLine) -> str:
    """A line of a program; the style sheet shows its number, which is that in the text before if it was removed."""
    tag = _TAGS[line.kind]
    number = line.old if line.new is None else line.new
    indent = len(line.text) - len(line.text.lstrip())
    mark = "u" if line.kind == "kept" else "mark"
    parts: list[str] = []
    for changed, words in groupby(line.words, key=lambda word: word[1]):
        text = "".join(_word(token) for token, _ in words)
        parts.append(f"<{mark}>{text}</{mark}>" if changed else text)
    shift = "" if not line.shift else f" data-s={'»' if line.shift > 0 else '«'}"
    return f"<{tag} class=l data-n={number}{shift} style=--d:{indent}>{''.join(parts)}\n</{tag}>"


def _word(token: Token) -> str:
    kind = _SHORT.get(token.kind)
    text = escaped(token.text)
    return text if kind is None else f"<i class={kind}>{text}</i>"


# ---- the ledger ----


def _ledger(rows: Sequence[LedgerRow], places: dict[str, int]) -> Iterator[str]:
    """The steps in order; each opens, and shows what stands behind it."""
    yield (
        '<section class="ledger" aria-labelledby="ledger"><h2 id="ledger">The ledger: what was done, and why it may be'
        "</h2>\n<p>Each step opens. <b>Proved</b>: for all operands, by the proof assistant Coq or by the solver z3. "
        "<b>Checked</b>: for all operands of a small type. <b>Tested</b>: on random operands. <b>Refused</b>: not "
        "made, since a condition failed. Costs are cycles, estimated with guessed sizes.</p>\n"
        '<button type="button" id="all" hidden>open all steps</button>\n<ol class="steps">\n'
    )
    if not rows:
        yield "<li>No step was taken.</li>\n"
    for k, row in enumerate(rows, 1):
        yield from _step(k, row, places)
    yield "</ol>\n</section>\n"


def _step(number: int, row: LedgerRow, places: dict[str, int]) -> Iterator[str]:
    word = row.label if row.status else "refused"
    cost = f"{row.before:,.0f} → {row.after:,.0f}" if row.changes_cost else f"{row.after:,.0f}"
    yield (
        f'<li id="step-{number}"><details><summary><span class="number">{number}</span> '
        f'<span class="in">{_name(row.stage)}</span> <b class="move">{_name(row.move)}</b> '
        f'<span class="site">{escaped(row.site)}</span> '
        f'<span class="badge {word}">{word.capitalize()}</span> '
        f'<span class="cost"><span class="unit">cost </span>{cost}</span></summary>\n<div class="behind">\n'
    )
    if row.stage in places:
        k = places[row.stage] + 1
        yield f'<p>A step of <a href="#stage-{k}">stage {k}, {escaped(row.stage)}</a>.</p>\n'
    if row.about:
        yield f"<p>{escaped(row.about)}</p>\n"
    yield "<dl>\n"
    yield from _refusal(row) if row.status is None else _reason(row, row.status)
    yield "</dl>\n</div></details></li>\n"


def _refusal(row: LedgerRow) -> Iterator[str]:
    """Which condition failed, and what showed that it does."""
    verdict = row.verdict
    assert not isinstance(verdict, Proved)  # noqa: S101 - a row without a status
    yield _item("The condition that failed", _clauses(row.clauses))
    if isinstance(verdict, Refuted):
        yield _item("It is not so here", escaped(verdict.witness))
    else:
        yield _item("It could not be decided; missing is", escaped(verdict.missing))


def _reason(row: LedgerRow, status: Status) -> Iterator[str]:
    """The theorem with its statement, its lemma, its conditions, and the rules that were applied."""
    said = f" {escaped(row.statement)}" if row.statement else ""
    yield _item("Why it may be done", f"<b>{escaped(row.theorem)}</b>.{said}")
    yield _item("Shown by", escaped(evidence(status)))
    if row.lemma:
        yield _item(
            f"The lemma in Coq, proofs/{file_of(row.lemma)}",
            f'<pre class="lemma" tabindex="0">{escaped(statement_of(row.lemma))}</pre>',
        )
    if row.clauses:
        yield _item("Conditions that were decided here", _clauses(row.clauses))
    if row.rules:
        yield _item("Rules that were applied", _rules(row.rules))
    if details := row.details:
        steps = "".join(f"<li><code>{escaped(_shortened(text))}</code></li>" for text in details)
        yield _item("The small steps that it is made of", f"<ol>{steps}</ol>")


def _item(name: str, content: str) -> str:
    return f"<dt>{escaped(name)}</dt><dd>{content}</dd>\n"


def _clauses(clauses: Iterable[tuple[str, str]]) -> str:
    items = (
        f"<li>{f'<code>{escaped(name)}</code>: ' if name else ''}{escaped(words)}</li>"
        for name, words in clauses
    )
    return f"<ul>{''.join(items)}</ul>"


def _rules(rules: Sequence[RuleUse]) -> str:
    """A list of rules, the weakest first: each with its text, how often it was applied, and what shows it."""
    shown = weakest_first(rules)[:MAX_RULES]
    items = "".join(
        f"<li><b>{escaped(use.name)}</b> <code>{escaped(_shortened(use.text))}</code> "
        f"<span>{'once' if use.times == 1 else f'{use.times} times'}</span> "
        f'<span><span class="badge {use.status.word}">{use.status.word.capitalize()}</span> '
        f"{escaped(evidence(use.status))}</span></li>\n"
        for use in shown
    )
    left = len(rules) - len(shown)
    note = f'<p class="left-out">{left:,} more rules are left out here.</p>' if left else ""
    return f'<ul class="rules">\n{items}</ul>{note}'


def evidence(status: Status) -> str:
    """What shows a status, in words.

    >>> evidence(Status("proved", "z3: i8 i16"))
    'the solver z3, for all operands of each type: i8 i16'
    """
    where = status.where
    if where.startswith("z3: "):
        return f"the solver z3, for all operands of each type: {where[4:]}"
    if where.endswith(("half float", "half floats")):
        return f"the interpreter, exhaustively: {where}"
    if where.startswith("tests/"):
        return f"the tests in {where}, on random {'programs' if where == 'tests/loops' else 'operands'}"
    return where
