"""Stumpff functions c0 ... c5, and the coefficients of SO(3) and SE(3) formulas.

All are accurate from zero on, with accurate derivatives: functions of squared angles need no square root of zero.

The Stumpff functions are c_k(z) = sum over j of (-z)^j / (2 j + k)!, with z = theta^2:

    c0 = cos theta    c1 = sin theta / theta    c2 = (1 - cos theta) / theta^2    c3 = (theta - sin theta) / theta^3 ...

They satisfy c_k = 1/k! - z c_(k+2) and 2 c_k' = k c_(k+2) - c_(k+1) (Battin, 1999, chapter 4). Every coefficient of
SO(3) and SE(3), its inverse and its derivative is a combination of them in which nothing cancels, at z and at z / 4.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple, final

from rbd.scalars import Scalar, const, cos, less, sin, sqrt, to_float, where

_TERMS = 10  # for z < 1 the first one left out is below 1e-20

_HALF: Scalar = const(1, 2)
_THIRD: Scalar = const(1, 3)
_QUARTER: Scalar = const(1, 4)
_SIXTH: Scalar = const(1, 6)


class Stumpff(NamedTuple):
    """The values c0 ... c5 at one z."""

    c0: Scalar
    c1: Scalar
    c2: Scalar
    c3: Scalar
    c4: Scalar
    c5: Scalar


_new: Callable[[type[Stumpff], tuple[Scalar, ...]], Stumpff] = getattr(tuple, "__new__")  # noqa: B009 - its type is not known


@final
class Series:
    """Ten coefficients of a polynomial: exact, and rounded to floats for floats, which saves time and no bit."""

    __slots__ = ("exact", "rounded")

    def __init__(self, coefficients: Iterable[Scalar]) -> None:
        """Set the coefficients, from the constant one."""
        self.exact = tuple(coefficients)
        self.rounded = tuple(map(to_float, self.exact))


def polynomial(series: Series, x: Scalar) -> Scalar:
    """Return coefficients[0] + coefficients[1] x + ... by Horner's rule."""
    a, b, c, d, e, f, g, h, i, j = series.rounded if type(x) is float else series.exact
    return a + x * (b + x * (c + x * (d + x * (e + x * (f + x * (g + x * (h + x * (i + x * j))))))))


_C4 = Series(const((-1) ** j, math.factorial(2 * j + 4)) for j in range(_TERMS))
_C5 = Series(const((-1) ** j, math.factorial(2 * j + 5)) for j in range(_TERMS))


def stumpff(z: Scalar) -> Stumpff:
    """Return c0 ... c5 at z >= 0: by series below one, by sine and cosine above."""
    if type(z) is float:
        return _by_series(z) if z < 1 else _by_sine(z)
    small = less(z, 1)
    near, far = _by_series(where(small, z, 0)), _by_sine(where(small, 1, z))
    return Stumpff(*(where(small, a, b) for a, b in zip(near, far, strict=True)))


def _by_series(z: Scalar) -> Stumpff:
    c4, c5 = polynomial(_C4, z), polynomial(_C5, z)
    c2, c3 = _HALF - z * c4, _SIXTH - z * c5
    return _new(Stumpff, (1 - z * c2, 1 - z * c3, c2, c3, c4, c5))


def _by_sine(z: Scalar) -> Stumpff:
    theta = sqrt(z)
    c1 = sin(theta) / theta
    half_sine = sin(_HALF * theta)
    c2 = 2 * half_sine * half_sine / z
    c3 = (1 - c1) / z
    return _new(Stumpff, (cos(theta), c1, c2, c3, (_HALF - c2) / z, (_SIXTH - c3) / z))


def inverse_jacobian_coefficient(z: Scalar) -> Scalar:
    """Return g = (1 - (theta/2) cot(theta/2)) / theta^2, of inverse Jacobians; singular at one revolution."""
    h = stumpff(_QUARTER * z)
    return _QUARTER * (h.c2 - h.c3) / h.c1


def log_rate_coefficients(z: Scalar) -> tuple[Scalar, Scalar]:
    """Return the factors of ad^2 and ad^4 in the derivative of the logarithm of a pose (Bullo and Murray, 1995).

    With alpha = (theta/2) cot(theta/2) and beta = (theta/2)^2 / sin^2(theta/2) they are
    A = (2 (1 - alpha) + (alpha - beta) / 2) / theta^2 and B = ((1 - alpha) + (alpha - beta) / 2) / theta^4,
    rewritten so that nothing cancels.
    """
    full, h = stumpff(z), stumpff(_QUARTER * z)
    square = h.c1 * h.c1
    a = (h.c2 - h.c3) / (2 * h.c1) - full.c3 / (2 * square)
    b = (8 * full.c5 - h.c1 * (h.c4 - h.c5) - _THIRD * h.c3) / (16 * square)
    return a, b
