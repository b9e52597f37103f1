"""Sine and cosine as machine code computes them, bit for bit.

Reduction by multiples of pi/2 in three parts and a crumb (Cody and Waite), then the polynomials of fdlibm's kernels.
Valid for |x| <= LIMIT; beyond, the C library. Every `fma` is one rounding; everything else rounds by itself; the order
is part of the definition. The interpreter runs `reduced` and `polynomials` on floats; machine code and C source run
them on `Step`s, which write the same operations down. Only the choice by quadrant is written for each of the three:

    k odd: exchange sine and cosine;  bit 1 of k: negate the sine;  bit 1 of k + 1: negate the cosine

The sine of -0.0 is 0.0. `tests/scalars/test_sincos.py` measures the error against 60 digits.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final, Generic, Protocol, Self, TypeAlias, TypeVar, final

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


class Number(Protocol):
    """What the operations run on."""

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


N = TypeVar("N", bound=Number)


def sincos(x: float, fma: Fma) -> tuple[float, float]:
    """Return sine and cosine of a finite angle, |x| <= LIMIT, in radians; `fma` is a b + c with one rounding."""
    m, r, y = reduced(x, fma, _FLOATS)
    return _placed(_pattern(m), *polynomials(r, y, fma, _FLOATS))


def reduced(x: N, fma: Callable[[N, N, N], N], k: Constants[N]) -> tuple[N, N, N]:
    """Return the quadrant, in the low bits of the first number's pattern, and x less as many pi/2: r, what r lacks."""
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
    """The constants above as numbers of one kind."""

    def __init__(self, number: Callable[[float], N]) -> None:
        """Make a number of each."""
        self.two_over_pi, self.rounder = number(TWO_OVER_PI), number(ROUNDER)
        self.p1, self.p2, self.p3, self.p4 = map(number, (P1, P2, P3, P4))
        self.half, self.one = number(0.5), number(1.0)
        self.sine, self.cosine = tuple(map(number, SINE)), tuple(map(number, COSINE))


_FLOATS: Final = Constants[float](float)


@final
class Step:
    """A number that writes down what is done with it."""

    def __init__(self, name: str, write: Callable[..., str]) -> None:
        """Be called `name`; `write("add" or "sub", "mul", "neg", "fma", *names)` writes a step and names its result."""
        self.name, self._write = name, write

    def _next(self, operation: str, *others: Step) -> Step:
        return Step(self._write(operation, self.name, *(other.name for other in others)), self._write)

    def __add__(self, other: Step) -> Step:
        """Write an addition."""
        return self._next("add", other)

    def __sub__(self, other: Step) -> Step:
        """Write a subtraction."""
        return self._next("sub", other)

    def __mul__(self, other: Step) -> Step:
        """Write a multiplication."""
        return self._next("mul", other)

    def __neg__(self) -> Step:
        """Write a change of sign."""
        return self._next("neg")

    def fma(self, b: Step, c: Step) -> Step:
        """Write self b + c with one rounding."""
        return self._next("fma", b, c)


def written(x: str, write: Callable[..., str], number: Callable[[float], str]) -> tuple[str, str, str]:
    """Write the steps down: return the names of the number with the quadrant, of sine and of cosine before it.

    `write` is that of `Step`, `number` says a constant.
    """
    constants = Constants(lambda value: Step(number(value), write))
    m, r, y = reduced(Step(x, write), Step.fma, constants)
    sine, cosine = polynomials(r, y, Step.fma, constants)
    return m.name, sine.name, cosine.name


def _pattern(m: float) -> int:
    """Return the bits of a double."""
    return int(struct.unpack("<q", struct.pack("<d", m))[0])


def _placed(k: int, sine: float, cosine: float) -> tuple[float, float]:
    """Put sine and cosine of the reduced angle where quadrant `k` has them."""
    if k & 1:
        sine, cosine = cosine, sine
    return (-sine if k & 2 else sine), (-cosine if (k + 1) & 2 else cosine)
