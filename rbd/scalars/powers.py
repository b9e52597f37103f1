"""Derivatives of powers by the base, also where the base is zero."""

from __future__ import annotations

from fractions import Fraction

from rbd.scalars.functions import power
from rbd.scalars.protocol import Scalar


def derivative_of_power(x: Scalar, n: Scalar, order: int = 1) -> Scalar:
    """Return the derivative of x**n by x of this order, for constant n; the integer 0 where x**n is a constant.

    >>> derivative_of_power(0.0, 2.0), derivative_of_power(0.0, 2.0, 2), derivative_of_power(0.0, 0.0)
    (0.0, 2.0, 0)
    """
    if order == 0:
        return power(x, n)
    if isinstance(n, (int, float, Fraction)) and n == 0:
        return 0
    return n * derivative_of_power(x, n - 1, order - 1)
