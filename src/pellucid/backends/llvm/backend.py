"""The back end "llvm", as the driver makes it."""

from __future__ import annotations

from ..registry import Lent
from . import LlvmBackend

EVERYWHERE = True
EXACT = True


def make(lent: Lent) -> LlvmBackend:
    """The compiler for this processor."""
    return LlvmBackend(store=lent.store, thread_pool=lent.thread_pool, threads=lent.threads)
