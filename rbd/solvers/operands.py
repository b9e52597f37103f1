"""Operands of solvers, which intrinsics take as flat sequences: matrices to entries and back, errors of labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import TypeVar

from rbd.errors import ShapeError, SolverError
from rbd.scalars import where
from rbd.scalars.linear_algebra import dot
from rbd.scalars.protocol import Condition, Matrix, Scalar, Vector

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


def where_each(condition: Condition, a: Vector, b: Vector) -> Vector:
    """Return the entries of a where the condition holds, else those of b."""
    return tuple(where(condition, x, y) for x, y in zip(a, b, strict=True))


def require_rows(rows: Matrix, m: int, n: int, argument: str, message: str) -> None:
    """Raise ShapeError unless there are m rows of n entries."""
    if len(rows) != m or any(len(row) != n for row in rows):
        raise ShapeError(message, argument=argument, expected=(m, n))


def count_columns(right: Matrix, n: int) -> int:
    """Return the number of right-hand sides of n equations; raise ShapeError unless they are n rows of one length."""
    m = len(right[0]) if len(right) else 0
    require_rows(right, n, m, "right", f"right has {len(right)} rows, needs {n} of one length")
    return m


def program_operands(n: int, m: int, operands: Vector) -> tuple[Matrix, Vector, Matrix, Vector]:
    """Return the n by n matrix, the right side, the m rows and their bounds that operands begin with."""
    start = n * n + n
    end = start + m * n
    return (
        rows_of(operands, n, n),
        tuple(operands[n * n : start]),
        rows_of(operands[start:], m, n),
        operands[end : end + m],
    )


def stationarity_tangent(
    tangents: tuple[Matrix, Vector, Matrix, Vector], x: Vector, forces: Sequence[Scalar]
) -> list[Scalar]:
    """Return the tangents of g - H x + A' `forces` for those of H, of which the lower triangle counts, g and A.

    `tangents` are those that `program_operands` returns.
    """
    of_matrix, of_right, of_rows, _ = tangents
    return [
        change - dot([of_matrix[max(i, j)][min(i, j)] for j in range(len(x))], x)
        + dot([row[i] for row in of_rows], forces)
        for i, change in enumerate(of_right)
    ]  # fmt: skip


def solver_error(label: str) -> SolverError:
    """Return the error of a failed solver, whose label says why."""
    return SolverError(label, status=label)
