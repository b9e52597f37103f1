"""Quadratic programs one at a time: the intrinsic of the dual active-set method, and calls of it.

Goldfarb and Idnani 1983; the method is in `active_set_method.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, final

from rbd.intrinsics.intrinsic import Intrinsic
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.solvers.operands import entries, require_rows, solver_error
from rbd.solvers.quadratic.active_set_derivative import quadratic_program_jvp, quadratic_program_vjp
from rbd.solvers.quadratic.active_set_method import QuadraticProgram, operations, solve_by_active_set

INDEFINITE: Final = "the Hessian is not positive definite"
INFEASIBLE: Final = "the constraints contradict each other"
STUCK: Final = "the active-set method did not end"

SOLVE_QUADRATIC_PROGRAM: Final = Intrinsic(
    name="solve_quadratic_program",
    workspace=QuadraticProgram,
    function=solve_by_active_set,
    operations=operations,
    labels=3,
    error=solver_error,
    derivative=quadratic_program_jvp,
    adjoint=quadratic_program_vjp,
)


@final
class QuadraticSolution(NamedTuple):
    """The minimum, multipliers that are not negative, 1 for active rows, else 0, and the number of iterations."""

    x: Vector
    multipliers: Vector
    active: Vector
    iterations: Scalar


def solve_quadratic_program(
    hessian: Matrix, linear: Sequence[Scalar], rows: Matrix, bounds: Sequence[Scalar]
) -> QuadraticSolution:
    """Minimise 1/2 x'Hx - `linear`'x subject to `rows` x >= `bounds`.

    `hessian` is symmetric positive definite; its lower triangle is read. Of linearly dependent rows only independent
    ones are active. A row that vanishes beside
    the longest is ignored unless its bound is positive. Raises SolverError when the Hessian is not positive definite or
    the rows contradict each other, ShapeError when sizes do not fit, ScalarError for scalars that cannot be compared.

    >>> x, multipliers, active, _ = solve_quadratic_program(((2.0,),), (2.0,), ((1.0,), (-1.0,)), (3.0, -9.0))
    >>> x, multipliers, active
    ((3.0,), (4.0, 0.0), (1.0, 0.0))
    """
    n, m = len(linear), len(bounds)
    require_rows(hessian, n, n, "hessian", f"the Hessian needs {n} rows of {n}")
    require_rows(rows, m, n, "rows", f"there are {m} bounds: needs {m} rows of {n}")
    operands = (*entries(hessian), *linear, *entries(rows), *bounds)
    flat = SOLVE_QUADRATIC_PROGRAM((n, m), operands, (INDEFINITE, INFEASIBLE, STUCK))
    return QuadraticSolution(flat[:n], flat[n : n + m], flat[n + m : n + 2 * m], flat[-1])
