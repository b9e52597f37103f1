"""The functions algorithms are written in, for every scalar family. May import: errors and the rest of `rbd.scalars`.

Floats follow IEEE 754 (NaN and infinities, no exceptions); when two families meet, the more exotic one decides and the other
operand is lifted into it exactly. Nothing here branches on the value of anything but plain numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from rbd.scalars.backends import real
from rbd.scalars.backends.complexes import COMPLEX
from rbd.scalars.backends.constant import CONSTANT
from rbd.scalars.backends.exact import FRACTION
from rbd.scalars.constants import Rational, const
from rbd.scalars.operations import not_positive
from rbd.scalars.protocol import Condition, Scalar
from rbd.scalars.registry import decided, dominant, operations_of, operations_of_condition, pair, register_scalar

# In the order of their numeric tower: a NumPy number is found under its own base class.
register_scalar(int, CONSTANT)
register_scalar(np.integer, CONSTANT)
register_scalar(Rational, CONSTANT)
register_scalar(float, real.REAL)
register_scalar(np.floating, real.REAL)
register_scalar(complex, COMPLEX)
register_scalar(np.complexfloating, COMPLEX)
register_scalar(Fraction, FRACTION)


def sin(x: Scalar) -> Scalar:
    """Return the sine.

    >>> sin(0.5)
    0.479425538604203
    """
    return real.sin(x) if type(x) is float else operations_of(x).sin(x)


def cos(x: Scalar) -> Scalar:
    """Return the cosine.

    >>> from fractions import Fraction
    >>> cos(Fraction(0))
    Fraction(1, 1)
    """
    return real.cos(x) if type(x) is float else operations_of(x).cos(x)


def tan(x: Scalar) -> Scalar:
    """Return the tangent."""
    return real.tan(x) if type(x) is float else operations_of(x).tan(x)


def asin(x: Scalar) -> Scalar:
    """Return the arc sine; NaN for floats outside [-1, 1]."""
    return real.asin(x) if type(x) is float else operations_of(x).asin(x)


def acos(x: Scalar) -> Scalar:
    """Return the arc cosine; NaN for floats outside [-1, 1]."""
    return real.acos(x) if type(x) is float else operations_of(x).acos(x)


def atan2(y: Scalar, x: Scalar) -> Scalar:
    """Return the angle of the point (x, y), in [-pi, pi]; mind that y comes first."""
    if type(y) is float and type(x) is float:
        return math.atan2(y, x)
    operations, y, x = pair(y, x)
    return operations.atan2(y, x)


def sqrt(x: Scalar) -> Scalar:
    """Return the square root; NaN for floats below zero, exact for perfect squares of exact numbers.

    >>> from fractions import Fraction
    >>> sqrt(-1.0), sqrt(Fraction(9, 4))
    (nan, Fraction(3, 2))
    """
    return real.sqrt(x) if type(x) is float else operations_of(x).sqrt(x)


def exp(x: Scalar) -> Scalar:
    """Return the exponential; infinity for floats on overflow."""
    return real.exp(x) if type(x) is float else operations_of(x).exp(x)


def log(x: Scalar) -> Scalar:
    """Return the natural logarithm; minus infinity for a float zero, NaN below."""
    return real.log(x) if type(x) is float else operations_of(x).log(x)


def tanh(x: Scalar) -> Scalar:
    """Return the hyperbolic tangent."""
    return math.tanh(x) if type(x) is float else operations_of(x).tanh(x)


def power(x: Scalar, n: Scalar) -> Scalar:
    """Return x to the power n; C's `pow` for floats, exact for integer powers of exact numbers.

    >>> power(const(2, 3), 2)
    const(4, 9)
    """
    if type(x) is float and type(n) is float:
        return real.power(x, n)
    operations, x, n = pair(x, n)
    return operations.power(x, n)


def divide(a: Scalar, b: Scalar) -> Scalar:
    """Return a / b with IEEE semantics: infinity or NaN where Python's operator raises.

    >>> divide(1.0, 0.0), divide(0.0, 0.0)
    (inf, nan)
    """
    if type(a) is float and type(b) is float:
        return real.divide(a, b)
    operations, a, b = pair(a, b)
    return operations.divide(a, b)


def absolute(x: Scalar) -> Scalar:
    """Return the absolute value; for complex numbers the one of the real part decides the sign: -x or x, never |x|."""
    return math.fabs(x) if type(x) is float else operations_of(x).absolute(x)


def minimum(a: Scalar, b: Scalar) -> Scalar:
    """Return the smaller (by real part if complex); NaN when either float is NaN."""
    if type(a) is float and type(b) is float:
        return real.minimum(a, b)
    operations, a, b = pair(a, b)
    return operations.minimum(a, b)


def maximum(a: Scalar, b: Scalar) -> Scalar:
    """Return the larger (by real part if complex); NaN when either float is NaN."""
    if type(a) is float and type(b) is float:
        return real.maximum(a, b)
    operations, a, b = pair(a, b)
    return operations.maximum(a, b)


def less(a: Scalar, b: Scalar) -> Condition:
    """Compare a < b; false for NaN, three-valued for intervals, a relation for symbols."""
    if type(a) is float and type(b) is float:
        return a < b
    operations, a, b = pair(a, b)
    return operations.less(a, b)


def less_equal(a: Scalar, b: Scalar) -> Condition:
    """Compare a <= b."""
    if type(a) is float and type(b) is float:
        return a <= b
    operations, a, b = pair(a, b)
    return operations.less_equal(a, b)


def greater(a: Scalar, b: Scalar) -> Condition:
    """Compare a > b."""
    return less(b, a)


def greater_equal(a: Scalar, b: Scalar) -> Condition:
    """Compare a >= b."""
    return less_equal(b, a)


def both(c: Condition, d: Condition) -> Condition:
    """Hold when both conditions hold."""
    first, second = decided(c), decided(d)
    if first is not None:
        return d if first and second is None else first and bool(second)
    if second is not None:
        return c if second else False
    return operations_of_condition(c).both(c, d)


def either(c: Condition, d: Condition) -> Condition:
    """Hold when at least one condition holds."""
    first, second = decided(c), decided(d)
    if first is not None:
        return d if not first and second is None else first or bool(second)
    if second is not None:
        return True if second else c
    return operations_of_condition(c).either(c, d)


def invert(c: Condition) -> Condition:
    """Hold when the condition does not."""
    truth = decided(c)
    return operations_of_condition(c).invert(c) if truth is None else not truth


def where(condition: Condition, a: Scalar, b: Scalar) -> Scalar:
    """Return `a` where the condition holds, else `b`; both are evaluated already, so guard their arguments.

    An undecided interval comparison gives the hull of both, a symbolic one a Piecewise.

    >>> x = 0.0
    >>> small = less(x, 1)
    >>> where(small, 1.0, sin(x) / where(small, 1.0, x))
    1.0
    """
    if condition is True:
        return a
    if condition is False:
        return b
    truth = decided(condition)
    if truth is not None:
        return a if truth else b
    return operations_of_condition(condition).where(condition, a, b)


def positive(x: Scalar, what: str) -> Scalar:
    """Return `x`; raise SingularError naming `what` when it is not > 0. Symbols pass; an undecided interval does not.

    >>> positive(2.0, "the mass")
    2.0
    """
    if type(x) is float:
        if x > 0.0:
            return x
        raise not_positive(x, what)
    return operations_of(x).positive(x, what)


def lift(x: Scalar, like: Scalar | Sequence[Scalar]) -> Scalar:
    """Return `x` as an exact member of the family of `like` (of its most exotic member); `x` itself when it is already.

    >>> from fractions import Fraction
    >>> lift(0.5, like=(0, Fraction(1, 3))), lift(0.5, like=2.0)
    (Fraction(1, 2), 0.5)
    """
    found = dominant((like,))
    mine = operations_of(x)
    if found is None or found[0] is mine or found[0].priority <= mine.priority:
        return x
    return found[0].lift(x, found[1])


def is_float(x: object) -> bool:
    """Tell whether `x` is a plain real number, whose value may be checked: float, int, NumPy's, or a `const`.

    >>> is_float(1.0), is_float(1j)
    (True, False)
    """
    return type(x) is float or (
        isinstance(x, (float, int, np.floating, np.integer, Rational)) and not isinstance(x, bool)
    )


def to_float(x: Scalar) -> float:
    """Return `x` as a float; raise ScalarError for symbols, wide intervals, recorded and complex values."""
    return x if type(x) is float else operations_of(x).to_float(x)
