"""Variations: what a document would show after each of some changes of it, as small pictures to choose from.

Used by `opened`. The page makes the changes, of numbers and seeds; here they are only tried.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from pellucid.base.errors import InputError
from pellucid.document import change_of, evaluate
from pellucid.document import read as read_document
from pellucid.studio.reading import VersionReading
from pellucid.studio.thumbnails import COLUMNS, sheet, thumbnail

MAX_VARIATIONS = 16
"""Maximum changes that are tried at once."""
SIZE = (160, 120)
"""Pixels of a picture of a variation."""


def varied(reading: VersionReading, message: Mapping[str, Any]) -> tuple[dict[str, Any], bytes]:
    r"""Which of the `changes` of a message give pictures, and the sheet of these.

    Raises `InputError` for what is no change of the text that was read last.

    >>> from pathlib import Path
    >>> from pellucid.studio.reading import read
    >>> text = "from pellucid import images as im\npicture = im.annulus(0.5)"
    >>> reading = read(1, text, Path("a.py"), None, trust=False)
    >>> changes = [[{"start": 55, "end": 58, "text": text}] for text in ("0.2", "7.0")]
    >>> varied(reading, {"version": 1, "changes": changes})[0]["shown"]
    [0]
    """
    document, changes = reading.document, message.get("changes")
    if document is None or message.get("version") != reading.version:
        raise InputError("the text has changed meanwhile", place="variations", fix="try again")
    asked = cast("list[object]", changes) if isinstance(changes, list) else []
    if not 0 < len(asked) <= MAX_VARIATIONS:
        raise InputError(
            f"{len(asked)} are asked for", place="variations", fix=f"ask for 1 to {MAX_VARIATIONS}"
        )
    shown: list[int] = []
    drawn: list[Any] = []
    for number, each in enumerate(asked):
        change = change_of({"replacements": each}, document.text)
        made = read_document(change.apply(document.text), document, change)
        picture = evaluate(made, trust=reading.trust, folder=reading.folder, check=False).picture
        pixels = None if picture is None else thumbnail(picture, SIZE)
        if pixels is not None:
            shown.append(number)
            drawn.append(pixels)
    told = {"kind": "variations", "ask": message.get("ask"), "shown": shown, "columns": COLUMNS, "size": SIZE}
    return told, sheet(drawn)
