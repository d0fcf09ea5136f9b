"""Two versions of a program beside each other, with what changed between them marked.

For pages of any width: where two columns do not fit, the same is told line by line.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from pellucid.loops.hops.listing import ListingRow

MIN_COLUMN = 24
"""A column of fewer characters is not worth having."""

Pair = tuple[ListingRow | None, ListingRow | None]


def numbered(row: ListingRow) -> str:
    """A line with the number of the statement that starts on it.

    >>> numbered(ListingRow(3, "  s := 0")), numbered(ListingRow(None, "else:"))
    (' 3    s := 0', '    else:')
    """
    return f"{row.number or '':>2}  {row.text}"


def paired(before: Sequence[ListingRow], after: Sequence[ListingRow]) -> list[Pair]:
    """The lines of two versions, those beside each other that belong together; None where one has no such line."""
    pairs: list[Pair] = []
    matcher = SequenceMatcher(None, [r.text for r in before], [r.text for r in after], autojunk=False)
    for _, i, j, k, m in matcher.get_opcodes():
        left, right = list(before[i:j]), list(after[k:m])
        both = min(len(left), len(right))
        pairs += zip(left[:both], right[:both], strict=True)
        pairs += [(row, None) for row in left[both:]]
        pairs += [(None, row) for row in right[both:]]
    return pairs


def mark(left: ListingRow | None, right: ListingRow | None) -> str:
    """The mark of a line's change: ``|`` nothing, ``~`` it changed, ``<`` it is gone, ``>`` it is new."""
    if left is None:
        return ">"
    if right is None:
        return "<"
    return "|" if left.text == right.text else "~"


def beside(
    before: Sequence[ListingRow],
    after: Sequence[ListingRow],
    width: int,
    titles: tuple[str, str] = ("before", "after"),
) -> str:
    """Two versions in two columns, or line by line where the page is too narrow for that.

    >>> print(beside([ListingRow(1, "a := 1"), ListingRow(2, "b := 2")], [ListingRow(1, "b := 2")], 60))
    before         after
     1  a := 1  <
     2  b := 2  |   1  b := 2
    """
    pairs = paired(before, after)
    left = [numbered(row) if row else "" for row, _ in pairs]
    right = [numbered(row) if row else "" for _, row in pairs]
    wide = max([len(titles[0]), *map(len, left)])
    if wide + 5 + max([len(titles[1]), *map(len, right)]) > width or width < 2 * MIN_COLUMN:
        return below(pairs, titles)
    lines = [f"{titles[0]:<{wide}}     {titles[1]}"]
    for a, b, pair in zip(left, right, pairs, strict=True):
        lines.append(f"{a:<{wide}}  {mark(*pair)}  {b}".rstrip())
    return "\n".join(lines)


def below(pairs: Sequence[Pair], titles: tuple[str, str] = ("before", "after")) -> str:
    """Two versions in one column: ``-`` for lines of the first, ``+`` for those of the second.

    >>> print(below([(ListingRow(1, "a := 1"), ListingRow(1, "a := 2"))]))
    - before, + after
    -  1  a := 1
    +  1  a := 2
    """
    lines = [f"- {titles[0]}, + {titles[1]}"]
    waiting: list[str] = []
    for left, right in pairs:
        if left and right and left.text == right.text:
            lines += [*waiting, f"  {numbered(right)}"]
            waiting = []
            continue
        if left:
            lines.append(f"- {numbered(left)}")
        if right:
            waiting.append(f"+ {numbered(right)}")
    return "\n".join([*lines, *waiting])
