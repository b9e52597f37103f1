"""Sine and cosine, bitwise equal in the interpreter, in machine code and in C source.

Argument reduction by multiples of pi/2 in three parts and a remainder (Cody and Waite), then polynomials.
Valid for |x| <= LIMIT; larger angles use the C library. Every `fma` and every other operation rounds once; their order
is part of the definition. The interpreter runs `reduce_angle` and `polynomials` on floats; machine code and C source
run them on `EmittedOperand`s, which emit the same operations. Only the selection by quadrant is written for each of the
three:

    k odd: exchange sine and cosine;  bit 1 of k: negate the sine;  bit 1 of k + 1: negate the cosine

The sine of -0.0 is 0.0. `tests/native/codegen/test_sincos.py` measures the error against 60 digits.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final, Generic, Protocol, Self, TypeAlias, TypeVar, final

import attrs

Fma: TypeAlias = Callable[[float, float, float], float]

LIMIT: Final = 1.5e6
"""The largest angle in radians for the reduction in three parts."""


@final
@attrs.frozen
class Reduction:
    """The numbers of the reduction and of the polynomials in one floating-point format."""

    limit: float
    """The largest angle."""
    rounder: float
    """1.5 times 2^52 for doubles: adding it rounds to an integer, which is in the low bits of the sum."""
    two_over_pi: float
    parts: tuple[float, float, float, float]
    """pi/2 as a sum. For doubles, the last matters only next to some multiples of pi/2, such as the 204551st."""
    sine: tuple[float, ...]
    """S: (sin(r) - r) / r^3 as a polynomial in r^2, lowest power first."""
    cosine: tuple[float, ...]
    """C: (cos(r) - 1 + r^2 / 2) / r^4 as a polynomial in r^2, lowest power first."""


DOUBLE: Final = Reduction(
    LIMIT,
    6755399441055744.0,
    0.6366197723675814,
    (1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624879595063154e-21, 1.0085854035872483e-37),
    (
        -1.66666666666666324348e-01,
        8.33333333332248946124e-03,
        -1.98412698298579493134e-04,
        2.75573137070700676789e-06,
        -2.50507602534068634195e-08,
        1.58969099521155010221e-10,
    ),
    (
        4.16666666666666019037e-02,
        -1.38888888888741095749e-03,
        2.48015872894767294178e-05,
        -2.75573143513906633035e-07,
        2.08757232129817482790e-09,
        -1.13596475577881948265e-11,
    ),
)
"""For doubles: the polynomials of fdlibm."""

SINGLE: Final = Reduction(
    1e4,
    12582912.0,
    0.6366197466850281,
    (1.5707963705062866, -4.371395334601402e-08, 2.5633440682570896e-12, 8.333743212599745e-20),
    (-0.16666655242443085, 0.008332154713571072, -0.00019514084851834923),
    (0.04166664555668831, -0.0013887337408959866, 2.4434846636722796e-05),
)
"""For single precision: polynomials of the smallest maximum error (Remez), with coefficients rounded.

The second part of pi/2 has 11 bits, so that its product with a quadrant, of up to 13 bits, is exact.
"""


class RingOperand(Protocol):
    """Protocol of the operands."""

    def __add__(self, other: Self, /) -> Self:
        """Add."""
        ...

    def __sub__(self, other: Self, /) -> Self:
        """Subtract."""
        ...

    def __mul__(self, other: Self, /) -> Self:
        """Multiply."""
        ...

    def __neg__(self) -> Self:
        """Negate."""
        ...


N = TypeVar("N", bound=RingOperand)


def sincos(x: float, fma: Fma) -> tuple[float, float]:
    """Return sine and cosine of a finite angle, |x| <= LIMIT, in radians; `fma` is a b + c with one rounding."""
    m, r, y = reduce_angle(x, fma, _FLOATS)
    return _select_quadrant(_bits(m), *polynomials(r, y, fma, _FLOATS))


def reduce_angle(x: N, fma: Callable[[N, N, N], N], k: Constants[N]) -> tuple[N, N, N]:
    """Return the quadrant, in the low bits of the first number, and the reduced angle as r and its correction."""
    m = fma(x, k.two_over_pi, k.rounder)
    n = -(m - k.rounder)
    r1 = fma(n, k.p1, x)
    r2 = fma(n, k.p2, r1)
    p = n * k.p3
    r = r2 + p
    lost = ((r2 - r) + p) + fma(n, k.p4, fma(n, k.p3, -p))
    return m, r, fma(n, k.p2, r1 - r2) + lost


def polynomials(r: N, y: N, fma: Callable[[N, N, N], N], k: Constants[N]) -> tuple[N, N]:
    """Return sine and cosine of r + y for |r| up to pi/4."""
    z = r * r
    sine = r + fma(z * r, _horner(k.sine, z, fma), y)
    h = z * k.half
    w = k.one - h
    return sine, w + fma(z * z, _horner(k.cosine, z, fma), fma(-r, y, (k.one - w) - h))


def _horner(coefficients: tuple[N, ...], z: N, fma: Callable[[N, N, N], N]) -> N:
    value = coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        value = fma(z, value, coefficient)
    return value


@final
class Constants(Generic[N]):
    """The constants as operands of one type."""

    def __init__(self, number: Callable[[float], N], reduction: Reduction = DOUBLE) -> None:
        """Convert all constants."""
        self.two_over_pi, self.rounder = number(reduction.two_over_pi), number(reduction.rounder)
        self.p1, self.p2, self.p3, self.p4 = map(number, reduction.parts)
        self.half, self.one = number(0.5), number(1.0)
        self.sine, self.cosine = tuple(map(number, reduction.sine)), tuple(map(number, reduction.cosine))


_FLOATS: Final = Constants[float](float)


@final
class EmittedOperand:
    """An operand that emits operations."""

    def __init__(self, name: str, emit: Callable[..., str]) -> None:
        """Set the name; `emit("add" or "sub", "mul", "neg", "fma", *names)` emits a step and returns its name."""
        self.name, self._emit = name, emit

    def _next(self, operation: str, *others: EmittedOperand) -> EmittedOperand:
        return EmittedOperand(self._emit(operation, self.name, *(other.name for other in others)), self._emit)

    def __add__(self, other: EmittedOperand) -> EmittedOperand:
        """Emit an addition."""
        return self._next("add", other)

    def __sub__(self, other: EmittedOperand) -> EmittedOperand:
        """Emit a subtraction."""
        return self._next("sub", other)

    def __mul__(self, other: EmittedOperand) -> EmittedOperand:
        """Emit a multiplication."""
        return self._next("mul", other)

    def __neg__(self) -> EmittedOperand:
        """Emit a negation."""
        return self._next("neg")

    def fma(self, b: EmittedOperand, c: EmittedOperand) -> EmittedOperand:
        """Emit self b + c with one rounding."""
        return self._next("fma", b, c)


def emit_sincos(
    x: str, emit: Callable[..., str], number: Callable[[float], str], reduction: Reduction = DOUBLE
) -> tuple[str, str, str]:
    """Emit the steps; return the names of the quadrant, and of sine and cosine before the selection by quadrant.

    `emit` is that of `EmittedOperand`; `number` returns the name of a constant.
    """
    constants = Constants(lambda value: EmittedOperand(number(value), emit), reduction)
    m, r, y = reduce_angle(EmittedOperand(x, emit), EmittedOperand.fma, constants)
    sine, cosine = polynomials(r, y, EmittedOperand.fma, constants)
    return m.name, sine.name, cosine.name


def _bits(m: float) -> int:
    """Return the bit pattern of a double."""
    return int(struct.unpack("<q", struct.pack("<d", m))[0])


def _select_quadrant(k: int, sine: float, cosine: float) -> tuple[float, float]:
    """Return sine and cosine from those of the reduced angle in quadrant `k`."""
    if k & 1:
        sine, cosine = cosine, sine
    return (-sine if k & 2 else sine), (-cosine if (k + 1) & 2 else cosine)
