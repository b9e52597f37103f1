"""Factor and solve symmetric positive definite systems of any scalar type.

Room: scalars; knows nothing of robots. Pivots are not exchanged, so that the same code runs on floats, symbols and
recorded scalars; a pivot that is not positive is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import attrs

from rbd.scalars.functions import positive
from rbd.scalars.protocol import Matrix, Scalar, Vector

Labels = Sequence[str]


@final
@attrs.frozen(eq=False)
class Factor:
    """A = L D Lᵀ of a symmetric positive definite matrix, with unit lower triangular L and positive diagonal D.

    >>> factor = Factor.of(((4.0, 2.0), (2.0, 3.0)), ["first", "second"])
    >>> factor.solve((2.0, 1.0))
    (0.5, 0.0)
    """

    rows: tuple[Vector, ...]
    """Row i of L, left of the diagonal."""
    inverse_diagonal: Vector
    """1 / D."""

    @classmethod
    def of(cls, matrix: Matrix, labels: Labels) -> Factor:
        """Factor `matrix`, of which the lower triangle is read; raise SingularError naming the label of a bad pivot."""
        rows: list[list[Scalar]] = []
        inverse: list[Scalar] = []
        for i, entries in enumerate(matrix):
            row: list[Scalar] = []
            weighted: list[Scalar] = []
            for j in range(i):
                value = _less(entries[j], weighted, rows[j])
                weighted.append(value)
                row.append(value * inverse[j])
            pivot = positive(_less(entries[i], weighted, row), labels[i])
            rows.append(row)
            inverse.append(1 / pivot)
        return cls(tuple(tuple(row) for row in rows), tuple(inverse))

    def solve(self, right: Sequence[Scalar]) -> Vector:
        """Return x with A x = `right`."""
        y: list[Scalar] = []
        for i, row in enumerate(self.rows):
            y.append(_less(right[i], y, row))
        x = [value * scale for value, scale in zip(y, self.inverse_diagonal, strict=True)]
        for i in reversed(range(len(x))):
            row = self.rows[i]
            for j in range(i):
                x[j] = x[j] - row[j] * x[i]
        return tuple(x)

    def inverse(self) -> Matrix:
        """Return the inverse of A, exactly symmetric."""
        size = len(self.rows)
        columns = [self.solve([1 if i == j else 0 for i in range(size)]) for j in range(size)]
        return tuple(tuple(columns[min(i, j)][max(i, j)] for j in range(size)) for i in range(size))


def _less(start: Scalar, left: Sequence[Scalar], right: Sequence[Scalar]) -> Scalar:
    """Return `start` minus the dot product of `left` and the beginning of `right`."""
    for a, b in zip(left, right, strict=False):
        start = start - a * b
    return start
