"""Lanes: how many values a back end computes side by side, of loops over arrays and of pictures.

Under `kernel`, `points`, `film` and `program`, which hand them to the scripts of `pipeline`.
"""

from __future__ import annotations

from ..backends.port import Backend
from ..ir.expr import topological
from ..ir.nest import Kernel, all_roots
from .options import Options

MAX_NODES = 600
"""Nodes of a kernel up to which a value may take several registers. LLVM takes twice as long for them where the text is
long, and a long one has enough side by side."""
MAX_GATHERS = 8
"""Loads of a kernel up to which a value may take several registers of 512 bits. Lanes are gathered one after the other,
which takes a third longer for 32 of them than twice for 16."""
C_LANES = (4, 8, 16, 32, 64)
"""Pixels that exported C may take together. By 16 of a float each compilers make two registers of 256 bits."""
WIDE = 512
"""Bits of a register of which that holds; with 256 bits, two take two thirds of the time of one."""


def lanes_of(backend: Backend, options: Options) -> int:
    """The lanes of a back end's widest vector register; 1 where loops are left to a C compiler."""
    bits: int = getattr(backend, "vector_bits", 1)
    return max(1, bits // options.real.bits)


def pixel_lanes(backend: Backend, options: Options, kernel: Kernel) -> int:
    """The pixels that a back end computes side by side in a kernel: the lanes of one register, or of several."""
    registers: int = getattr(backend, "registers", 1)
    lanes = lanes_of(backend, options)
    if registers > 1:
        nodes = topological(all_roots(kernel.body))
        is_wide = lanes * options.real.bits >= WIDE
        if len(nodes) > MAX_NODES or (is_wide and sum(n.op == "load" for n in nodes) > MAX_GATHERS):
            registers = 1
    return lanes * registers
