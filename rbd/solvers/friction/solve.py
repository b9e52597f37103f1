"""Motions under Coulomb friction.

Find x and forces with M x = g + sum over pairs of N n + f1 s1 + f2 s2. For each pair 0 <= N, 0 <= u = n x - b and
N u = 0. A sliding pair has f1 = -N and f2 = 0; any other has friction in the linearised cone |f1| + |f2| <= N that
maximises the dissipation, -f1 (s1 x + d1) - f2 (s2 x + d2) (Stewart and Trinkle 1996). Along h1 = s1 + s2 and
h2 = s1 - s2, halved, the cone is a box, so that each direction has its own bounds: |g1| <= N, g1 = -N while h1 x > 0.

This is a linear complementarity problem, whose matrix is not symmetric if a pair slides. Lemke's method begins at the
motion without forces, with the bounds lowered until it is feasible, and raises them (Cottle, Pang and Stone 1992). If
no pair slides, it finds a solution; else it may end without one although there is one, and then all combinations of
modes are tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, final

from rbd.errors import RbdError, ShapeError, SolverError
from rbd.intrinsics.intrinsic import Intrinsic
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.solvers.cholesky import cholesky, solve_lower, whiten
from rbd.solvers.friction.complementarity import find_modes_by_lemke
from rbd.solvers.friction.derivative import friction_jvp
from rbd.solvers.friction.enumeration import FOUND, MAX_COMBINATIONS, TOO_MANY, enumerate_modes, satisfies_coulomb
from rbd.solvers.friction.lemke import RAY
from rbd.solvers.friction.modes import (
    compute_gram,
    forces_to_slip_rows,
    normalise_rows,
    operations_for_modes,
    slip_rows_to_directions,
    solve_for_modes,
)
from rbd.solvers.friction.problem import (
    FrictionProblem,
    choose_friction_directions,
    compute_free_rates,
    mark_nonzero_normals,
)
from rbd.solvers.operands import entries, require_rows

INDEFINITE: Final = "the matrix is not positive definite"
INFEASIBLE: Final = "the constraints contradict each other"
JAMMED: Final = "no forces obey Coulomb's law"
LOST: Final = "no forces that obey Coulomb's law were found, and there are too many combinations to try all"

# Statuses of the intrinsic: 0, or the number of the label that says why there is no solution.
SOLVED: Final = 0
IS_INDEFINITE: Final = 1
IS_INFEASIBLE: Final = 2
IS_JAMMED: Final = 3
IS_LOST: Final = 4


def _search(w: FrictionProblem, scale: float) -> int:
    """Find modes; return the status. Where there are none, the Gram matrix ends without friction."""
    if find_modes_by_lemke(w, 0) >= 0 and satisfies_coulomb(w, scale) == 1:
        return SOLVED
    outcome = enumerate_modes(w, scale)
    if outcome == FOUND:
        return SOLVED
    if outcome == TOO_MANY:
        for covering_vector in range(1, 2 * w.p + 1):
            if find_modes_by_lemke(w, covering_vector) >= 0 and satisfies_coulomb(w, scale) == 1:
                return SOLVED
    _remove_friction(w)
    if find_modes_by_lemke(w, 0) == RAY:
        return IS_INFEASIBLE
    if outcome == TOO_MANY:
        return IS_LOST
    return IS_JAMMED


def _remove_friction(w: FrictionProblem) -> None:
    """Remove friction from the complementarity problem: its forces from the Gram matrix, its modes from the unknowns.

    Without friction the matrix is symmetric, and Lemke's pivots tell whether the bounds alone contradict each other.
    """
    for k in range(w.p):
        for a in range(3 * k + 1, 3 * k + 3):
            w.is_undecided[a] = 0
            for b in range(3 * w.p):
                w.gram[b][a] = 0.0


def _store_modes(w: FrictionProblem) -> None:
    """Store the modes, and clip forces that rounding moved out of the friction cone."""
    for k in range(w.p):
        for r in range(3):
            w.contact_modes[4 * k + r] = float(w.modes[3 * k + r])
        w.contact_modes[4 * k + 3] = float(w.direction_kinds[k])
        if not w.forces[3 * k] > 0.0:
            w.forces[3 * k] = 0.0
        for a in range(3 * k + 1, 3 * k + 3):
            if w.forces[a] > w.forces[3 * k]:
                w.forces[a] = w.forces[3 * k]
            if w.forces[a] < -w.forces[3 * k]:
                w.forces[a] = -w.forces[3 * k]


def _solve(w: FrictionProblem) -> int:
    if cholesky(w.n, w.matrix, w.factor) > 0:
        return IS_INDEFINITE
    whiten(w.n, 3 * w.p, w.factor, w.rows, w.white_rows)
    for i in range(w.n):
        w.free_point[i] = w.right[i]
    solve_lower(w.n, w.factor, w.free_point)
    choose_friction_directions(w)
    if mark_nonzero_normals(w) > 0:
        return IS_INFEASIBLE
    slip_rows_to_directions(w)
    whiten(w.n, 3 * w.p, w.factor, w.rows, w.white_rows)
    normalise_rows(w, w.is_undecided)
    compute_gram(w)
    found = _search(w, compute_free_rates(w))
    if found > 0:
        return found
    solve_for_modes(w)
    _store_modes(w)
    forces_to_slip_rows(w)
    return SOLVED


def _operations(n: int, p: int) -> int:
    """Bound the operations by those of all combinations, each with all forces unknown; calls need far fewer."""
    m, size = 5 * p, 3 * p
    pivot = 2 * m * (m + 2) + 6 * m
    per_trial = 6 * size * size + 2 * size**3 + 6 * size
    tries: int = min(int(MAX_COMBINATIONS), 10**p) * per_trial
    return n**3 + 3 * size * n * (n + size) + 2 * (50 + 20 * m) * pivot + tries + 6 * size + operations_for_modes(n, p)


def _friction_error(label: str) -> RbdError:
    return SolverError(label, status=label if label in (INDEFINITE, INFEASIBLE) else "friction")


SOLVE_FRICTION: Final = Intrinsic(
    name="solve_friction",
    workspace=FrictionProblem,
    function=_solve,
    operations=_operations,
    labels=4,
    error=_friction_error,
    derivative=friction_jvp,
)


@final
class FrictionSolution(NamedTuple):
    """The motion x, the forces N, f1 and f2 of each pair, and four numbers of each pair that are its mode.

    These are whether its normal force is active, the sign of sliding along each of its two directions (0 if it sticks),
    and the kind of its directions (`modes.py`).
    """

    x: Vector
    forces: Vector
    contact_modes: Vector

    @property
    def active(self) -> Vector:
        """1 for pairs whose normal force is active, else 0."""
        return self.contact_modes[::4]


def solve_friction(
    matrix: Matrix,
    right: Sequence[Scalar],
    rows: Matrix,
    bounds: Sequence[Scalar],
    slides: Sequence[Scalar],
    *,
    jammed: str = JAMMED,
    lost: str = LOST,
) -> FrictionSolution:
    """Find the motion of pairs in frictional contact.

    Of each pair there are three `rows`, its normal n and its slip rows s1 and s2: two tangential rows times the
    coefficient of friction; three `bounds`, b, d1 and d2; and of `slides` a number above zero if it slides along s1. Of
    several solutions the first is returned that raising the bounds, or the enumeration, meets.

    Raises SolverError: when the matrix is not positive definite, when the bounds contradict each other, and with the
    status "friction" and the text `jammed` when every combination of modes was tried in vain, `lost` when there are
    too many (more than 20 000) and pivoting ended without one. ShapeError when sizes do not fit, ScalarError for
    scalars that cannot be compared.

    >>> x, forces, _ = solve_friction(     # a block of 1 kg that slides along the first axis
    ...     ((1.0, 0.0), (0.0, 1.0)), (0.0, -9.81), ((0.0, 1.0), (0.5, 0.0), (0.0, 0.0)), (0.0, 0.0, 0.0), (1.0,)
    ... )
    >>> x, forces
    ((-4.905, 0.0), (9.81, -9.81, 0.0))
    """
    n, p = len(right), len(slides)
    require_rows(matrix, n, n, "matrix", f"the matrix needs {n} rows of {n}")
    require_rows(rows, 3 * p, n, "rows", f"there are {p} pairs: needs {3 * p} rows of {n}")
    if len(bounds) != 3 * p:
        raise ShapeError(f"there are {p} pairs: needs {3 * p} bounds", argument="bounds", expected=(3 * p,))
    if n == 0:
        return FrictionSolution((), (0,) * (3 * p), (0,) * (4 * p))
    operands = (*entries(matrix), *right, *entries(rows), *bounds, *slides)
    flat = SOLVE_FRICTION((n, p), operands, (INDEFINITE, INFEASIBLE, jammed, lost))
    return FrictionSolution(flat[:n], flat[n : n + 3 * p], flat[n + 3 * p :])
