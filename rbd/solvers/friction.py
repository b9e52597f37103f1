"""Motions under Coulomb friction.

Find x and forces with M x = g + sum over pairs of N n + f1 s1 + f2 s2, such that for each pair, with u = n x - b:
N >= 0, u >= 0 and one of both is zero; a pair that slides has f1 = -N and f2 = 0; another has |f1| + |f2| <= N and, of
all such forces, those that brake s1 x + d1 and s2 x + d2 most. The diamond is a square along h1 = (s1 + s2) / 2 and
h2 = (s1 - s2) / 2, and rubs along both by itself: |g1| <= N, g1 = -N while h1 x grows.

That is a linear complementarity problem, whose matrix is not symmetric where something slides. Lemke's pivots begin at
the motion without forces, with bounds so low that it is allowed, and raise them (Cottle, Pang, Stone: The Linear
Complementarity Problem, 1992). Where nothing slides they find a solution; else they may end although there is one, and
then every combination of modes is tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rbd.errors import RbdError, ShapeError, SolverError
from rbd.intrinsics.intrinsic import Intrinsic
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.solvers.dense_factors import cholesky, forward, whiten
from rbd.solvers.friction_complementarity import pivoted
from rbd.solvers.friction_derivative import change_of_motion
from rbd.solvers.friction_enumeration import obeyed, tried
from rbd.solvers.friction_modes import measure, settle, turn, turn_back
from rbd.solvers.friction_problem import Friction, count, free_rates, shape

INDEFINITE: Final = "the matrix is not positive definite"
INFEASIBLE: Final = "the constraints contradict each other"
JAMMED: Final = "no forces obey Coulomb's law"
LOST: Final = "no forces that obey Coulomb's law were found, and there are too many combinations to try all"


def _search(w: Friction, scale: float) -> int:  # noqa: C901 - one thing after the other is tried
    """Find modes; return 0, or a status."""
    if pivoted(w, 0) >= 0 and obeyed(w, scale) == 1:
        return 0
    found = tried(w, scale)
    if found == 1:
        return 0
    for way in range(1, 1 - 2 * w.p * found):
        if pivoted(w, way) >= 0 and obeyed(w, scale) == 1:
            return 0
    # Without friction the matrix is symmetric, and Lemke's pivots tell whether the bounds alone contradict each other.
    for k in range(w.p):
        for a in range(3 * k + 1, 3 * k + 3):
            w.kinds[a] = 0
            for b in range(3 * w.p):
                w.gram[b][a] = 0.0
    if pivoted(w, 0) < 0:
        return 2
    return 3 - found


def _hold(w: Friction) -> None:
    """Say what the modes are, and keep the forces of rounding within the law."""
    for k in range(w.p):
        for r in range(3):
            w.held[4 * k + r] = float(w.modes[3 * k + r])
        w.held[4 * k + 3] = float(w.shapes[k])
        if not w.forces[3 * k] > 0.0:
            w.forces[3 * k] = 0.0
        for a in range(3 * k + 1, 3 * k + 3):
            if w.forces[a] > w.forces[3 * k]:
                w.forces[a] = w.forces[3 * k]
            if w.forces[a] < -w.forces[3 * k]:
                w.forces[a] = -w.forces[3 * k]


def _solve(w: Friction) -> int:
    if cholesky(w.n, w.matrix, w.factor) > 0:
        return 1
    whiten(w.n, 3 * w.p, w.factor, w.rows, w.white)
    for i in range(w.n):
        w.rest[i] = w.right[i]
    forward(w.n, w.factor, w.rest)
    shape(w)
    if count(w) > 0:
        return 2
    turn(w)
    whiten(w.n, 3 * w.p, w.factor, w.rows, w.white)
    measure(w, w.kinds)
    found = _search(w, free_rates(w))
    if found > 0:
        return found
    settle(w)
    _hold(w)
    turn_back(w)
    return 0


def _operations(n: int, p: int) -> int:
    """Bound the operations by those of all combinations, each with all forces unknown: far more than there ever are."""
    m, size = 5 * p, 3 * p
    pivot = 2 * m * (m + 2) + 6 * m
    one = 6 * size * size + 2 * size**3 + 6 * size
    tries: int = min(20000, 10**p) * one
    refinement = 4 * n * n + 8 * n * size + 2 * size * size + 6 * size
    return n**3 + 3 * size * n * (n + size) + 2 * (50 + 20 * m) * pivot + tries + one + 3 * refinement


def _failed(label: str) -> RbdError:
    return SolverError(label, status=label if label in (INDEFINITE, INFEASIBLE) else "friction")


SOLVE_FRICTION: Final = Intrinsic(
    name="solve_friction",
    workspace=Friction,
    function=_solve,
    operations=_operations,
    labels=4,
    error=_failed,
    derivative=change_of_motion,
)


def solve_friction(
    matrix: Matrix,
    right: Sequence[Scalar],
    rows: Matrix,
    bounds: Sequence[Scalar],
    slides: Sequence[Scalar],
    *,
    jammed: str = JAMMED,
    lost: str = LOST,
) -> tuple[Vector, Vector, Vector]:
    """Find the motion of pairs that rub: return (x, forces, held).

    Of each pair there are three `rows`, its normal n and the slopes s1 and s2, times the coefficient; three `bounds`,
    b, d1 and d2; and of `slides` a number above zero if it slides along s1. `forces` are N, f1 and f2 of each pair;
    `held` are four numbers: whether it pushes, which way its two directions slide or 0, and how they are made. Of
    several solutions it is the one met first when the bounds are raised from where nothing pushes, or of the
    combinations.

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
    if len(matrix) != n or any(len(row) != n for row in matrix):
        raise ShapeError(f"the matrix needs {n} rows of {n}", argument="matrix", expected=(n, n))
    if len(rows) != 3 * p or any(len(row) != n for row in rows):
        raise ShapeError(f"there are {p} pairs: needs {3 * p} rows of {n}", argument="rows", expected=(3 * p, n))
    if len(bounds) != 3 * p:
        raise ShapeError(f"there are {p} pairs: needs {3 * p} bounds", argument="bounds", expected=(3 * p,))
    if n == 0:
        return (), (0,) * (3 * p), (0,) * (4 * p)
    operands = (*(x for row in matrix for x in row), *right, *(x for row in rows for x in row), *bounds, *slides)
    flat = SOLVE_FRICTION((n, p), operands, (INDEFINITE, INFEASIBLE, jammed, lost))
    return flat[:n], flat[n : n + 3 * p], flat[n + 3 * p :]
