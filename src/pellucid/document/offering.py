"""The edits that a document offers at a node: those whose kinds fit, each with what it still needs to know.

Above `editing` and `naming`, for menus, palettes and drag and drop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from ..base.errors import InputError
from ..base.record import record
from . import editing, kinds, naming, vocabulary
from .change import TextChange
from .placing import node_of
from .templates import receivers
from .tree import Document, DocumentNode

EDITS: Mapping[str, Callable[..., TextChange]] = {
    "replace": editing.replace,
    "use": editing.use,
    "wrap": editing.wrap,
    "unwrap": editing.unwrap,
    "swap": editing.swap,
    "delete": editing.delete,
    "duplicate": editing.duplicate,
    "set_literal": editing.set_literal,
    "set_argument": editing.set_argument,
    "extract": naming.extract,
    "inline": naming.inline,
    "abstract": naming.abstract,
    "make_parameter": naming.make_parameter,
    "animate": naming.animate,
}
"""Every edit by name: a function of a document, an identity and what the edit needs, which gives a change."""


@record
class EditOffer:
    """An edit that can be made: its name in `EDITS`, a label, and for each argument that it needs the choices.

    Choices are words or identities; None stands for any text or value.
    """

    edit: str
    label: str
    needs: Mapping[str, list[Any] | None] = field(default_factory=dict[str, "list[Any] | None"])


def offers(document: Document, identity: int) -> list[EditOffer]:
    r"""The edits of a node that leave a valid document valid.

    Raises InputError if there is no such node.

    >>> from pellucid.document import read
    >>> document = read("from pellucid import images as im\npicture = im.swirl(2, im.checker)")
    >>> [offer.edit for offer in offers(document, document.picture.identity)][:4]
    ['replace', 'use', 'wrap', 'unwrap']
    """
    node = node_of(document, identity)
    if not editing.is_expression(document, node):
        return []
    found = [EditOffer("replace", "Replace by text", {"text": None})]
    if words := _words(node, using=True):
        found.append(EditOffer("use", "Use a word", {"word": words}))
    if words := _words(node, using=False):
        found.append(EditOffer("wrap", "Wrap in a word", {"word": words}))
    if inner := editing.inner_nodes(node):
        found.append(EditOffer("unwrap", "Unwrap", {"inner": [one.identity for one in inner]}))
    if partners := _partners(node):
        found.append(EditOffer("swap", "Swap", {"other": partners}))
    if node.form in {"number", "truth", "text"} or node.kind == "color":
        found.append(EditOffer("set_literal", "Set", {"value": None}))
    word = node.known.word if node.known is not None and node.form == "call" else None
    if word is not None:
        given = {a.name for a in node.arguments}
        missing = [p.name for p in word.parameters if p.name not in given or p.slot.many]
        found += [EditOffer("set_argument", "Give", {"name": missing, "text": None})] if missing else []
    found += [
        EditOffer(edit, label) for edit, label in _PLAIN.items() if _can(EDITS[edit], document, identity)
    ]
    parts = [
        one.identity
        for one in node.walk()
        if one is not node and one.closed and one.form not in {"hole", "opaque"}
    ]
    if node.shows and parts and _can(naming.abstract, document, identity, parts[-1]):
        found.append(EditOffer("abstract", "Abstract to a function", {"inner": parts}))
    return found


_PLAIN = {
    "delete": "Delete",
    "duplicate": "Duplicate",
    "extract": "Extract to a name",
    "inline": "Inline",
    "make_parameter": "Make a parameter",
    "animate": "Animate",
}


def _can(edit: Callable[..., TextChange], *arguments: Any) -> bool:
    try:
        edit(*arguments)
    except InputError:
        return False
    return True


def _words(node: DocumentNode, *, using: bool) -> list[str]:
    """The words that can stand here, or that take what stands here and give what is expected."""
    expected = node.expected or (node.kind if node.kind != kinds.UNKNOWN else "any")
    found: list[str] = []
    for name, known in sorted(vocabulary.names(vocabulary.IMAGES).items()):
        word = known.word
        if name in vocabulary.FILES | vocabulary.ARRAYS or known.kind == kinds.UNKNOWN:
            continue
        if using:
            if known.sort != "function" and kinds.fits(known.kind, expected):
                found.append(name)
        elif word is not None and known.sort == "word" and node.form != "hole":
            taking = receivers(word, node.kind)
            # A word of any picture gives one of the kind that it is given.
            gives = kinds.as_picture(node.kind) if word.result.letter and taking else known.kind
            if taking and kinds.fits(gives, expected):
                found.append(name)
    return found


def _partners(node: DocumentNode) -> list[int]:
    if node.parent is None:
        return []
    return [
        a.node.identity
        for a in node.parent.arguments
        if a.node is not node
        and a.role not in {"callee", "body"}
        and kinds.fits(a.node.kind, node.expected)
        and kinds.fits(node.kind, a.expected)
    ]
