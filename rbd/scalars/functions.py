"""Functions of scalars, for every scalar family; comparisons and selection are in conditions.py.

Floats follow IEEE 754 (NaN and infinities, no exceptions). For operands of two families, the one with the higher
priority computes, and the other operand is converted to it exactly. Only plain numbers are branched on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, cast

import numpy as np

from rbd.scalars.constants import Rational
from rbd.scalars.families import real
from rbd.scalars.families.constant import INTEGERS
from rbd.scalars.family import not_positive
from rbd.scalars.protocol import Scalar
from rbd.scalars.registry import coerce_pair, dominant_family, family_of, python_number

_PLAIN: Final = cast("tuple[type[object], ...]", (float, *INTEGERS, np.floating, Rational))


def sin(x: Scalar) -> Scalar:
    """Return the sine.

    >>> sin(0.5)
    0.479425538604203
    """
    return real.sin(x) if type(x) is float else family_of(x).sin(x)


def cos(x: Scalar) -> Scalar:
    """Return the cosine.

    >>> from fractions import Fraction
    >>> cos(Fraction(0))
    Fraction(1, 1)
    """
    return real.cos(x) if type(x) is float else family_of(x).cos(x)


def tan(x: Scalar) -> Scalar:
    """Return the tangent.

    >>> tan(0.0)
    0.0
    """
    return real.tan(x) if type(x) is float else family_of(x).tan(x)


def asin(x: Scalar) -> Scalar:
    """Return the arc sine; NaN for floats outside [-1, 1].

    >>> round(asin(0.5), 6)
    0.523599
    """
    return real.asin(x) if type(x) is float else family_of(x).asin(x)


def acos(x: Scalar) -> Scalar:
    """Return the arc cosine; NaN for floats outside [-1, 1].

    >>> acos(1.0)
    0.0
    """
    return real.acos(x) if type(x) is float else family_of(x).acos(x)


def atan2(y: Scalar, x: Scalar) -> Scalar:
    """Return the angle of the point (x, y), in [-pi, pi]; y is the first argument.

    >>> atan2(0.0, 1.0), round(atan2(1.0, 0.0), 6)
    (0.0, 1.570796)
    """
    if type(y) is float and type(x) is float:
        return math.atan2(y, x)
    family, y, x = coerce_pair(y, x)
    return family.atan2(y, x)


def sqrt(x: Scalar) -> Scalar:
    """Return the square root; NaN for floats below zero, exact for perfect squares of exact numbers.

    >>> from fractions import Fraction
    >>> sqrt(-1.0), sqrt(Fraction(9, 4))
    (nan, Fraction(3, 2))
    """
    return real.sqrt(x) if type(x) is float else family_of(x).sqrt(x)


def exp(x: Scalar) -> Scalar:
    """Return the exponential; infinity for floats on overflow.

    >>> exp(0.0)
    1.0
    """
    return real.exp(x) if type(x) is float else family_of(x).exp(x)


def log(x: Scalar) -> Scalar:
    """Return the natural logarithm; minus infinity for a float zero, NaN below.

    >>> log(1.0)
    0.0
    """
    return real.log(x) if type(x) is float else family_of(x).log(x)


def tanh(x: Scalar) -> Scalar:
    """Return the hyperbolic tangent.

    >>> round(tanh(0.5), 6)
    0.462117
    """
    return math.tanh(x) if type(x) is float else family_of(x).tanh(x)


def power(x: Scalar, n: Scalar) -> Scalar:
    """Return x to the power n; C's `pow` for floats, exact for integer powers of exact numbers.

    >>> from rbd.scalars import const
    >>> power(const(2, 3), 2)
    const(4, 9)
    """
    if type(x) is float and type(n) is float:
        return real.power(x, n)
    family, x, n = coerce_pair(x, n)
    return family.power(x, n)


def divide(a: Scalar, b: Scalar) -> Scalar:
    """Return a / b with IEEE semantics: infinity or NaN where Python's operator raises.

    >>> divide(1.0, 0.0), divide(0.0, 0.0)
    (inf, nan)
    """
    if type(a) is float and type(b) is float:
        return real.divide(a, b)
    family, a, b = coerce_pair(a, b)
    return family.divide(a, b)


def absolute(x: Scalar) -> Scalar:
    """Return the absolute value; for complex numbers x or -x, by the sign of the real part.

    >>> absolute(-2.5)
    2.5
    """
    return math.fabs(x) if type(x) is float else family_of(x).absolute(x)


def minimum(a: Scalar, b: Scalar) -> Scalar:
    """Return the smaller (by real part if complex); NaN when either float is NaN.

    >>> minimum(1.0, 2.0)
    1.0
    """
    if type(a) is float and type(b) is float:
        return real.minimum(a, b)
    family, a, b = coerce_pair(a, b)
    return family.minimum(a, b)


def maximum(a: Scalar, b: Scalar) -> Scalar:
    """Return the larger (by real part if complex); NaN when either float is NaN.

    >>> from rbd.scalars import const
    >>> maximum(1.0, const(5, 2))
    2.5
    """
    if type(a) is float and type(b) is float:
        return real.maximum(a, b)
    family, a, b = coerce_pair(a, b)
    return family.maximum(a, b)


def positive(x: Scalar, what: str) -> Scalar:
    """Return `x`; raise SingularError naming `what` unless x > 0. Symbols pass; undecided intervals raise.

    >>> positive(2.0, "the mass")
    2.0
    """
    if type(x) is float:
        if x > 0.0:
            return x
        raise not_positive(x, what)
    return family_of(x).positive(x, what)


def lift(x: Scalar, like: Scalar | Sequence[Scalar]) -> Scalar:
    """Return `x` converted exactly to the family of `like` (the one of highest priority), or `x` itself.

    >>> from fractions import Fraction
    >>> lift(0.5, like=(0, Fraction(1, 3))), lift(0.5, like=2.0)
    (Fraction(1, 2), 0.5)
    """
    best = dominant_family((like,))
    mine = family_of(x)
    if best is None or best[0] is mine or best[0].priority <= mine.priority:
        return x
    return best[0].lift(python_number(x), best[1])


def is_float(x: object) -> bool:
    """Return whether `x` is a plain real number, whose value may be checked: float, int, NumPy's, or a `const`.

    >>> is_float(1.0), is_float(1j)
    (True, False)
    """
    return type(x) is float or (isinstance(x, _PLAIN) and not isinstance(x, bool))


def to_float(x: Scalar) -> float:
    """Return `x` as a float; raise ScalarError for symbols, wide intervals, recorded and complex values.

    >>> from rbd.scalars import const
    >>> to_float(const(1, 4))
    0.25
    """
    return x if type(x) is float else family_of(x).to_float(x)
