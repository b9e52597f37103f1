"""Operands of solvers, which intrinsics take as flat sequences: matrices to entries and back, errors of labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import TypeVar

from rbd.errors import ShapeError, SolverError
from rbd.scalars.protocol import Matrix, Scalar, Vector

_T = TypeVar("_T")


def entries(matrix: Matrix) -> Vector:
    """Return the entries of a matrix, row by row.

    >>> entries(((1.0, 2.0), (3.0, 4.0)))
    (1.0, 2.0, 3.0, 4.0)
    """
    return tuple(x for row in matrix for x in row)


def rows_of(flat: Sequence[Scalar], count: int, length: int) -> Matrix:
    """Return `count` rows of `length` entries each.

    >>> rows_of((1.0, 2.0, 3.0, 4.0), 2, 2)
    ((1.0, 2.0), (3.0, 4.0))
    """
    return tuple(tuple(flat[i * length : (i + 1) * length]) for i in range(count))


def ends_of(lengths: Iterable[int]) -> tuple[int, ...]:
    """Return the ends of parts of these lengths, zero first.

    >>> ends_of((2, 0, 3))
    (0, 2, 2, 5)
    """
    return tuple(accumulate(lengths, initial=0))


def parts_between(flat: Sequence[_T], ends: Sequence[int]) -> list[tuple[_T, ...]]:
    """Return the parts of a sequence from each end to the next.

    >>> parts_between("abcde", (0, 2, 2, 5))
    [('a', 'b'), (), ('c', 'd', 'e')]
    """
    return [tuple(flat[start:stop]) for start, stop in pairwise(ends)]


def count_columns(right: Matrix, n: int) -> int:
    """Return the number of right-hand sides of n equations; raise ShapeError unless they are n rows of one length."""
    m = len(right[0]) if len(right) else 0
    if len(right) != n or any(len(row) != m for row in right):
        raise ShapeError(f"right has {len(right)} rows, needs {n} of one length", argument="right", expected=(n, m))
    return m


def unpack(n: int, m: int, operands: Vector) -> tuple[Matrix, Vector, Matrix, Vector]:
    """Return the n by n matrix, the right side, the m rows and their bounds that operands begin with."""
    start = n * n + n
    end = start + m * n
    return (
        rows_of(operands, n, n),
        tuple(operands[n * n : start]),
        rows_of(operands[start:], m, n),
        operands[end : end + m],
    )


def solver_error(label: str) -> SolverError:
    """Return the error of a failed solver, whose label says why."""
    return SolverError(label, status=label)
