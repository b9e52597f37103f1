"""Comparisons and selection, for every scalar family."""

from __future__ import annotations

from rbd.scalars.protocol import Condition, Scalar
from rbd.scalars.registry import as_bool, coerce_pair, family_of, family_of_condition, python_number


def less(a: Scalar, b: Scalar) -> Condition:
    """Return the condition a < b: False for NaN, three-valued for intervals, a relation for symbols.

    >>> less(1.0, 2.0)
    True
    """
    if (type(a) is float or type(a) is int) and (type(b) is float or type(b) is int):
        return a < b
    family, a, b = coerce_pair(a, b)
    return family.less(a, b)


def less_equal(a: Scalar, b: Scalar) -> Condition:
    """Return the condition a <= b.

    >>> less_equal(2.0, 2.0)
    True
    """
    if (type(a) is float or type(a) is int) and (type(b) is float or type(b) is int):
        return a <= b
    family, a, b = coerce_pair(a, b)
    return family.less_equal(a, b)


def greater(a: Scalar, b: Scalar) -> Condition:
    """Return the condition a > b.

    >>> greater(1.0, 2.0)
    False
    """
    return less(b, a)


def greater_equal(a: Scalar, b: Scalar) -> Condition:
    """Return the condition a >= b.

    >>> greater_equal(2.0, 2.0)
    True
    """
    return less_equal(b, a)


def both(c: Condition, d: Condition) -> Condition:
    """Return the conjunction of two conditions.

    >>> both(less(1.0, 2.0), less(2.0, 1.0))
    False
    """
    first, second = as_bool(c), as_bool(d)
    if first is not None:
        return d if first and second is None else first and bool(second)
    if second is not None:
        return c if second else False
    return family_of_condition(c).both(c, d)


def either(c: Condition, d: Condition) -> Condition:
    """Return the disjunction of two conditions.

    >>> either(less(1.0, 2.0), less(2.0, 1.0))
    True
    """
    first, second = as_bool(c), as_bool(d)
    if first is not None:
        return d if not first and second is None else first or bool(second)
    if second is not None:
        return True if second else c
    return family_of_condition(c).either(c, d)


def invert(c: Condition) -> Condition:
    """Return the negation of a condition.

    >>> invert(less(1.0, 2.0))
    False
    """
    truth = as_bool(c)
    return family_of_condition(c).invert(c) if truth is None else not truth


def where(condition: Condition, a: Scalar, b: Scalar) -> Scalar:
    """Return `a` where the condition holds, else `b`. Both are evaluated before, so guard their arguments.

    For an undecided comparison of intervals it returns the hull of both, for a symbolic one a Piecewise.

    >>> from rbd.scalars import sin
    >>> x = 0.0
    >>> small = less(x, 1)
    >>> where(small, 1.0, sin(x) / where(small, 1.0, x))
    1.0
    """
    if condition is True:
        return a
    if condition is False:
        return b
    truth = as_bool(condition)
    if truth is not None:
        return a if truth else b
    family = family_of_condition(condition)
    if family_of(a).priority > family.priority or family_of(b).priority > family.priority:
        # Composite numbers (duals, jets) select by conditions of their parts' family.
        branches, a, b = coerce_pair(a, b)
        return branches.where(condition, a, b)
    return family.where(condition, python_number(a), python_number(b))


def inverse_or_zero(condition: Condition, x: Scalar) -> Scalar:
    """Return 1 / x where the condition holds, else zero; it must not hold where x is zero.

    >>> inverse_or_zero(less(0, 4.0), 4.0), inverse_or_zero(less(0, 0.0), 0.0)
    (0.25, 0)
    """
    return where(condition, 1 / where(condition, x, 1), 0)
