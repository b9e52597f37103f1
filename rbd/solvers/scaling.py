"""Units of programs whose Hessian is the identity: lengths of rows and sizes of violations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Final

from rbd.scalars import less, less_equal, maximum, sqrt, where
from rbd.scalars.constants import const
from rbd.scalars.linear_algebra import dot
from rbd.scalars.protocol import Scalar, Vector

ZERO_ROW: Final = const(1, 10**14)
"""A row, or the longest of a block, that is this much shorter than the longest of all counts as zero."""
SMALL: Final = const(1, 10**6)
"""Violations are scaled to one, or, where they are smaller than this share of the free point, that share is."""
UNBOUNDED: Final = 1e300
"""A residual, violation, multiplier or length of a step that no scaled program reaches."""


def length_of(row: Vector) -> Scalar:
    """Return the length of a row, whose derivatives are zero where it is zero."""
    square = dot(row, row)
    is_zero = less_equal(square, 0)
    return where(is_zero, 0, sqrt(where(is_zero, 1, square)))


def inverse_lengths(squares: Sequence[Scalar]) -> Vector:
    """Return one over the lengths of rows from their squares; zero for those that count as zero beside the longest.

    >>> inverse_lengths((4.0, 0.0, 1e-40))
    (0.5, 0, 0)
    """
    least = ZERO_ROW * ZERO_ROW * reduce(maximum, squares) if squares else 0
    counts = [less(least, square) for square in squares]
    return tuple(where(c, 1 / sqrt(where(c, square, 1)), 0) for c, square in zip(counts, squares, strict=True))


def size_of_program(free: Vector, violations: Iterable[Scalar]) -> Scalar:
    """Return the largest violation at the free point, or `SMALL` of the distance of this point; 1 if both are zero.

    >>> size_of_program((3.0, 4.0), (-2.0, 0.5)), size_of_program((3e6, 4e6), (-2.0, 0.5)), size_of_program((0,), ())
    (0.5, 5.0, 1)
    """
    size = reduce(maximum, violations, length_of(free) * SMALL)
    return where(less(0, size), size, 1)
