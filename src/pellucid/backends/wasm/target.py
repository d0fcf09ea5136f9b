"""LLVM text compiled for WebAssembly.

Below the package. Text comes from the LLVM back end, written for `machine`; what it fuses is taken apart by `fused`.
"""

from __future__ import annotations

import re
from functools import cache

from ..jit.engine import Machine, foreign
from .constants import from_memory
from .fused import fused

LANES = 4
"""Numbers of 32 bits in a vector."""
ENTRY = "draw"
"""The name of the function of a kernel, the only one that a module exports."""
TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+simd128,+bulk-memory,+nontrapping-fptoint,+sign-ext"
"""What every browser since 2023 has."""
_POINTERS = re.compile(r"(load ptr, ptr [^,\n]+), align 8")
"""How the address of a buffer is read: pointers have 4 bytes here."""


@cache
def machine() -> Machine:
    """The machine that is every browser's.

    Raises BackendError if LLVM was built without WebAssembly.
    """
    return foreign(TRIPLE, "generic", FEATURES, place="wasm")


def compiled(text: str, *, exact: bool) -> bytes:
    """The object of a kernel's text, whose function comes first; products and sums are fused as `exact` demands.

    Raises BackendError if LLVM does not accept the text.
    """
    made = machine()
    head = f'target triple = "{TRIPLE}"\ntarget datalayout = "{made.target.target_data}"\n'
    text = _POINTERS.sub(r"\1, align 4", text)
    return made.whole(head + fused(from_memory(text), exact=exact))
