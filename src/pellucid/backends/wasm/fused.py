"""Fused operations for WebAssembly, which has none: x * y + z rounded once by functions, or rounded twice.

Below `target`. A function takes one register, and other numbers of lanes are cut into registers or filled up. The
functions stay functions: written into each use, they take the code generator seconds.

Both are after Boldo and Melquiond, "Emulation of FMA and correctly rounded sums" (2008). A sum that is rounded to an
odd last digit tells of all digits after it, and rounding it again to two digits less gives what rounding the exact sum
does.
"""

from __future__ import annotations

import re

_CALL = re.compile(r"@llvm\.fma\.(?:v(\d+))?(f32|f64)\(")
_DECLARED = re.compile(r"^declare [^\n]*@llvm\.fma\.[^\n]*\n", re.MULTILINE)
_TYPES = {"f32": ("float", 4), "f64": ("double", 2)}
"""LLVM's name of a type, and how many of it are in a register."""

_TO_ODD = """
define internal <2 x double> @to_odd(<2 x double> %x, <2 x double> %y) alwaysinline nounwind {
  %sum = fadd <2 x double> %x, %y
  %lost = call <2 x double> @lost(<2 x double> %x, <2 x double> %y, <2 x double> %sum)
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
define internal <2 x double> @lost(<2 x double> %x, <2 x double> %y, <2 x double> %sum) alwaysinline nounwind {
  %t = fsub <2 x double> %sum, %x
  %u = fsub <2 x double> %sum, %t
  %v = fsub <2 x double> %x, %u
  %w = fsub <2 x double> %y, %t
  %rest = fadd <2 x double> %v, %w
  ret <2 x double> %rest
}
"""
"""A sum rounded to odd, and what a rounded sum has lost."""

_F32 = """
define internal <4 x float> @fused_f32(<4 x float> %x, <4 x float> %y, <4 x float> %z) noinline nounwind {
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
"""
"""The product is exact in the 53 digits of f64."""

_F64 = """
declare <2 x double> @llvm.fabs.v2f64(<2 x double>)
declare <2 x double> @llvm.copysign.v2f64(<2 x double>, <2 x double>)
declare i1 @llvm.vector.reduce.and.v2i1(<2 x i1>)
define internal <2 x double> @upper(<2 x double> %x) alwaysinline nounwind {
  %bits = bitcast <2 x double> %x to <2 x i64>
  %nearer = add <2 x i64> %bits, splat (i64 67108864)
  %cut = and <2 x i64> %nearer, splat (i64 -134217728)
  %half = bitcast <2 x i64> %cut to <2 x double>
  ret <2 x double> %half
}
define internal { <2 x double>, <2 x double> } @in_two(
    <2 x double> %x, <2 x double> %y, <2 x double> %z) alwaysinline nounwind {
  %p = fmul <2 x double> %x, %y
  %x1 = call <2 x double> @upper(<2 x double> %x)
  %y1 = call <2 x double> @upper(<2 x double> %y)
  %x0 = fsub <2 x double> %x, %x1
  %y0 = fsub <2 x double> %y, %y1
  %p11 = fmul <2 x double> %x1, %y1
  %p10 = fmul <2 x double> %x1, %y0
  %p01 = fmul <2 x double> %x0, %y1
  %p00 = fmul <2 x double> %x0, %y0
  %r1 = fsub <2 x double> %p11, %p
  %r2 = fadd <2 x double> %r1, %p10
  %r3 = fadd <2 x double> %r2, %p01
  %rest = fadd <2 x double> %r3, %p00
  %s = fadd <2 x double> %z, %rest
  %s0 = call <2 x double> @lost(<2 x double> %z, <2 x double> %rest, <2 x double> %s)
  %t = fadd <2 x double> %p, %s
  %t0 = call <2 x double> @lost(<2 x double> %p, <2 x double> %s, <2 x double> %t)
  %low = call <2 x double> @to_odd(<2 x double> %s0, <2 x double> %t0)
  %one = insertvalue { <2 x double>, <2 x double> } poison, <2 x double> %t, 0
  %two = insertvalue { <2 x double>, <2 x double> } %one, <2 x double> %low, 1
  ret { <2 x double>, <2 x double> } %two
}
define internal <2 x double> @fused_f64(<2 x double> %x, <2 x double> %y, <2 x double> %z) noinline nounwind {
  %x.size = call <2 x double> @llvm.fabs.v2f64(<2 x double> %x)
  %y.size = call <2 x double> @llvm.fabs.v2f64(<2 x double> %y)
  %z.size = call <2 x double> @llvm.fabs.v2f64(<2 x double> %z)
  %p = fmul <2 x double> %x, %y
  %p.size = call <2 x double> @llvm.fabs.v2f64(<2 x double> %p)
  %x.less = fcmp olt <2 x double> %x.size, %y.size
  %least = select <2 x i1> %x.less, <2 x double> %x.size, <2 x double> %y.size
  %most = select <2 x i1> %x.less, <2 x double> %y.size, <2 x double> %x.size
  %z.less = fcmp olt <2 x double> %z.size, %most
  %all = select <2 x i1> %z.less, <2 x double> %most, <2 x double> %z.size
  %low = fcmp olt <2 x double> %all, splat (double 0x7E70000000000000)
  %high = fcmp ogt <2 x double> %p.size, splat (double 0x03F0000000000000)
  %p.low = fcmp olt <2 x double> %p.size, splat (double 0x7E70000000000000)
  %none = fcmp oeq <2 x double> %least, zeroinitializer
  %known = or <2 x i1> %high, %none
  %bounded = and <2 x i1> %low, %p.low
  %safe = and <2 x i1> %known, %bounded
  %every = call i1 @llvm.vector.reduce.and.v2i1(<2 x i1> %safe)
  br i1 %every, label %middle, label %ends
middle:
  %two = call { <2 x double>, <2 x double> } @in_two(<2 x double> %x, <2 x double> %y, <2 x double> %z)
  %t = extractvalue { <2 x double>, <2 x double> } %two, 0
  %t0 = extractvalue { <2 x double>, <2 x double> } %two, 1
  %sum = fadd <2 x double> %t, %t0
  %plain = fadd <2 x double> %p, %z
  %zero = fcmp oeq <2 x double> %sum, zeroinitializer
  %found = select <2 x i1> %zero, <2 x double> %plain, <2 x double> %sum
  ret <2 x double> %found
ends:
  %slow = tail call <2 x double> @fused_far(<2 x double> %x, <2 x double> %y, <2 x double> %z)
  ret <2 x double> %slow
}
define internal { <2 x double>, <2 x i64> } @scaled(<2 x double> %x) alwaysinline nounwind {
  %size = call <2 x double> @llvm.fabs.v2f64(<2 x double> %x)
  %tiny = fcmp olt <2 x double> %size, splat (double 0x0010000000000000)
  %larger = fmul <2 x double> %x, splat (double 0x43F0000000000000)
  %from = select <2 x i1> %tiny, <2 x double> %larger, <2 x double> %x
  %less = select <2 x i1> %tiny, <2 x i64> splat (i64 1087), <2 x i64> splat (i64 1023)
  %bits = bitcast <2 x double> %from to <2 x i64>
  %shifted = lshr <2 x i64> %bits, splat (i64 52)
  %biased = and <2 x i64> %shifted, splat (i64 2047)
  %exponent = sub <2 x i64> %biased, %less
  %digits = and <2 x i64> %bits, splat (i64 -9218868437227405313)
  %one = or <2 x i64> %digits, splat (i64 4607182418800017408)
  %scaled = bitcast <2 x i64> %one to <2 x double>
  %first = insertvalue { <2 x double>, <2 x i64> } poison, <2 x double> %scaled, 0
  %both = insertvalue { <2 x double>, <2 x i64> } %first, <2 x i64> %exponent, 1
  ret { <2 x double>, <2 x i64> } %both
}
define internal <2 x double> @power(<2 x i64> %exponent) alwaysinline nounwind {
  %biased = add <2 x i64> %exponent, splat (i64 1023)
  %bits = shl <2 x i64> %biased, splat (i64 52)
  %power = bitcast <2 x i64> %bits to <2 x double>
  ret <2 x double> %power
}
define internal <2 x double> @fused_far(<2 x double> %x, <2 x double> %y, <2 x double> %z) noinline nounwind {
  %x.two = call { <2 x double>, <2 x i64> } @scaled(<2 x double> %x)
  %y.two = call { <2 x double>, <2 x i64> } @scaled(<2 x double> %y)
  %z.two = call { <2 x double>, <2 x i64> } @scaled(<2 x double> %z)
  %x.one = extractvalue { <2 x double>, <2 x i64> } %x.two, 0
  %y.one = extractvalue { <2 x double>, <2 x i64> } %y.two, 0
  %z.one = extractvalue { <2 x double>, <2 x i64> } %z.two, 0
  %x.exp = extractvalue { <2 x double>, <2 x i64> } %x.two, 1
  %y.exp = extractvalue { <2 x double>, <2 x i64> } %y.two, 1
  %z.exp = extractvalue { <2 x double>, <2 x i64> } %z.two, 1
  %exp = add <2 x i64> %x.exp, %y.exp
  %apart = sub <2 x i64> %z.exp, %exp
  %far = icmp sgt <2 x i64> %apart, splat (i64 110)
  %near = icmp slt <2 x i64> %apart, splat (i64 -200)
  %high = select <2 x i1> %far, <2 x i64> splat (i64 110), <2 x i64> %apart
  %inside = select <2 x i1> %near, <2 x i64> splat (i64 -200), <2 x i64> %high
  %z.power = call <2 x double> @power(<2 x i64> %inside)
  %z.scaled = fmul <2 x double> %z.one, %z.power
  %two = call { <2 x double>, <2 x double> } @in_two(<2 x double> %x.one, <2 x double> %y.one, <2 x double> %z.scaled)
  %t = extractvalue { <2 x double>, <2 x double> } %two, 0
  %t0 = extractvalue { <2 x double>, <2 x double> } %two, 1
  %sum = fadd <2 x double> %t, %t0
  %over = icmp sgt <2 x i64> %exp, zeroinitializer
  %most = select <2 x i1> %over, <2 x i64> zeroinitializer, <2 x i64> %exp
  %low.exp = sub <2 x i64> splat (i64 -1022), %most
  %normal = call <2 x double> @power(<2 x i64> %low.exp)
  %sum.size = call <2 x double> @llvm.fabs.v2f64(<2 x double> %sum)
  %short = fcmp olt <2 x double> %sum.size, %normal
  %add = call <2 x double> @llvm.copysign.v2f64(<2 x double> %normal, <2 x double> %sum)
  %raised = fadd <2 x double> %add, %t
  %raised.lost = call <2 x double> @lost(<2 x double> %add, <2 x double> %t, <2 x double> %raised)
  %rest = call <2 x double> @to_odd(<2 x double> %raised.lost, <2 x double> %t0)
  %rounded = fadd <2 x double> %raised, %rest
  %lowered = fsub <2 x double> %rounded, %add
  %few = call <2 x double> @llvm.copysign.v2f64(<2 x double> %lowered, <2 x double> %sum)
  %digits = select <2 x i1> %short, <2 x double> %few, <2 x double> %sum
  %half = ashr <2 x i64> %exp, splat (i64 1)
  %other = sub <2 x i64> %exp, %half
  %half.power = call <2 x double> @power(<2 x i64> %half)
  %other.power = call <2 x double> @power(<2 x i64> %other)
  %half.way = fmul <2 x double> %digits, %half.power
  %whole = fmul <2 x double> %half.way, %other.power
  %p = fmul <2 x double> %x, %y
  %plain = fadd <2 x double> %p, %z
  %z.ended = call <2 x double> @llvm.fabs.v2f64(<2 x double> %z)
  %z.finite = fcmp olt <2 x double> %z.ended, splat (double 0x7FF0000000000000)
  %z.none = fcmp oeq <2 x double> %z, zeroinitializer
  %z.only = select <2 x i1> %z.finite, <2 x i1> %far, <2 x i1> splat (i1 true)
  %with.z = select <2 x i1> %z.only, <2 x double> %z, <2 x double> %whole
  %without = select <2 x i1> %z.none, <2 x double> %p, <2 x double> %with.z
  %x.ended = call <2 x double> @llvm.fabs.v2f64(<2 x double> %x)
  %y.ended = call <2 x double> @llvm.fabs.v2f64(<2 x double> %y)
  %x.more = fcmp one <2 x double> %x, zeroinitializer
  %y.more = fcmp one <2 x double> %y, zeroinitializer
  %x.finite = fcmp olt <2 x double> %x.ended, splat (double 0x7FF0000000000000)
  %y.finite = fcmp olt <2 x double> %y.ended, splat (double 0x7FF0000000000000)
  %x.usual = and <2 x i1> %x.more, %x.finite
  %y.usual = and <2 x i1> %y.more, %y.finite
  %usual = and <2 x i1> %x.usual, %y.usual
  %found = select <2 x i1> %usual, <2 x double> %without, <2 x double> %plain
  ret <2 x double> %found
}
"""
"""The product is a rounded one and its rest, by halves of 26 digits, which is exact while no exponent comes to its end.

Near the ends of the exponents, and for what is no number, `fused_far` computes with factors of 1 to 2. A z that is too
large for the product to count is the result, and one that is too small counts by its sign. What has to end earlier than
after 53 digits, because it is subnormal, is rounded there in the same sum, by adding the least normal number."""


def fused(text: str, *, exact: bool) -> str:
    """LLVM text with functions for its fused operations: rounded once, bit for bit, or as two operations.

    >>> print(fused("%s = call float @llvm.fma.f32(float %x, float %y, float %z)", exact=False))
    %s = call float @fused.1.f32(float %x, float %y, float %z)
    define internal float @fused.1.f32(float %x, float %y, float %z) alwaysinline nounwind {
      %product = fmul float %x, %y
      %sum = fadd float %product, %z
      ret float %sum
    }
    """
    forms = {(kind, int(lanes or 1)) for lanes, kind in _CALL.findall(text)}
    text = _CALL.sub(lambda found: f"@fused.{found[1] or 1}.{found[2]}(", _DECLARED.sub("", text))
    write = _in_registers if exact else _in_two
    lines = [text, *(write(*form) for form in sorted(forms))]
    kinds = {kind for kind, _ in forms} if exact else set[str]()
    if kinds:
        lines.append(_TO_ODD)
    lines += [_ONCE[kind] for kind in sorted(kinds)]
    return "\n".join(lines)


def _head(kind: str, lanes: int) -> tuple[str, str]:
    """The type of numbers, and the head of the function for so many."""
    word = _TYPES[kind][0]
    type_ = word if lanes == 1 else f"<{lanes} x {word}>"
    given = ", ".join(f"{type_} %{name}" for name in "xyz")
    return type_, f"define internal {type_} @fused.{lanes}.{kind}({given}) alwaysinline nounwind {{"


def _in_two(kind: str, lanes: int) -> str:
    type_, head = _head(kind, lanes)
    body = f"  %product = fmul {type_} %x, %y\n  %sum = fadd {type_} %product, %z\n  ret {type_} %sum"
    return f"{head}\n{body}\n}}"


def _in_registers(kind: str, lanes: int) -> str:
    """The function for any number of lanes, by those for a register, which LLVM cuts and joins by itself."""
    word, size = _TYPES[kind]
    type_, head = _head(kind, lanes)
    register = f"<{size} x {word}>"
    lines = [head]
    found = "poison"
    for at in range(0, lanes, size):
        here = range(at, min(at + size, lanes))
        for n in "xyz":
            filled = "zeroinitializer"
            for k in here:
                one = f"%{n}"
                if lanes > 1:
                    one = f"%{n}{k}"
                    lines.append(f"  {one} = extractelement {type_} %{n}, i32 {k}")
                lines.append(f"  %{n}{k}.in = insertelement {register} {filled}, {word} {one}, i32 {k - at}")
                filled = f"%{n}{k}.in"
        given = ", ".join(f"{register} %{n}{here[-1]}.in" for n in "xyz")
        lines.append(f"  %r{at} = call {register} @fused_{kind}({given})")
        for k in here:
            lines.append(f"  %s{k} = extractelement {register} %r{at}, i32 {k - at}")
            if lanes > 1:
                lines.append(f"  %s{k}.in = insertelement {type_} {found}, {word} %s{k}, i32 {k}")
                found = f"%s{k}.in"
    return "\n".join([*lines, f"  ret {type_} {'%s0' if lanes == 1 else found}", "}"])


_ONCE = {"f32": _F32, "f64": _F64}
"""The functions that round once, by the type of their numbers."""
