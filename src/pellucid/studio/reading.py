"""Reading: what the text of a document means, as a picture or as problems with their places.

Used by `opened`. The floor `document` reads the text without running it and calls registered words only; what is
code is run only in a file that is trusted. The picture is traced here, so that what cannot be drawn is told at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pellucid.base.record import record
from pellucid.canvas.live import slider
from pellucid.document import Document, data, diagnosis, diagnostic_data, evaluate
from pellucid.document import read as read_document
from pellucid.driver import Kernel, Options

_TREE = ("valid", "picture", "nodes", "roots", "names", "parameters")


@record(slots=False)
class VersionReading:
    """What a version of a text means: a picture, or the problems that there are instead.

    `parsed` is the last document that Python could parse, from which nodes keep their identities. Files that it names
    are read below `folder` only, and code is run if `trust` is given.
    """

    version: int
    picture: object | None
    moves: bool
    problems: tuple[dict[str, Any], ...] = ()
    document: Document | None = None
    parsed: Document | None = None
    folder: Path | None = None
    trust: bool = False
    params: tuple[dict[str, Any], ...] = ()

    def told(self) -> dict[str, Any]:
        """What a page needs to know to have the picture drawn."""
        return {"kind": "reading", "version": self.version, "ok": self.picture is not None}

    def told_with_tree(self) -> dict[str, Any]:
        """The reading as a page shows it: its tree, its parameters and its problems too."""
        found = {} if self.document is None else data(self.document)
        # The page has the text, and the problems are told apart.
        tree = {name: found[name] for name in _TREE if name in found}
        shown = {"moves": self.moves, "params": self.params, "problems": self.problems, "tree": tree}
        return {**self.told(), **shown}


def read(
    version: int, text: str, path: Path, before: VersionReading | None, *, trust: bool
) -> VersionReading:
    r"""Read a text; files that it names are read below the folder of `path` only.

    Nodes that are as they were in the reading `before` keep their values.

    >>> read(3, "from pellucid import images as im\npicture = im.disk(1)", Path("a.py"), None, trust=False).picture
    disk(1)
    >>> read(4, "import os", Path("a.py"), None, trust=False).problems[0]["message"]
    'there is no picture; write picture = ...'
    """
    last = before.parsed if before else None
    document = read_document(text, last)
    evaluated = evaluate(document, trust=trust, folder=path.parent, check=False)
    picture, found, moves = evaluated.picture, list(evaluated.diagnostics), False
    params: tuple[dict[str, Any], ...] = ()
    if picture is not None:
        try:
            kernel = Kernel(picture, Options("exact"), now=False)
            # Parameters are known once the picture is traced.
            params = tuple(slider(name, known, known.default) for name, known in kernel.params.items())
            moves = kernel.time_varying
        except Exception as error:  # noqa: BLE001 - it is told at its place
            picture = None
            found = [diagnosis(document, error)]
    problems = tuple(_problem(diagnostic_data(each, text)) for each in found)
    parsed = document if document.nodes else last
    return VersionReading(version, picture, moves, problems, document, parsed, path.parent, trust, params)


def _problem(told: dict[str, Any]) -> dict[str, Any]:
    """A diagnostic as the editor of the page reads it: its place, and its sentence with the hint."""
    hint = told["hint"]
    message = f"{told['message']}; {hint}" if hint else told["message"]
    return {"from": told["start"], "to": told["end"], "message": message}
