"""Derivatives of the minimum-norm solution x = A⁺ b: Golub & Pereyra 1973.

They need the pseudo-inverse of the transposed matrix, too, with the same rank.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, final

import attrs

from rbd.scalars.linear_algebra import add, matvec, subtract, transpose
from rbd.scalars.protocol import Matrix, Vector

LinearMap: TypeAlias = Callable[[Vector], Vector]


@final
@attrs.frozen
class PseudoInverse:
    """A matrix A, and the products of A⁺ and of (A⁺)ᵀ with a vector."""

    matrix: Matrix
    times: LinearMap
    transposed_times: LinearMap

    @property
    def transposed(self) -> PseudoInverse:
        """The same of Aᵀ."""
        return PseudoInverse(transpose(self.matrix), self.transposed_times, self.times)


def solution_tangent(inverse: PseudoInverse, dA: Matrix, x: Vector, right: Vector, db: Vector) -> Vector:
    """Return the tangent of x = A⁺ b.

    With r = b - A x, u = (Aᵀ)⁺ x and z = dAᵀ u: dx = A⁺ (db - dA x + (Aᵀ)⁺ dAᵀ r - A z) + z.
    """
    matrix, dA_transposed = inverse.matrix, transpose(dA)
    residual = subtract(right, matvec(matrix, x))
    z = matvec(dA_transposed, inverse.transposed_times(x))
    spread = inverse.transposed_times(matvec(dA_transposed, residual))
    parts = zip(db, matvec(dA, x), spread, matvec(matrix, z), strict=True)
    found = inverse.times(tuple(a - b + c - d for a, b, c, d in parts))
    return add(found, z)


def solution_cotangents(inverse: PseudoInverse, x: Vector, right: Vector, w: Vector) -> tuple[Matrix, Vector]:
    """Return the cotangents of A and b in x = A⁺ b, for the cotangent w of x.

    With p = (Aᵀ)⁺ w, u = (Aᵀ)⁺ x and r = b - A x: -p xᵀ + r (A⁺ p)ᵀ + u (w - Aᵀ p)ᵀ for A, and p for b.
    """
    p, u = inverse.transposed_times(w), inverse.transposed_times(x)
    back, kept = inverse.times(p), matvec(transpose(inverse.matrix), p)
    residual, outside = subtract(right, matvec(inverse.matrix, x)), subtract(w, kept)
    of_matrix = tuple(
        tuple(r_i * back[j] + u_i * outside[j] - p_i * x[j] for j in range(len(x)))
        for r_i, u_i, p_i in zip(residual, u, p, strict=True)
    )
    return of_matrix, p
