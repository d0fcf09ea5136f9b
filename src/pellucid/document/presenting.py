"""A document as plain data for a page: nodes by identity, with kinds, ranges and defaults, names and diagnostics.

After `reading`. Offsets count units of UTF-16, as browsers do; `change_of` reads changes that a page sends.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

from ..base.errors import InputError, PellucidError
from ..images.color import Color
from ..images.css import parse_color
from ..images.signature import Limits
from ..images.word import Parameter
from . import kinds
from .change import Replacement, TextChange, Utf16
from .tree import Argument, Diagnostic, Document, DocumentNode


def data(document: Document) -> dict[str, Any]:
    r"""The document as JSON can write it.

    `nodes` maps identities, as strings, to form, kind, expected kind, span, word, value, color, arguments (the given
    ones and, with `node` None, those that may be added), parent, definition and whether the node can be drawn. `names`
    lists definitions with their uses, `parameters` calls of `pl.param`; `picture` is an identity or None.

    >>> from pellucid.document import read
    >>> told = data(read("from pellucid import images as im\npicture = im.disk(1)"))
    >>> told["nodes"][str(told["picture"])]["arguments"][0]["range"]
    {'low': 0, 'high': None, 'open': True, 'nonzero': False}
    """
    units = Utf16(document.text)
    picture = document.picture
    return {
        "text": document.text,
        "valid": document.valid,
        "picture": picture.identity if picture is not None else None,
        "nodes": {str(node.identity): _node(node, units) for node in document.walk()},
        "roots": [s.node.identity for s in document.statements if s.node is not None],
        "names": [
            {
                "name": one.name,
                "node": one.node.identity,
                "kind": one.kind,
                "start": units.to(one.start),
                "end": units.to(one.end),
                "uses": [use.identity for use in one.uses],
            }
            for one in document.definitions
        ],
        "parameters": [_parameter(document, node) for node in document.parameters],
        "diagnostics": [diagnostic_data(one, document.text) for one in document.diagnostics],
    }


def _node(node: DocumentNode, units: Utf16) -> dict[str, Any]:
    told: dict[str, Any] = {
        "identity": node.identity,
        "form": node.form,
        "kind": node.kind,
        "expected": node.expected,
        "start": units.to(node.start),
        "end": units.to(node.end),
        "word": node.word,
        "label": node.word
        or (str(node.value) if node.form in {"name", "number", "text", "truth"} else node.form),
        "value": node.value if isinstance(node.value, int | float | str | bool) else None,
        "color": _swatch(node),
        "moves": node.moves,
        "fixed": node.fixed,
        "closed": node.closed,
        "shows": node.shows,
        "bound": sorted(node.bound),
        "parent": node.parent.identity if node.parent is not None else None,
        "definition": node.definition.node.identity if node.definition is not None else None,
        "parameters": list(node.parameters),
        "arguments": [_argument(argument, units) for argument in node.arguments],
    }
    word = node.known.word if node.known is not None else None
    if node.form == "call" and word is not None:
        given = {argument.name for argument in node.arguments}
        told["arguments"] += [
            {"name": p.name, "role": "missing", "node": None, **parameter_data(p)}
            for p in word.parameters
            if p.name not in given or p.slot.many
        ]
    return told


def _argument(argument: Argument, units: Utf16) -> dict[str, Any]:
    told: dict[str, Any] = {
        "name": argument.name,
        "role": argument.role,
        "node": argument.node.identity,
        "expected": argument.expected,
        "start": units.to(argument.start),
        "end": units.to(argument.end),
    }
    return told | parameter_data(argument.parameter) if argument.parameter is not None else told


def parameter_data(parameter: Parameter) -> dict[str, Any]:
    """A parameter of a word: kind that it expects, type, unit, range or choices, and default."""
    type_ = parameter.slot.type
    limits = parameter.allowed
    default = parameter.default
    return {
        "expected": kinds.of_slot(parameter.slot),
        "type": parameter.type,
        "unit": kinds.UNITS.get(type_.name, "") if type_ is not None else "",
        "many": parameter.slot.many,
        "required": parameter.required,
        "default": None if default is inspect.Parameter.empty else default,
        "range": range_data(limits),
        "choices": list(limits) if isinstance(limits, tuple) and isinstance(limits[0], str) else None,
    }


def range_data(limits: Limits | None) -> dict[str, Any] | None:
    """A range of numbers, None for an end without a limit; None where all numbers are allowed."""
    allowed = kinds.interval(limits)
    if allowed is None:
        return None
    low, high = (None if math.isinf(end) else end for end in (allowed.low, allowed.high))
    return {"low": low, "high": high, "open": allowed.open, "nonzero": allowed.nonzero}


def _swatch(node: DocumentNode) -> str | None:
    """The color of a node as #rrggbbaa with straight alpha, if it is written as one."""
    if node.form == "word" and node.known is not None:
        return _hex(node.known.meaning)
    if (
        node.form == "text"
        and node.place is not None
        and node.place.expected in {"color", "image", "picture", None}
    ):
        return _made_hex(parse_color, node.value)
    if (
        node.form == "call"
        and node.kind == "color"
        and node.known is not None
        and all(a.node.form in {"number", "text"} and a.role == "argument" for a in node.arguments)
    ):
        return _made_hex(node.known.meaning, *(a.node.value for a in node.arguments))
    return None


@lru_cache(maxsize=1 << 12, typed=True)
def _made_hex(word: Callable[..., Any], *values: float | str) -> str | None:
    """The color that a word makes of numbers and texts; documents are read at each key, and most of it is as it was."""
    try:
        return _hex(word(*values))
    except (PellucidError, TypeError, ValueError):
        return None


def _hex(color: object) -> str | None:
    if not isinstance(color, Color) or not color.is_static:
        return None
    red, green, blue, alpha = (float(part) for part in color)
    parts = [part / alpha if alpha else 0.0 for part in (red, green, blue)]
    return "#" + "".join(f"{round(255 * min(max(x, 0.0), 1.0)):02x}" for x in (*parts, alpha))


def _parameter(document: Document, node: DocumentNode) -> dict[str, Any]:
    given = {argument.name: argument.node for argument in node.arguments}
    low, high = given.get("low"), given.get("high")
    if low is not None and low.form == "tuple" and len(low.arguments) == 2:
        low, high = (a.node for a in low.arguments)
    numbers = {"default": given.get("default"), "low": low, "high": high}
    owner = next((d for d in document.definitions if d.node is node), None)
    return {
        "node": node.identity,
        "name": given["name"].value if "name" in given else "",
        "variable": owner.name if owner is not None else None,
        **{k: n.value if n is not None and n.form == "number" else None for k, n in numbers.items()},
        "default_node": numbers["default"].identity if numbers["default"] is not None else None,
    }


def diagnostic_data(one: Diagnostic, text: str) -> dict[str, Any]:
    """A diagnostic as JSON can write it; its fix is a change."""
    units = Utf16(text)
    return {
        "start": units.to(one.start),
        "end": units.to(one.end),
        "severity": one.severity,
        "message": one.message,
        "hint": one.hint,
        "identity": one.identity or None,
        "fix": change_data(one.fix, text) if one.fix is not None else None,
    }


def change_data(change: TextChange, text: str) -> dict[str, Any]:
    """A change of a text as JSON can write it."""
    units = Utf16(text)
    return {
        "label": change.label,
        "replacements": [
            {"start": units.to(one.start), "end": units.to(one.end), "text": one.text}
            for one in change.replacements
        ],
    }


def change_of(told: Mapping[str, Any], text: str) -> TextChange:
    """The change of a text that a page tells as `change_data` does.

    Raises InputError for what is no such change.
    """
    units = Utf16(text)
    try:
        parts = cast("Sequence[Mapping[str, Any]]", told["replacements"])
        made = [
            Replacement(units.back(int(p["start"])), units.back(int(p["end"])), str(p["text"])) for p in parts
        ]
        label = str(told.get("label", ""))
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        fix = "give replacements, each with start, end and text"
        raise InputError("this is no change of a text", place="change", fix=fix) from error
    change = TextChange.of(*made, label=label)
    change.apply(text)
    return change
