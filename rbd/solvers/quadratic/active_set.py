"""The active rows of a quadratic program: an orthonormal basis of them, in the language of intrinsics.

Rows are orthogonalised twice, as by Daniel, Gragg, Kaufman and Stewart 1976. Active rows are numbered from 0 in the
order in which they were appended.
"""

from __future__ import annotations

from typing import Final

from rbd.intrinsics.language import Floats, divide, fma
from rbd.intrinsics.workspace import Workspace, floats, ints
from rbd.solvers.cholesky import norm

DEPENDENT: Final = 1e-12
"""A row of length one that is this close to the span of the active ones counts as one of them."""


class ActiveSet(Workspace):
    """The active rows of a program with n unknowns and m rows, as an orthonormal basis Q and a triangle R."""

    n: int
    m: int
    unit_rows = floats("m", "n")
    """All rows, normalised, in coordinates in which H is the identity."""
    lengths = floats("m")
    """Lengths before normalisation."""
    basis = floats("n", "n")
    triangle = floats("n", "n")
    u = floats("n")
    """Multipliers of the active rows."""
    along = floats("n")
    """Coordinates of the point to project in the basis."""
    d = floats("n")
    """Coordinates of a row in the basis; in `project_onto_active`, the required values of the active rows."""
    z = floats("n")
    """Remainder of a row orthogonal to the basis; in `project_onto_active`, the point to project."""
    order = ints("n")
    """The active rows."""


def orthogonalise(w: ActiveSet, k: int, row: Floats) -> float:
    """Split a row by Gram-Schmidt, twice, into its coordinates d in the basis and the rest z; return |z|."""
    for i in range(w.n):
        w.z[i] = row[i]
    for j in range(k):
        w.d[j] = 0.0
    for _pass in range(2):  # the second removes the rounding errors of the first
        for j in range(k):
            product = 0.0
            for i in range(w.n):
                product = fma(w.basis[j][i], w.z[i], product)
            w.d[j] += product
            for i in range(w.n):
                w.z[i] = fma(-product, w.basis[j][i], w.z[i])
    return norm(w.n, w.z)


def append_active(w: ActiveSet, k: int, row: int, length: float) -> None:
    """Append an orthogonalised row to the basis, as number k."""
    inverse = divide(1.0, length)
    for i in range(w.n):
        w.basis[k][i] = w.z[i] * inverse
    for j in range(k):
        w.triangle[j][k] = w.d[j]
    w.triangle[k][k] = length
    w.order[k] = row


def drop_active(w: ActiveSet, k: int, which: int) -> None:
    """Drop active row number `which` of k; those after it are orthogonalised again."""
    for j in range(which, k - 1):
        w.u[j] = w.u[j + 1]
        length = orthogonalise(w, j, w.unit_rows[w.order[j + 1]])
        append_active(w, j, w.order[j + 1], length)


def solve_upper(w: ActiveSet, k: int, solution: Floats) -> None:
    """Solve R r = d for the k active rows."""
    for back in range(k):
        i = k - 1 - back
        entry = w.d[i]
        for j in range(i + 1, k):
            entry = fma(-w.triangle[i][j], solution[j], entry)
        solution[i] = divide(entry, w.triangle[i][i])


def project_onto_active(w: ActiveSet, k: int, point: Floats) -> None:
    """Project z onto the points where active row j has the value d[j]; u gets the multipliers."""
    for j in range(k):
        along = 0.0
        for i in range(w.n):
            along = fma(w.basis[j][i], w.z[i], along)
        w.along[j] = along
        entry = w.d[j]
        for i in range(j):
            entry = fma(-w.triangle[i][j], w.d[i] + w.along[i], entry)
        w.d[j] = divide(entry, w.triangle[j][j]) - along
    for i in range(w.n):
        value = w.z[i]
        for j in range(k):
            value = fma(w.d[j], w.basis[j][i], value)
        point[i] = value
    solve_upper(w, k, w.u)
