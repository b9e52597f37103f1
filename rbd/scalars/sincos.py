"""Sine and cosine as machine code computes them, bit for bit. May import: nothing of rbd.

One sequence of operations, written here in Python and in `rbd.native` as LLVM IR: reduction by multiples of pi/2 in
three parts and a crumb (Cody and Waite), then the polynomials of fdlibm's kernels. Valid for |x| <= LIMIT; beyond, the
C library. Every `fma` below is one rounding; everything else rounds by itself; the order is part of the definition:

    m = fma(x, TWO_OVER_PI, ROUNDER)        the quadrant k, in the low bits of m's pattern
    k = m - ROUNDER;  n = -k
    r1 = fma(n, P1, x);  r2 = fma(n, P2, r1);  p = n P3;  r = r2 + p         x - k pi/2 ...
    lost = ((r2 - r) + p) + fma(n, P4, fma(n, P3, -p))
    y = fma(n, P2, r1 - r2) + lost                                            ... and what r lacks of it
    z = r r
    s = S[5];  s = fma(z, s, S[4]) ... fma(z, s, S[0])
    sine = r + fma(z r, s, y)
    c = C[5];  c = fma(z, c, C[4]) ... fma(z, c, C[0])
    h = z / 2;  w = 1 - h
    cosine = w + fma(z z, c, fma(-r, y, (1 - w) - h))
    k odd: exchange sine and cosine;  bit 1 of k: negate the sine;  bit 1 of k + 1: negate the cosine

The sine of -0.0 is 0.0. `tests/scalars/test_sincos.py` measures the error against 60 digits.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final, TypeAlias

Fma: TypeAlias = Callable[[float, float, float], float]

LIMIT: Final = 1.5e6
"""The largest angle, in radians, the reduction in three parts serves."""

TWO_OVER_PI: Final = 0.6366197723675814
ROUNDER: Final = 6755399441055744.0
"""1.5 times 2^52: adding it rounds to an integer, which stands in the low bits of the sum's pattern."""

P1: Final = 1.57079632673412561417e00
P2: Final = 6.07710050630396597660e-11
P3: Final = 2.02226624879595063154e-21
P4: Final = 1.0085854035872483e-37
"""P1 + P2 + P3 + P4 is pi/2. P4 counts only for the doubles next to some multiples of pi/2, such as the 204551st."""

SINE: Final = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
"""S: (sin(r) - r) / r^3 as a polynomial in r^2, lowest power first."""

COSINE: Final = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)
"""C: (cos(r) - 1 + r^2 / 2) / r^4 as a polynomial in r^2, lowest power first."""


def sincos(x: float, fma: Fma) -> tuple[float, float]:
    """Return sine and cosine of a finite angle, |x| <= LIMIT, in radians; `fma` is a b + c with one rounding."""
    m = fma(x, TWO_OVER_PI, ROUNDER)
    n = -(m - ROUNDER)
    r1 = fma(n, P1, x)
    r2 = fma(n, P2, r1)
    p = n * P3
    r = r2 + p
    lost = ((r2 - r) + p) + fma(n, P4, fma(n, P3, -p))
    y = fma(n, P2, r1 - r2) + lost
    return _placed(_pattern(m), _sine(r, y, fma), _cosine(r, y, fma))


def _sine(r: float, y: float, fma: Fma) -> float:
    """Return the sine of r + y for |r| up to pi/4."""
    z = r * r
    return r + fma(z * r, _horner(SINE, z, fma), y)


def _cosine(r: float, y: float, fma: Fma) -> float:
    """Return the cosine of r + y for |r| up to pi/4."""
    z = r * r
    h = 0.5 * z
    w = 1.0 - h
    return w + fma(z * z, _horner(COSINE, z, fma), fma(-r, y, (1.0 - w) - h))


def _horner(coefficients: tuple[float, ...], z: float, fma: Fma) -> float:
    value = coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        value = fma(z, value, coefficient)
    return value


def _pattern(m: float) -> int:
    """Return the bits of a double."""
    return int(struct.unpack("<q", struct.pack("<d", m))[0])


def _placed(k: int, sine: float, cosine: float) -> tuple[float, float]:
    """Put sine and cosine of the reduced angle where quadrant `k` has them."""
    if k & 1:
        sine, cosine = cosine, sine
    return (-sine if k & 2 else sine), (-cosine if (k + 1) & 2 else cosine)
