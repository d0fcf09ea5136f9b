"""What the page asks of the tree of a document: which edits fit a node, what an edit changes, and what is at a point.

Used by `connection`, in the thread that reads the document. An edit is answered as a change of the text, which the page
makes in its editor, so that there is one history for everything.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from pellucid.base.errors import InputError
from pellucid.base.view import View
from pellucid.canvas.draw import render
from pellucid.document import EDITS, Document, change_data, evaluate, offers
from pellucid.document.kinds import SHOWN
from pellucid.images.evaluation import sample
from pellucid.studio.reading import VersionReading

#: Pixels per unit at which one pixel is a point.
_CLOSE = 1e6
_VALUED = SHOWN | {"number", "time"}


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


def probed(reading: VersionReading, message: Mapping[str, Any]) -> dict[str, Any]:
    r"""The color of the picture at a point, and the value of a node at the `local` point of its own plane, as words.

    Raises `InputError` if there is no picture, or for what is no point.

    >>> from pathlib import Path
    >>> from pellucid.studio.reading import read
    >>> reading = read(1, "from pellucid import images as im\npicture = im.disk(1)", Path("a.py"), None, trust=False)
    >>> asked = {"point": [0, 0], "local": [5, 0], "time": 0, "node": reading.document.picture.identity}
    >>> told = probed(reading, asked)
    >>> told["color"], told["value"]
    ('#ffffff', 'outside')
    """
    point, local = (_point(message.get(name)) for name in ("point", "local"))
    time, document = _number(message.get("time")), reading.document
    if reading.picture is None or point is None or local is None or time is None:
        raise InputError("there is nothing at this point", place="probe", fix="mend the text first")
    params = cast("Any", message.get("params") or {})
    seen = View((1, 1), center=point, zoom=_CLOSE, time=time, params=params)
    pixels = render(reading.picture, view=seen, backend="tiles")
    told = {"kind": "probed", "point": point, "color": _hex(pixels[0, 0].tolist()), "value": ""}
    identity = message.get("node")
    node = document.nodes.get(identity) if document is not None and isinstance(identity, int) else None
    if document is None or node is None or not node.closed or node.kind not in _VALUED:
        return told
    trust, folder = reading.trust, reading.folder
    found = evaluate(document, node.identity, trust=trust, folder=folder, check=False).picture
    return told if found is None else {**told, "value": _words(sample(found, *local, time=time))}


def _words(value: Any) -> str:
    """A value of a picture: a color, whether a point is inside, or a number."""
    if not isinstance(value, np.ndarray):
        return ""
    found = cast("NDArray[Any]", value)
    if found.shape == (4,):
        red, green, blue, alpha = (float(each) for each in found)
        straight = [each / alpha if alpha else 0.0 for each in (red, green, blue)] + [alpha]
        return _hex([round(255 * min(max(each, 0.0), 1.0)) for each in straight])
    if found.shape:
        return ""
    return ("inside" if found else "outside") if found.dtype == np.bool_ else f"{float(found):.5g}"


def _hex(channels: Sequence[int]) -> str:
    """A color of straight alpha as browsers write it."""
    return "#" + "".join(f"{each:02x}" for each in channels[: 3 if channels[3] == 255 else 4])


def _number(value: object) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def _point(value: object) -> tuple[float, float] | None:
    parts = [_number(each) for each in cast("list[object]", value)] if isinstance(value, list) else []
    match parts:
        case [float(x), float(y)]:
            return x, y
        case _:
            return None


def _asked(reading: VersionReading, message: Mapping[str, Any]) -> tuple[Document, int]:
    """The document and the node of a message, which must be about the version that was read last."""
    node = message.get("node")
    if reading.document is None or message.get("version") != reading.version or not isinstance(node, int):
        raise InputError("the text has changed meanwhile", place="edit", fix="try again")
    return reading.document, node
