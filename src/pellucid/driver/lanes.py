"""Lanes: how many values a back end computes side by side, of loops over arrays and of pictures.

Under `kernel`, `points`, `film` and `program`, which hand them to the scripts of `pipeline`.
"""

from __future__ import annotations

from ..backends.port import Backend
from .options import Options


def lanes_of(backend: Backend, options: Options) -> int:
    """The lanes of a back end's widest vector register; 1 where loops are left to a C compiler."""
    bits: int = getattr(backend, "vector_bits", 1)
    return max(1, bits // options.real.bits)


def pixel_lanes(backend: Backend, options: Options) -> int:
    """The pixels that a back end computes side by side: the lanes of one register, or of several."""
    registers: int = getattr(backend, "registers", 1)
    return lanes_of(backend, options) * registers
