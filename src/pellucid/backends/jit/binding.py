"""The binding to LLVM, imported when something is compiled or linked for the first time."""

from __future__ import annotations

from functools import cache
from typing import Any

from ...base.errors import installed


@cache
def llvm_binding() -> Any:
    """The binding to LLVM, initialized; imported when it is first needed."""
    with installed("llvmlite", "or use the back end c or numpy"):
        from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding
