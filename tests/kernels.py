"""Kernels of which only those variants are compiled that a test draws.

`pl.compile` compiles the usual variant at once, so that errors show early; a test that draws another one would compile
code that it never runs.
"""

from __future__ import annotations

from typing import Any

from pellucid.driver.kernel import Kernel, checked_source
from pellucid.driver.options import Options


def kernel_of(picture: Any, backend: str, *, numerics: str = "relaxed", precision: str = "f32") -> Kernel:
    """The kernel of a picture, each variant of which is compiled when it is first drawn."""
    return Kernel(checked_source(picture), Options(numerics, precision, backend), now=False)
