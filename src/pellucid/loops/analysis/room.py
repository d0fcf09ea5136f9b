"""The limit of moves that put scratch memory inside of loops and branches: all of it together has to fit."""

from __future__ import annotations

from collections.abc import Callable

from ...reasoning.prove import Unknown, Verdict, decided
from ...reasoning.scratch import MAX_PRIVATE, private_bytes
from ..core.theorem import Clause, Site


def fits(more: Callable[[Site], int]) -> Clause:
    """The limit of a move that adds so many bytes of scratch memory inside of loops and branches."""

    def test(site: Site) -> Verdict:
        new, premise = more(site), "scratch memory inside of loops fits"
        if not new:
            return decided(True, premise, "")
        there = private_bytes(site.kernel.body)
        if there is None:
            return Unknown(premise, "the size of what is there already")
        return decided(there + new <= MAX_PRIVATE, premise, f"{there + new} bytes are too many")

    return Clause("fits", f"scratch memory inside of loops has at most {MAX_PRIVATE} bytes in all", test)
