"""Derivatives of motions under friction.

Sensitivity of linear complementarity problems: Cottle, Pang and Stone 1992, chapter 7. While no pair changes its mode,
the conditions are equations, to which the implicit function theorem applies. At a change of mode this is the one-sided
derivative, towards the side without the change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from rbd.intrinsics.intrinsic import Intrinsic
from rbd.intrinsics.workspace import operand
from rbd.scalars.linear_algebra import dot
from rbd.scalars.protocol import Scalar, Vector
from rbd.solvers.cholesky import cholesky, whiten
from rbd.solvers.friction.modes import (
    BOTH_SLIP_ROWS,
    SECOND_SLIP_ROW,
    Pairs,
    compute_gram,
    forces_to_slip_rows,
    normalise_rows,
    operations_for_modes,
    slip_rows_to_directions,
    solve_for_modes,
)
from rbd.solvers.operands import entries, program_operands, solver_error, stationarity_tangent


@final
class PairsInModes(Pairs):
    """Pairs with known modes: `contact_modes` is that result of `solve_friction`."""

    contact_modes = operand("4 * p")


def _solve(w: PairsInModes) -> int:
    if cholesky(w.n, w.matrix, w.factor) > 0:
        return 1
    for k in range(w.p):
        for r in range(3):
            if w.contact_modes[4 * k + r] > 0.0:
                w.modes[3 * k + r] = 1
            elif w.contact_modes[4 * k + r] < 0.0:
                w.modes[3 * k + r] = -1
        if w.contact_modes[4 * k + 3] > 1.0:
            w.direction_kinds[k] = BOTH_SLIP_ROWS
        elif w.contact_modes[4 * k + 3] > 0.0:
            w.direction_kinds[k] = SECOND_SLIP_ROW
    slip_rows_to_directions(w)
    whiten(w.n, 3 * w.p, w.factor, w.rows, w.white_rows)
    normalise_rows(w, w.modes)
    compute_gram(w)
    solve_for_modes(w)
    forces_to_slip_rows(w)
    return 0


def _operations(n: int, p: int) -> int:
    """Bound the operations by those with all forces unknown."""
    size = 3 * p
    return n**3 + 3 * size * n * (n + size) + operations_for_modes(n, p)


SOLVE_FRICTION_MODES: Final = Intrinsic(
    name="solve_friction_modes",
    workspace=PairsInModes,
    function=_solve,
    operations=_operations,
    labels=1,
    error=solver_error,
)


def friction_jvp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, results: Vector, tangents: Vector
) -> tuple[Scalar, ...]:
    """Return the tangents of motion, forces and modes under friction for `tangents` of their operands."""
    n, p = sizes
    matrix, _, rows, _ = program_operands(n, 3 * p, operands)
    x, forces, modes = results[:n], results[n : n + 3 * p], results[n + 3 * p :]
    changes = _, _, of_rows, of_bounds = program_operands(n, 3 * p, tangents)
    right = stationarity_tangent(changes, x, forces)
    # A normal's rate is to be b, a slip row's -d: their rows' tangents count with opposite signs.
    bounds = [
        change + dot(row, x) if k % 3 else change - dot(row, x)
        for k, (change, row) in enumerate(zip(of_bounds, of_rows, strict=True))
    ]
    flat = (*entries(matrix), *right, *entries(rows), *bounds, *modes)
    return *SOLVE_FRICTION_MODES((n, p), flat, labels[:1]), *(0,) * (4 * p)
