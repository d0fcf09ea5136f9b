"""Shaders: the nest of a picture as text for GPUs and browsers, in GLSL ES 3.00 and in WGSL.

Beside the other back ends, with spellings of its own in the operator table. It runs nothing: what `programs` writes is
for WebGL2, Shadertoy and WebGPU. All is done in numbers of 32 bits, whose last bits a GPU may round as it likes.
"""

from __future__ import annotations

from .programs import Pixel, Shader, compute, fragment, shadertoy
from .writer import offsets, row_length

__all__ = ["Pixel", "Shader", "compute", "fragment", "offsets", "row_length", "shadertoy"]
