"""Derivatives of the dense factor A = Lᵀ D L, in both modes.

With S = L⁻ᵀ dA L⁻¹ and P the part of S below the diagonal, its rows divided by D: dD = diag(S) and dL = P L.
Smith 1995, "Differentiation of the Cholesky algorithm", has the like for L Lᵀ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from rbd.intrinsics.intrinsic import Intrinsic
from rbd.intrinsics.language import Floats, Rows, fma
from rbd.intrinsics.workspace import Workspace, floats, operand, result
from rbd.scalars.protocol import Vector


@final
class FactorChange(Workspace):
    """A factor, -L below the diagonal and 1 / D in it, and the change of a lower triangle: row by row, all of them."""

    n: int
    factor = operand("n * (n + 1) // 2")
    change = operand("n * (n + 1) // 2")
    found = result("n * (n + 1) // 2")
    lower = floats("n", "n")
    """The factor."""
    inner = floats("n", "n")
    """S, then P."""


def _unpack(n: int, packed: Floats, matrix: Rows) -> None:
    start = 0
    for i in range(n):
        for j in range(i + 1):
            matrix[i][j] = packed[start + j]
        start += i + 1


def _load_symmetric(w: FactorChange) -> None:
    _unpack(w.n, w.change, w.inner)
    for i in range(w.n):
        for j in range(i):
            w.inner[j][i] = w.inner[i][j]


def _enclose_in_inverses(w: FactorChange) -> None:
    """Put S = L⁻ᵀ dA L⁻¹ in the place of dA."""
    for back in range(w.n):
        k = w.n - 1 - back
        for i in range(k):
            for j in range(w.n):
                w.inner[i][j] = fma(w.lower[k][i], w.inner[k][j], w.inner[i][j])
    for back in range(w.n):
        k = w.n - 1 - back
        for i in range(w.n):
            for j in range(k):
                w.inner[i][j] = fma(w.lower[k][j], w.inner[i][k], w.inner[i][j])


def _tangent(w: FactorChange) -> int:
    """From dA to the changes of -L and 1 / D: -P L, and -diag(S) / D²."""
    _unpack(w.n, w.factor, w.lower)
    _load_symmetric(w)
    _enclose_in_inverses(w)
    start = 0
    for i in range(w.n):
        inverse = w.lower[i][i]
        for j in range(i):
            w.inner[i][j] *= inverse
        for j in range(i):
            total = -w.inner[i][j]
            for k in range(j + 1, i):
                total = fma(w.inner[i][k], w.lower[k][j], total)
            w.found[start + j] = total
        w.found[start + i] = -(w.inner[i][i] * inverse) * inverse
        start += i + 1
    return 0


def _load_cotangent(w: FactorChange) -> None:
    """Leave the cotangent of S, a lower triangle."""
    start = 0
    for i in range(w.n):
        inverse = w.lower[i][i]
        for k in range(i):
            total = -w.change[start + k]
            for j in range(k):
                total = fma(w.change[start + j], w.lower[k][j], total)
            w.inner[i][k] = total * inverse
        w.inner[i][i] = -(w.change[start + i] * inverse) * inverse
        start += i + 1


def _enclose_transposed(w: FactorChange) -> None:
    """Put L⁻¹ C L⁻ᵀ in the place of the cotangent C of S."""
    for k in range(w.n):
        for i in range(k):
            for j in range(w.n):
                w.inner[k][j] = fma(w.lower[k][i], w.inner[i][j], w.inner[k][j])
    for k in range(w.n):
        for i in range(w.n):
            for j in range(k):
                w.inner[i][k] = fma(w.lower[k][j], w.inner[i][j], w.inner[i][k])


def _cotangent(w: FactorChange) -> int:
    """From the cotangents of -L and 1 / D to those of the lower triangle of A: the transpose of `_tangent`."""
    _unpack(w.n, w.factor, w.lower)
    _load_cotangent(w)
    _enclose_transposed(w)
    start = 0
    for i in range(w.n):
        for j in range(i):
            w.found[start + j] = w.inner[i][j] + w.inner[j][i]
        w.found[start + i] = w.inner[i][i]
        start += i + 1
    return 0


def _operations(n: int) -> int:
    """Two triangular systems with n right-hand sides, the product of two triangles, and the scaling of rows."""
    return 2 * n * n * (n - 1) + n * (n - 1) * (n - 2) // 3 + 2 * n * n + 4 * n


FACTOR_TANGENT: Final = Intrinsic(
    name="factor_positive_definite_tangent", workspace=FactorChange, function=_tangent, operations=_operations
)
FACTOR_COTANGENT: Final = Intrinsic(
    name="factor_positive_definite_cotangent", workspace=FactorChange, function=_cotangent, operations=_operations
)


def factor_jvp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, results: Vector, tangents: Vector
) -> Vector:
    """Return the tangents of -L and 1 / D for the tangent of A."""
    return FACTOR_TANGENT(sizes, (*results, *tangents))


def factor_vjp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, results: Vector, cotangents: Vector
) -> Vector:
    """Return the cotangent of the lower triangle of A for those of -L and 1 / D."""
    return FACTOR_COTANGENT(sizes, (*results, *cotangents))
