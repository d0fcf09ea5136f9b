"""The back end "numpy", as the driver makes it."""

from __future__ import annotations

from ..registry import Lent
from . import NumpyBackend

EVERYWHERE = True
EXACT = True


def make(lent: Lent) -> NumpyBackend:
    """The interpreter, whose bands the driver's threads run."""
    return NumpyBackend(thread_pool=lent.thread_pool)
