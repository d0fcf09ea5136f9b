"""Identities of nodes: a node that a change leaves alone keeps its number, and with it what people have selected.

A path in the tree is no identity: it changes when something is wrapped. Nodes are matched by their places, moved by the
change; what is left by content, and then by the slot in which it stands.
"""

from __future__ import annotations

from collections import defaultdict, deque

from .change import TextChange
from .tree import Document, DocumentNode


def identify(document: Document, before: Document | None, change: TextChange | None) -> None:
    """Number the nodes of a document, as they were numbered in the one before where they are the same."""
    document.next_identity = 1
    nodes = list(document.walk())
    if before is not None:
        document.next_identity = before.next_identity
        document.values = before.values
        known = change is not None and change.apply(before.text) == document.text
        exact = change if known and change is not None else TextChange.between(before.text, document.text)
        _match(document, before, nodes, exact)
    for node in nodes:
        if not node.identity:
            node.identity = document.next_identity
            document.next_identity += 1
        document.nodes[node.identity] = node


def _match(document: Document, before: Document, nodes: list[DocumentNode], change: TextChange) -> None:
    old = list(before.walk())
    free = {node.identity: node for node in old}
    at = {(node.start, node.end, node.form): node for node in nodes}
    for node in old:
        span = change.moved(node.start, node.end)
        twin = at.get((*span, node.form)) if span is not None else None
        if twin is not None and not twin.identity:
            twin.identity = free.pop(node.identity).identity
    by_text: dict[tuple[str, str], deque[DocumentNode]] = defaultdict(deque)
    for node in old:
        if node.identity in free and node.form != "hole":
            by_text[node.form, before.source(node)].append(node)
    for node in nodes:
        same = by_text.get((node.form, document.source(node))) if not node.identity else None
        if same:
            node.identity = free.pop(same.popleft().identity).identity
    slots = {
        (node.parent.identity if node.parent is not None else 0, _slot(before, node), node.form): node
        for node in old
        if node.identity in free
    }
    # Parents come before what is below them, so that a match leads to the next.
    for node in nodes:
        if not node.identity:
            parent = node.parent.identity if node.parent is not None else 0
            twin = slots.get((parent, _slot(document, node), node.form))
            if twin is not None and twin.identity in free:
                node.identity = free.pop(twin.identity).identity


def _slot(document: Document, node: DocumentNode) -> str:
    if node.place is not None and node.parent is not None:
        return f"{node.place.name} {next(k for k, a in enumerate(node.parent.arguments) if a is node.place)}"
    statement = next((s for s in document.statements if s.node is node), None)
    return statement.definitions[0].name if statement is not None and statement.definitions else ""
