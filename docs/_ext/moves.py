"""Generates the page of moves from their registry: what licenses each, by which conditions, and an example made now.

An example that is no longer licensed stops the build.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sphinx.errors import ExtensionError

import pages
from pellucid.loops.core.move import Move
from pellucid.loops.core.options import options
from pellucid.loops.core.registry import moves
from pellucid.loops.core.theorem import Theorem
from pellucid.loops.hops.examples import Example, example
from pellucid.loops.hops.listing import rows
from pellucid.loops.scripts.heuristics import heuristics

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def licensed(theorem: Theorem, shown: Example) -> str:
    """A theorem with its conditions, in the words that it has for the example where it speaks of that."""
    how = f"proved by machine as {pages.code(theorem.lemma)}" if theorem.lemma else "tested"
    fits = theorem.fits(shown.site)
    lines = [f"*{theorem.name}* ({how}): {theorem.title.rstrip('.')}.", ""]
    for clause in theorem.clauses:
        words = clause.words(shown.site) if fits or isinstance(clause.text, str) else ""
        lines.append(f"- {pages.code(clause.name)}{f': {words}' if words else ''}")
    return "\n".join(lines)


def entry(move: Move) -> str:
    """The section of one move."""
    try:
        shown = example(move.name)
    except Exception as error:
        raise ExtensionError(f"the example of the move {move.name!r} fails: {error}") from error
    own = [f"{pages.code(name)} ({default!r})" for name, default in options(move).items()]
    before, after = ("\n".join(row.text for row in rows(kernel)) for kernel in (shown.before, shown.after))
    parts = [f"## {move.name}", move.doc, *(licensed(t, shown) for t in move.theorems)]
    parts += [f"Options: {', '.join(own)}."] if own else []
    parts += [
        f"{shown.caption[:1].upper()}{shown.caption[1:]}",
        f"Before:\n\n```text\n{before}\n```",
        f"After {pages.code(str(shown.call))}:\n\n```text\n{after}\n```",
    ]
    return "\n\n".join(parts) + "\n"


def page() -> str:
    """The page: the moves in the order of their names, then the heuristics."""
    parts = [entry(move) for move in moves().values()]
    if heuristics():
        rows = [[pages.code(h.name), h.doc] for h in heuristics().values()]
        parts.append("## Heuristics\n\n" + pages.table(["heuristic", "what it does"], rows))
    return "\n".join(parts)


def setup(app: Sphinx) -> dict[str, bool]:
    """Have the page written before the documents are read."""
    app.connect("builder-inited", lambda app: pages.write(app.srcdir, "moves.md", page()))
    return {"parallel_read_safe": True}
