"""Differences between two versions of a program's text: lines that went and came, and words within lines.

Read by `page`. Printed programs name their values anew at each stage, and a loop or an allocation more or less indents
what is in it, so lines are compared without names and indentation: a line in which nothing else changed is kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from ...base.record import record
from .coloring import Token, tokens

MAX_PAIRS = 10_000
"""Pairs of lines that are compared in search of partners within one run of changes."""
MAX_WORDS = 1_500
"""Words of a line up to which its words are compared; beyond, the whole line is marked."""
ALIKE = 0.5
"""The part of their words that two lines have in common to be two versions of one line."""
_VALUE = re.compile(r"\b[st]\d+\b")
_NAMED = re.compile(r"^# :?= ")
_TELLING = ("number", "call", "word", "keyword")
"""The kinds of words by which lines are found to be alike; names of values and signs are in all of them."""


@record
class DiffLine:
    """A line of a comparison.

    kind    "same", "kept" if only names of values or the indentation differ, "removed" or "added".
    old     its number in the earlier text, counted from 1; None for a line that was added.
    new     its number in the later text; None for a line that was removed.
    words   its tokens, and which of them are not in the other version of the line.
    shift   the columns by which it is indented more than before.
    """

    kind: str
    old: int | None
    new: int | None
    words: tuple[tuple[Token, bool], ...]
    shift: int = 0

    @property
    def text(self) -> str:
        """The line as it stands."""
        return "".join(token.text for token, _ in self.words)


def differences(old: Sequence[str], new: Sequence[str]) -> Iterator[DiffLine]:
    """The lines of both texts in order: those that both have once, a line that changed as removed and then added.

    >>> [(line.kind, line.text) for line in differences(["a := s1", "b"], ["a := s2", "c", "d"])]
    [('kept', 'a := s2'), ('removed', 'b'), ('added', 'c'), ('added', 'd')]
    """
    keys = [[_without_names(line) for line in lines] for lines in (old, new)]
    for tag, i, i_end, j, j_end in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
        if tag == "equal":
            for k in range(i_end - i):
                yield _kept(old[i + k], new[j + k], i + k, j + k)
        else:
            yield from _changed(old[i:i_end], new[j:j_end], i, j)


def unchanged(lines: Sequence[str]) -> Iterator[DiffLine]:
    """The lines of a text that is compared with nothing."""
    for k, line in enumerate(lines, 1):
        yield DiffLine("same", k, k, _plain(line))


def _without_names(line: str) -> str:
    """A line without indentation and names of values; `t1 = x`, which has a place, reads like `s1 := x`."""
    return _NAMED.sub("# = ", _VALUE.sub("#", line.strip()))


def _plain(line: str, *, changed: bool = False) -> tuple[tuple[Token, bool], ...]:
    return tuple((token, changed) for token in tokens(line))


def _kept(old: str, new: str, i: int, j: int) -> DiffLine:
    if old == new:
        return DiffLine("same", i + 1, j + 1, _plain(new))
    before, after = tokens(old.strip()), tokens(new.strip())
    words = tuple((b, a.text != b.text) for a, b in zip(before, after, strict=True))
    shift = _indentation(new) - _indentation(old)
    return DiffLine("kept", i + 1, j + 1, (*_plain(" " * _indentation(new)), *words), shift)


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _changed(old: Sequence[str], new: Sequence[str], i: int, j: int) -> Iterator[DiffLine]:
    """A run of changes: lines without a partner, and two versions of one line below each other."""
    at = [0, 0]

    def alone(i_end: int, j_end: int) -> Iterator[DiffLine]:
        for k in range(at[0], i_end):
            yield DiffLine("removed", i + k + 1, None, _plain(old[k]))
        for k in range(at[1], j_end):
            yield DiffLine("added", None, j + k + 1, _plain(new[k]))

    for a, b in _partners(old, new):
        yield from alone(a, b)
        before, after = _compared(tokens(old[a]), tokens(new[b]))
        yield DiffLine("removed", i + a + 1, None, before)
        yield DiffLine("added", None, j + b + 1, after)
        at[:] = a + 1, b + 1
    yield from alone(len(old), len(new))


def _partners(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """The lines that are versions of each other, in order, so that they have most words in common."""
    if not old or not new or len(old) * len(new) > MAX_PAIRS:
        return []
    bags = [
        [Counter(t.text for t in tokens(line) if t.kind in _TELLING) for line in lines]
        for lines in (old, new)
    ]
    # best[a][b] is the most that the lines from a and from b on have in common.
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    common = [[_common(a, b) for b in bags[1]] for a in bags[0]]
    for a in reversed(range(len(old))):
        for b in reversed(range(len(new))):
            both = best[a + 1][b + 1] + common[a][b] if common[a][b] >= ALIKE else 0.0
            best[a][b] = max(both, best[a + 1][b], best[a][b + 1])
    found: list[tuple[int, int]] = []
    a = b = 0
    while a < len(old) and b < len(new):
        if best[a][b] == best[a + 1][b]:
            a += 1
        elif best[a][b] == best[a][b + 1]:
            b += 1
        else:
            found.append((a, b))
            a, b = a + 1, b + 1
    return found


def _common(a: Counter[str], b: Counter[str]) -> float:
    whole = a.total() + b.total()
    return 2 * (a & b).total() / whole if whole else 0.0


def _compared(
    old: Sequence[Token], new: Sequence[Token]
) -> tuple[tuple[tuple[Token, bool], ...], tuple[tuple[Token, bool], ...]]:
    """The words of two versions of a line, and which of them the other version lacks."""
    if max(len(old), len(new)) > MAX_WORDS:
        return tuple((t, False) for t in old), tuple((t, False) for t in new)
    marks = [True] * len(old), [True] * len(new)
    for a, b, size in SequenceMatcher(
        None, [t.text for t in old], [t.text for t in new], autojunk=False
    ).get_matching_blocks():
        for k in range(size):
            marks[0][a + k] = marks[1][b + k] = False
    return _marked(old, marks[0]), _marked(new, marks[1])


def _marked(words: Sequence[Token], marks: Sequence[bool]) -> tuple[tuple[Token, bool], ...]:
    """Words with their marks; a space is marked only between two words that are."""
    around = zip([False, *marks], marks, [*marks[1:], False], strict=False)
    return tuple(
        (word, (before and after) if word.kind == "space" else mark)
        for word, (before, mark, after) in zip(words, around, strict=True)
    )
