"""Matrix products and solutions that skip structural zeros."""

from __future__ import annotations

from collections.abc import Sequence

from rbd.scalars import Matrix, Scalar, Vector
from rbd.scalars.linear_algebra import transpose
from rbd.scalars.registry import dominant_family
from rbd.scalars.structural_zeros import is_plain_zero
from rbd.solvers import solve_factored
from rbd.solvers.equations.ltdl_factor import MAX_RECORDED_SOLVES, Factor

Sparse = tuple[tuple[tuple[int, Scalar], ...], ...]
"""Per row the columns that are not zero, with their entries."""


def sparse_product(a: Matrix, b: Matrix) -> Matrix:
    """Return a b; the columns of `a` are as many as the rows of `b`.

    >>> sparse_product(((1, 2), (0, 3)), ((4, 0), (5, 6)))
    ((14, 12), (15, 18))
    """
    columns = list(zip(*b, strict=True))
    return tuple(tuple(_inner(row, column) for column in columns) for row in _sparse(a))


def solve_difference(factor: Factor, right: Matrix, a: Matrix, b: Matrix) -> Matrix:
    """Return M^-1 (right - a b), where `factor` is that of M.

    >>> solve_difference(Factor.of(((4.0,),), ["only"]), ((6.0, 2.0),), ((1,),), ((2.0, 0),))
    ((1.0, 0.5),)
    """
    down = _sparse(transpose(a))
    cost = sum(len(entries) * sum(not is_plain_zero(x) for x in row) for entries, row in zip(down, b, strict=True))
    if cost > MAX_RECORDED_SOLVES and _records(a, b):
        return _from_intrinsic(factor, right, down, b)
    rows = zip(right, sparse_product(a, b), strict=True)
    left = [tuple(x - y for x, y in zip(*pair, strict=True)) for pair in rows]
    return tuple(zip(*factor.solve_all(transpose(left)), strict=True))


def _from_intrinsic(factor: Factor, right: Matrix, down: Sparse, b: Matrix) -> Matrix:
    """Return the result of `solve_difference` from an intrinsic, in a recording of few operations.

    With the columns of `a` for further rows of the factor's L, [right, b] is what the intrinsic solves for: going
    through L transposed, from the last row to the first, it takes a b off `right` before it comes to the rows of M.
    """
    size = len(right)
    rows, inverse = (*factor.rows, *down), (*factor.inverse_diagonal, *(1,) * len(b))
    columns = solve_factored(rows, inverse, list(zip(*right, *b, strict=True)))
    return tuple(zip(*(column[:size] for column in columns), strict=True))


def _sparse(matrix: Matrix) -> Sparse:
    return tuple(tuple((k, x) for k, x in enumerate(row) if not is_plain_zero(x)) for row in matrix)


def _inner(row: Sequence[tuple[int, Scalar]], column: Vector) -> Scalar:
    total: Scalar = 0
    for k, x in row:
        if not is_plain_zero(column[k]):
            total = total + x * column[k]
    return total


def _records(*matrices: Matrix) -> bool:
    """Return whether operations with some entries are recorded."""
    dominant_scalar = dominant_family([row for matrix in matrices for row in matrix])
    return dominant_scalar is not None and dominant_scalar[0].records
