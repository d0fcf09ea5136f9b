"""Changes of a text: spans replaced by other text, so that all else keeps its bytes.

The lowest part of `document`: every edit is one of these, and so is its inverse. Offsets count code points from 0.
"""

from __future__ import annotations

from ..base.errors import InputError
from ..base.record import record


@record
class Replacement:
    """The characters from `start` to before `end` become `text`."""

    start: int
    end: int
    text: str


@record
class TextChange:
    """Replacements in the order of the text, none of which overlap; `label` tells people what they do.

    >>> change = TextChange.of(Replacement(0, 1, "two"), label="count")
    >>> change.apply("1 disk"), change.inverse("1 disk").apply("two disk")
    ('two disk', '1 disk')
    """

    replacements: tuple[Replacement, ...]
    label: str = ""

    @classmethod
    def of(cls, *replacements: Replacement, label: str = "") -> TextChange:
        """Put replacements in order; insertions at one place stay in the order in which they are given."""
        return cls(tuple(sorted(replacements, key=lambda one: (one.start, one.end))), label)

    def apply(self, text: str) -> str:
        """The changed text.

        Raises InputError for replacements that overlap or lie outside of the text.
        """
        parts: list[str] = []
        position = 0
        for one in self.replacements:
            if not position <= one.start <= one.end <= len(text):
                raise InputError(
                    f"the replacement of {one.start} .. {one.end} does not fit a text of {len(text)} characters",
                    place="change",
                    fix="read the document again, and make the change for its present text",
                )
            parts += (text[position : one.start], one.text)
            position = one.end
        return "".join((*parts, text[position:]))

    def inverse(self, text: str) -> TextChange:
        """The change that takes the changed text back to this one."""
        shift = 0
        found: list[Replacement] = []
        for one in self.replacements:
            start = one.start + shift
            found.append(Replacement(start, start + len(one.text), text[one.start : one.end]))
            shift += len(one.text) - (one.end - one.start)
        return TextChange(tuple(found), f"undo {self.label}" if self.label else "undo")

    def moved(self, start: int, end: int) -> tuple[int, int] | None:
        """The span of the same characters afterwards; None if an end lies within what is replaced.

        An insertion at either end stays outside of the span.

        >>> TextChange.of(Replacement(2, 2, "ab")).moved(2, 5), TextChange.of(Replacement(2, 4, "")).moved(3, 5)
        ((4, 7), None)
        """
        first = last = 0
        for one in self.replacements:
            grown = len(one.text) - (one.end - one.start)
            if one.end <= start:
                first += grown
            elif one.start < start:
                return None
            if one.start >= end:
                break
            if one.end > end:
                return None
            last += grown
        return start + first, end + last

    @classmethod
    def between(cls, before: str, after: str, label: str = "") -> TextChange:
        """The smallest single replacement that makes one text of another."""
        shorter = min(len(before), len(after))
        start = next((k for k in range(shorter) if before[k] != after[k]), shorter)
        rest = shorter - start
        end = next((k for k in range(rest) if before[-1 - k] != after[-1 - k]), rest)
        return cls((Replacement(start, len(before) - end, after[start : len(after) - end]),), label)


class Utf16:
    """Offsets of a text in code points as offsets in units of UTF-16, which browsers count, and back.

    >>> units = Utf16("a😀b")
    >>> units.to(2), units.back(3)
    (3, 2)
    """

    def __init__(self, text: str) -> None:
        self._wide = [k for k, letter in enumerate(text) if letter > "\uffff"] if not text.isascii() else []

    def to(self, offset: int) -> int:
        """Units before a code point."""
        return offset + sum(place < offset for place in self._wide)

    def back(self, offset: int) -> int:
        """Code points before a unit; one in the middle of a code point stands for its beginning."""
        for place in self._wide:
            if place >= offset:
                break
            offset -= 1
        return offset
