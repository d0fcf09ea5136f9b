"""WebAssembly: the LLVM text of a kernel as a module for browsers and Node, with vectors of 128 bits and no imports.

Beside the other back ends. It runs nothing here: `target` compiles the text that the driver has from the LLVM back end,
and `module` completes the object to a module, with its memory, its tables and bitmaps in it.
"""

from __future__ import annotations

from .module import ModuleAddresses, closed, completed, written
from .target import ENTRY, LANES, compiled, machine

__all__ = ["ENTRY", "LANES", "ModuleAddresses", "closed", "compiled", "completed", "machine", "written"]
