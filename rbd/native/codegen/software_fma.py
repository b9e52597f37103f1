"""Fused multiply-add as LLVM IR of integer operations, for processors without one.

The product of two significands has 106 bits and two zeros behind them; it and the addend are aligned in 128 bits, as
words `hi` and `lo`. Bits that leave one of them on the right are kept as one: its last bit is set if any of them was,
and the last bit of the other is zero. Then the sum is rounded once, to nearest, ties to even.
"""

from __future__ import annotations

from typing import Final

SOFTWARE_FMA: Final = """
; significand, of 53 bits and a zero behind them, and exponent of a number that is finite and not zero
define internal {i64, i64} @significand(double %x) nounwind noinline {
  %bits = bitcast double %x to i64
  %size = and i64 %bits, 9223372036854775807
  %exponent = lshr i64 %size, 52
  %fraction = and i64 %size, 4503599627370495
  %subnormal = icmp eq i64 %exponent, 0
  %whole = or i64 %fraction, 4503599627370496
  %zeros = call i64 @llvm.ctlz.i64(i64 %fraction, i1 false)
  %lead = sub i64 %zeros, 11
  %room = and i64 %lead, 63
  %shifted = shl i64 %fraction, %room
  %bits53 = select i1 %subnormal, i64 %shifted, i64 %whole
  %m = shl i64 %bits53, 1
  %low = sub i64 -1075, %lead
  %usual = sub i64 %exponent, 1076
  %e = select i1 %subnormal, i64 %low, i64 %usual
  %first = insertvalue {i64, i64} poison, i64 %m, 0
  %both = insertvalue {i64, i64} %first, i64 %e, 1
  ret {i64, i64} %both
}

; whether a number is zero, infinite or NaN
define internal i1 @special(double %x) nounwind {
  %bits = bitcast double %x to i64
  %size = and i64 %bits, 9223372036854775807
  %less = sub i64 %size, 1
  %found = icmp uge i64 %less, 9218868437227405311
  ret i1 %found
}

define double @fma(double %x, double %y, double %z) nounwind noinline {
  %sx = call i1 @special(double %x)
  %sy = call i1 @special(double %y)
  %sxy = or i1 %sx, %sy
  br i1 %sxy, label %ordinary, label %addend

ordinary:
  %product = fmul double %x, %y
  %sum = fadd double %product, %z
  ret double %sum

addend:
  %sz = call i1 @special(double %z)
  br i1 %sz, label %alone, label %multiply

alone: ; z is zero: the product, rounded once; else z is infinite or NaN
  %none = fcmp oeq double %z, 0.0
  %only = fmul double %x, %y
  %one = select i1 %none, double %only, double %z
  ret double %one

multiply:
  %px = call {i64, i64} @significand(double %x)
  %py = call {i64, i64} @significand(double %y)
  %pz = call {i64, i64} @significand(double %z)
  %mx = extractvalue {i64, i64} %px, 0
  %ex = extractvalue {i64, i64} %px, 1
  %my = extractvalue {i64, i64} %py, 0
  %ey = extractvalue {i64, i64} %py, 1
  %mz = extractvalue {i64, i64} %pz, 0
  %ez = extractvalue {i64, i64} %pz, 1
  %xl = and i64 %mx, 4294967295
  %xh = lshr i64 %mx, 32
  %yl = and i64 %my, 4294967295
  %yh = lshr i64 %my, 32
  %ll = mul i64 %xl, %yl
  %lh = mul i64 %xl, %yh
  %hl = mul i64 %xh, %yl
  %hh = mul i64 %xh, %yh
  %mid = add i64 %lh, %hl
  %midl = shl i64 %mid, 32
  %plo = add i64 %ll, %midl
  %pc = icmp ult i64 %plo, %ll
  %pcarry = zext i1 %pc to i64
  %midh = lshr i64 %mid, 32
  %ph = add i64 %hh, %midh
  %phi = add i64 %ph, %pcarry
  %ep = add i64 %ex, %ey
  %d = sub i64 %ez, %ep
  %far = icmp sge i64 %d, 64
  br i1 %far, label %above, label %within

above: ; z is so large that the product moves to the right
  %r = sub i64 %d, 64
  %rin = icmp ult i64 %r, 64
  %r0 = icmp eq i64 %r, 0
  %rs = and i64 %r, 63
  %rn = sub i64 64, %rs
  %rl = and i64 %rn, 63
  %hleft = shl i64 %phi, %rl
  %lright = lshr i64 %plo, %rs
  %lost = shl i64 %plo, %rl
  %some = icmp ne i64 %lost, 0
  %stick = zext i1 %some to i64
  %joined = or i64 %hleft, %lright
  %kept = or i64 %joined, %stick
  %inside = select i1 %r0, i64 %plo, i64 %kept
  %alo = select i1 %rin, i64 %inside, i64 1
  %hright = lshr i64 %phi, %rs
  %ahi = select i1 %rin, i64 %hright, i64 0
  %ae = sub i64 %ez, 64
  br label %add

within:
  %down = icmp slt i64 %d, 0
  br i1 %down, label %below, label %left

left: ; z moves to the left by less than a word
  %dn = sub i64 64, %d
  %dl = and i64 %dn, 63
  %zover = lshr i64 %mz, %dl
  %d0 = icmp eq i64 %d, 0
  %lzhi = select i1 %d0, i64 0, i64 %zover
  %lzlo = shl i64 %mz, %d
  br label %add

below: ; z moves to the right
  %k = sub i64 0, %d
  %kin = icmp ult i64 %k, 64
  %ks = and i64 %k, 63
  %kn = sub i64 64, %ks
  %kl = and i64 %kn, 63
  %zright = lshr i64 %mz, %ks
  %zlost = shl i64 %mz, %kl
  %zsome = icmp ne i64 %zlost, 0
  %zstick = zext i1 %zsome to i64
  %zkept = or i64 %zright, %zstick
  %bzlo = select i1 %kin, i64 %zkept, i64 1
  br label %add

add:
  %ahi1 = phi i64 [%ahi, %above], [%phi, %left], [%phi, %below]
  %alo1 = phi i64 [%alo, %above], [%plo, %left], [%plo, %below]
  %zhi1 = phi i64 [%mz, %above], [%lzhi, %left], [0, %below]
  %zlo1 = phi i64 [0, %above], [%lzlo, %left], [%bzlo, %below]
  %e1 = phi i64 [%ae, %above], [%ep, %left], [%ep, %below]
  %bx = bitcast double %x to i64
  %by = bitcast double %y to i64
  %bz = bitcast double %z to i64
  %bxy = xor i64 %bx, %by
  %sp = and i64 %bxy, -9223372036854775808
  %sign = and i64 %bz, -9223372036854775808
  %same = icmp eq i64 %sp, %sign
  br i1 %same, label %plus, label %minus

plus:
  %slo = add i64 %alo1, %zlo1
  %sc = icmp ult i64 %slo, %alo1
  %scarry = zext i1 %sc to i64
  %sh = add i64 %ahi1, %zhi1
  %shi = add i64 %sh, %scarry
  br label %normalize

minus:
  %mlo = sub i64 %alo1, %zlo1
  %mb = icmp ult i64 %alo1, %zlo1
  %mborrow = zext i1 %mb to i64
  %mh = sub i64 %ahi1, %zhi1
  %mhi = sub i64 %mh, %mborrow
  %neg = icmp slt i64 %mhi, 0
  %nlo = sub i64 0, %mlo
  %nz = icmp eq i64 %mlo, 0
  %ncarry = zext i1 %nz to i64
  %flipped = xor i64 %mhi, -1
  %nhi = add i64 %flipped, %ncarry
  %dlo = select i1 %neg, i64 %nlo, i64 %mlo
  %dhi = select i1 %neg, i64 %nhi, i64 %mhi
  %dsign = select i1 %neg, i64 %sign, i64 %sp
  %any = or i64 %dlo, %dhi
  %zero = icmp eq i64 %any, 0
  br i1 %zero, label %nothing, label %normalize

nothing:
  ret double 0.0

normalize: ; the first 64 bits, and a last bit for all the others
  %lo2 = phi i64 [%slo, %plus], [%dlo, %minus]
  %hi2 = phi i64 [%shi, %plus], [%dhi, %minus]
  %sign2 = phi i64 [%sp, %plus], [%dsign, %minus]
  %high = icmp ne i64 %hi2, 0
  %first = select i1 %high, i64 %hi2, i64 %lo2
  %zeros = call i64 @llvm.ctlz.i64(i64 %first, i1 true)
  %up = shl i64 %first, %zeros
  %gap = sub i64 64, %zeros
  %gaps = and i64 %gap, 63
  %filled = lshr i64 %lo2, %gaps
  %wide = or i64 %up, %filled
  %tail = shl i64 %lo2, %zeros
  %tails = icmp ne i64 %tail, 0
  %ts = zext i1 %tails to i64
  %sticky = or i64 %wide, %ts
  %m2 = select i1 %high, i64 %sticky, i64 %up
  %from = select i1 %high, i64 64, i64 0
  %e2 = add i64 %e1, %from
  %e3 = sub i64 %e2, %zeros
  %top = add i64 %e3, 63
  %over = icmp sgt i64 %top, 1023
  br i1 %over, label %infinite, label %round

infinite:
  %ibits = or i64 %sign2, 9218868437227405312
  %infinity = bitcast i64 %ibits to double
  ret double %infinity

round: ; subnormal results have fewer bits
  %small = icmp slt i64 %top, -1022
  %less = sub i64 -1022, %top
  %extra = select i1 %small, i64 %less, i64 0
  %total = add i64 %extra, 11
  %gone = icmp ugt i64 %total, 64
  br i1 %gone, label %vanished, label %nearest

vanished:
  %tiny = bitcast i64 %sign2 to double
  ret double %tiny

nearest:
  %before = sub i64 %total, 1
  %part = lshr i64 %m2, %before
  %q = lshr i64 %part, 1
  %aside = sub i64 64, %total
  %rest = shl i64 %m2, %aside
  %more = icmp ugt i64 %rest, -9223372036854775808
  %tie = icmp eq i64 %rest, -9223372036854775808
  %odd = trunc i64 %q to i1
  %even = and i1 %tie, %odd
  %increase = or i1 %more, %even
  %inc = zext i1 %increase to i64
  %q1 = add i64 %q, %inc
  %biased = add i64 %top, 1022
  %place = shl i64 %biased, 52
  %exponent = select i1 %small, i64 0, i64 %place
  %value = add i64 %q1, %exponent
  %signed = or i64 %value, %sign2
  %result = bitcast i64 %signed to double
  ret double %result
}

declare i64 @llvm.ctlz.i64(i64, i1)
"""
"""The function `double @fma(double, double, double)`, which LLVM calls for its intrinsic."""
