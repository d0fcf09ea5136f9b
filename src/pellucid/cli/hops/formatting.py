"""Things of a session as text: programs, costs, offers, verdicts, steps, trials.

Only words and layout; the commands decide what is told.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from pellucid.base.errors import PellucidError
from pellucid.cli.hops.columns import numbered
from pellucid.ir.nest import Kernel
from pellucid.loops.core.ledger import Step
from pellucid.loops.core.options import options
from pellucid.loops.hops.listing import ListingRow, header, place, rows
from pellucid.loops.hops.session import Offer, RefusedError, WhyNot
from pellucid.loops.hops.trial import Trial, Visits
from pellucid.reasoning.prove import Proved, Refuted, Verdict

NOTATIONS = ("plain", "nest", "hops")
"""For people; as the compiler prints it, with types; White's s-expressions."""
SHOWN = 8
"""Elements of an array that are shown."""
CHANGE = 0.0005
"""The part of the cost by which it must change to be called a change."""


def program(kernel: Kernel, notation: str = "plain") -> str:
    """A program, numbered where the notation has lines for statements."""
    if notation == "hops":
        from pellucid.loops.hops import write

        return write(kernel).rstrip()
    lines = [numbered(row) for row in rows(kernel, plain=notation == "plain")]
    return "\n".join(lines) or "    nothing is done"


def interface(kernel: Kernel) -> str:
    """The inputs and outputs of a program."""
    return "\n".join(header(kernel))


def amount(cost: float) -> str:
    """A cost or a count, to be read.

    >>> amount(1048576.0), amount(2.5)
    ('1,048,576', '2.5')
    """
    return f"{cost:,.0f}" if cost == int(cost) or cost >= 100 else f"{cost:,.1f}"


def compared(before: float, after: float) -> str:
    """The change of a cost.

    >>> compared(1000, 250), compared(1000, 1500), compared(7, 7)
    ('cost 1,000 -> 250, 4.0 times cheaper', 'cost 1,000 -> 1,500, 1.5 times dearer', 'cost 7, as before')
    """
    if before == after:
        return f"cost {amount(before)}, as before"
    said = f"cost {amount(before)} -> {amount(after)}"
    if min(before, after) <= 0 or abs(after / before - 1) < CHANGE:
        return f"{said}, nearly the same"
    cheaper = before > after
    factor = before / after if cheaper else after / before
    how = f"{factor:,.1f} times" if factor >= 1.1 else f"{100 * (factor - 1):.1f} %"
    return f"{said}, {how} {'cheaper' if cheaper else 'dearer'}"


def wrapped(text: str, width: int, indent: str = "") -> str:
    """A sentence on lines of at most so many characters; lines after the first are indented by two more."""
    return textwrap.fill(
        text, width, initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False
    )


def clauses(pairs: Iterable[tuple[str, str]], width: int, indent: str = "  ") -> str:
    """Conditions, each with its name."""
    told = ((name, _untyped(words)) for name, words in pairs)
    return "\n".join(wrapped(f"{name}: {words}" if name else words, width, indent) for name, words in told)


def licensed(step: Step, width: int) -> str:
    """Why a step may be made: the theorem, whether it is proved by machine or tested, its conditions."""
    assert isinstance(step.verdict, Proved)  # noqa: S101 - only made steps are told
    said = [f"{step.label.capitalize()}: {step.verdict.theorem}"]
    if step.clauses:
        said.append(clauses(step.clauses, width))
    return "\n".join(said)


def verdict(answer: Verdict, width: int) -> str:
    """A verdict in whole sentences: what was asked, what was found, by which clause."""
    if isinstance(answer, Proved):
        return f"{'Proved' if answer.lemma else 'Tested'}: {answer.theorem}"
    name = answer.clause or "a condition"
    if isinstance(answer, Refuted):
        lines = [f"No: {name} fails.", f"It asks that {answer.premise}", f"but here: {answer.witness}"]
    else:
        lines = [
            f"Unknown: {name} is not decided.",
            f"It asks that {answer.premise}",
            f"missing: {answer.missing}",
        ]
    return "\n".join([lines[0], *(wrapped(_untyped(line), width, "  ") for line in lines[1:])])


def _untyped(text: str) -> str:
    """A sentence without the types of the numbers in it.

    >>> _untyped("s becomes s + 0:i64")
    's becomes s + 0'
    """
    return re.sub(r"(?<=[\w)]):(?:[iuf]\d+|bool)\b", "", text)


def excuse(error: PellucidError, width: int) -> str:
    """Why a line was not done: of a refused move, the clause that failed."""
    if not isinstance(error, RefusedError) or error.verdict is None:
        return f"not done: {error}"
    return f"not done: {error.place}\n{verdict(error.verdict, width)}"


def why_not(answer: WhyNot, width: int) -> str:
    """The answer to "why not", with what would help."""
    if isinstance(answer.verdict, Proved):
        named = [(p.clause, p.words) for p in answer.verdict.premises]
        return "\n".join(["Nothing is in the way.", verdict(answer.verdict, width), clauses(named, width)])
    lines = [verdict(answer.verdict, width)]
    if answer.remedies:
        ways = ", or ".join(
            f"{move} at {place.number}" if place.path else move for move, place in answer.remedies
        )
        lines.append(wrapped(f"It would be licensed here after {ways}.", width))
    if answer.elsewhere:
        numbers = ", ".join(str(place.number) for place in answer.elsewhere)
        lines.append(wrapped(f"It is licensed at {numbers}.", width))
    return "\n".join(lines)


def offers(found: Sequence[Offer], width: int) -> str:
    """Moves with their places, the cheapest programs first, each with what the timer says."""
    ordered = sorted(found, key=lambda o: (o.after, o.move, o.place.number))
    names = max(len(o.move) for o in ordered)
    gains = [_gain(o) for o in ordered]
    wide = width - max(map(len, gains)) - 4
    places = [f"{o.move:<{names}}  {o.place.number or 'all':>3}  {o.place.line}"[:wide] for o in ordered]
    wide = max(map(len, places))
    return "\n".join(f"  {place:<{wide}}  {gain}" for place, gain in zip(places, gains, strict=True))


def _gain(offer: Offer) -> str:
    before, after = offer.before, offer.after
    if min(before, after) <= 0 or abs(after / before - 1) < CHANGE:
        return "same cost"
    factor = offer.gain
    if factor >= 1.1:
        return f"{factor:,.1f} times cheaper"
    if factor >= 1:
        return f"{100 * (factor - 1):.1f} % cheaper"
    return (
        f"{1 / factor:,.1f} times dearer" if factor <= 1 / 1.1 else f"{100 * (1 / factor - 1):.1f} % dearer"
    )


def place_of(step: Step) -> tuple[str, str]:
    """The number and the line of the statement at which a step was made."""
    if not step.path:
        return "0", "the whole program"
    found = place(step.old, step.path)
    return str(found.number), found.line


def step_title(step: Step) -> str:
    """A step by its move and its place."""
    number, line = place_of(step)
    return f"{step.move} at {number}: {line}"


def steps(made: Sequence[Step], first: int = 1) -> str:
    """A table of steps: the move, the place, what licenses it, and the cost after it."""
    cells = [("", "move", "at", "cost", "licensed by")]
    cells += [
        (str(k), s.move, place_of(s)[0], amount(s.after), f"{s.label}, {s.verdict.theorem}")
        for k, s in enumerate(made, first)
        if isinstance(s.verdict, Proved)
    ]
    wide = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        f"{k:>{wide[0]}}  {move:<{wide[1]}}  {at:>{wide[2]}}  {cost:>{wide[3]}}  {why}"
        for k, move, at, cost, why in cells
    )


def chosen(move: Any) -> str:
    """A move's options with their defaults, in one line."""
    return ", ".join(f"{name}={default!r}" for name, default in options(move).items())


# ---- trials ----


def array(values: np.ndarray[Any, Any], most: int = SHOWN) -> str:
    """The beginning of an array, or a single value.

    >>> array(np.arange(3)), array(np.arange(5), 2), array(np.float32([0.1]))
    ('0 1 2', '0 1 … (5 in all)', '0.1')
    """
    shown = " ".join(_number(v) for v in values[:most])
    return shown if len(values) <= most else f"{shown} … ({len(values):,} in all)"


def _number(value: Any) -> str:
    return f"{value:.6g}" if np.asarray(value).dtype.kind == "f" else str(value)


def trial(result: Trial) -> str:
    """Inputs, outputs, visits, and whether both programs did the same."""
    lines = ["inputs"]
    for name, value in result.arguments.items():
        lines.append(f"  {name} = {value}")
    lines += [
        f"  {name} = {array(values)}" for name, values in result.given.items() if name not in result.after
    ]
    lines.append("outputs")
    for name, values in result.after.items():
        lines.append(f"  {name} = {array(values)}")
    lines.append("visits of each loop's body")
    return "\n".join([*lines, *_visits(*result.visits)])


def _visits(before: Sequence[Visits], after: Sequence[Visits]) -> list[str]:
    def told(visits: Sequence[Visits]) -> list[str]:
        counted = [f"{' / '.join(v.loops)}: {v.count:,}" for v in visits]
        return counted or ["not counted, since not all loops run in order"]

    left, right = told(before), told(after)
    if left == right:
        return [f"  {line}" for line in left]
    wide = max([len("at first"), *map(len, left)])
    rows_ = [("at first", "now")]
    rows_ += [
        (left[k] if k < len(left) else "", right[k] if k < len(right) else "")
        for k in range(max(len(left), len(right)))
    ]
    return [f"  {a:<{wide}}   {b}".rstrip() for a, b in rows_]


def both(before: Kernel, after: Kernel) -> tuple[list[ListingRow], list[ListingRow]]:
    """The lines of two versions, for a comparison."""
    return rows(before), rows(after)
