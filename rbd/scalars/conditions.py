"""Comparisons and the choices made by them, for every scalar family.

Public through `rbd.scalars.functions`.
"""

from __future__ import annotations

from rbd.scalars.protocol import Condition, Scalar
from rbd.scalars.registry import decided, operations_of, operations_of_condition, pair, python_number


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
    truth = decided(condition)
    if truth is not None:
        return a if truth else b
    operations = operations_of_condition(condition)
    if operations_of(a).priority > operations.priority or operations_of(b).priority > operations.priority:
        # Numbers made of other numbers (dual ones) select by the conditions of what they are made of.
        branches, a, b = pair(a, b)
        return branches.where(condition, a, b)
    return operations.where(condition, python_number(a), python_number(b))
