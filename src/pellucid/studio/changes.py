"""Changes of a text as the editor of the page writes them: sections that keep, delete or replace.

Used by `document`. A change is a list: a number keeps so many units of UTF-16, `[n]` deletes n of them, and
`[n, "line", ...]` puts lines in the place of n of them. Browsers count in these units, so that positions mean the same
on both sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from pellucid.base.errors import InputError
from pellucid.document import TextChange, Utf16

_CODING = "utf-16-le"


def _refused(reason: str) -> InputError:
    return InputError(reason, place="change", fix="load the page again")


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise _refused("a section has no length")
    return value


def changed(text: str, sections: Any) -> str:
    r"""The text after a change.

    Raises `InputError` for what is no change of a text of this length.

    >>> changed("disk(5)", [5, [1, "12"], 1]), changed("a", [1, [0, "", "b"]])
    ('disk(12)', 'a\nb')
    >>> changed("disk(5)", [5, [1, "12"]])
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: change: it is for another text; load the page again
    """
    if not isinstance(sections, list):
        raise _refused("it is no list")
    data = text.encode(_CODING)
    parts: list[bytes] = []
    at = 0
    for section in cast("list[Any]", sections):
        if not isinstance(section, list):
            end = at + 2 * _count(section)
            parts.append(data[at:end])
        elif not section:
            raise _refused("a section is empty")
        else:
            first, *lines = cast("list[Any]", section)
            end = at + 2 * _count(first)
            if not all(isinstance(line, str) for line in lines):
                raise _refused("an inserted line is no text")
            parts.append("\n".join(lines).encode(_CODING, "surrogatepass"))
        at = end
    if at != len(data):
        raise _refused("it is for another text")
    try:
        return b"".join(parts).decode(_CODING)
    except UnicodeDecodeError as error:
        raise _refused("it cuts a letter in two") from error


def replacement(before: str, after: str) -> Sequence[Any]:
    """The change from one text to another: what is between their common beginning and their common end.

    >>> replacement("disk(5)", "disk(12)")
    [5, [1, '12'], 1]
    """
    (change,) = TextChange.between(before, after).replacements
    units = Utf16(before)
    start, end, length = (units.to(offset) for offset in (change.start, change.end, len(before)))
    section: list[Any] = [end - start, *change.text.split("\n")] if change.text else [end - start]
    return [*([start] if start else []), section, *([length - end] if length > end else [])]
