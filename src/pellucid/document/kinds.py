"""Kinds of the parts of a document, and which kind may stand where another is expected.

A kind is what `pellucid.images` calls a type, in one word: the type of a slot says which kinds it takes.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..images.signature import Range, Slot

UNKNOWN = "unknown"
PICTURES = frozenset(("image", "region", "field", "packed", "structure", "picture"))
"""Kinds that are functions of a point; "picture" is one of which the letter is not known yet."""
SHOWN = PICTURES | {"color"}
"""Kinds that can be drawn."""

_OF_IMAGES = {"color": "image", "region": "region", "field": "field", "packed": "packed"}
_OF_TYPES = {
    "Number": "number",
    "Length": "number",
    "Angle": "number",
    "Fraction": "number",
    "Integer": "number",
    "Count": "number",
    "Point": "point",
    "Color": "color",
    "Transform": "warp",
    "Function": "function",
    "Text": "text",
    "Truth": "truth",
    "Stops": "stops",
    "Animation": "picture",
    "Behavior": "time",
}
UNITS = {"Length": "units", "Angle": "radians", "Integer": "whole", "Count": "whole"}
"""Units of the types of numbers that have one; "whole" numbers count."""

_TAKES: dict[str, frozenset[str]] = {
    "image": frozenset(("image", "color", "text", "picture")),
    "region": frozenset(("region", "truth", "picture")),
    "field": frozenset(("field", "number", "time", "picture")),
    "picture": PICTURES | {"color", "text", "truth", "number", "time"},
    "number": frozenset(("number", "time")),
    "time": frozenset(("number", "time")),
    "color": frozenset(("color", "text")),
    "warp": frozenset(("warp", "function")),
    "function": frozenset(("warp", "function")),
    "stops": frozenset(("stops", "list", "tuple")),
    "point": frozenset(("point", "complex")),
    "numeric": frozenset(("number", "time", "field", "truth")),
}


def named(kind: str) -> str:
    """A kind with its article.

    >>> named("image"), named("region"), named("stops")
    ('an image', 'a region', 'stops')
    """
    if kind == "stops":
        return kind
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def of_slot(slot: Slot) -> str:
    """The kind that a slot of a signature expects: "any" for whatever a word says of it.

    >>> from pellucid.images.signature import read
    >>> [of_slot(slot) for slot in read("Length -> Image a -> Image Bool")[0]]
    ['number', 'picture']
    """
    if slot.image:
        return _OF_IMAGES.get(slot.kind or "", "picture")
    return _OF_TYPES.get(slot.type.name, "any") if slot.type is not None else "any"


def fits(kind: str, expected: str | None) -> bool:
    """Whether what is of a kind may stand where another is expected; what is unknown may stand anywhere.

    >>> fits("color", "image"), fits("region", "image")
    (True, False)
    """
    if expected is None or expected == "any" or UNKNOWN in (kind, expected):
        return True
    return kind == expected or kind in _TAKES.get(expected, ())


def as_picture(kind: str) -> str:
    """The kind of picture that a word makes of what it is given where it takes any picture."""
    return {"color": "image", "text": "image", "truth": "region", "number": "field", "time": "field"}.get(
        kind, kind
    )


def joined(kinds: Iterable[str]) -> str:
    """The kind of what may be any of these: the only one there is, or the one that takes all others."""
    found = {kind for kind in kinds if kind != UNKNOWN}
    if len(found) == 1:
        return next(iter(found))
    for wide in ("field", "time", "image", "color", "number"):
        if found and wide in found and all(fits(kind, wide) for kind in found):
            return wide
    return UNKNOWN


def interval(limits: object) -> Range | None:
    """The range of numbers that limits of a parameter stand for; None for choices, and where all are allowed."""
    if isinstance(limits, Range):
        return limits
    match limits:
        case (int() | float() as low, int() | float() as high):
            return Range(low, high)
        case _:
            return None
