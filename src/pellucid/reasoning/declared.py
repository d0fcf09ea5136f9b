"""What the caller of a kernel declares of its memory: the premises that no look at the kernel can decide.

They are decided once, here, for all proofs; a back end checks them whenever a kernel is called, and the ledger shows
them beside the side conditions of the steps that count on them.
"""

from __future__ import annotations

from .prove import Premise, Proved


def _declared(words: str, name: str) -> Premise:
    return Premise(words, lambda: Proved(words), name)


DISTINCT = _declared("different names are different memory, which is checked at each call", "distinct-memory")
"""May-alias: what a kernel stores to overlaps with nothing else that it is given."""
LARGE_ENOUGH = _declared(
    "arrays have the elements they declare, which is checked at each call", "declared-sizes"
)
"""An array has at least as many elements as its buffer says; it may have more."""
