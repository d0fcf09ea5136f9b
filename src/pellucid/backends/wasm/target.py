"""LLVM text compiled for WebAssembly, which has no fused operation: it is computed as a function, or as two operations.

Below the package. Text comes from the LLVM back end, written for `machine`.
"""

from __future__ import annotations

import re
from functools import cache

from ..jit.engine import Machine, foreign

LANES = 4
"""Numbers of 32 bits in a vector."""
ENTRY = "draw"
"""The name of the function of a kernel, the only one that a module exports."""
TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+simd128,+bulk-memory,+nontrapping-fptoint,+sign-ext"
"""What every browser since 2023 has."""
_POINTERS = re.compile(r"(load ptr, ptr [^,\n]+), align 8")
"""How the address of a buffer is read: pointers have 4 bytes here."""

_EXACT = """
define internal <2 x double> @to_odd(<2 x double> %product, <2 x double> %z) alwaysinline nounwind {
  %sum = fadd <2 x double> %product, %z
  %t = fsub <2 x double> %sum, %product
  %u = fsub <2 x double> %sum, %t
  %v = fsub <2 x double> %product, %u
  %w = fsub <2 x double> %z, %t
  %lost = fadd <2 x double> %v, %w
  %bits = bitcast <2 x double> %sum to <2 x i64>
  %last = and <2 x i64> %bits, splat (i64 1)
  %even = icmp eq <2 x i64> %last, zeroinitializer
  %zero = fsub <2 x double> %sum, %sum
  %finite = fcmp ord <2 x double> %zero, zeroinitializer
  %inexact = fcmp one <2 x double> %lost, zeroinitializer
  %both = and <2 x i1> %even, %inexact
  %moves = and <2 x i1> %both, %finite
  %up = fcmp ogt <2 x double> %lost, zeroinitializer
  %positive = fcmp ogt <2 x double> %sum, zeroinitializer
  %toward = xor <2 x i1> %up, %positive
  %step = select <2 x i1> %toward, <2 x i64> splat (i64 -1), <2 x i64> splat (i64 1)
  %by = select <2 x i1> %moves, <2 x i64> %step, <2 x i64> zeroinitializer
  %moved = add <2 x i64> %bits, %by
  %odd = bitcast <2 x i64> %moved to <2 x double>
  ret <2 x double> %odd
}
define internal <4 x float> @fused4(<4 x float> %x, <4 x float> %y, <4 x float> %z) noinline nounwind {
  %x2 = fpext <4 x float> %x to <4 x double>
  %y2 = fpext <4 x float> %y to <4 x double>
  %z2 = fpext <4 x float> %z to <4 x double>
  %product = fmul <4 x double> %x2, %y2
  %p0 = shufflevector <4 x double> %product, <4 x double> poison, <2 x i32> <i32 0, i32 1>
  %p1 = shufflevector <4 x double> %product, <4 x double> poison, <2 x i32> <i32 2, i32 3>
  %z0 = shufflevector <4 x double> %z2, <4 x double> poison, <2 x i32> <i32 0, i32 1>
  %z1 = shufflevector <4 x double> %z2, <4 x double> poison, <2 x i32> <i32 2, i32 3>
  %s0 = call <2 x double> @to_odd(<2 x double> %p0, <2 x double> %z0)
  %s1 = call <2 x double> @to_odd(<2 x double> %p1, <2 x double> %z1)
  %both = shufflevector <2 x double> %s0, <2 x double> %s1, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %sum = fptrunc <4 x double> %both to <4 x float>
  ret <4 x float> %sum
}
define internal float @fused1(float %x, float %y, float %z) noinline nounwind {
  %x4 = insertelement <4 x float> zeroinitializer, float %x, i32 0
  %y4 = insertelement <4 x float> zeroinitializer, float %y, i32 0
  %z4 = insertelement <4 x float> zeroinitializer, float %z, i32 0
  %four = call <4 x float> @fused4(<4 x float> %x4, <4 x float> %y4, <4 x float> %z4)
  %sum = extractelement <4 x float> %four, i32 0
  ret float %sum
}
"""
"""x * y + z rounded once, bit for bit. The product is exact in 53 digits, and the sum is rounded to an odd last digit,
after which rounding to 24 digits gives what rounding the exact sum does (Boldo and Melquiond, 2008). The functions stay
functions: written into each use, they take the code generator seconds."""
_IN_TWO = """
define internal <4 x float> @fused4(<4 x float> %x, <4 x float> %y, <4 x float> %z) alwaysinline nounwind {
  %product = fmul <4 x float> %x, %y
  %sum = fadd <4 x float> %product, %z
  ret <4 x float> %sum
}
define internal float @fused1(float %x, float %y, float %z) alwaysinline nounwind {
  %product = fmul float %x, %y
  %sum = fadd float %product, %z
  ret float %sum
}
"""
"""The same rounded twice, as fast as it can be."""


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
    text = text.replace("@llvm.fma.v4f32(", "@fused4(").replace("@llvm.fma.f32(", "@fused1(")
    return made.whole(f"{head}{text}{_EXACT if exact else _IN_TWO}")
