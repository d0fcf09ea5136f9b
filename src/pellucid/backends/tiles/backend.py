"""The back end "tiles", as the driver makes it."""

from __future__ import annotations

from ..registry import Lent
from . import TileBackend

EVERYWHERE = True
EXACT = True


def make(lent: Lent) -> TileBackend:
    """The tile machine."""
    return TileBackend(store=lent.store, threads=lent.threads)
