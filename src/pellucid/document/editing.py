"""Edits of the tree of a document, each as a change of its text: replace, wrap, unwrap, swap, delete, duplicate, set.

Above `placing`, beside `naming`. Each raises InputError where kinds do not fit; what it gives leaves a valid document
valid, and all text outside of its spans as it is.
"""

from __future__ import annotations

import math
import re

from ..base.errors import InputError
from ..base.record import record
from . import kinds, vocabulary
from .change import Replacement, TextChange
from .placing import (
    checked,
    given,
    marks,
    node_of,
    piece_of,
    pieces,
    placed,
    prefix,
    refused,
    role_of,
)
from .reading import read
from .templates import filled, receivers, template
from .tree import Document, DocumentNode

HOLE = "..."
_TOGETHER = {"image": "over", "region": "union", "field": "sdf_union"}
"""The word that puts two pictures of a kind together."""


@record
class AppliedChange:
    """The `document` after a change, and the change that takes it `back`."""

    document: Document
    back: TextChange


def apply(document: Document, change: TextChange) -> AppliedChange:
    r"""Apply a change to a document; identities and values of what it leaves alone are kept.

    Raises InputError for a change that does not fit the text.

    >>> document = read("from pellucid import images as im\npicture = im.disk(1)")
    >>> applied = apply(document, wrap(document, document.picture.identity, "swirl"))
    >>> applied.document.text.splitlines()[1]
    'picture = im.swirl(1, im.disk(1))'
    >>> apply(applied.document, applied.back).document.text == document.text
    True
    """
    after = read(change.apply(document.text), document, change)
    return AppliedChange(after, change.inverse(document.text))


def is_expression(document: Document, node: DocumentNode) -> bool:
    """Whether a node is an expression that can be edited: no statement, callee or whole function of a decorator."""
    statement = document.statement_of(node)
    frame = statement.node is node and statement.sort in {"function", "opaque"}
    decorated = node.form == "function" and role_of(node) == "body"
    return not (frame or decorated or role_of(node) == "callee")


def _expression(document: Document, identity: int) -> DocumentNode:
    node = node_of(document, identity)
    if not is_expression(document, node):
        raise refused("this is no expression that can be edited", "select what it is made of")
    return node


def replace(document: Document, identity: int, text: str) -> TextChange:
    """Put an expression in the place of a node; this is also how a subtree is pasted as text."""
    node = _expression(document, identity)
    made = placed(node, given(text))
    return checked(
        document, TextChange((Replacement(node.start, node.end, made),), f"replace by {text.strip()[:30]}")
    )


def use(document: Document, identity: int, word: str) -> TextChange:
    """Put a word in the place of a node; what it takes is filled with what stood there, where kinds fit."""
    node = _expression(document, identity)
    known = vocabulary.known(vocabulary.IMAGES, word)
    if known is None:
        raise refused(f"no word is called {word!r}", "choose one of the library")
    before, more = prefix(document)
    texts: dict[str, str] = {}
    if known.word is not None and node.form == "call":
        left = [a for a in node.arguments if a.node.form not in {"opaque", "hole"}]
        for parameter in known.word.parameters:
            expected = kinds.of_slot(parameter.slot)
            for argument in left:
                same = argument.name == parameter.name
                same |= parameter.slot.image and argument.node.kind in kinds.SHOWN
                if same and not parameter.slot.many and kinds.fits(argument.node.kind, expected):
                    texts[parameter.name] = document.source(argument.node)
                    left.remove(argument)
                    break
    made = placed(node, template(known, before, texts))
    change = TextChange.of(*more, Replacement(node.start, node.end, made), label=f"use {word}")
    return checked(document, change)


def wrap(document: Document, identity: int, word: str, argument: str | None = None) -> TextChange:
    """Give a node to a word, for the parameter `argument` or the first that takes it; on an edge, this inserts."""
    node = _expression(document, identity)
    known = vocabulary.known(vocabulary.IMAGES, word)
    if known is None or (known.word is None and known.sort != "function"):
        raise refused(f"no word is called {word!r}", "choose one of the library")
    fitting = [p.name for p in receivers(known.word, node.kind)] if known.word is not None else ["x"]
    chosen = argument or (fitting[0] if fitting else None)
    if chosen not in fitting:
        raise refused(f"{word} takes no {node.kind}", "choose a word that does")
    before, more = prefix(document)
    mark = "\0"
    start, _, end = template(known, before, {chosen: mark}).partition(mark)
    inner, outer = marks(document.source(node), "argument")
    change = TextChange.of(
        *more,
        Replacement(node.start, node.start, start + inner),
        Replacement(node.end, node.end, outer + end),
        label=f"wrap in {word}",
    )
    return checked(document, change)


def inner_nodes(node: DocumentNode) -> list[DocumentNode]:
    """The nodes that can take the place of the one around them, the one of the same kind first."""
    found = [
        a.node
        for a in node.arguments
        if a.role not in {"callee", "body", "index"} and kinds.fits(a.node.kind, node.expected or node.kind)
    ]
    return sorted(found, key=lambda inner: inner.kind != node.kind)


def unwrap(document: Document, identity: int, inner: int | None = None) -> TextChange:
    """Put one of the nodes below a node in its place: `inner`, or the first whose kind fits."""
    node = _expression(document, identity)
    found = [one for one in inner_nodes(node) if inner is None or one.identity == inner]
    if not found:
        raise refused("nothing inside can stand here", "select a node that holds one of its own kind")
    kept = found[0]
    before, after = marks(document.source(kept), role_of(node))
    change = TextChange.of(
        Replacement(node.start, kept.start, before),
        Replacement(kept.end, node.end, after),
        label=f"unwrap {node.word or node.form}",
    )
    return checked(document, change)


def swap(document: Document, identity: int, other: int) -> TextChange:
    """Exchange two nodes."""
    first, second = sorted(
        (_expression(document, identity), _expression(document, other)), key=lambda n: n.start
    )
    if first.end > second.start:
        raise refused("one of them is inside the other", "choose two that are beside each other")
    change = TextChange.of(
        Replacement(first.start, first.end, placed(first, document.source(second))),
        Replacement(second.start, second.end, placed(second, document.source(first))),
        label="swap",
    )
    return checked(document, change)


def delete(document: Document, identity: int) -> TextChange:
    """Leave out a node that need not be there, such as one of many; otherwise leave a hole."""
    node = _expression(document, identity)
    place, parent = node.place, node.parent
    found = (
        piece_of(document, node)
        if place is not None and place.role in {"argument", "keyword", "item"}
        else None
    )
    optional = place is not None and place.parameter is not None and not place.parameter.required
    many = place is not None and place.parameter is not None and place.parameter.slot.many
    item = parent is not None and parent.form == "list"
    last = found is not None and found[0] == len(found[1]) - 1
    if found is not None and (many or item or (optional and (last or (place and place.role == "keyword")))):
        number, spans = found
        span = (
            (spans[number - 1][1], spans[number][1])
            if number
            else (spans[0][0], spans[1][0] if spans[1:] else spans[0][1])
        )
        try:
            return checked(document, TextChange((Replacement(*span, ""),), "delete"))
        except InputError:
            # A list may need as many as it has: then a hole stays.
            pass
    if node.form == "hole":
        raise refused("this is a hole already", "choose what stands here")
    return checked(document, TextChange((Replacement(node.start, node.end, placed(node, HOLE)),), "delete"))


def duplicate(document: Document, identity: int) -> TextChange:
    """Put a second one beside a node: as one of many, or by the word that puts two pictures together."""
    node = _expression(document, identity)
    place, parent = node.place, node.parent
    text = document.source(node)
    many = (
        place is not None
        and place.parameter is not None
        and place.parameter.slot.many
        and place.role == "argument"
    )
    if many or (parent is not None and parent.form == "list"):
        found = piece_of(document, node)
        if found is not None:
            end = found[1][found[0]][1]
            inner, outer = marks(text, "argument")
            return checked(
                document, TextChange((Replacement(end, end, f", {inner}{text}{outer}"),), "duplicate")
            )
    word = _TOGETHER.get(node.kind)
    if word is None:
        raise refused(f"a {node.kind} cannot stand here twice", "duplicate a picture")
    before, more = prefix(document)
    inner, outer = marks(text, "argument")
    change = TextChange.of(
        *more,
        Replacement(node.start, node.start, f"{before}{word}({inner}{text}{outer}, {inner}"),
        Replacement(node.end, node.end, f"{outer})"),
        label="duplicate",
    )
    return checked(document, change)


def literal(value: float | str | bool) -> str:
    """A value as Python writes it.

    Raises InputError for a number that is not finite.
    """
    if isinstance(value, float) and not math.isfinite(value):
        raise refused(f"{value} is no number of a document", "give a finite one")
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return f"{value:.1f}"
    return repr(value)


def set_literal(document: Document, identity: int, value: float | str | bool) -> TextChange:
    """Write another value for a number, a text or a truth, or a color as ``#rrggbb``."""
    node = _expression(document, identity)
    label = (
        f"{node.place.name if node.place is not None else 'value'}: {document.source(node)[:20]} -> {value}"
    )
    if node.kind in {"color", "text"} and isinstance(value, str) and node.form in {"text", "word", "call"}:
        text = literal(value)
        if node.form != "text" and not (
            node.place is not None and kinds.fits("text", node.expected) and node.expected
        ):
            before, more = prefix(document)
            change = TextChange.of(
                *more, Replacement(node.start, node.end, f"{before}color({text})"), label=label
            )
            return checked(document, change)
        quote = document.text[node.start]
        text = f'"{value}"' if quote == '"' and re.fullmatch(r"[#\w ]*", value) else text
    elif (node.form == "number" and isinstance(value, int | float) and not isinstance(value, bool)) or (
        node.form == "truth" and isinstance(value, bool)
    ):
        text = literal(value)
        if isinstance(node.value, int) and isinstance(value, float) and value.is_integer():
            text = str(int(value))
    else:
        raise refused(f"{value!r} cannot be written for this", "select a number, a text, a truth or a color")
    return checked(document, TextChange((Replacement(node.start, node.end, placed(node, text)),), label))


def set_argument(document: Document, identity: int, name: str, text: str | None = None) -> TextChange:
    """Give a word an argument that it was not given, at the end of the call, by name; without a text, a usual one."""
    node = node_of(document, identity)
    word = node.known.word if node.known is not None and node.form == "call" else None
    if word is None or name not in [p.name for p in word.parameters]:
        raise refused(f"nothing here is called {name!r}", "see the parameters of the word")
    parameter = next(p for p in word.parameters if p.name == name)
    many = parameter.slot.many
    spans = pieces(document, node)
    close = document.text.rindex(")", node.start, node.end)
    at = spans[-1][1] if spans else close
    prefixed, more = prefix(document) if text is None else ("", ())
    made = given(filled(parameter, prefixed) if text is None else text)
    before, after = marks(made, "argument")
    made = f"{before}{made}{after}" if many else f"{name}={before}{made}{after}"
    return checked(
        document,
        TextChange.of(*more, Replacement(at, at, f", {made}" if spans else made), label=f"give {name}"),
    )
