"""The back end "c", as the driver makes it."""

from __future__ import annotations

from ..registry import Lent
from . import CBackend

EVERYWHERE = False
"""It wants a C compiler."""
EXACT = True


def make(lent: Lent) -> CBackend:
    """The machine's own compiler; raises BackendError if there is none."""
    return CBackend(store=lent.store, thread_pool=lent.thread_pool)
