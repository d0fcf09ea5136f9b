"""Remainders and quotients of real numbers as Python has them, as functions of LLVM, which `text` adds where needed.

The remainder of two numbers is exact: it is found by a division of whole numbers, eleven bits at a time. So no function
of the C library is called, whose name would have to be found in each process.
"""

from __future__ import annotations

FUNCTIONS = """
declare i64 @llvm.ctlz.i64(i64, i1)
declare double @llvm.floor.f64(double)
declare double @llvm.copysign.f64(double, double)

define internal i64 @whole_bits(i64 %bits, ptr %exponent) {
  %stored = lshr i64 %bits, 52
  %tiny = icmp eq i64 %stored, 0
  %zeros = call i64 @llvm.ctlz.i64(i64 %bits, i1 false)
  %by = sub i64 %zeros, 11
  %moved = shl i64 %bits, %by
  %down = sub i64 1, %by
  %low = and i64 %bits, 4503599627370495
  %all = or i64 %low, 4503599627370496
  %e = select i1 %tiny, i64 %down, i64 %stored
  %m = select i1 %tiny, i64 %moved, i64 %all
  store i64 %e, ptr %exponent
  ret i64 %m
}

define internal double @truncated_remainder(double %x, double %y) {
  %ex = alloca i64
  %ey = alloca i64
  %xb = bitcast double %x to i64
  %yb = bitcast double %y to i64
  %xa = and i64 %xb, 9223372036854775807
  %ya = and i64 %yb, 9223372036854775807
  %xn = icmp uge i64 %xa, 9218868437227405312
  %yn = icmp ugt i64 %ya, 9218868437227405312
  %odd = or i1 %xn, %yn
  br i1 %odd, label %none, label %numbers
none:
  %product = fmul double %x, %y
  %nan = fdiv double %product, %product
  ret double %nan
numbers:
  %less = icmp ult i64 %xa, %ya
  br i1 %less, label %same, label %divide
same:
  ret double %x
divide:
  %mx = call i64 @whole_bits(i64 %xa, ptr %ex)
  %my = call i64 @whole_bits(i64 %ya, ptr %ey)
  %e1 = load i64, ptr %ex
  %e2 = load i64, ptr %ey
  %first = urem i64 %mx, %my
  %apart = sub i64 %e1, %e2
  br label %test
test:
  %rest = phi i64 [%first, %divide], [%next, %turn]
  %left = phi i64 [%apart, %divide], [%fewer, %turn]
  %more = icmp sgt i64 %left, 0
  br i1 %more, label %turn, label %end
turn:
  %short = icmp ult i64 %left, 11
  %step = select i1 %short, i64 %left, i64 11
  %up = shl i64 %rest, %step
  %next = urem i64 %up, %my
  %fewer = sub i64 %left, %step
  br label %test
end:
  %sign = and i64 %xb, -9223372036854775808
  %zero = icmp eq i64 %rest, 0
  br i1 %zero, label %nothing, label %something
nothing:
  %signed_zero = bitcast i64 %sign to double
  ret double %signed_zero
something:
  %zeros = call i64 @llvm.ctlz.i64(i64 %rest, i1 false)
  %by = sub i64 %zeros, 11
  %whole = shl i64 %rest, %by
  %e = sub i64 %e2, %by
  %normal = icmp sgt i64 %e, 0
  %kept = sub i64 %whole, 4503599627370496
  %high = shl i64 %e, 52
  %usual = or i64 %kept, %high
  %drop = sub i64 1, %e
  %few = icmp ult i64 %drop, 63
  %amount = select i1 %few, i64 %drop, i64 63
  %small = lshr i64 %whole, %amount
  %magnitude = select i1 %normal, i64 %usual, i64 %small
  %made = or i64 %magnitude, %sign
  %result = bitcast i64 %made to double
  ret double %result
}

define internal i64 @real_mod(i64 %a, i64 %b) {
  %x = bitcast i64 %a to double
  %y = bitcast i64 %b to double
  %r = call double @truncated_remainder(double %x, double %y)
  %none = fcmp oeq double %r, 0.0
  %zero = call double @llvm.copysign.f64(double 0.0, double %y)
  %below = fcmp olt double %r, 0.0
  %down = fcmp olt double %y, 0.0
  %other = xor i1 %below, %down
  %sum = fadd double %r, %y
  %moved = select i1 %other, double %sum, double %r
  %found = select i1 %none, double %zero, double %moved
  %word = bitcast double %found to i64
  ret i64 %word
}

define internal i64 @real_div(i64 %a, i64 %b) {
  %x = bitcast i64 %a to double
  %y = bitcast i64 %b to double
  %r = call double @truncated_remainder(double %x, double %y)
  %rest = fsub double %x, %r
  %q = fdiv double %rest, %y
  %is_some = fcmp une double %r, 0.0
  %below = fcmp olt double %r, 0.0
  %down = fcmp olt double %y, 0.0
  %apart = xor i1 %below, %down
  %other = and i1 %is_some, %apart
  %less = fsub double %q, 1.0
  %moved = select i1 %other, double %less, double %q
  %floor = call double @llvm.floor.f64(double %moved)
  %part = fsub double %moved, %floor
  %above = fcmp ogt double %part, 0.5
  %up = fadd double %floor, 1.0
  %whole = select i1 %above, double %up, double %floor
  %none = fcmp oeq double %moved, 0.0
  %ratio = fdiv double %x, %y
  %zero = call double @llvm.copysign.f64(double 0.0, double %ratio)
  %found = select i1 %none, double %zero, double %whole
  %word = bitcast double %found to i64
  ret i64 %word
}
"""
"""`real_mod` and `real_div` of words that are the bits of numbers, the second of which is not zero."""
