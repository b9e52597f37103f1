"""Sparse factor A = Lᵀ D L of symmetric positive definite matrices of any scalars, and solutions with it.

Pivots are not exchanged, so that the same code runs on floats, symbols and recorded scalars; a pivot that is not
positive is named.

The factor runs from the last row to the first, A = Lᵀ D L. Where rows belong to a tree with parents first, entries that
are zero because two branches do not meet then stay zero (Featherstone 2008, section 6.5). Such entries are the integer
0, not a float that happens to vanish, and cost nothing.

Written out, factor, solutions and inverse are cubic. Where that would record many multiply-adds, a recording calls
intrinsics of the same algorithm instead: for factors one that takes the matrix for dense, for solutions one that knows
which entries are zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Final, final

import attrs

from rbd.scalars import positive, sqrt
from rbd.scalars.linear_algebra import identity
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.scalars.registry import dominant_family
from rbd.scalars.structural_zeros import is_structural_zero
from rbd.solvers.equations.factored import solve_factored
from rbd.solvers.equations.positive_definite import FACTOR_POSITIVE_DEFINITE

Labels = Sequence[str]

MAX_RECORDED_FACTOR: Final = 50_000
"""Multiply-adds that a recording writes out at most."""
MAX_RECORDED_SOLVES: Final = 8_000
"""Multiply-adds of solutions that a recording writes out at most: from there on a call is faster."""


@final
@attrs.frozen(eq=False)
class Factor:
    """A = Lᵀ D L of a symmetric positive definite matrix, with unit lower triangular L and positive diagonal D.

    >>> factor = Factor.of(((4.0, 2.0), (2.0, 3.0)), ["first", "second"])
    >>> factor.solve((2.0, 3.0))
    (0.0, 1.0)
    """

    rows: tuple[tuple[tuple[int, Scalar], ...], ...]
    """Per row of L, the columns left of the diagonal that are not zero, with their entries."""
    inverse_diagonal: Vector
    """1 / D."""

    @classmethod
    def of(cls, matrix: Matrix, labels: Labels) -> Factor:
        """Factor `matrix`, of which the lower triangle is read; raise SingularError naming the label of a bad pivot."""
        rest = [list(row[: i + 1]) for i, row in enumerate(matrix)]
        if len(rest) ** 3 > 6 * MAX_RECORDED_FACTOR and _records(rest) and _factor_cost(rest) > MAX_RECORDED_FACTOR:
            return cls._from_intrinsic(rest, labels)
        rows: list[tuple[tuple[int, Scalar], ...]] = [()] * len(rest)
        inverse: list[Scalar] = [0] * len(rest)
        for k in reversed(range(len(rest))):
            inverse[k] = 1 / positive(rest[k][k], labels[k])
            entries = [(i, entry) for i, entry in enumerate(rest[k][:k]) if not is_structural_zero(entry)]
            rows[k] = tuple((i, entry * inverse[k]) for i, entry in entries)
            for position, (i, scaled) in enumerate(rows[k]):
                for j, entry in entries[: position + 1]:
                    rest[i][j] = rest[i][j] - scaled * entry
        return cls(tuple(rows), tuple(inverse))

    @classmethod
    def _from_intrinsic(cls, lower: Sequence[Sequence[Scalar]], labels: Labels) -> Factor:
        """Return the factor as the results of an intrinsic."""
        flat = FACTOR_POSITIVE_DEFINITE((len(lower),), [x for row in lower for x in row], labels)
        rows = _triangle(flat, len(lower))
        return cls(tuple(tuple((j, -x) for j, x in enumerate(row[:-1])) for row in rows), tuple(r[-1] for r in rows))

    def solve(self, right: Sequence[Scalar]) -> Vector:
        """Return x with A x = `right`."""
        x = self._solve_transposed(right)
        return self._solve_lower([value * scale for value, scale in zip(x, self.inverse_diagonal, strict=True)])

    def solve_all(self, right: Sequence[Sequence[Scalar]]) -> list[Vector]:
        """Return x with A x = b for every b of `right`, of which the integer 0 is known to vanish.

        >>> Factor.of(((4.0,),), ["only"]).solve_all([(6.0,), (2.0,)])
        [(1.5,), (0.5,)]
        """
        cost = 2 * len(right) * sum(map(len, self.rows))
        if cost > MAX_RECORDED_SOLVES and _records((self.inverse_diagonal,)):
            return solve_factored(self.rows, self.inverse_diagonal, right)
        return [self.solve(b) for b in right]

    def negative(self) -> Factor:
        """Return the factor of -A.

        >>> Factor.of(((4.0,),), ["only"]).negative().solve((6.0,))
        (-1.5,)
        """
        return Factor(self.rows, tuple(-scale for scale in self.inverse_diagonal))

    def whitened(self, right: Sequence[Scalar]) -> Vector:
        """Return w whose square is `right` A⁻¹ `right`; in such w the matrix A is the identity.

        >>> Factor.of(((4.0,),), ["only"]).whitened((6.0,))
        (3.0,)
        """
        scaled = zip(self._solve_transposed(right), self.inverse_diagonal, strict=True)
        return tuple(x if is_structural_zero(x) else x * sqrt(scale) for x, scale in scaled)

    def unwhitened(self, white: Sequence[Scalar]) -> Vector:
        """Return x with A x = b of w, where `white` is the w that `whitened` makes of b.

        >>> Factor.of(((4.0,),), ["only"]).unwhitened((3.0,))
        (1.5,)
        """
        return self._solve_lower([w * sqrt(scale) for w, scale in zip(white, self.inverse_diagonal, strict=True)])

    def _solve_transposed(self, right: Sequence[Scalar]) -> list[Scalar]:
        """Return the solution with the transposed L."""
        x = list(right)
        for k in reversed(range(len(x))):
            for i, entry in () if is_structural_zero(x[k]) else self.rows[k]:
                x[i] = x[i] - entry * x[k]
        return x

    def _solve_lower(self, x: list[Scalar]) -> Vector:
        """Return the solution with L; the list is used up."""
        for k, row in enumerate(self.rows):
            for i, entry in row:
                x[k] = x[k] - entry * x[i]
        return tuple(x)

    def inverse(self) -> Matrix:
        """Return the inverse of A, exactly symmetric."""
        return symmetric(self.solve_all(identity(len(self.rows))))


def symmetric(columns: Sequence[Vector]) -> Matrix:
    """Return a matrix from the columns of its upper triangle.

    >>> symmetric([(1.0, 2.0), (3.0, 4.0)])
    ((1.0, 3.0), (3.0, 4.0))
    """
    size = range(len(columns))
    return tuple(tuple(columns[max(i, j)][min(i, j)] for j in size) for i in size)


def _triangle(flat: Vector, size: int) -> list[Vector]:
    """Return the rows of a lower triangle."""
    return [flat[stop - i - 1 : stop] for i, stop in enumerate(accumulate(range(1, size + 1)))]


def _records(values: Sequence[Sequence[Scalar]]) -> bool:
    """Return whether operations with these values are recorded."""
    found = dominant_family(values)
    return found is not None and found[0].records


def _factor_cost(lower: Sequence[Sequence[Scalar]]) -> int:
    """Count the multiply-adds of a factor, with the entries that appear on the way."""
    rows, cost = [{j for j, entry in enumerate(row[:-1]) if not is_structural_zero(entry)} for row in lower], 0
    for k in reversed(range(len(rows))):
        cost += len(rows[k]) * (len(rows[k]) + 1) // 2
        for i in rows[k]:
            rows[i] |= {j for j in rows[k] if j < i}
    return cost
