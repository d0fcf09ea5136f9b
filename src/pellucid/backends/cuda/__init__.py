"""CUDA: the LLVM text of a kernel as PTX for NVIDIA's GPUs, with a thread for each iteration of a loop on a grid.

Beside the other back ends. `target` compiles the text that the LLVM back end writes, and gives it functions that are
launched.
"""

from __future__ import annotations

from .target import BODY, compiled, complete, machine, type_name

__all__ = ["BODY", "compiled", "complete", "machine", "type_name"]
