"""Derivatives of the solution of a quadratic program, forward and reverse.

Sensitivity of nonlinear programs: Fiacco 1983; for layers of networks: Amos and Kolter 2017. While the active set stays
the same, the conditions of the minimum are equations, and the implicit function theorem applies: H dx - A' dm = dg - dH
x + dA' m and A dx = db - dA x, with active rows A and their multipliers m. At a change of the active set this is the
one-sided derivative, towards the side without the change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from rbd.intrinsics.intrinsic import Intrinsic
from rbd.intrinsics.language import divide
from rbd.intrinsics.workspace import operand, result
from rbd.scalars.linear_algebra import dot
from rbd.scalars.protocol import Scalar, Vector
from rbd.scalars.structural_zeros import is_structural_zero
from rbd.solvers.cholesky import cholesky, norm, solve_lower, solve_lower_transposed
from rbd.solvers.operands import entries, program_operands, solver_error, stationarity_tangent
from rbd.solvers.quadratic.active_set import DEPENDENT, ActiveSet, append_active, orthogonalise, project_onto_active


@final
class ActiveRows(ActiveSet):
    """The factors of the equations of a minimum with known active rows, of which it takes those that are independent.

    H = LL', and the taken rows are R'Q in coordinates in which H is the identity, times their lengths.
    """

    hessian = operand("n", "n")
    rows = operand("m", "n")
    active = operand("m")
    factor = result("n", "n")
    """L."""
    basis = result("n", "n")
    """Q."""
    triangle = result("n", "n")
    """R."""
    lengths = result("m")
    taken = result("m")
    """1 for rows that are taken."""


def _factor(w: ActiveRows) -> int:
    if cholesky(w.n, w.hessian, w.factor) > 0:
        return 1
    k = 0
    for row in range(w.m):
        if w.active[row] > 0.0 and k < w.n:
            w.taken[row] = _append_if_independent(w, k, row)
            if w.taken[row] > 0.0:
                k += 1
    return 0


def _append_if_independent(w: ActiveRows, k: int, row: int) -> float:
    """Append a row to the basis, as number k, and return 1 if it is independent of those before, else 0."""
    for i in range(w.n):
        w.unit_rows[row][i] = w.rows[row][i]
    solve_lower(w.n, w.factor, w.unit_rows[row])
    length_before = norm(w.n, w.unit_rows[row])
    if not length_before > 0.0:
        return 0.0
    w.lengths[row] = length_before
    for i in range(w.n):
        w.unit_rows[row][i] = divide(w.unit_rows[row][i], length_before)
    length = orthogonalise(w, k, w.unit_rows[row])
    if not length > DEPENDENT:
        return 0.0
    append_active(w, k, row, length)
    return 1.0


def _factor_operations(n: int, m: int) -> int:
    """Bound the operations by those with all rows active."""
    most = min(n, m)
    per_row = n * n + 4 * n + 3 + 8 * n * most + 2 * most + 2 * n
    return n**3 + 3 * n * n + most * per_row + 2 * m


FACTOR_ACTIVE_SET: Final = Intrinsic(
    name="factor_active_set",
    workspace=ActiveRows,
    function=_factor,
    operations=_factor_operations,
    labels=1,
    error=solver_error,
)


@final
class MinimumOnActiveRows(ActiveSet):
    """The minimum for a linear term and the values of the taken rows, by the factors of `ActiveRows`."""

    factor = operand("n", "n")
    basis = operand("n", "n")
    triangle = operand("n", "n")
    lengths = operand("m")
    taken = operand("m")
    linear = operand("n")
    bounds = operand("m")
    point = result("n")
    multipliers = result("m")


def _minimise(w: MinimumOnActiveRows) -> int:
    k = 0
    for row in range(w.m):
        if w.taken[row] > 0.0:
            w.order[k] = row
            w.d[k] = divide(w.bounds[row], w.lengths[row])
            k += 1
    for i in range(w.n):
        w.z[i] = w.linear[i]
    solve_lower(w.n, w.factor, w.z)
    project_onto_active(w, k, w.point)
    solve_lower_transposed(w.n, w.factor, w.point)
    for j in range(k):
        w.multipliers[w.order[j]] = divide(w.u[j], w.lengths[w.order[j]])
    return 0


def _minimum_operations(n: int, m: int) -> int:
    """Bound the operations by those with all rows taken."""
    most = min(n, m)
    return 4 * n * n + 2 * n + 4 * n * most + 5 * most * most + 6 * most + 2 * m


MINIMISE_ON_ACTIVE_SET: Final = Intrinsic(
    name="minimise_on_active_set",
    workspace=MinimumOnActiveRows,
    function=_minimise,
    operations=_minimum_operations,
)


def _minimum(
    sizes: tuple[int, int], labels: Sequence[str], matrices: Vector, linear: Sequence[Scalar], bounds: Sequence[Scalar]
) -> Vector:
    """Return the minimum with known active rows, and its multipliers; calls with equal matrices share the factors.

    `matrices` are the Hessian, the rows, and 1 for active rows.
    """
    factors = FACTOR_ACTIVE_SET(sizes, matrices, labels[:1])
    return MINIMISE_ON_ACTIVE_SET(sizes, (*factors, *linear, *bounds))


def quadratic_program_jvp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, results: Vector, tangents: Vector
) -> tuple[Scalar, ...]:
    """Return the tangents of x, multipliers, active rows and iterations for `tangents` of the operands."""
    n, m = sizes
    hessian, _, rows, _ = program_operands(n, m, operands)
    x, multipliers, active = results[:n], results[n : n + m], results[n + m : n + 2 * m]
    changes = _, _, of_rows, of_bounds = program_operands(n, m, tangents)
    linear = stationarity_tangent(changes, x, [flag * weight for flag, weight in zip(active, multipliers, strict=True)])
    bounds = [change - dot(row, x) for change, row in zip(of_bounds, of_rows, strict=True)]
    found = _minimum((n, m), labels, (*entries((*hessian, *rows)), *active), linear, bounds)
    return *found, *(0,) * (m + 1)


def quadratic_program_vjp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, results: Vector, cotangents: Vector
) -> tuple[Scalar, ...]:
    """Return the cotangents of the operands of a quadratic program, given those of x and the multipliers.

    The transposed conditions are H p - A' s = cotangents of x and A p = - cotangents of m.
    """
    n, m = sizes
    if all(is_structural_zero(w) for w in cotangents[: n + m]):
        return (0,) * len(operands)
    hessian, _, rows, _ = program_operands(n, m, operands)
    x, multipliers, active = results[:n], results[n : n + m], results[n + m : n + 2 * m]
    bounds = [-w for w in cotangents[n : n + m]]
    found = _minimum((n, m), labels, (*entries((*hessian, *rows)), *active), cotangents[:n], bounds)
    p, s = found[:n], found[n:]
    of_hessian = [
        -(p[i] * x[j] + p[j] * x[i]) if j < i else -p[i] * x[i] if i == j else 0 for i in range(n) for j in range(n)
    ]
    parts = zip(active, multipliers, s, strict=True)
    of_rows = [flag * weight * p[k] + force * x[k] for flag, weight, force in parts for k in range(n)]
    return *of_hessian, *p, *of_rows, *(-force for force in s)
