"""What the page asks of the tree of a document: which edits fit a node, what an edit changes, and small pictures.

Used by `connection`, in the thread that reads the document. An edit is answered as a change of the text, which the page
makes in its editor, so that there is one history for everything.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, cast

from pellucid.base.errors import InputError
from pellucid.document import EDITS, Document, change_data, offers
from pellucid.studio.reading import VersionReading


def offered(reading: VersionReading, message: Mapping[str, Any]) -> dict[str, Any]:
    r"""The edits that fit the node that a message names.

    Raises `InputError` if there is none.

    >>> from pathlib import Path
    >>> from pellucid.studio.reading import read
    >>> reading = read(1, "from pellucid import images as im\npicture = im.disk(1)", Path("a.py"), None, trust=False)
    >>> told = offered(reading, {"version": 1, "node": reading.document.picture.identity})
    >>> [offer["edit"] for offer in told["offers"]]
    ['replace', 'use', 'wrap', 'delete', 'duplicate']
    """
    document, node = _asked(reading, message)
    found = [dataclasses.asdict(offer) for offer in offers(document, node)]
    return {"kind": "offers", "version": reading.version, "node": node, "offers": found}


def edited(reading: VersionReading, message: Mapping[str, Any]) -> dict[str, Any]:
    """The change of the text that makes the edit that a message names, with what the edit needs as `given`.

    Raises `InputError` if it cannot be made.
    """
    document, node = _asked(reading, message)
    name, given = message.get("edit"), message.get("given")
    edit = EDITS.get(name) if isinstance(name, str) else None
    if edit is None or not isinstance(given, dict):
        raise InputError(f"{str(name)[:40]!r} is none", place="edit", fix="load the page again")
    try:
        change = edit(document, node, **cast("dict[str, Any]", given))
    except (TypeError, ValueError, AttributeError, ArithmeticError, LookupError) as error:
        # What is given comes from outside, and may be of any kind.
        raise InputError(f"{name} needs something else", place="edit", fix="load the page again") from error
    return {"kind": "edit", "version": reading.version, "node": node, **change_data(change, document.text)}


def _asked(reading: VersionReading, message: Mapping[str, Any]) -> tuple[Document, int]:
    """The document and the node of a message, which must be about the version that was read last."""
    node = message.get("node")
    if reading.document is None or message.get("version") != reading.version or not isinstance(node, int):
        raise InputError("the text has changed meanwhile", place="edit", fix="try again")
    return reading.document, node
