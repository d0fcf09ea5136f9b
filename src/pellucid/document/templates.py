"""The words of a document as templates: each word, color and function that may stand where a kind is expected.

For palettes and completion; from the registry of `pellucid.images`.
"""

from __future__ import annotations

import inspect
import math
from typing import Any

from ..images.word import Parameter, Word
from . import kinds, vocabulary
from .presenting import parameter_data
from .vocabulary import KnownName

_FILLED = {
    "image": "{im}white",
    "region": "{im}udisk",
    "field": "{im}r",
    "picture": "{im}checker",
    "color": "{im}gold",
    "point": "(0.5, 0)",
    "warp": "{im}rotate(0.5)",
    "function": "lambda p: p",
    "truth": "False",
    "stops": "[{im}midnightblue, {im}gold]",
}
"""What a template writes where a kind is expected and nobody has said what."""


def words_for(kind: str | None = None, prefix: str = "im.") -> list[dict[str, Any]]:
    """What may stand where a kind is expected, by name; everything without one.

    Each has name, sort, kind, doc, signature, family, parameters, `template`, which is an expression that is complete,
    and `takes`, the names of parameters that can take a picture; `prefix` stands before the names of words.

    >>> [one["name"] for one in words_for("warp")][:2]
    ['about', 'compose']
    """
    found = vocabulary.names(vocabulary.IMAGES)
    return [
        _entry(known, prefix)
        for name, known in sorted(found.items())
        if kind is None or (known.kind != kinds.UNKNOWN and kinds.fits(known.kind, kind))
        if name not in {"image", "animation", "behavior", "Color"} | vocabulary.FILES | vocabulary.ARRAYS
    ]


def _entry(known: KnownName, prefix: str) -> dict[str, Any]:
    word = known.word
    return {
        "name": known.name,
        "sort": known.sort,
        "kind": known.kind,
        "doc": word.doc if word is not None else (known.meaning.__doc__ or "").partition("\n")[0],
        "signature": word.signature if word is not None else "",
        "example": word.example if word is not None else "",
        "family": word.family.rpartition(".")[2] if word is not None else known.sort,
        "parameters": [{"name": p.name, **parameter_data(p)} for p in word.parameters]
        if word is not None
        else [],
        "takes": [p.name for p in word.parameters if p.slot.image] if word is not None else [],
        "template": template(known, prefix),
    }


def template(known: KnownName, prefix: str, given: dict[str, str] | None = None) -> str:
    """An expression of a word in which every required argument is filled; `given` are the texts of some of them.

    >>> template(vocabulary.names("images")["swirl"], "im.", {"image": "im.checker"})
    'im.swirl(1, im.checker)'
    """
    word = known.word
    if known.sort in {"value", "color"}:
        return f"{prefix}{known.name}"
    if word is None:
        return f"{prefix}{known.name}({given['x'] if given and 'x' in given else prefix + 'r'})"
    texts = given or {}
    parts: list[str] = []
    by_name = False
    for p in word.parameters:
        if p.name in texts:
            parts.append(f"{p.name}={texts[p.name]}" if by_name else texts[p.name])
        elif p.required or p.slot.many:
            parts.append(f"{p.name}={filled(p, prefix)}" if by_name else filled(p, prefix))
        else:
            # What comes after an argument that is left out is given by name.
            by_name = True
    return f"{prefix}{word.name}({', '.join(parts)})"


def filled(parameter: Parameter, prefix: str) -> str:
    """The text of an argument that nobody has given."""
    default: Any = parameter.default
    if default is not inspect.Parameter.empty and isinstance(default, int | float | str):
        return repr(default)
    expected = kinds.of_slot(parameter.slot)
    limits = parameter.allowed
    if isinstance(limits, tuple) and isinstance(limits[0], str):
        return repr(limits[0])
    if expected == "text":
        return "'text'"
    allowed = kinds.interval(limits)
    if expected == "point" and allowed is not None:
        return "(1, 1)"
    if expected == "number" or (expected == "field" and allowed is not None):
        return _number(
            parameter, allowed.low if allowed else -math.inf, allowed.high if allowed else math.inf
        )
    return _FILLED.get(expected, "...").replace("{im}", prefix)


def _number(parameter: Parameter, low: float, high: float) -> str:
    whole = parameter.type in {"Count", "Integer"}
    if whole:
        return str(int(min(max(low, min(5, high), 1), high)))
    if math.isfinite(low) and math.isfinite(high):
        return f"{(low + high) / 2:g}"
    return "1" if low <= 1 <= high else f"{low + 1:g}"


def receivers(word: Word, kind: str) -> list[Parameter]:
    """The parameters of a word that a node of a kind can stand for, the one that its method is called on first."""
    wanted = [(p, kinds.of_slot(p.slot)) for p in word.parameters]
    fitting = [
        p for p, of in wanted if of not in {"any", "text"} and kinds.fits(kind, of) and kind != kinds.UNKNOWN
    ]
    return sorted(fitting, key=lambda p: p.name != word.receiver)
