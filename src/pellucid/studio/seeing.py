"""Seeing through a picture: the report of its compilation, and what each node of the document costs.

Used by `opened`. The report is that of `explain`; costs are those of the traced expressions before any rule, so that a
node can be told what it adds to those that it is made of.
"""

from __future__ import annotations

from typing import Any

from pellucid.base.deep_stack import with_deep_stack
from pellucid.base.errors import InputError
from pellucid.canvas.explaining import explain
from pellucid.document import Document, pictures
from pellucid.images.animation import unknown_time
from pellucid.images.image import unknown_point
from pellucid.loops.report.report import summary
from pellucid.reasoning.work import tree_cost
from pellucid.studio.reading import VersionReading
from pellucid.tracing import flatten, tracing
from pellucid.tracing.tracer import lift


def explained(reading: VersionReading) -> dict[str, Any]:
    r"""The stages and the ledger of the picture of a reading, and the costs of its nodes.

    Raises `InputError` if there is no picture.

    >>> from pathlib import Path
    >>> from pellucid.studio.reading import read
    >>> text = "from pellucid import images as im\npicture = im.swirl(1, im.checkerboard(1, im.red, im.blue))"
    >>> told = explained(read(1, text, Path("a.py"), None, trust=False))
    >>> told["stages"][0]["name"], sorted(told["costs"].values())[-1] > 0
    ('inlined', True)
    """
    if reading.picture is None or reading.document is None:
        raise InputError("there is no picture", place="explain", fix="mend the text first")
    report = explain(reading.picture)
    rows = report.ledger.rows()
    stages = [
        {"name": each.name, "title": each.title, "text": each.text, "size": each.size}
        for each in report.told()
        if each.changed
    ]
    return {
        "kind": "explained",
        "version": reading.version,
        "stages": stages,
        "ledger": [row.json() for row in rows],
        "summary": summary(rows),
        "costs": costs(
            reading.document, pictures(reading.document, trust=reading.trust, folder=reading.folder)
        ),
    }


def costs(document: Document, shown: dict[int, tuple[str, Any]]) -> dict[int, float]:
    """What each node adds to the cost of the nodes below it, in cycles of a point, by identity."""
    whole: dict[int, float] = {}

    def count() -> None:
        for identity, (_, picture) in shown.items():
            with tracing():
                leaves, _ = flatten(picture.sample(unknown_time(), unknown_point()))
                whole[identity] = tree_cost([lift(each) for each in leaves])

    with_deep_stack(count)
    own: dict[int, float] = {}
    for identity, cost in whole.items():
        below = [argument.node for argument in document.nodes[identity].arguments]
        meant = [node.definition.node if node.definition is not None else node for node in below]
        own[identity] = max(0.0, cost - sum(whole.get(node.identity, 0.0) for node in meant))
    return own
